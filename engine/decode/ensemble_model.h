// An ensemble: several networks of one target vocabulary as one StepModel of the CPU. Every member
// encodes a segment and makes the step of a row. The means of their predictions are folded into one
// summary (kernels/ops/output_mean.h). The search sees one model.
//
// A page of K and V has a part for each member, so all members share page tables and ancestry.
//
// Thread-safety and ownership as in cpu_model.h. Members compute in sequence, with all threads.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/ensemble_program.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {

// Creates an ensemble. Alignments are the first member's. The weights of the members are divided by
// their sum. REQUIRES: 1 to kMaxEnsembleMembers of one vocabulary, with weights above 0, each with
// the requirements of CreateCpuModel. Returns UNIMPLEMENTED as CreateCpuModel does.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuEnsemble(
    std::vector<EnsembleNetwork> members, kernels::MeanKind mean, kernels::ComputeType type,
    int cores);

}  // namespace dragoman::engine

// Several networks of one target vocabulary as one StepModel of the CPU: an ensemble. A segment is
// encoded by every member, a row makes its step in every member, and the means of their predictions
// are folded into one summary (kernels/ops/output_mean.h). The search sees one model.
//
// A page of K and V has a part for each member: one set of page tables, one ancestry and one account of
// memory serve all of them, and a hypothesis that changes its lane does so in all members at once.
//
// Thread-safety and ownership as cpu_model.h. Members compute one after the other, each with all the
// threads that the step has.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/ensemble_program.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {

// Alignments are the first member's. `weights` go as soon as they are packed. REQUIRES: 1 to
// kMaxEnsembleMembers of one vocabulary, what CreateCpuModel requires of each, weights above 0; they
// are divided by their sum. UNIMPLEMENTED as CreateCpuModel.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuEnsemble(
    std::vector<EnsembleNetwork> members, kernels::MeanKind mean, kernels::ComputeType type,
    int cores);

}  // namespace dragoman::engine

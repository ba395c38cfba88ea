// An ensemble: several networks with one target vocabulary that act as one StepModel of the CPU.
// Every member encodes each segment and computes each step of each row. The mean of their
// predictions is reduced to one LogitSummary per row (kernels/ops/output_mean.h), so the search
// sees one model.
//
// A page has a part for the K and V of each member, so all members share page tables and ancestry
// (README.md, "The decoding batch").
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
// their sum. `type` and `cores` are as for CreateCpuModel. Returns the errors of CreateCpuModel.
// REQUIRES: 1 to kMaxEnsembleMembers members with one target vocabulary and weights above 0. Each
// member meets the requirements of CreateCpuModel.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuEnsemble(
    std::vector<EnsembleNetwork> members, kernels::MeanKind mean, kernels::ComputeType type,
    int cores);

}  // namespace dragoman::engine

// Runs an ensemble on the CPU: several networks (members) with the same target vocabulary act as
// one StepModel. Every member encodes each segment and computes each step of each row. The mean of
// the members' predictions is reduced to one LogitSummary per row (kernels/ops/output_mean.h), so
// the search sees one model.
//
// A page has a part for the K and V of each member, so all members share page tables and ancestry
// (README.md, "The decoding batch").
//
// Thread-safety and ownership are as in cpu_model.h. The members compute one after the other, each
// with all threads.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/ensemble_program.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/mean_kind.h"

namespace dragoman::engine {

// Creates an ensemble. Alignments come from the first member. EnsembleNetwork::weight of each
// member is divided by their sum. `type` and `cores` are as for CreateCpuModel. Returns the errors
// of CreateCpuModel. REQUIRES: 1 to kMaxEnsembleMembers members with the same target vocabulary and
// weights above 0. Each member meets the requirements of CreateCpuModel.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuEnsemble(
    std::vector<EnsembleNetwork> members, kernels::MeanKind mean, kernels::ComputeType type,
    int cores);

}  // namespace dragoman::engine

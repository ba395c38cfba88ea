// The executor of a network on the CPU: walks its program with the operations of kernels/ops.
// Weights are packed once and shared; every encoder and decoder has buffers of its own.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/program.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/op_probe.h"

namespace dragoman {

// `cores`: threads that may compute at once, in packing and in all that is made from the model. What
// an encoder or decoder divides is shared with the cores that have no other work
// (kernels/base/helper_threads.h). Each of `weights` goes as soon as it is packed, so that memory holds
// them once and one of them twice. REQUIRES: CheckProgram said yes, the weights are the program's,
// cores > 0. UNIMPLEMENTED for a compute type that the CPU has no kernels of.
//
// `probe`, for measuring: hears of every operation of a decoder's step by its name, and of parts
// within it. Borrowed for the life of the model's one decoder; nullptr in production, where
// decoders are as many as there are workers.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(
    const Program& program, WeightValues weights, ComputeType type = ComputeType::kFloat32,
    int cores = 1, OpProbe* probe = nullptr);

}  // namespace dragoman

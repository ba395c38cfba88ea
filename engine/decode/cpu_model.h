// Executes a network's program (engine/network/program.h) on the CPU with the operations of
// kernels/ops. All encoders and decoders share the weights, which are packed once. Each has its own
// buffers.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/op_probe.h"

namespace dragoman::engine {

// Creates the model from a program and its weights. Reads the weights in pieces and packs them at
// once. Weights that are stored in int8 are packed as they are in int8. A matrix that is embedding
// and output layer is stored once.
//
// `cores`: the number of threads that may compute at the same time, for packing and for all
// encoders and decoders together. An encoder or decoder shares its work with idle threads among
// them (kernels/base/helper_threads.h).
//
// `selects_words`: decoders can limit a slot to selected words (Decoder::Enter). This takes memory.
//
// `probe`: for measurements; nullptr in production. Called for each operation of a decoder's step
// and for parts of operations. Borrowed for the life of the decoder. The model must then have one
// decoder only.
//
// REQUIRES: CheckProgram returned OK, `weights` belong to the program, cores > 0. Returns
// UNIMPLEMENTED for a compute type without CPU kernels, and the errors of Weights::Read and
// Weights::Check.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(
    const Program& program, const Weights& weights,
    kernels::ComputeType type = kernels::ComputeType::kFloat32, int cores = 1,
    kernels::OpProbe* probe = nullptr, bool selects_words = false);

}  // namespace dragoman::engine

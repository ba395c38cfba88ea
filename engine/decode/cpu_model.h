// Executes a network's program (engine/network/program.h) on the CPU with the operations of
// kernels/ops. All encoders and decoders share the weights, which are packed once. Each has its own
// buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "engine/decode/step_model.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/helper_threads.h"
#include "kernels/base/op_context.h"
#include "kernels/base/op_probe.h"
#include "kernels/ops/output_layer.h"

namespace dragoman::engine {

class CpuRows;

// Creates the model from a program and its weights. `cores` is the number of threads that may
// compute at once, for packing and for all encoders and decoders of the model. These share their
// work with cores that have no other work (kernels/base/helper_threads.h). Reads the weights in
// pieces and packs them at once. Weights that are stored in int8 are packed as they are in int8. A
// matrix that is embedding and output layer is stored once. REQUIRES: CheckProgram returned OK, the
// weights are the program's, cores > 0. Returns UNIMPLEMENTED for a compute type without CPU
// kernels; otherwise the errors of Weights::Read.
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

// The rest of this file is for the members of an ensemble (ensemble_model.h). The ensemble owns the
// threads and the scratch memory that its members use.

class CpuNetwork : public StepModel {
 public:
  virtual const kernels::OutputLayer& output() const = 0;

  // buffer_bytes: returns the bytes that one encoder and one NetworkRows take together, without the
  // scratch memory of their contexts. encoder_scratch and decoder_scratch: return the number of
  // floats of scratch memory that each of the two reserves in its context, per thread.
  virtual int64_t buffer_bytes(int max_rows) const = 0;
  virtual size_t encoder_scratch() const = 0;
  virtual size_t decoder_scratch(int max_rows) const = 0;

  // Create an encoder or decoder that computes in `context`, which is borrowed for the life of the
  // result. workspace_bytes() of the result does not include the context's memory.
  virtual std::unique_ptr<Encoder> CreateEncoderIn(kernels::OpContext* context) const = 0;
  virtual std::unique_ptr<CpuRows> CreateRowsIn(kernels::OpContext* context,
                                                int max_rows) const = 0;
};

// Like CreateCpuModel, but computes with the threads of `helpers`, which members of an ensemble
// share.
absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, kernels::OpProbe* probe = nullptr,
    bool selects_words = false);

}  // namespace dragoman::engine

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

// Creates the model from a program and its weights. Reads the weights in pieces and packs each
// piece at once. If `type` is int8, weights that the files store in int8 are packed without
// conversion. A matrix that is both embedding table and output layer is stored once.
//
// `cores` is the number of threads that may compute at the same time, for packing and for all
// encoders and decoders together. An encoder or decoder lets idle threads among them do part of its
// work (kernels/base/helper_threads.h).
//
// With `selects_words`, decoders can limit a slot to a selection of target tokens (Decoder::Enter).
// This takes memory.
//
// `probe` is for measurements and nullptr in production. It is called for each operation of a
// decoder's step and for parts of operations. It is borrowed as long as the decoder exists. A model
// with a probe must have only one decoder.
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

// A decoder without the output layer. Belongs to one thread.
class NetworkRows {
 public:
  virtual ~NetworkRows() = default;

  // Computes one more position for every row. Returns the input of the output layer, a row-major
  // matrix with one row of d numbers for each row. The result is valid until the next call. Does
  // not read input.requests. REQUIRES: the call is between OpContext::Begin and OpContext::End of
  // the context that computes.
  virtual const float* Run(const StepInput& input) = 0;

  // Returns the number of bytes that this object takes, without the memory of its context.
  virtual int64_t workspace_bytes() const = 0;
};

class CpuNetwork : public StepModel {
 public:
  virtual const kernels::OutputLayer& output() const = 0;

  // buffer_bytes returns the number of bytes that one encoder and one NetworkRows take together,
  // without the scratch memory of their contexts. encoder_scratch and decoder_scratch return the
  // number of floats of scratch memory that an encoder or a NetworkRows reserves in its context for
  // each thread.
  virtual int64_t buffer_bytes(int max_rows) const = 0;
  virtual size_t encoder_scratch() const = 0;
  virtual size_t decoder_scratch(int max_rows) const = 0;

  // Create an encoder or decoder that computes in `context`, which is borrowed for the life of the
  // result. workspace_bytes() of the result does not include the context's memory.
  virtual std::unique_ptr<Encoder> CreateEncoderIn(kernels::OpContext* context) const = 0;
  virtual std::unique_ptr<NetworkRows> CreateRowsIn(kernels::OpContext* context,
                                                    int max_rows) const = 0;
};

// Like CreateCpuModel, but computes with the threads of `helpers`, which members of an ensemble
// share.
absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, kernels::OpProbe* probe = nullptr,
    bool selects_words = false);

}  // namespace dragoman::engine

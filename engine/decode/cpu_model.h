// Executes a network's program on the CPU with the operations of kernels/ops. Weights are packed
// once and shared. Each encoder and each decoder has its own buffers.
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
// `selects_words`: decoders can select the words of slots (Decoder::Enter), which takes memory.
//
// `probe`, for measurements, is called for each operation of a decoder's step and for parts of it.
// Borrowed for the life of the model's only decoder. nullptr in production.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(
    const Program& program, const Weights& weights,
    kernels::ComputeType type = kernels::ComputeType::kFloat32, int cores = 1,
    kernels::OpProbe* probe = nullptr, bool selects_words = false);

// Used by the members of an ensemble (ensemble_model.h), which owns their threads and scratch.

class CpuNetwork : public StepModel {
 public:
  virtual const kernels::OutputLayer& output() const = 0;

  // Return the memory of an encoder and the rows of a decoder without the scratch of their
  // contexts, and the scratch that each reserves, in floats.
  virtual int64_t buffer_bytes(int max_rows) const = 0;
  virtual size_t encoder_scratch() const = 0;
  virtual size_t decoder_scratch(int max_rows) const = 0;

  // Borrow `context` for the life of the result. workspace_bytes() does not include its memory.
  virtual std::unique_ptr<Encoder> CreateEncoderIn(kernels::OpContext* context) const = 0;
  virtual std::unique_ptr<CpuRows> CreateRowsIn(kernels::OpContext* context,
                                                int max_rows) const = 0;
};

// The same as CreateCpuModel, with threads that may be shared.
absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, kernels::OpProbe* probe = nullptr,
    bool selects_words = false);

}  // namespace dragoman::engine

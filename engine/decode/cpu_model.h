// The executor of a network on the CPU: walks its program with the operations of kernels/ops.
// Weights are packed once and shared; every encoder and decoder has buffers of its own.
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

// Makes the model from a program and its weights. `cores` is the number of threads that may compute
// at once, in packing and in everything that is made from the model. Work that an encoder or
// decoder divides is shared with the cores that have no other work (kernels/base/helper_threads.h).
// Weights are read in pieces of some rows and packed at once; weights stored as int8 are packed as
// they are, in int8; one matrix that is embedding and output layer is held once. REQUIRES:
// CheckProgram returned OK, the weights are the program's, cores > 0. UNIMPLEMENTED for a compute
// type that the CPU has no kernels of; else errors as Weights::Read.
//
// `selects_words`: its decoders take the words of slots (Decoder::Enter), which takes memory.
//
// `probe`, for measurements, is told of every operation of a decoder's step by its name, and of
// parts within it. Borrowed for the life of the model's one decoder; nullptr in production, where
// there are as many decoders as workers.
absl::StatusOr<std::shared_ptr<const StepModel>> CreateCpuModel(
    const Program& program, const Weights& weights,
    kernels::ComputeType type = kernels::ComputeType::kFloat32, int cores = 1,
    kernels::OpProbe* probe = nullptr, bool selects_words = false);

// An ensemble takes the following of each of its members (ensemble_model.h). Their threads, and the
// scratch in which one computes after the other, belong to the ensemble.

// A decoder up to the output layer, for one thread.
class NetworkRows {
 public:
  virtual ~NetworkRows() = default;

  // Computes one more position for every row: the output layer's input [rows, d], valid until the
  // next call. Call between Begin and End of its context. The requests of `input` are not read.
  virtual const float* Run(const StepInput& input) = 0;

  // The bytes without the context's.
  virtual int64_t workspace_bytes() const = 0;
};

class CpuNetwork : public StepModel {
 public:
  virtual const kernels::OutputLayer& output() const = 0;

  // The memory that an encoder and the rows of a decoder hold besides the scratch of their
  // contexts, and the scratch that they Reserve.
  virtual int64_t buffer_bytes(int max_rows) const = 0;
  virtual size_t encoder_scratch() const = 0;
  virtual size_t decoder_scratch(int max_rows) const = 0;

  // `context` is borrowed for their lives; its memory does not count as their workspace.
  virtual std::unique_ptr<Encoder> CreateEncoderIn(kernels::OpContext* context) const = 0;
  virtual std::unique_ptr<NetworkRows> CreateRowsIn(kernels::OpContext* context,
                                                    int max_rows) const = 0;
};

// The same as CreateCpuModel, with threads that others may use as well.
absl::StatusOr<std::shared_ptr<const CpuNetwork>> CreateCpuNetwork(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, kernels::OpProbe* probe = nullptr,
    bool selects_words = false);

}  // namespace dragoman::engine

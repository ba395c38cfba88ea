// Holds a network's program (engine/network/program.h) with its weights in the form that the
// operations of the CPU read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/network/buffers.h"
#include "engine/network/program.h"
#include "engine/network/weights.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/helper_threads.h"
#include "kernels/ops/embed.h"
#include "kernels/ops/encoder_attention.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"

namespace dragoman::engine {

// The matrix products of a stage (encoder or decoder), indexed by operation. Operations that are no
// products have nullptr.
using StageProducts = std::vector<std::unique_ptr<kernels::Linear>>;

// The packed program, and the threads that compute it. Immutable once made.
struct PackedProgram {
  explicit PackedProgram(std::shared_ptr<kernels::HelperThreads> threads)
      : helpers(std::move(threads)) {}

  Program program;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  BufferPlan encoder_buffers, decoder_buffers;
  StageProducts encoder, decoder;
  std::unique_ptr<kernels::OutputLayer> output;
  WeightValues values;  // by WeightId; an entry is empty if operations read the weight packed
  // The embedding tables, indexed by WeightId. Other weights have nullptr, and so has a table that
  // is also the output layer's matrix.
  std::vector<std::unique_ptr<kernels::EmbeddingTable>> tables;
  int64_t bytes = 0;  // the size of all weights as stored here
  bool selects_words = false;
  // The threads that compute. The members of an ensemble share them.
  const std::shared_ptr<kernels::HelperThreads> helpers;

  // Returns the number of bytes that a decoder for `max_rows` rows takes for selections of target
  // tokens (word_selections.h).
  int64_t SelectionBytes(int max_rows) const;

  // Returns the number of floats of scratch memory that an encoder or decoder of `rows` rows needs
  // for each thread.
  size_t ScratchFloats(const OpSequence& stage, const StageProducts& products, int64_t rows) const;

  const float* Value(WeightId id) const {
    return id == kNoWeight ? nullptr : values[static_cast<size_t>(id)].data();
  }
  kernels::RelativeBias Bias(WeightId id) const {
    if (id == kNoWeight) return {};
    return {Value(id), program.weight(id).cols, program.max_positions - 1};
  }
  int Cols(WeightId id) const { return static_cast<int>(program.weight(id).cols); }
  const kernels::EmbeddingTable& Table(WeightId id) const {
    const auto& own = tables[static_cast<size_t>(id)];
    return own != nullptr ? *own : output->table();
  }
};

// Returns `kv` with the element type that the CPU's pages have for this compute type.
kernels::KvLayout HostLayout(kernels::KvLayout kv, kernels::ComputeType type);

// Computes PackedProgram::bytes from the shapes of the weights, without packing. Returns 0 for a
// compute type without CPU kernels.
int64_t CpuWeightBytes(const Program& program, kernels::ComputeType type);

// Packs the weights with all threads of `helpers`. Requirements and errors are those of
// CreateCpuModel (cpu_model.h).
absl::StatusOr<std::shared_ptr<const PackedProgram>> PackProgram(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, bool selects_words);

}  // namespace dragoman::engine

// A network's program with weights that are packed for the CPU's operations.
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

// The products of a stage by operation; nullptr for other operations.
using StageProducts = std::vector<std::unique_ptr<kernels::Linear>>;

// The packed program, immutable once made, and the helper threads that compute it.
struct PackedProgram {
  explicit PackedProgram(std::shared_ptr<kernels::HelperThreads> threads)
      : helpers(std::move(threads)) {}

  Program program;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  BufferPlan encoder_buffers, decoder_buffers;
  StageProducts encoder, decoder;
  std::unique_ptr<kernels::OutputLayer> output;
  WeightValues values;  // by weight; empty for weights that operations do not read as they are
  // The embedding tables by weight; nullptr for other weights and for the output layer's table.
  std::vector<std::unique_ptr<kernels::EmbeddingTable>> tables;
  int64_t bytes = 0;  // of all weights
  bool selects_words = false;
  const std::shared_ptr<kernels::HelperThreads>
      helpers;  // of the executor; the members of an ensemble share them

  // Returns the bytes of the word selections of a decoder for `max_rows` rows.
  int64_t SelectionBytes(int max_rows) const;

  // Returns the scratch floats that an encoder or decoder of `rows` rows needs for each thread.
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

// Returns the layout with the element type of the CPU's pages.
kernels::KvLayout HostLayout(kernels::KvLayout kv, kernels::ComputeType type);

// Returns PackedProgram::bytes, from the shapes alone; 0 for a type without CPU kernels.
int64_t CpuWeightBytes(const Program& program, kernels::ComputeType type);

// Packs the weights with all threads of `helpers`. As CreateCpuNetwork (cpu_model.h) otherwise.
absl::StatusOr<std::shared_ptr<const PackedProgram>> PackProgram(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, bool selects_words);

}  // namespace dragoman::engine

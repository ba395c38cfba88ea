// A network's program with its weights packed as the CPU's operations read them.
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

// The products of a stage by operation; nullptr for one that is not a product.
using StageProducts = std::vector<std::unique_ptr<kernels::Linear>>;

// Immutable once made; and the threads that help to compute it.
struct PackedProgram {
  explicit PackedProgram(std::shared_ptr<kernels::HelperThreads> threads)
      : helpers(std::move(threads)) {}

  Program program;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;
  BufferPlan encoder_buffers, decoder_buffers;
  StageProducts encoder, decoder;
  std::unique_ptr<kernels::OutputLayer> output;
  WeightValues values;  // by weight: those that operations read as they are; the others are empty
  // The tables of embeddings, by weight; nullptr for the others, and for the output layer's.
  std::vector<std::unique_ptr<kernels::EmbeddingTable>> tables;
  int64_t bytes = 0;  // of all weights
  bool selects_words = false;
  const std::shared_ptr<kernels::HelperThreads>
      helpers;  // of its executor; shared by an ensemble's

  // Bytes of the selections of a decoder for so many rows.
  int64_t SelectionBytes(int max_rows) const;

  // The scratch floats that an encoder or decoder for so many rows needs of each of its threads.
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

// A network's layout with the elements of the CPU's pages.
kernels::KvLayout HostLayout(kernels::KvLayout kv, kernels::ComputeType type);

// PackedProgram::bytes of such a program, from its shapes alone; 0 for a type that the CPU has no
// kernels of.
int64_t CpuWeightBytes(const Program& program, kernels::ComputeType type);

// The same as CreateCpuNetwork (cpu_model.h). Packs with all threads of `helpers`.
absl::StatusOr<std::shared_ptr<const PackedProgram>> PackProgram(
    const Program& program, const Weights& weights, kernels::ComputeType type,
    std::shared_ptr<kernels::HelperThreads> helpers, bool selects_words);

}  // namespace dragoman::engine

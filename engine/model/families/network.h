// Defines Network, the network of a model: its program, and the checkpoint's tensors of which each
// weight is made.
//
// Thread-safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

struct TensorSource {
  // The checkpoint has the tensor under one or more of these names. If there are several, their
  // numbers must be equal. Empty: no checkpoint stores the tensor, and `fill` is used.
  std::vector<std::string> names;
  std::vector<int64_t> shape;
  int64_t first_row = 0;  // the weight begins at this row of the tensor
  float fill = 0.0F;      // value of all elements of a tensor without names
  float scale = 1.0F;     // the weight is the tensor times this
  // Names that are used only if the checkpoint has none of `names`. For an output layer that is
  // tied to an embedding, `names` has the names of the embedding, and `spare_names` has the names
  // of the output layer's own tensor.
  std::vector<std::string> spare_names = {};
};

enum class IfAbsent {
  kRefuse,
  kZeros,
  // A row has d/2 sines and then d/2 cosines. Frequency i is 10000^(-i / (d/2)). The first row is
  // position 0.
  kSinusoids,
  // Like kSinusoids, but frequency i is 10000^(-i / (d/2 - 1)) and the first row is position 2.
  kFairseqSinusoids,
  kOpenNmtSinusoids,  // like kFairseqSinusoids, but the first row is position 1
  kMarianSinusoids,   // like kFairseqSinusoids, but the first row is position 0
};

// The tensors of which a weight is made. The rows of each tensor follow those of the one before.
struct WeightSource {
  std::vector<TensorSource> parts;
  IfAbsent if_absent = IfAbsent::kRefuse;  // what to do if the checkpoint lacks the first part
  // If not empty, the weight is its only part transposed: column i of the weight is row columns[i]
  // of the tensor.
  std::vector<int> columns = {};
};

// Returns the source of a weight with one row per token of a vocabulary. Its shape is [rows], or
// [rows, cols] if cols is not 0. `tensors` are names of its tensor. `has_empty` adds a last row of
// zeros, which the tensor lacks, for the empty token (NetworkTraits::empty_token).
inline WeightSource SourceOfVocabulary(std::vector<std::string> tensors, int rows, int64_t cols,
                                       bool has_empty) {
  const auto of = [cols](int64_t n) {
    return cols == 0 ? std::vector<int64_t>{n} : std::vector<int64_t>{n, cols};
  };
  WeightSource source{{{std::move(tensors), of(has_empty ? rows - 1 : rows)}}, IfAbsent::kRefuse};
  if (has_empty) source.parts.push_back({{}, of(1)});
  return source;
}

struct Network {
  Program program;                    // passes CheckProgram
  std::vector<WeightSource> sources;  // by WeightId
};

}  // namespace dragoman::engine

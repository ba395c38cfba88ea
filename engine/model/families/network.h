// The network of a model: its program, and the tensors that each weight is made of.
//
// Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

struct TensorSource {
  // The checkpoint has the tensor under one or more of these names, with equal numbers. Empty: it
  // is in no checkpoint.
  std::vector<std::string> names;
  std::vector<int64_t> shape;
  int64_t first_row = 0;  // rows before it are left out
  float fill = 0.0F;      // value of all elements of a tensor without names
  float scale = 1.0F;     // the weight is the tensor times this
  // Names that are used only if the checkpoint has none of `names`. An output layer that is tied to
  // an embedding has its own names here.
  std::vector<std::string> spare_names = {};
};

enum class IfAbsent {
  kRefuse,
  kZeros,
  kSinusoids,         // [sin half | cos half], frequency 10000^(-i / (d/2)), of positions from 0
  kFairseqSinusoids,  // the same with frequency 10000^(-i / (d/2 - 1)), of positions from 2
  kOpenNmtSinusoids,  // the same as kFairseqSinusoids, of positions from 1
  kMarianSinusoids,   // the same as kFairseqSinusoids, of positions from 0
};

// The tensors whose rows, one tensor after the other, make a weight.
struct WeightSource {
  std::vector<TensorSource> parts;
  IfAbsent if_absent = IfAbsent::kRefuse;  // if the checkpoint lacks the first of them
  // If not empty, the weight is the only tensor, transposed: column i is tensor row columns[i].
  std::vector<int> columns = {};
};

// Returns the source of a weight of shape [rows], or [rows, cols] if cols is not 0. `tensors` are
// names of its tensor. With `has_empty`, an empty token's row (BartTraits::empty_token) follows.
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

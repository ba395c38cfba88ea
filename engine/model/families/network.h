// The network of a model: its program, and the tensors of a checkpoint that each weight is made of.
//
// Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/network/program.h"

namespace dragoman {

// A tensor of a checkpoint.
struct TensorSource {
  // It has one of them; where several are there they hold the same. None: it is never there.
  std::vector<std::string> names;
  std::vector<int64_t> shape;
  int64_t first_row = 0;  // those before it are left out
  float fill = 0.0F;      // what it is without names
  float scale = 1.0F;     // the weight is the tensor times it
};

enum class IfAbsent {
  kRefuse,
  kZeros,
  kSinusoids,         // [sin half | cos half], frequency 10000^(-i / (d/2)), of positions from 0
  kFairseqSinusoids,  // the same of frequency 10000^(-i / (d/2 - 1)), of positions from 2
  kOpenNmtSinusoids,  // those of positions from 1
  kMarianSinusoids,   // those of positions from 0
};

// What a weight is made of: tensors one below the other.
struct WeightSource {
  std::vector<TensorSource> parts;
  IfAbsent if_absent = IfAbsent::kRefuse;  // of the first of them
  // Where there are some, the weight is the one tensor transposed: its column i is row columns[i] of
  // the tensor.
  std::vector<int> columns = {};
};

// [rows], or [rows, cols] where there are cols. The row of an empty token (BartTraits::empty_token) is
// below those that one of `tensors` has.
WeightSource SourceOfVocabulary(std::vector<std::string> tensors, int rows, int64_t cols,
                                bool has_empty);

struct Network {
  Program program;                    // CheckProgram says yes
  std::vector<WeightSource> sources;  // by WeightId
};

}  // namespace dragoman

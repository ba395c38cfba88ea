// Where a checkpoint keeps the weights of a T5 (t5_network.h): Hugging Face has a tensor for each of
// query, key and value; CTranslate2 stacks the tensors that have the same input.
//
// Constants and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

enum class T5Part {
  // The parts of a layer: matrix products and norms.
  kSelfInput,  // query, key, value
  kSelfOutput,
  kSelfNorm,
  kDistances,  // the table of position biases
  kCrossQuery,
  kCrossKeyValue,
  kCrossOutput,
  kCrossNorm,
  kFeedForwardUp,  // followed by the gate's matrix where there is one
  kFeedForwardDown,
  kFeedForwardNorm,
  // The parts of a stage outside its layers.
  kFinalNorm,
};

struct T5Names {
  // The names of the tensors that are stacked to make a part, all of one size. `stage` is "encoder" or
  // "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, T5Part part, bool gated);
  // The checkpoint has any one of a list.
  std::vector<std::string> embedding;
  std::vector<std::string> output;
};

const T5Names& HuggingFaceT5Names();

// Query, key and value of self-attention are one variable in the file. Here they have names of their
// own, which the reader of the file gives to the parts of that variable (Ct2SelfInput).
const T5Names& Ct2T5Names();

// The name of CTranslate2's variable for query, key and value of a layer's self-attention.
std::string Ct2SelfInput(std::string_view stage, int layer);

}  // namespace dragoman

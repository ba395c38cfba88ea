// Where a checkpoint keeps the weights of a T5 (t5.h): Hugging Face has a tensor for each of query, key
// and value, CTranslate2 stacks those with one input.
//
// Constants and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

enum class T5Part {
  // Of a layer: products and norms.
  kSelfInput,  // query, key, value
  kSelfOutput,
  kSelfNorm,
  kDistances,  // the table of the first layer, which all of a stage have
  kCrossQuery,
  kCrossKeyValue,
  kCrossOutput,
  kCrossNorm,
  kFeedForwardUp,  // with the gate's behind it where there is one
  kFeedForwardDown,
  kFeedForwardNorm,
  // Of a stage.
  kFinalNorm,
};

struct T5Names {
  // The tensors of a part, one below the other, each of the same size. `stage` is "encoder" or
  // "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, T5Part part, bool gated);
  // Any of a list.
  std::vector<std::string> embedding;
  std::vector<std::string> output;
};

const T5Names& HuggingFaceT5Names();

// Query, key and value of self-attention are one variable in the file; here they have names of their
// own, which whoever reads the file gives to its parts (Ct2SelfInput).
const T5Names& Ct2T5Names();

// The variable of CTranslate2 that has query, key and value of a layer's self-attention.
std::string Ct2SelfInput(std::string_view stage, int layer);

}  // namespace dragoman

// Where a checkpoint keeps the weights of a network of BART's kind (bart_network.h): Hugging Face
// and Marian have a tensor for each of query, key and value, CTranslate2 stacks those with one input.
//
// Constants and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

enum class BartPart {
  // Of a layer: products and norms.
  kSelfInput,  // query, key, value
  kSelfOutput,
  kRecurrence,  // gate, input: of a decoder without self-attention
  kRecurrenceNorm,
  kSelfNorm,
  kCrossQuery,
  kCrossKeyValue,
  kCrossOutput,
  kCrossNorm,
  kFeedForwardUp,
  kFeedForwardDown,
  kFeedForwardNorm,
  // Of a stage.
  kEmbeddingNorm,
  kFinalNorm,
  kPositions,
};

struct BartNames {
  // The tensors of a part, one below the other, each of the same size; without the words below, which
  // TensorName puts in, but kPositions whole. `stage` is "encoder" or "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, BartPart part);
  std::string_view weight;  // of a product
  std::string_view bias;
  std::string_view gain;  // of a norm
  std::string_view norm_bias;
  // Whole names; any of a list. `shared` is both stages' where they have one.
  std::vector<std::string> shared;
  std::vector<std::string> source_embedding;
  std::vector<std::string> target_embedding;
  std::vector<std::string> output;
  std::vector<std::string> output_bias;
  bool output_bias_is_row = false;  // of shape [1, vocabulary]
};

// The word in place of the part's '*', or behind a part that has none.
std::string TensorName(std::string_view part, std::string_view word);

const BartNames& HuggingFaceBartNames();
const BartNames& Ct2BartNames();
const BartNames& MarianBartNames(bool pre_norm);

}  // namespace dragoman

// Where a checkpoint keeps the weights of a network of BART's kind (bart_network.h): Hugging Face
// and Marian have a tensor for each of query, key and value; CTranslate2 stacks the tensors that have
// the same input.
//
// Constants and pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

enum class BartPart {
  // The parts of a layer: matrix products and norms.
  kSelfInput,  // query, key, value
  kSelfOutput,
  kRecurrence,  // gate, input; in a decoder without self-attention
  kRecurrenceNorm,
  kSelfNorm,
  kCrossQuery,
  kCrossKeyValue,
  kCrossOutput,
  kCrossNorm,
  kFeedForwardUp,
  kFeedForwardDown,
  kFeedForwardNorm,
  // The parts of a stage outside its layers.
  kEmbeddingNorm,
  kFinalNorm,
  kPositions,
};

struct BartNames {
  // The names of the tensors that are stacked to make a part, all of one size. TensorName puts the
  // words below into them; those of kPositions are complete. `stage` is "encoder" or "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, BartPart part);
  std::string_view weight;  // the word for a product's matrix
  std::string_view bias;
  std::string_view gain;  // the word for a norm's gain
  std::string_view norm_bias;
  // Complete names; the checkpoint has any one of a list. `shared` is the embedding of both stages
  // where they share it.
  std::vector<std::string> shared;
  std::vector<std::string> source_embedding;
  std::vector<std::string> target_embedding;
  std::vector<std::string> output;
  std::vector<std::string> output_bias;
  bool output_bias_is_row = false;  // its shape is [1, vocabulary]
};

// Replaces the part's '*' by the word, or appends the word to a part that has no '*'.
std::string TensorName(std::string_view part, std::string_view word);

const BartNames& HuggingFaceBartNames();
const BartNames& Ct2BartNames();
const BartNames& MarianBartNames(bool pre_norm);

}  // namespace dragoman

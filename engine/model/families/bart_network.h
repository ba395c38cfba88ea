// Networks of BART's kind: MarianMT, M2M-100, NLLB-200, mBART and BART. They have an encoder and a
// decoder of self-attention, cross-attention and feed-forward layers, with biases. They differ in
// the traits below and in the numbers of ModelSpec. Layouts differ in the names of tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman::engine {

// The parts that have tensors in a checkpoint. Hugging Face and Marian have a tensor for each of
// query, key and value. CTranslate2 stacks the tensors that have the same input.
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
  // Returns the names of the tensors that are stacked to make a part, all of one size. TensorName
  // puts the words below into them, except for kPositions. `stage` is "encoder" or "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, BartPart part);
  std::string_view weight;  // the word for a product's matrix
  std::string_view bias;
  std::string_view gain;  // the word for a norm's gain
  std::string_view norm_bias;
  // Complete names; the checkpoint has any one of a list. `shared` names a shared embedding.
  std::vector<std::string> shared;
  std::vector<std::string> source_embedding;
  std::vector<std::string> target_embedding;
  std::vector<std::string> output;
  std::vector<std::string> output_bias;
  bool output_bias_is_row = false;  // its shape is [1, vocabulary]
  // A stored output layer that is tied is not used. If false, it must equal the embedding.
  bool ignores_tied_output = false;
};

// Replaces the '*' of `part` by `word`, or appends `word` if there is no '*'.
std::string TensorName(std::string_view part, std::string_view word);

const BartNames& HuggingFaceBartNames();
const BartNames& Ct2BartNames();
const BartNames& MarianBartNames(bool pre_norm);

struct BartTraits {
  // False: a sublayer's norm comes after the residual is added. True: it comes before the sublayer,
  // and each stage ends with one more norm (tensor "layer_norm").
  bool pre_norm = false;
  bool norm_embedding = false;  // a norm after the embedding (tensor "layernorm_embedding")
  // Uses the checkpoint's position table if it has one; else computes the table.
  bool stored_positions = true;
  int64_t first_position = 0;  // the first token's row of the stored table
  IfAbsent positions = IfAbsent::kSinusoids;
  bool places_padding = true;  // <pad> has a position like every token
  // The decoder has a recurrence (RecurrenceOp), whose gate has a bias, instead of self-attention.
  bool recurrent_decoder = false;
  bool logits_bias = true;  // the checkpoint may have one; else it is zero
  // The last token of the target's vocabulary has no tensor: its embedding is zero, and it is never
  // produced. CTranslate2 begins the outputs of Marian's models with such a token.
  bool empty_token = false;
  const BartNames* names = &HuggingFaceBartNames();
};

// Returns INVALID_ARGUMENT if the number of heads does not divide the width.
absl::StatusOr<Network> MakeBartNetwork(const ModelSpec& spec, const BartTraits& traits);

// The following read the fields of config.json that describe such a network (bart_shape.cc): shape,
// activation, scale and sharing of the embeddings.
//
// Family::read_shape of MarianMT, M2M-100, mBART, BART and Pegasus.
void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The same without the fields that tie embeddings, and with other names for the sizes of the
// vocabularies. If the target's field is absent, the source's size is used.
struct VocabularyFields {
  std::string_view source;
  std::string_view target;
};
void ReadBartNetwork(const Family& family, const VocabularyFields& names, JsonFields* fields,
                     ModelSpec* spec);

}  // namespace dragoman::engine

// Makes the networks of all families. All have an encoder and a decoder whose layers have
// self-attention, cross-attention (decoder only) and feed-forward sublayers. There are two kinds:
// BART's (MarianMT, M2M-100, NLLB-200, mBART, BART, Pegasus, FSMT) and T5's. NetworkTraits and
// ModelSpec have the properties in which the networks differ. NetworkNames has the names of
// tensors, which differ between file layouts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman::engine {

// The parts of a network that have tensors in a checkpoint. Hugging Face's and Marian's files have
// one tensor each for query, key and value. CTranslate2's files have one tensor for all products
// with the same input.
enum class NetworkPart {
  // The parts of a layer: matrix products and norms.
  kSelfInput,  // query, key and value of self-attention
  kSelfOutput,
  kRecurrence,  // gate and input of the recurrence that replaces self-attention
  kRecurrenceNorm,
  kSelfNorm,
  kDistances,  // the table of T5's position biases
  kCrossQuery,
  kCrossKeyValue,
  kCrossOutput,
  kCrossNorm,
  kFeedForwardUp,
  kGatedFeedForwardUp,  // the same with a gate, whose matrix follows
  kFeedForwardDown,
  kFeedForwardNorm,
  // The parts of a stage outside its layers.
  kEmbeddingNorm,
  kFinalNorm,
  kPositions,
};

struct NetworkNames {
  // Returns the names of the tensors that are stacked to make a part; all have the same size.
  // Except for kPositions and kDistances, a name is a pattern. TensorName puts one of the following
  // four words into it. `stage` is "encoder" or "decoder".
  std::vector<std::string> (*of)(std::string_view stage, int layer, NetworkPart part);
  std::string_view weight;  // the word for the matrix of a product
  std::string_view bias;
  std::string_view gain;  // the word for the gain of a norm
  std::string_view norm_bias;
  // Complete names of tensors. The checkpoint may use any name of a list. `shared` is an embedding
  // that source and target share.
  std::vector<std::string> shared;
  std::vector<std::string> source_embedding;
  std::vector<std::string> target_embedding;
  std::vector<std::string> output;
  std::vector<std::string> output_bias;
  bool output_bias_is_row = false;  // its shape is [1, vocabulary]
  // Matters if the output layer is tied to the embedding and the checkpoint stores it too. True:
  // the stored tensor is ignored. False: it must equal the embedding.
  bool ignores_tied_output = false;
};

// Returns `part` with `word` in place of its '*', or with `word` appended if it has no '*'.
std::string TensorName(std::string_view part, std::string_view word);

const NetworkNames& HuggingFaceBartNames();
const NetworkNames& Ct2BartNames();
const NetworkNames& MarianBartNames(bool pre_norm);

// The names in T5's networks. In CTranslate2's files, query, key and value of self-attention are
// one variable, whose name is that of Ct2BartNames. layouts/ct2/network.cc splits this variable
// into three tensors, and Ct2T5Names has the names of these.
const NetworkNames& HuggingFaceT5Names();
const NetworkNames& Ct2T5Names();

struct NetworkTraits {
  // False: a sublayer's norm comes after the residual is added. True: it comes before the sublayer,
  // and each stage ends with one more norm (tensor "layer_norm").
  bool pre_norm = false;
  bool norm_embedding = false;  // a norm after the embedding (tensor "layernorm_embedding")
  // True: uses the checkpoint's position table if there is one. Without a table from the
  // checkpoint, `positions` says how to compute it.
  bool stored_positions = true;
  int64_t first_position = 0;  // the row of the stored table for the first token
  IfAbsent positions = IfAbsent::kSinusoids;
  bool places_padding = true;  // false: <pad> gets no position embedding
  // The decoder has a recurrence (RecurrenceOp) instead of self-attention. Its gate has a bias.
  bool recurrent_decoder = false;
  bool logits_bias = true;  // the checkpoint may have a bias of the logits; else it is zero
  // The target's vocabulary has an *empty token* as its last id. No tensor has a row for this
  // token. Its embedding is zero, and the search never produces it. CTranslate2 begins the outputs
  // of Marian's models with such a token.
  bool empty_token = false;
  // The network is of T5's kind. It has RMS norms, no biases, and attention that does not divide
  // scores by sqrt(head_dim). Its attention adds a bias for the distance of a key from its query,
  // and there are no position embeddings. Its heads together may be wider than the model. REQUIRES:
  // `pre_norm`, and one embedding for source and target (ModelSpec::share_embeddings).
  bool is_t5 = false;
  // False: all layers of a stage use T5's position biases of the first layer.
  bool distances_in_each_layer = false;
  float output_scale = 1.0F;  // for a pre-norm network: multiplies the output layer's input
  const NetworkNames* names = &HuggingFaceBartNames();
};

// Returns INVALID_ARGUMENT if the numbers of heads or their width are not possible: d_model must be
// a multiple of the number of heads, except in T5.
absl::StatusOr<Network> MakeNetwork(const ModelSpec& spec, const NetworkTraits& traits);

// The following functions (bart_shape.cc) read the fields of config.json that describe such a
// network: its shape, its activation, and whether its embeddings are scaled and shared.
//
// The Family::read_shape of MarianMT, M2M-100, mBART, BART and Pegasus.
void ReadBartShape(const Family& family, JsonFields* fields, ModelSpec* spec);

// Like ReadBartShape, but does not read the fields that tie embeddings, and reads the sizes of the
// vocabularies from the fields `names`. If the target's field is absent, the source's size is used.
struct VocabularyFields {
  std::string_view source;
  std::string_view target;
};
void ReadBartNetwork(const Family& family, const VocabularyFields& names, JsonFields* fields,
                     ModelSpec* spec);

}  // namespace dragoman::engine

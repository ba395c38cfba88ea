// Makes the networks of T5, mT5, UMT5, FLAN-T5 and MADLAD-400: pre-norm Transformers with RMS norms
// and matrix products without biases. Their attention adds a bias for the distance of a key from
// its query. The heads together may be wider than the model, and feed-forward layers may be gated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"

namespace dragoman::engine {

// The parts of a network that have tensors in a checkpoint. Hugging Face's files have one tensor
// each for query, key and value. CTranslate2's files have one tensor for all products with the same
// input.
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
  kFeedForwardUp,  // if there is a gate, its matrix follows
  kFeedForwardDown,
  kFeedForwardNorm,
  // The parts of a stage outside its layers.
  kFinalNorm,
};

struct T5Names {
  // Returns the complete names of the tensors that are stacked to make a part.
  std::vector<std::string> (*of)(std::string_view stage, int layer, T5Part part, bool gated);
  // Complete names. The checkpoint may use any name of a list.
  std::vector<std::string> embedding;
  std::vector<std::string> output;
  bool ignores_tied_output = false;  // as in BartNames
};

const T5Names& HuggingFaceT5Names();

// In CTranslate2's files, query, key and value of self-attention are one variable (Ct2SelfInput).
// layouts/ct2/network.cc splits this variable into three tensors, and Ct2T5Names has the names of
// these.
const T5Names& Ct2T5Names();

// Returns the name of CTranslate2's variable for query, key and value of a layer's self-attention.
std::string Ct2SelfInput(std::string_view stage, int layer);

// The properties in which families and layouts differ.
struct T5Traits {
  float output_scale = 1.0F;  // multiplies the output layer's input
  // False: all layers of a stage use the position biases of the first layer.
  bool distances_in_each_layer = false;
  bool empty_token = false;  // BartTraits::empty_token
  const T5Names* names = &HuggingFaceT5Names();
};

// Returns INVALID_ARGUMENT if the numbers of heads or their width are not possible.
absl::StatusOr<Network> MakeT5Network(const ModelSpec& spec, const T5Traits& traits);

// Returns the index of the bucket that has the bias for a distance; it is below `buckets`. The
// distance is the key's position minus the query's. Computes in float32 as transformers does
// (T5Attention._relative_position_bucket), so both return the same bucket. With two_sided, half of
// the buckets are for keys after the query. Without it, such keys have the bucket of distance 0.
int RelativeBucket(int64_t distance, bool two_sided, int buckets, int max_distance);

// The following functions (t5_shape.cc) read the fields of config.json that only models of T5's
// kind have.
//
// Implements Family::read_shape of T5, mT5 and UMT5. The defaults of these families differ in
// activation and output layer.
void ReadT5Shape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The Family::tasks of T5 and similar families.
extern const TranslationTasks kT5Tasks;

}  // namespace dragoman::engine

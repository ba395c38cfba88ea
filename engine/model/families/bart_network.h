// Networks of BART's kind: an encoder and a decoder of self-attention, cross-attention and
// feed-forward, with biases everywhere. MarianMT, M2M-100, NLLB-200, mBART and BART are such networks.
// They differ in the traits below and in the numbers of ModelSpec; layouts differ in the tensors' names.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/bart_names.h"
#include "engine/model/families/network.h"
#include "engine/model/spec/model_spec.h"

namespace dragoman {

struct BartTraits {
  // Where the norm of a sublayer is: after the residual is added, or before the sublayer, with one more
  // norm at the end of each stage (tensor "layer_norm").
  bool pre_norm = false;
  bool norm_embedding = false;  // a norm after the embedding (tensor "layernorm_embedding")
  // The table is the checkpoint's, or computed where it has none or is not asked.
  bool stored_positions = true;
  int64_t first_position = 0;  // the first token's row of the stored table
  IfAbsent positions = IfAbsent::kSinusoids;
  bool places_padding = true;  // <pad> has a position like every token
  // The decoder has a recurrence (RecurrenceOp) in place of self-attention, whose gate has a bias.
  bool recurrent_decoder = false;
  bool logits_bias = true;  // the checkpoint may have one; without one it is zero
  // The last token of the target's vocabulary is in no tensor: its embedding is zero, and it is never
  // produced. CTranslate2 begins the outputs of Marian's models with such a token.
  bool empty_token = false;
  const BartNames* names = &HuggingFaceBartNames();
};

// INVALID_ARGUMENT for a number of heads that does not divide the width.
absl::StatusOr<Network> MakeBartNetwork(const ModelSpec& spec, const BartTraits& traits);

}  // namespace dragoman

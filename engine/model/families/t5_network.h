// T5, mT5, UMT5, FLAN-T5 and MADLAD-400: a pre-norm Transformer of RMS norms and products without
// biases, whose attention sees positions as a bias by the distance of a key from its query. The heads
// together may be wider than the model, and feed-forward layers may be gated.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/network.h"
#include "engine/model/families/t5_names.h"
#include "engine/model/spec/model_spec.h"

namespace dragoman {

// The traits in which layouts and families differ.
struct T5Traits {
  float output_scale = 1.0F;             // the output layer's input is multiplied by it
  bool distances_in_each_layer = false;  // else all layers of a stage have the biases of its first
  bool empty_token = false;              // as in BartTraits
  const T5Names* names = &HuggingFaceT5Names();
};

// INVALID_ARGUMENT for heads that no network can have.
absl::StatusOr<Network> MakeT5Network(const ModelSpec& spec, const T5Traits& traits);

// Which of `buckets` has the bias for a distance, the key's position minus the query's, as transformers
// computes it in float32 (T5Attention._relative_position_bucket). If two_sided, half of the buckets are
// for keys after the query; else such keys have the bucket of distance 0.
int RelativeBucket(int64_t distance, bool two_sided, int buckets, int max_distance);

}  // namespace dragoman

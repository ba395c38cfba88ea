// T5, mT5, FLAN-T5 and MADLAD-400 ("t5", "mt5"): a pre-norm Transformer of RMS norms and products
// without biases, whose attention knows positions by a bias for the distance of a key from its
// query. Heads may be together wider than the model, and feed-forward layers gated.
#pragma once

#include "absl/status/statusor.h"
#include "engine/model/families/network.h"
#include "engine/model/families/t5_names.h"
#include "engine/model/spec/model_spec.h"

namespace dragoman {

// What layouts differ in.
struct T5Traits {
  float output_scale = 1.0F;             // of what the output layer is given
  bool distances_in_each_layer = false;  // else the first layer's are those of the stage
  bool empty_token = false;              // as BartTraits has it
  const T5Names* names = &HuggingFaceT5Names();
};

// INVALID_ARGUMENT for heads that make no network.
absl::StatusOr<Network> MakeT5Network(const ModelSpec& spec, const T5Traits& traits);

// The bucket, of `buckets`, whose bias the distance = key's position - query's has, as transformers
// computes it in float32 (T5Attention._relative_position_bucket). Two-sided, half of the buckets are
// for keys behind the query; else those have the bucket of distance 0.
int RelativeBucket(int64_t distance, bool two_sided, int buckets, int max_distance);

}  // namespace dragoman

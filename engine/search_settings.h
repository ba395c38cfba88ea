// From a request's decoding options to a segment's search: what is unset comes from the
// checkpoint's generation_config (decoding.md a.7, profile hf), limits come from the segment's own
// source.
//
// Pure functions.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "engine/engine.h"
#include "engine/model/model_spec.h"
#include "kernels/decide/options.h"

namespace dragoman {

// One request's options, complete.
struct SearchSettings {
  SearchOptions search;  // max_tokens: what the request and the model allow at most
  float max_length_ratio = 3.0F;
  int max_length_extra = 20;
};

// INVALID_ARGUMENT names the option, what was found and what was expected. `max_rows` bounds the
// beam. `scores`: the caller reads scores or log-probs.
absl::StatusOr<SearchSettings> ResolveSearch(const DecodingOptions& asked, const ModelSpec& model,
                                             int max_rows, bool scores);

// The search of a segment of this many source tokens (EOS and language tag not counted): max_tokens
// is the least of the request's, ratio * source_tokens + extra, and the model's.
SearchOptions SearchForSegment(const SearchSettings& settings, int source_tokens);

}  // namespace dragoman

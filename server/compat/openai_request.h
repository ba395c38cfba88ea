// Converts requests of OpenAI's chat completions and completions to our own.
//
// n is the number of alternatives. max_tokens and max_completion_tokens limit the tokens of each
// sentence. temperature divides the logits; with 0 they stay unchanged, because beam search needs
// no temperature. top_p below 1 enables sampling, with seed. user and metadata are labels. Values
// that request nothing (penalties of 0, an empty stop) are accepted. All other fields and values
// are refused by name.
//
// Pure functions of the request and the served models, thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/adapter.h"
#include "server/compat/openai_segments.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

struct OpenAiRequest {
  bool is_chat = false;
  std::string model;  // as the client named it; if it named none, the selected pair's name
  v1::TranslateRequest request;
  int choices = 1;                    // for each prompt
  std::optional<SegmentBatch> batch;  // if set, its segments are the texts, and n is 1
  bool stream = false;
  bool stream_usage = false;
};

// Convert a request to ours. INVALID_ARGUMENT and UNIMPLEMENTED have the fields' names in OpenAI's
// API. NOT_FOUND for an unknown model. UNAVAILABLE while there is no model.
absl::StatusOr<OpenAiRequest> ReadOpenAiChat(const HttpRequest& request,
                                             const AdapterContext& context, const Client* client);
absl::StatusOr<OpenAiRequest> ReadOpenAiCompletion(const HttpRequest& request,
                                                   const AdapterContext& context,
                                                   const Client* client);

}  // namespace dragoman::server

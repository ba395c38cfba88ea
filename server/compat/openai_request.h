// Requests of OpenAI's chat completions and completions in terms of our own.
//
// What becomes of their parameters: n is the number of alternatives, max_tokens and
// max_completion_tokens the most tokens of each sentence, temperature divides the logits (0 is off:
// a beam search needs none), top_p below 1 asks for sampling and takes seed with it, user and
// metadata are labels. A value that asks for nothing (0 penalties, an empty stop) is accepted;
// everything else is refused by name.
//
// Pure functions of the request and of what is served; thread-safe.
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
  std::string model;  // as the client names it; the one that was chosen where it names none
  v1::TranslateRequest request;
  int choices = 1;                    // of each prompt
  std::optional<SegmentBatch> batch;  // the texts are its segments, in one choice
  bool stream = false;
  bool stream_usage = false;
};

// INVALID_ARGUMENT or UNIMPLEMENTED by OpenAI's names; NOT_FOUND for an unknown model; UNAVAILABLE
// while there is none.
absl::StatusOr<OpenAiRequest> ReadOpenAiChat(const HttpRequest& request,
                                             const AdapterContext& context, const Client* client);
absl::StatusOr<OpenAiRequest> ReadOpenAiCompletion(const HttpRequest& request,
                                                   const AdapterContext& context,
                                                   const Client* client);

}  // namespace dragoman::server

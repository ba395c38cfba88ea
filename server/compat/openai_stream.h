// Chat completions and completions that are sent as server-sent events while they are decoded.
//
// Sentences finish in any order, and a client puts pieces one after another: a sentence's text is
// sent as soon as all before it have been, with what stands between them in the source, as the
// engine joins them (engine/text/join_translations.cc). What cannot be told before the end is sent
// at the item's end. So the pieces together are the translation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dragoman/v1/translation.pb.h"
#include "server/api/adapter.h"

namespace dragoman::server {

// The tokens of a request and its answer.
struct OpenAiUsage {
  int64_t prompt = 0;
  int64_t completion = 0;

  void Add(const v1::Translation& translation);
  nlohmann::json Json() const;
};

// The id of an answer, of the call's name.
std::string OpenAiId(bool is_chat, const std::string& request_id);

struct OpenAiStreamFacts {
  bool is_chat = false;
  std::string model;  // as the client names it
  int64_t created = 0;
  bool with_usage = false;
  std::vector<std::string> sources;  // the texts to translate; a choice for each
  std::function<nlohmann::json(const absl::Status&)> error;
};

std::unique_ptr<StreamRenderer> MakeOpenAiStream(OpenAiStreamFacts facts);

}  // namespace dragoman::server

// Chat completions and completions that are sent as server-sent events during decoding.
//
// Sentences finish in any order, but a client concatenates the pieces. So the text of a sentence is
// sent only after all sentences before it, joined as the engine does
// (engine/text/join_translations.cc). Text that is not known before the end of the item is sent
// then. The pieces together are the translation.
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

// The numbers of tokens of a request and its answer.
struct OpenAiUsage {
  int64_t prompt = 0;
  int64_t completion = 0;

  void Add(const v1::Translation& translation);
  nlohmann::json Json() const;
};

// Returns the id of an answer from the call's id.
std::string OpenAiId(bool is_chat, const std::string& request_id);

struct OpenAiStreamFacts {
  bool is_chat = false;
  std::string model;  // the model's name as the client gave it
  int64_t created = 0;
  bool with_usage = false;
  std::vector<std::string> sources;  // the texts to translate, one for each choice
  std::function<nlohmann::json(const absl::Status&)> error;
};

std::unique_ptr<StreamRenderer> MakeOpenAiStream(OpenAiStreamFacts facts);

}  // namespace dragoman::server

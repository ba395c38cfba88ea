// OpenAI's dialect: /v1/chat/completions, /v1/completions, /v1/models.
//
// The model's name selects the languages (openai_models.h). A prompt is a text to translate
// (openai_prompts.h). Parameters are mapped or refused (openai_request.h).
#pragma once

#include <string>
#include <vector>

#include "server/api/adapter.h"

namespace dragoman::server {

class OpenAiAdapter final : public Adapter {
 public:
  explicit OpenAiAdapter(const AdapterContext& context) : context_(context) {}
  static std::vector<AdapterRoute> Routes();

  Api api() const override { return Api::kOpenAi; }
  // The key is in Authorization: Bearer, or in api-key, which Azure's clients send.
  std::string Key(const HttpRequest& request) const override;
  absl::StatusOr<AdapterAction> Handle(const HttpRequest& request,
                                       const Client* client) const override;
  HttpResponse Error(const HttpRequest& request, const absl::Status& status) const override;

 private:
  const AdapterContext context_;
};

}  // namespace dragoman::server

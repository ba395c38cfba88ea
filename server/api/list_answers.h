// Answers that change only with what is served: lists of languages, models and glossaries. Each is made once
// for each change and shared by all who ask for it, with an ETag, so that a client that has it already is
// told so in a few bytes (304).
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "server/models/served_model.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// The objects of which an answer is made. They are not kept: a model's last call ends its engine.
using MadeOf = std::vector<std::weak_ptr<const void>>;
MadeOf MadeOfModels(const std::vector<ModelPtr>& models);
// The models and the terms of their glossaries, which can change without their model.
MadeOf MadeOfGlossaries(const std::vector<ModelPtr>& models);

class ListAnswers {
 public:
  // The answer called `name`, of those who see `made_of`; `make` is called where it is not kept. An error
  // (a status from 400 on) is not kept.
  HttpResponse Get(const HttpRequest& request, const std::string& name, MadeOf made_of,
                   const std::function<HttpResponse()>& make);

 private:
  struct Kept {
    std::string name;
    MadeOf made_of;
    HttpResponse answer;
  };

  engine::Mutex mu_;
  std::list<Kept> kept_ ABSL_GUARDED_BY(mu_);  // those used last come first
};

// Gives an answer that does not change its ETag and moves its body to `shared_body`.
HttpResponse WithTag(HttpResponse answer);

// The answer, or 304 for a client that has it already: whose If-None-Match has its ETag.
HttpResponse UnlessKnown(const HttpRequest& request, const HttpResponse& answer);

}  // namespace dragoman::server

// Answers that are lists of languages, models or glossaries. They change only with the served
// models. Each list is built once after a change, and clients share it. It has an ETag, so a client
// that already has the list gets 304.
//
// Thread-safe.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/glossary_terms.h"
#include "engine/base/mutex.h"
#include "server/models/served_model.h"
#include "server/transport/http_message.h"

namespace dragoman::server {

// The objects that an answer describes. The references are weak, because a removed model's engine
// must end when its last call has ended.
using MadeOf = std::vector<std::weak_ptr<const void>>;
MadeOf MadeOfModels(const std::vector<ModelPtr>& models);
// Returns the models and their glossaries. A glossary can change without its model.
MadeOf MadeOfGlossaries(const std::vector<ModelPtr>& models);

class ListAnswers {
 public:
  // Returns the answer `name` for clients that see `made_of`. Calls `make` if the answer is not
  // cached. Does not cache an error (a status of 400 or higher).
  HttpResponse Get(const HttpRequest& request, const std::string& name, MadeOf made_of,
                   const std::function<HttpResponse()>& make);

 private:
  struct Kept {
    std::string name;
    MadeOf made_of;
    HttpResponse answer;
  };

  engine::Mutex mu_;
  std::list<Kept> kept_ ABSL_GUARDED_BY(mu_);  // most recently used first
};

// Adds an ETag to an answer and moves its body to `shared_body`.
HttpResponse WithTag(HttpResponse answer);

// Returns the answer, or 304 if the request's If-None-Match has its ETag.
HttpResponse UnlessKnown(const HttpRequest& request, const HttpResponse& answer);

// Returns the terms of a model's glossary; nullptr if the model has none of this name.
inline std::shared_ptr<const engine::GlossaryTerms> TermsOf(const ServedModel& model,
                                                            std::string_view name) {
  const auto* const source = dynamic_cast<const engine::GlossarySource*>(model.engine.get());
  return source == nullptr ? nullptr : source->FindGlossary(name);
}

}  // namespace dragoman::server

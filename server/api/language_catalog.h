// The languages that are served now, as adapters list them.
//
// Thread-safe. What was put together is kept until the models change, for the sets of models that
// were asked for last: a model of two hundred languages has forty thousand pairs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/api/languages.h"
#include "server/call/api_keys.h"
#include "server/call/call_context.h"
#include "server/models/model_table.h"

namespace dragoman::server {

// Codes as the models have them; lists are sorted and have each code once.
struct ServedLanguages {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::string> all;  // sources and targets
  // Each source's targets; "" has those of models that translate from any language.
  std::map<std::string, std::vector<std::string>> targets_of;
  // The languages that a text may be in: the sources, and all languages where a model takes any.
  std::vector<std::string> detectable;
  // The index of `all`, for lookups by code; LanguagesOf leaves it empty.
  LanguageIndex all_index;

  bool any_source() const { return targets_of.count("") > 0; }
};

// The languages of one model, by name as well.
struct ModelNames {
  LanguageIndex sources;  // empty: the model takes any
  LanguageIndex targets;
};

class LanguageCatalog {
 public:
  // `calls` outlives this.
  explicit LanguageCatalog(const CallContext* calls) : calls_(calls) {}

  // The languages of the models that take calls and that the client sees (client_rights.h). Shared
  // with later callers; immutable.
  std::shared_ptr<const ServedLanguages> Get(const Client* client) const;

  // The same for the names of one model, which are made when it is first asked for.
  std::shared_ptr<const ModelNames> NamesOf(const ModelPtr& model) const;

 private:
  struct Kept {
    // The models of which it was made. They are not held: a model's last call releases its engine.
    std::vector<std::weak_ptr<const ServedModel>> models;
    std::shared_ptr<const ServedLanguages> languages;
  };

  const CallContext* const calls_;

  mutable engine::Mutex mu_;
  mutable std::vector<Kept> kept_ ABSL_GUARDED_BY(mu_);  // the one that was used last comes first
  mutable std::map<std::weak_ptr<const ServedModel>, std::shared_ptr<const ModelNames>,
                   std::owner_less<>>
      names_ ABSL_GUARDED_BY(mu_);
};

// The languages of these models.
ServedLanguages LanguagesOf(const std::vector<ModelPtr>& models);

}  // namespace dragoman::server

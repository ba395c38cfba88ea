// The languages that are served, as adapters list them.
//
// Thread-safe. Results for the most recent sets of models are cached until the models change,
// because a model of 200 languages has 40,000 pairs.
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

// The language codes are those of the models. Lists are sorted and have no duplicates.
struct ServedLanguages {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::string> all;  // sources and targets
  // The targets of each source. The key "" has the targets of models that accept any source.
  std::map<std::string, std::vector<std::string>> targets_of;
  // The languages that detection may find: the sources, or all languages if a model accepts any
  // source.
  std::vector<std::string> detectable;
  // An index of the codes in `all`. LanguagesOf leaves it empty.
  LanguageIndex all_index;

  bool any_source() const { return targets_of.count("") > 0; }
};

// The languages of one model, which can be found by code or by name.
struct ModelNames {
  LanguageIndex sources;  // empty: the model accepts any
  LanguageIndex targets;
};

class LanguageCatalog {
 public:
  // `calls` outlives the object.
  explicit LanguageCatalog(const CallContext* calls) : calls_(calls) {}

  // Returns the languages of the models that take calls and that the client sees (client_rights.h).
  // The result is immutable and shared with later callers.
  std::shared_ptr<const ServedLanguages> Get(const Client* client) const;

  // Returns the names of one model's languages. Builds them at the first call for that model.
  std::shared_ptr<const ModelNames> NamesOf(const ModelPtr& model) const;

 private:
  struct Kept {
    // The models of `languages`. The references are weak, because a removed model's engine must end
    // when its last call has ended.
    std::vector<std::weak_ptr<const ServedModel>> models;
    std::shared_ptr<const ServedLanguages> languages;
  };

  const CallContext* const calls_;

  mutable engine::Mutex mu_;
  mutable std::vector<Kept> kept_ ABSL_GUARDED_BY(mu_);  // most recently used first
  mutable std::map<std::weak_ptr<const ServedModel>, std::shared_ptr<const ModelNames>,
                   std::owner_less<>>
      names_ ABSL_GUARDED_BY(mu_);
};

ServedLanguages LanguagesOf(const std::vector<ModelPtr>& models);

}  // namespace dragoman::server

// The languages that are served now, as doors list them.
//
// Thread-safe. What was put together is kept until the models change: a model of two hundred
// languages has forty thousand pairs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/base/mutex.h"
#include "server/doors/languages.h"
#include "server/models/model_table.h"

namespace dragoman {

// Codes as the models have them; lists are sorted and have each code once.
struct ServedLanguages {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::string> all;  // sources and targets
  // Each source's targets; "" has those of models that translate from any language.
  std::map<std::string, std::vector<std::string>> targets_of;
  // The languages that a text may be in: the sources, and all languages where a model takes any.
  std::vector<std::string> detectable;
  LanguageIndex all_index;      // of all
  LanguageIndex targets_index;  // of targets

  bool any_source() const { return targets_of.count("") > 0; }
};

// The languages of one model, by name as well.
struct ModelNames {
  LanguageIndex sources;  // empty: the model takes any
  LanguageIndex targets;
};

class LanguageCatalog {
 public:
  // `models` outlives this.
  explicit LanguageCatalog(const ModelTable* models) : models_(models) {}

  // The languages of all models that take calls. Shared with later callers; immutable.
  std::shared_ptr<const ServedLanguages> Get() const;

  // The same for the names of one model, which are made when it is first asked for.
  std::shared_ptr<const ModelNames> NamesOf(const ModelPtr& model) const;

 private:
  const ModelTable* const models_;

  mutable Mutex mu_;
  // The models of which kept_ was made. They are not held: a model's last call lets its engine go.
  mutable std::vector<std::weak_ptr<const ServedModel>> made_of_ ABSL_GUARDED_BY(mu_);
  mutable std::shared_ptr<const ServedLanguages> kept_ ABSL_GUARDED_BY(mu_);
  mutable std::map<std::weak_ptr<const ServedModel>, std::shared_ptr<const ModelNames>,
                   std::owner_less<>>
      names_ ABSL_GUARDED_BY(mu_);
};

// The languages of these models.
ServedLanguages LanguagesOf(const std::vector<ModelPtr>& models);

}  // namespace dragoman

#include "server/doors/language_catalog.h"

#include <algorithm>
#include <set>
#include <utility>

namespace dragoman {

ServedLanguages LanguagesOf(const std::vector<ModelPtr>& models) {
  std::map<std::string, std::set<std::string>> targets_of;
  std::set<std::string> targets;
  for (const ModelPtr& model : models) {
    for (const LanguagePair& pair : model->engine->info().pairs) {
      if (pair.target.empty()) continue;
      targets_of[pair.source].insert(pair.target);
      targets.insert(pair.target);
    }
  }
  ServedLanguages out;
  out.targets.assign(targets.begin(), targets.end());
  for (const auto& [source, its_targets] : targets_of) {
    if (!source.empty()) out.sources.push_back(source);
    out.targets_of[source].assign(its_targets.begin(), its_targets.end());
  }
  std::set_union(out.sources.begin(), out.sources.end(), out.targets.begin(), out.targets.end(),
                 std::back_inserter(out.all));
  out.detectable = out.any_source() ? out.all : out.sources;
  out.all_index = LanguageIndex(out.all, LanguageIndex::Names::kNone);
  out.targets_index = LanguageIndex(out.targets, LanguageIndex::Names::kNone);
  return out;
}

std::shared_ptr<const ServedLanguages> LanguageCatalog::Get() const {
  const std::vector<ModelPtr> models = models_->models();
  const auto is_same = [](const std::weak_ptr<const ServedModel>& old, const ModelPtr& model) {
    return !old.owner_before(model) && !model.owner_before(old);
  };
  MutexLock lock(&mu_);
  if (kept_ == nullptr ||
      !std::equal(made_of_.begin(), made_of_.end(), models.begin(), models.end(), is_same)) {
    kept_ = std::make_shared<const ServedLanguages>(LanguagesOf(models));
    made_of_.assign(models.begin(), models.end());
  }
  return kept_;
}

std::shared_ptr<const ModelNames> LanguageCatalog::NamesOf(const ModelPtr& model) const {
  {
    MutexLock lock(&mu_);
    const auto found = names_.find(model);
    if (found != names_.end()) return found->second;
  }
  const auto index = [](std::vector<std::string> codes) {
    std::sort(codes.begin(), codes.end());
    codes.erase(std::remove(codes.begin(), codes.end(), ""), codes.end());
    return LanguageIndex(std::move(codes), LanguageIndex::Names::kAll);
  };
  auto made = std::make_shared<ModelNames>();
  made->sources = index(model->languages.sources);
  made->targets = index(model->languages.targets);
  MutexLock lock(&mu_);
  std::erase_if(names_, [](const auto& entry) { return entry.first.expired(); });
  return names_.emplace(model, std::move(made)).first->second;
}

}  // namespace dragoman

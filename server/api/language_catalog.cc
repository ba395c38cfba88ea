#include "server/api/language_catalog.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/call/client_rights.h"

namespace dragoman::server {
namespace {

constexpr size_t kMostKept = 16;

}  // namespace

ServedLanguages LanguagesOf(const std::vector<ModelPtr>& models) {
  std::map<std::string, std::set<std::string>> targets_of;
  std::set<std::string> targets;
  for (const ModelPtr& model : models) {
    for (const engine::LanguagePair& pair : model->engine->info().pairs) {
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
  return out;
}

std::shared_ptr<const ServedLanguages> LanguageCatalog::Get(const Client* client) const {
  const std::vector<ModelPtr> models = VisibleModels(*calls_, client);
  const auto is_same = [](const std::weak_ptr<const ServedModel>& old, const ModelPtr& model) {
    return !old.owner_before(model) && !model.owner_before(old);
  };
  engine::MutexLock lock(&mu_);
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) {
    return std::equal(one.models.begin(), one.models.end(), models.begin(), models.end(), is_same);
  });
  if (known != kept_.end()) {
    std::rotate(kept_.begin(), known, known + 1);
    return kept_.front().languages;
  }
  auto made = std::make_shared<ServedLanguages>(LanguagesOf(models));
  made->all_index = LanguageIndex(made->all, LanguageIndex::Names::kNone);
  if (kept_.size() == kMostKept) kept_.pop_back();
  kept_.insert(kept_.begin(),
               {.models = {models.begin(), models.end()}, .languages = std::move(made)});
  return kept_.front().languages;
}

std::shared_ptr<const ModelNames> LanguageCatalog::NamesOf(const ModelPtr& model) const {
  {
    engine::MutexLock lock(&mu_);
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
  engine::MutexLock lock(&mu_);
  std::erase_if(names_, [](const auto& entry) { return entry.first.expired(); });
  return names_.emplace(model, std::move(made)).first->second;
}

}  // namespace dragoman::server

#include "server/models/served_model.h"

#include <unordered_set>

namespace dragoman::server {

ModelLanguages LanguagesOfPairs(const std::vector<engine::LanguagePair>& pairs) {
  ModelLanguages out;
  std::unordered_set<std::string> sources;
  std::unordered_set<std::string> targets;
  for (const engine::LanguagePair& pair : pairs) {
    if (sources.insert(pair.source).second) out.sources.push_back(pair.source);
    if (targets.insert(pair.target).second) out.targets.push_back(pair.target);
  }
  return out;
}

ModelPtr FindByName(const std::vector<ModelPtr>& models, std::string_view name) {
  for (const ModelPtr& model : models) {
    if (model->name == name) return model;
  }
  return nullptr;
}

}  // namespace dragoman::server

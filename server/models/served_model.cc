#include "server/models/served_model.h"

#include <unordered_set>

namespace dragoman {

ModelLanguages LanguagesOfPairs(const std::vector<LanguagePair>& pairs) {
  ModelLanguages out;
  std::unordered_set<std::string> sources;
  std::unordered_set<std::string> targets;
  for (const LanguagePair& pair : pairs) {
    if (sources.insert(pair.source).second) out.sources.push_back(pair.source);
    if (targets.insert(pair.target).second) out.targets.push_back(pair.target);
  }
  return out;
}

}  // namespace dragoman

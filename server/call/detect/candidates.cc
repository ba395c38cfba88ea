#include "server/call/detect/candidates.h"

#include <algorithm>
#include <optional>

#include "engine/text/language_code.h"
#include "server/call/detect/detection_line.h"

namespace dragoman::server {
namespace {

std::string KeyOf(const engine::LanguageCode& code) {
  const std::string_view other = engine::EquivalentLanguage(code.language);
  return other.empty() ? code.language : std::min(code.language, std::string(other));
}

}  // namespace

std::string LanguageKey(std::string_view code) {
  const std::optional<engine::LanguageCode> parsed = engine::ParseLanguageCode(code);
  return parsed.has_value() ? KeyOf(*parsed) : "";
}

Candidates::Candidates(const std::vector<std::string>& codes) {
  for (const std::string& code : codes) {
    const std::optional<engine::LanguageCode> parsed = engine::ParseLanguageCode(code);
    if (!parsed.has_value()) continue;
    std::string script =
        parsed->script.empty() ? std::string(engine::ScriptOfRegion(*parsed)) : parsed->script;
    by_key_[KeyOf(*parsed)].push_back({code, std::move(script)});
  }
}

const std::string* Candidates::Find(const std::string& key, std::string_view script) const {
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return nullptr;
  for (const Candidate& candidate : at->second) {
    if (candidate.script.empty() || ScriptFits(script, candidate.script)) return &candidate.code;
  }
  // A candidate in simplified Chinese fits text in traditional Chinese, and the other way round.
  const Candidate& first = at->second.front();
  const bool both_han =
      ScriptFits(script, "Hani") && (first.script == "Hans" || first.script == "Hant");
  return both_han ? &first.code : nullptr;
}

}  // namespace dragoman::server

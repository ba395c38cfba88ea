#include "server/compat/deepl_languages.h"

#include <array>
#include <map>

#include "absl/strings/ascii.h"
#include "server/api/languages.h"

namespace dragoman::server {
namespace {

using nlohmann::json;

// A target language for which DeepL's clients request a variant, with DeepL's code and name of the
// variant.
struct Variant {
  std::string_view language;
  const char* code;
  const char* name;
};
constexpr std::array<Variant, 6> kVariants = {{{"en", "EN-GB", "English (British)"},
                                               {"en", "EN-US", "English (American)"},
                                               {"pt", "PT-BR", "Portuguese (Brazilian)"},
                                               {"pt", "PT-PT", "Portuguese (European)"},
                                               {"zh", "ZH-HANS", "Chinese (simplified)"},
                                               {"zh-Hant", "ZH-HANT", "Chinese (traditional)"}}};

}  // namespace

std::string DeeplSourceCode(std::string_view code) {
  return code.empty() ? "" : absl::AsciiStrToUpper(BaseLanguage(code));
}

json DeeplSources(const ServedLanguages& served) {
  std::map<std::string, std::string> names;
  for (const std::string& code : served.detectable) {
    const std::string base = BaseLanguage(code);
    names.emplace(absl::AsciiStrToUpper(base), DisplayName(base, "en"));
  }
  json list = json::array();
  for (const auto& [code, name] : names) list.push_back({{"language", code}, {"name", name}});
  return list;
}

json DeeplTargets(const ServedLanguages& served) {
  std::map<std::string, std::string> names;
  for (const std::string& code : served.targets) {
    const std::string tag = ShortTag(code);
    bool has_variant = false;
    for (const Variant& variant : kVariants) {
      if (variant.language != tag) continue;
      has_variant = true;
      names.emplace(variant.code, variant.name);
    }
    if (!has_variant) names.emplace(absl::AsciiStrToUpper(tag), DisplayName(tag, "en"));
  }
  json list = json::array();
  for (const auto& [code, name] : names) {
    list.push_back({{"language", code}, {"name", name}, {"supports_formality", false}});
  }
  return list;
}

json DeeplLanguages(const ServedLanguages& served, bool detects) {
  std::map<std::string, json> languages;
  const auto add = [&](const json& listed, const char* side) {
    const std::string code = NormalTag(listed.at("language").get<std::string>());
    json& language = languages[code];
    if (language.is_null()) {
      language = {{"lang", code},
                  {"name", listed.at("name")},
                  {"status", "stable"},
                  {"usable_as_source", false},
                  {"usable_as_target", false},
                  {"features", {{"tag_handling", {{"status", "stable"}}}}}};
    }
    language[side] = true;
    if (detects && language["usable_as_source"] == true) {
      language["features"]["auto_detection"] = {{"status", "stable"}};
    }
  };
  for (const json& source : DeeplSources(served)) add(source, "usable_as_source");
  for (const json& target : DeeplTargets(served)) add(target, "usable_as_target");
  json list = json::array();
  for (auto& [code, language] : languages) list.push_back(std::move(language));
  return list;
}

}  // namespace dragoman::server

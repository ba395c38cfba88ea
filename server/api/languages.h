// Language codes in the forms that clients use, and names of languages, from ICU.
//
// The engine accepts codes of any form ("EN-US", "zh_hans", "deu"), so adapters pass a request's
// codes on unchanged. These functions are for answers, which have lists of languages, names, and
// codes in a dialect's form.
//
// Each function asks ICU, which takes 1 to 30 us for a code. So code that looks up a request's
// languages uses a LanguageIndex, and limits their number first.
//
// Thread-safe. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::server {

// Returns the BCP-47 tag in its usual case and with '-': "en-US" for "EN_us", "zh-Hans" for
// "zh_hans", "de" for "deu". Returns `code` if it does not look like a code.
std::string NormalTag(std::string_view code);

// Returns the language without script and region: "en" for "en-US". Returns `code` if it does not
// look like a code.
std::string BaseLanguage(std::string_view code);

// Returns a language's name in the language `in`: "Portuguese (Brazil)"; `code` if ICU has none.
std::string DisplayName(std::string_view code, std::string_view in);

// A code as ICU parses it. `region` is "" if the code has none. `likely_region` is the region where
// the language in this script is spoken most.
struct LanguageTag {
  std::string language;
  std::string script;
  std::string region;
  std::string likely_region;
};

// An index of served languages, by code and by name. Asks ICU for each language during construction
// and for each unknown code in a lookup. The number of languages does not affect lookups.
//
// Immutable and thread-safe.
class LanguageIndex {
 public:
  // kAll also finds languages by name. Construction then takes some 50 us for each language.
  enum class Names { kNone, kAll };

  LanguageIndex() = default;
  LanguageIndex(std::vector<std::string> codes, Names names);

  const std::vector<std::string>& codes() const { return codes_; }

  // Returns the code in the index that `code` means. This is `code` itself if the index has it.
  // Else it is the closest code with the same language and script ("EN-US" is "en", "zh-TW" is
  // "zh-Hant"). If both have a region, the regions must be equal. Returns nullopt if there is none.
  std::optional<std::string> Find(std::string_view code) const;

  // Returns the language that a name or a code means: "German", "Deutsch", "de-DE", in any case of
  // ASCII letters. Nothing if there is none. REQUIRES: made with Names::kAll.
  std::optional<std::string> FindName(std::string_view name) const;

  // Reports whether `name` may mean `code`, one of codes(): "English" may mean "en" and "en-GB".
  // REQUIRES: made with Names::kAll.
  bool CanMean(std::string_view name, std::string_view code) const;

 private:
  std::vector<std::string> codes_;
  std::vector<std::optional<LanguageTag>> tags_;  // the tag of each code in codes_
  std::unordered_map<std::string, size_t> by_code_;
  std::unordered_map<std::string, std::vector<size_t>> by_name_;      // names in lower case
  std::unordered_map<std::string, std::vector<size_t>> by_language_;  // keys such as "zh-Hant"
};

// Returns LanguageIndex(served, kNone).Find(code). Serves for a list that is used only once.
std::optional<std::string> FindLanguage(std::string_view code,
                                        const std::vector<std::string>& served);

// Returns the short form of a code, which most dialects use: "de" for "deu_Latn" and "DE", "pt-BR"
// for "pt_br", "zh-Hant" for "zho_Hant". Leaves out the usual script of a language.
std::string ShortTag(std::string_view code);

}  // namespace dragoman::server

// Language codes as clients write them, and languages' names for people, by ICU.
//
// The engine itself finds a model's language for a code of any form ("EN-US", "zh_hans", "deu"), so
// that a request's codes are handed on as they came. These functions are for what an adapter answers:
// lists, names, and codes in a dialect's own form.
//
// Each function asks ICU, which takes 1 to 30 microseconds for a code. Code that looks up what a request
// names therefore uses a LanguageIndex, and bounds the number of names before it looks them up.
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

// BCP-47 in its usual case and with '-': "en-US" for "EN_us", "zh-Hans" for "zh_hans", "de" for
// "deu". The code as it is if it does not look like one.
std::string NormalTag(std::string_view code);

// The language without script and region, "en" of "en-US"; the code as it is if it does not look
// like one.
std::string BaseLanguage(std::string_view code);

// The name of a language in the language `in`: "German", "Portuguese (Brazil)". The code itself if
// ICU has no name for it.
std::string DisplayName(std::string_view code, std::string_view in);

// The same, with the word for a dialect where there is one: "Brazilian Portuguese", "Simplified
// Chinese".
std::string DialectName(std::string_view code, std::string_view in);

// A code as ICU understands it. `region` is "" where the code has none; `likely_region` is where most of
// the language in this script is spoken.
struct LanguageTag {
  std::string language;
  std::string script;
  std::string region;
  std::string likely_region;
};

// A table of the languages that are served, by code and by name. It asks ICU once for each language when
// it is made, and once for each code that it is asked for and does not have; the number of languages does
// not matter to a lookup.
//
// Immutable and thread-safe.
class LanguageIndex {
 public:
  // Languages are found by code alone, or by name too, which takes some 50 microseconds for each.
  enum class Names { kNone, kAll };

  LanguageIndex() = default;
  LanguageIndex(std::vector<std::string> codes, Names names);

  const std::vector<std::string>& codes() const { return codes_; }

  // The language that `code` means: the same code, else one of the same language whose script and region
  // do not contradict the code's ("EN-US" is "en", "zh-TW" is "zh-Hant"); the first of those that agree
  // in most. Nothing if there is none.
  std::optional<std::string> Find(std::string_view code) const;

  // The language that a name or a code means: "German", "Deutsch", "de-DE", "Simplified Chinese", in
  // any case of ASCII letters. Nothing if there is none. REQUIRES: made with names.
  std::optional<std::string> FindName(std::string_view name) const;

  // Whether `name` may mean `code`, which is one of codes(): "English" is "en" and "en-GB". REQUIRES:
  // made with names.
  bool CanMean(std::string_view name, std::string_view code) const;

 private:
  std::vector<std::string> codes_;
  std::vector<std::optional<LanguageTag>> tags_;  // of codes_
  std::unordered_map<std::string, size_t> by_code_;
  std::unordered_map<std::string, std::vector<size_t>> by_name_;      // in lower case
  std::unordered_map<std::string, std::vector<size_t>> by_language_;  // "zh-Hant"
};

// LanguageIndex(served).Find(code), for a list that is used once.
std::optional<std::string> FindLanguage(std::string_view code,
                                        const std::vector<std::string>& served);

// The short form of a language code, which most dialects use: "de" for "deu_Latn" and "DE", "zh-Hant"
// for "zho_Hant", "pt-BR" for "pt_br". A script is left out where it is the language's usual one.
std::string ShortTag(std::string_view code);

}  // namespace dragoman::server

// Codes of languages: BCP-47, or ISO 639-1, 639-2 or 639-3, with script and region, with '-' or '_',
// in any case: "de", "deu", "ger", "de-DE", "pt_BR", "zh-Hans", "cmn_Hans".
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::engine {

// The most bytes that a code has.
inline constexpr size_t kMaxCodeBytes = 40;

// The parts of a code. The language is its ISO 639-3 code where the table knows it, else as written,
// in lower case; a script is "Hans", a region "DE"; anything after them is in `variant`.
struct LanguageCode {
  std::string language;
  std::string script;
  std::string region;
  std::string variant;

  bool operator==(const LanguageCode&) const = default;
};

// Nothing when `text` does not look like a language code.
std::optional<LanguageCode> ParseLanguageCode(std::string_view text);

// The code as BCP-47, with two letters for the language where there are such: "zh-Hans", "pt-BR".
std::string ToBcp47(const LanguageCode& code);

// Below, `language` is a LanguageCode's.

// The macrolanguage of a member, or the member that a macrolanguage commonly means: "cmn" and "zho".
// "" when there is none.
std::string_view EquivalentLanguage(std::string_view language);

// The script that the language is written in when none is named; "" where the table has none.
std::string_view DefaultScript(std::string_view language);

// The script that the code's region implies, "" for none: Chinese is told apart by script, and
// commonly asked for by region.
std::string_view ScriptOfRegion(const LanguageCode& code);

}  // namespace dragoman::engine

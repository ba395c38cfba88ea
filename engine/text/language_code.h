// Parses and compares language codes. A code is in the form of BCP-47 and begins with a language of
// ISO 639-1, 639-2 or 639-3. Subtags are separated by '-' or '_'; case does not matter. Examples:
// "de", "deu", "ger", "de-DE", "pt_BR", "cmn_Hans".
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::engine {

// The most bytes that a code may have.
inline constexpr size_t kMaxCodeBytes = 40;

// The parts of a code. `language` is the ISO 639-3 code if language_table.inc has the language,
// else the subtag in lower case. `script` looks like "Hans" and `region` like "DE". `variant` has
// the other subtags, joined by '-'. A part that the code lacks is "".
struct LanguageCode {
  std::string language;
  std::string script;
  std::string region;
  std::string variant;

  bool operator==(const LanguageCode&) const = default;
};

// Returns nullopt if `text` does not look like a language code.
std::optional<LanguageCode> ParseLanguageCode(std::string_view text);

// Returns the code as BCP-47, with a two-letter language if there is one: "zh-Hans", "pt-BR".
std::string ToBcp47(const LanguageCode& code);

// In the following functions, `language` is LanguageCode::language.

// If `language` is a macrolanguage ("zho", Chinese), returns the member language that it commonly
// means ("cmn", Mandarin). If `language` is such a member, returns its macrolanguage. Else returns
// "".
std::string_view EquivalentLanguage(std::string_view language);

// Returns the script of a code that names this language and no script ("Latn" for "deu"), or "" if
// language_table.inc does not have the language.
std::string_view DefaultScript(std::string_view language);

// Returns the script that the region of `code` implies: "Hant" for "zh-TW". Returns "" except for
// some regions of Chinese. The two written forms of Chinese differ by script, but clients often
// name a region.
std::string_view ScriptOfRegion(const LanguageCode& code);

}  // namespace dragoman::engine

// Parses and compares language codes: BCP-47, or ISO 639-1, 639-2 or 639-3 with script and region,
// with '-' or '_', in any case. Examples: "de", "deu", "ger", "de-DE", "pt_BR", "cmn_Hans".
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

// The parts of a code. `language` is the ISO 639-3 code if the table knows the language, else the
// subtag in lower case. `script` is like "Hans", `region` like "DE"; `variant` is the rest.
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

// Returns the macrolanguage of a member, or the member that a macrolanguage commonly means: "zho"
// for "cmn" and the reverse. Returns "" if there is none.
std::string_view EquivalentLanguage(std::string_view language);

// Returns the script of a language whose code names no script, or "" if the table has none.
std::string_view DefaultScript(std::string_view language);

// Returns the script that the region of `code` implies, or "" if it implies none. Only regions of
// Chinese imply one: its variants differ by script, but clients often name a region.
std::string_view ScriptOfRegion(const LanguageCode& code);

}  // namespace dragoman::engine

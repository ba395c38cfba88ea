// Language codes as clients write them, and languages' names for people, by ICU.
//
// The engine itself finds a model's language for a code of any form ("EN-US", "zh_hans", "deu"), so
// that a request's codes are handed on as they came. These functions are for what a door answers:
// lists, names, and codes in a dialect's own form. Pure functions, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

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

// The one of `served` that `code` means: the same tag, else one of the same language whose script
// and region do not contradict the code's ("EN-US" is "en", "zh-TW" is "zh-Hant"); the first of
// those that agree in most. Nothing if there is none.
std::optional<std::string> FindLanguage(std::string_view code,
                                        const std::vector<std::string>& served);

}  // namespace dragoman

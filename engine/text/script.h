// Tells which characters and languages are written without spaces between sentences and words.
//
// Thread-safety: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace dragoman::engine {

// Reports whether the code point is Han, kana, Bopomofo, Yi, Thai, Lao, Khmer, Burmese, Tibetan,
// CJK punctuation or a full-width form.
bool IsUnspacedScript(char32_t code_point);

// Reports whether the character before or after byte `at` is of such a script. REQUIRES: `at` is
// inside the text, and neither its beginning nor its end.
bool TouchesUnspacedScript(std::string_view text, size_t at);

// Reports whether `language` (BCP-47) is written with spaces between sentences. Returns false for
// Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan, Dzongkha and Shan, else true.
bool LanguageUsesSpaces(std::string_view language);

}  // namespace dragoman::engine

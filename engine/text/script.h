// Which characters and languages are written without spaces between sentences and words.
//
// Thread-safety: pure functions.
#pragma once

#include <string_view>

namespace dragoman::engine {

// Han, kana, Thai, Lao, Khmer, Burmese, Tibetan and their punctuation, full-width forms included.
bool IsUnspacedScript(char32_t code_point);

// Whether sentences of this language (BCP-47) are set apart by spaces: not so for Chinese,
// Japanese, Thai, Lao, Khmer, Burmese and the like.
bool LanguageUsesSpaces(std::string_view language);

}  // namespace dragoman::engine

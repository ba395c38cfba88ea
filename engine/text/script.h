// Which characters and languages are written without spaces between sentences and words.
//
// Thread-safety: pure functions.
#pragma once

namespace dragoman {

// Han, kana, Thai, Lao, Khmer, Burmese, Tibetan and their punctuation, full-width forms included.
bool IsUnspacedScript(char32_t code_point);

}  // namespace dragoman

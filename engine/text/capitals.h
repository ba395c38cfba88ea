// Text in capitals. Models have seen little of it, and translate it far better in lower case.
//
// Thread-safety: pure functions. Letters are mapped one by one, and only to letters of as many
// bytes, so that every position in a text stays valid. Other letters (U+0130, U+1E9E, U+00DF) stay
// as they are. Units: bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/text/text_range.h"

namespace dragoman::engine {

// In the following functions, text in the ranges `kept` is ignored and stays as it is. REQUIRES:
// `kept` is in order, without overlap.

// Reports whether a text is written in capitals: it has no lower-case letter, and at least ten
// upper-case letters in two or more words. Single words may be acronyms. It has at most a tenth as
// many letters without case: Chinese text with acronyms is not in capitals.
bool IsInCapitals(std::string_view text, std::span<const TextRange> kept);

// Returns the text in lower case, except for its first letter.
std::string LowerCapitals(std::string_view text, std::span<const TextRange> kept);

// Puts the text in capitals.
void PutInCapitals(std::span<const TextRange> kept, std::string* text);

// Reports whether a language has a dotless i, whose case these functions do not know.
bool HasDotlessI(std::string_view language);

}  // namespace dragoman::engine

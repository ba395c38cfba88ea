// An upper bound, quickly computed, of the pieces that a text becomes, so that room can be reserved
// before it is split.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

namespace dragoman {

// At least the pieces that SentenceSplitter makes of `text` in any language and mode, before those
// that are too long are cut: counts the letters and digits that come first or after a character
// that may end a sentence. Too many where such a character ends none, as in "3.14". `html`: every
// tag may end one, too. Takes one look at each code point. REQUIRES: valid UTF-8.
int64_t MostPieces(std::string_view text, bool html);

}  // namespace dragoman

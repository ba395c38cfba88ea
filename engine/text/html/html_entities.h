// Character references of HTML (&amp; &#8212; &#x2014;), and the opposite.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::engine {

struct CharacterReference {
  size_t size = 0;   // of the reference; 0: the text begins with none
  std::string text;  // what it stands for
};

// The reference that `text` begins with, as the HTML standard reads it outside of attributes
// (13.2.5.72): the longest name, the semicolon optional where the standard has a name without one;
// numbers that are not characters become U+FFFD, 128 to 159 what windows-1252 has there.
CharacterReference ReadCharacterReference(std::string_view text);

// Appends `text` with & < > as references.
void AppendEscaped(std::string_view text, std::string& html);

}  // namespace dragoman::engine

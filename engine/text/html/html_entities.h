// Decodes character references of HTML (&amp; &#8212; &#x2014;) and escapes text.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::engine {

struct CharacterReference {
  size_t size = 0;   // the reference's number of bytes; 0 if the text begins with none
  std::string text;  // the text that the reference stands for
};

// Reads the reference at the beginning of `text`, as the HTML standard does outside attributes
// (13.2.5.72). The longest name wins. The semicolon is optional for names that the standard lists
// without one. A number that is not a code point becomes U+FFFD. Numbers from 128 to 159 become the
// characters that windows-1252 has there.
CharacterReference ReadCharacterReference(std::string_view text);

// Returns the text that `html` stands for, which has no tags.
std::string DecodeCharacterReferences(std::string_view html);

// Appends `text` to `html`, with & < > written as references.
void AppendEscaped(std::string_view text, std::string& html);

}  // namespace dragoman::engine

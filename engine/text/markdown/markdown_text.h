// Writes text into Markdown so that it is read as text.
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::engine {

// Appends to `markdown` the character of `text` at bytes [at, end), with a backslash or as a
// reference if it could be markup there. `line` is where the line's text begins in `markdown`.
// `marks` has characters that always get a backslash.
void AppendMarkdown(std::string_view text, size_t at, size_t end, size_t line,
                    std::string_view marks, std::string& markdown);

// Reports whether CommonMark treats the character as punctuation where emphasis begins and ends.
bool IsMarkdownPunctuation(char32_t c);

}  // namespace dragoman::engine

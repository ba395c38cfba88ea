#include "engine/text/markdown/markdown_text.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "absl/strings/ascii.h"

namespace dragoman::engine {
namespace {

constexpr size_t kAbsent = std::string_view::npos;

bool IsPunctuation(char c) { return absl::ascii_ispunct(static_cast<unsigned char>(c)); }
bool IsAlnum(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Reports whether "&...;" at the beginning of `text` may be a reference.
bool IsReference(std::string_view text) {
  constexpr size_t kLongest = 40;
  size_t end = 1;
  while (end < std::min(text.size(), kLongest) && (IsAlnum(text[end]) || text[end] == '#')) ++end;
  return end > 1 && end < text.size() && text[end] == ';';
}

// Reports whether the character at `at` is in a word that has "://" before it.
bool IsInUrl(std::string_view text, size_t at) {
  constexpr size_t kLongest = 2048;
  size_t begin = at;
  while (begin > 0 && at - begin < kLongest && !IsBlank(text[begin - 1])) --begin;
  return text.substr(begin, at - begin).find("://") != kAbsent;
}

// Reports whether the character of the text at `at` needs a backslash behind `before`, the text of
// the line so far.
bool NeedsBackslash(std::string_view text, size_t at, std::string_view before,
                    std::string_view marks) {
  const char c = text[at];
  if (marks.find(c) != kAbsent) return true;
  if (before.empty() && std::string_view("#>=+-[").find(c) != kAbsent) return true;
  const char last = before.empty() ? ' ' : before.back();
  const char next = at + 1 < text.size() && !IsBlank(text[at + 1]) ? text[at + 1] : ' ';
  switch (c) {
    case '\\':
    case '`':
      return true;
    case '*':
      return !IsInUrl(text, at);
    case '_':
      return !(IsAlnum(last) && IsAlnum(next)) && !IsInUrl(text, at);
    case '~':
      return (last == '~' || next == '~' || last != ' ') && !IsInUrl(text, at);
    case '<':
      return absl::ascii_isalpha(static_cast<unsigned char>(next)) || next == '/' || next == '!' ||
             next == '?';
    case ']':
      return next == '(' || next == ':' || next == '[';
    case '#':  // at the end of a heading
      return last == ' ' && text.find_first_not_of('#', at) == kAbsent;
    case '.':
    case ')':  // a number at the beginning of a line
      return !IsAlnum(next) && !before.empty() && before.size() < 10 &&
             std::all_of(before.begin(), before.end(), IsDigit);
    default:
      return false;
  }
}

}  // namespace

bool IsMarkdownPunctuation(char32_t c) {
  return c < 128 ? IsPunctuation(static_cast<char>(c)) : u_ispunct(static_cast<UChar32>(c)) != 0;
}

void AppendMarkdown(std::string_view text, size_t at, size_t end, size_t line,
                    std::string_view marks, std::string& markdown) {
  const std::string_view before = std::string_view(markdown).substr(line);
  if (text[at] == '&' && IsReference(text.substr(at))) {
    markdown += "&amp;";
    return;
  }
  if (NeedsBackslash(text, at, before, marks)) markdown += '\\';
  markdown += text.substr(at, end - at);
}

}  // namespace dragoman::engine

#include "engine/text/capitals.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

// Calls visit(begin, end, code point) for each character outside `kept`.
template <class Visit>
void VisitOutside(std::string_view text, std::span<const TextRange> kept, const Visit& visit) {
  auto next = kept.begin();
  for (size_t at = 0; at < text.size();) {
    while (next != kept.end() && static_cast<size_t>(next->end) <= at) ++next;
    if (next != kept.end() && static_cast<size_t>(next->begin) <= at) {
      at = std::min(text.size(), static_cast<size_t>(next->end));
      continue;
    }
    const size_t begin = at;
    const char32_t c = NextCodePoint(text, at);
    visit(begin, at, static_cast<UChar32>(c));
  }
}

// Replaces the character at text[begin, end) by another one, if that has as many bytes.
void Replace(size_t begin, size_t end, UChar32 by, std::string* text) {
  std::string bytes;
  AppendUtf8(static_cast<char32_t>(by), bytes);
  if (bytes.size() == end - begin) text->replace(begin, bytes.size(), bytes);
}

}  // namespace

bool IsInCapitals(std::string_view text, std::span<const TextRange> kept) {
  constexpr int kLetters = 10;
  constexpr int kWords = 2;
  int letters = 0;  // upper-case ones
  int uncased = 0;
  int words = 0;
  size_t last_end = 0;
  int in_word = 0;
  bool has_lower = false;
  VisitOutside(text, kept, [&](size_t begin, size_t end, UChar32 c) {
    has_lower = has_lower || u_islower(c) != 0;
    if (u_isupper(c) == 0) {
      if (u_isalpha(c) != 0) ++uncased;
      return;
    }
    in_word = begin == last_end ? in_word + 1 : 1;
    last_end = end;
    ++letters;
    if (in_word == 2) ++words;
  });
  return !has_lower && letters >= kLetters && words >= kWords && 10 * uncased <= letters;
}

std::string LowerCapitals(std::string_view text, std::span<const TextRange> kept) {
  std::string lowered(text);
  bool is_first = true;
  VisitOutside(text, kept, [&](size_t begin, size_t end, UChar32 c) {
    if (u_isalpha(c) == 0) return;
    if (!is_first) Replace(begin, end, u_tolower(c), &lowered);
    is_first = false;
  });
  return lowered;
}

void PutInCapitals(std::span<const TextRange> kept, std::string* text) {
  const std::string before = *text;
  VisitOutside(before, kept, [&](size_t begin, size_t end, UChar32 c) {
    Replace(begin, end, u_toupper(c), text);
  });
}

bool HasDotlessI(std::string_view language) {
  const std::string_view base = language.substr(0, language.find_first_of("-_"));
  return base == "tr" || base == "tur" || base == "az" || base == "aze" || base == "azj";
}

}  // namespace dragoman::engine

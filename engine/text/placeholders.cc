#include "engine/text/placeholders.h"

#include <re2/re2.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/base/utf8.h"
#include "engine/text/script.h"
#include "engine/text/split/boundaries.h"

namespace dragoman::engine {
namespace {

// Placeholders that marks on both sides enclose. They may contain any character.
constexpr const char* kEnclosed[] = {
    R"(</?[A-Za-z][\w.:-]*(?:\s[^<>]*)?/?>)",  // tags of XML and HTML
    R"(\{\{[^{}\n]*\}\}|[$%#]?\{[^{}\s]*\})",
    R"(`[^`\n]+`)",
};

// The others, in order of precedence: of two expressions that match at the same place, the first
// counts. They are applied to stretches of text in which all characters outside ASCII are letters
// (AddOthers), so \x80-\xff, the bytes of such characters, stand for letters. Expressions that knew
// all letters of Unicode would be too large for RE2's automata.
constexpr const char* kOthers[] = {
    // URLs.
    R"((?:[A-Za-z][A-Za-z0-9+.-]+://|[Ww][Ww][Ww]\.)[^\s<>"`]+)",
    // E-mail addresses.
    R"([\w\x80-\xff][\w\x80-\xff.%+-]*@[\w\x80-\xff-]+(?:\.[\w\x80-\xff-]+)+)",
    // Domains of common kinds without a scheme, and their paths.
    R"((?:[A-Za-z0-9][A-Za-z0-9-]*\.)+(?:com|org|net|edu|gov|info|biz|io|dev|app|ai|eu|co\.uk)\b)"
    R"((?:/[^\s<>"`]*)?)",
    // Conversions of printf, of Python and of Objective-C.
    R"(%(?:\d+\$)?[-+#0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|z|j|t|L|q)?)"
    R"([diouxXeEfFgGaAcsp]\b)",
    R"(%\(\w+\)[-+#0]*\d*(?:\.\d+)?[diouxXeEfFgGcrsa]\b|%@)",
    // Variables between signs.
    R"(#[A-Z_][A-Z0-9_]*#|%[A-Z_][A-Z0-9_]*%|\$[A-Za-z_]\w*\$?|__\w+__)",
    // Handles and hashtags.
    R"(@[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:\.[\w\x80-\xff]+)*(?:@[\w-]+(?:\.[\w-]+)+)?)",
    R"(#\d*[A-Za-z_\x80-\xff][\w\x80-\xff]*)",
    // Code.
    R"(--[a-z][a-z0-9]*(?:-[a-z0-9]+)*\b)",
    R"([A-Za-z_][\w.]*\(\)|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+)",
    // Paths and names of files.
    R"((?:~|\.\.?)(?:/[\w.@+-]+)+/?|(?:/[\w.@+-]+)(?:/[\w.@+-]+)+/?|[A-Za-z]:\\[^\s<>"|?*]+)",
    R"(/(?:bin|dev|etc|home|opt|proc|root|srv|sys|tmp|usr|var)\b)",
    R"(\w[\w-]*(?:/[\w.-]+)+\.[a-z]\w*\b)",
    R"(\w[\w-]*(?:\.[\w-]+)*\.(?:bat|bin|bmp|cc|cfg|conf|cpp|cs|css|csv|deb|dll|docx?|epub|exe|gif)"
    R"(|go|gz|html?|ini|ipynb|jar|java|jpe?g|js|json|log|md|mp[34]|odt|pdf|php|png|po|pptx?|py|rar)"
    R"(|rb|rs|rtf|sh|sql|srt|svg|tar|tex|toml|ts|tsv|txt|vtt|wav|webp|xlsx?|xml|ya?ml|zip)\b)",
    // Names of emoji.
    R"(:[a-z][a-z0-9_+-]*:|:[+-]1:|:100:)",
};

// Returns one expression for all. It reads bytes, and runs in linear time.
const RE2* AnyOf(std::span<const char* const> patterns) {
  std::string expression;
  for (const char* pattern : patterns) {
    if (!expression.empty()) expression += '|';
    expression += pattern;
  }
  return new RE2(expression, RE2::Latin1);
}

// Returns the next match of `any` in text[at, end); nullopt if there is none.
std::optional<TextRange> Next(const RE2& any, std::string_view text, size_t at, size_t end) {
  re2::StringPiece match;
  if (!any.Match({text.data(), text.size()}, at, end, RE2::UNANCHORED, &match, 1)) {
    return std::nullopt;
  }
  return TextRange::Of({match.data(), match.size()}, text);
}

bool IsLetter(char32_t c) {
  return u_isalnum(static_cast<UChar32>(c)) != 0 ||
         (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_M_MASK) != 0;
}

// Reports whether a placeholder outside kEnclosed may contain this character. Text in a script
// without spaces between words may follow an address directly.
bool MayContain(char32_t c) { return c < 0x80 || (IsLetter(c) && !IsUnspacedScript(c)); }

// Reports whether the character before a match makes it a part of a word: "50%s" has a percentage,
// "C#a" has no hashtag.
bool IsInWord(std::string_view text, size_t at) {
  if (at == 0) return false;
  const char32_t before = CodePointBefore(text, at);
  return before == '_' || (IsLetter(before) && !IsUnspacedScript(before));
}

// Returns a match without the punctuation that ends the sentence around it. A closing bracket is
// part of the match if an opening one is.
std::string_view Trim(std::string_view found) {
  constexpr std::string_view kPunctuation = ".,;!?'\"*";
  constexpr std::string_view kOpen = "([{";
  constexpr std::string_view kClose = ")]}";
  std::array<int64_t, kOpen.size()> unclosed;
  for (size_t i = 0; i < kOpen.size(); ++i) {
    unclosed[i] = std::ranges::count(found, kOpen[i]) - std::ranges::count(found, kClose[i]);
  }
  for (; !found.empty(); found.remove_suffix(1)) {
    const char last = found.back();
    if (const size_t bracket = kClose.find(last); bracket != kClose.npos) {
      if (unclosed[bracket] >= 0) break;
      ++unclosed[bracket];
    } else if (kPunctuation.find(last) == kPunctuation.npos &&
               (last != ':' || found.front() == ':')) {
      break;
    }
  }
  return found;
}

void AddEnclosed(std::string_view text, std::vector<TextRange>* found) {
  static const RE2* const any = AnyOf(kEnclosed);
  size_t at = 0;
  while (const std::optional<TextRange> next = Next(*any, text, at, text.size())) {
    found->push_back(*next);
    at = static_cast<size_t>(next->end);
  }
}

void AddOthers(std::string_view text, std::vector<TextRange>* found) {
  static const RE2* const any = AnyOf(kOthers);
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    // The next stretch. Its end is the character that a placeholder cannot contain.
    size_t after = begin;
    for (end = begin; end < text.size() && MayContain(NextCodePoint(text, after)); end = after) {
    }
    size_t at = begin;
    while (const std::optional<TextRange> next = Next(*any, text, at, end)) {
      const std::string_view whole = Trim(next->In(text));
      const bool follows = !found->empty() && found->back().end == next->begin;
      if (whole.size() > 1 && (follows || !IsInWord(text, static_cast<size_t>(next->begin)))) {
        found->push_back(TextRange::Of(whole, text));
      }
      at = static_cast<size_t>(next->end);
    }
    end = std::max(end, after);
  }
}

// Reports whether the character at `at` is shown as an emoji.
bool IsEmoji(std::string_view text, size_t at) {
  const auto c = static_cast<UChar32>(NextCodePoint(text, at));
  if (u_hasBinaryProperty(c, UCHAR_EMOJI_PRESENTATION) != 0) return true;
  constexpr char32_t kEmojiSelector = 0xfe0f;
  return u_hasBinaryProperty(c, UCHAR_EMOJI) != 0 && at < text.size() &&
         NextCodePoint(text, at) == kEmojiSelector;
}

// Adds the graphemes that are emoji. Neighbours are one range.
void AddEmoji(std::string_view text, std::vector<TextRange>* found) {
  constexpr char32_t kFirstEmoji = 0x203c;
  bool may_have_emoji = false;
  for (size_t at = 0; at < text.size() && !may_have_emoji;) {
    may_have_emoji = NextCodePoint(text, at) >= kFirstEmoji;
  }
  if (!may_have_emoji) return;
  const size_t others = found->size();
  Boundaries boundaries(&icu::BreakIterator::createCharacterInstance, text);
  size_t begin = 0;
  while (const std::optional<size_t> end = boundaries.Next()) {
    if (IsEmoji(text, begin)) {
      const TextRange range{static_cast<int64_t>(begin), static_cast<int64_t>(*end)};
      if (found->size() > others && found->back().end == range.begin) {
        found->back().end = range.end;
      } else {
        found->push_back(range);
      }
    }
    begin = *end;
  }
}

}  // namespace

std::vector<TextRange> FindPlaceholders(std::string_view text) {
  std::vector<TextRange> found;
  AddEnclosed(text, &found);
  AddOthers(text, &found);
  AddEmoji(text, &found);
  std::ranges::stable_sort(found, {}, &TextRange::begin);
  std::vector<TextRange> apart;
  for (const TextRange& range : found) {
    if (apart.empty() || range.begin >= apart.back().end) apart.push_back(range);
  }
  return apart;
}

}  // namespace dragoman::engine

#include "engine/request/sentinels.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <optional>

#include "engine/base/utf8.h"
#include "engine/text/script.h"
#include "engine/text/split/boundaries.h"

namespace dragoman::engine {
namespace {

std::optional<char32_t> Before(std::string_view text, size_t at) {
  if (at == 0) return std::nullopt;
  return CodePointBefore(text, at);
}

std::optional<char32_t> After(std::string_view text, size_t at) {
  if (at >= text.size()) return std::nullopt;
  return NextCodePoint(text, at);
}

bool IsLetterOrDigit(char32_t c) { return u_isalnum(static_cast<UChar32>(c)) != 0; }

bool IsWordCharacter(char32_t c) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_L_MASK | U_GC_N_MASK | U_GC_M_MASK)) != 0;
}

// Reports whether the character `c` next to a match of a sentinel's word makes it part of a longer
// word, which is not the sentinel. Digits and Latin letters do. Letters of other scripts do not:
// Korean and Japanese put particles after Latin words, Arabic puts them before.
bool ExtendsSentinel(std::optional<char32_t> c) {
  if (!c.has_value()) return false;
  UErrorCode status = U_ZERO_ERROR;
  const auto point = static_cast<UChar32>(*c);
  if (u_isdigit(point)) return true;
  return u_isalpha(point) && uscript_getScript(point, &status) == USCRIPT_LATIN;
}

// Reports whether a space must separate a sentinel from this character.
bool WantsSpace(std::optional<char32_t> c) {
  return c.has_value() && IsLetterOrDigit(*c) && !IsUnspacedScript(*c);
}

struct Found {
  TextRange range;
  size_t sentinel = 0;
};

// Returns all places where a sentinel occurs as a complete word, in order.
std::vector<Found> FindSentinels(std::string_view text, std::span<const Sentinel> sentinels) {
  std::vector<Found> found;
  for (size_t i = 0; i < sentinels.size(); ++i) {
    const Sentinel& sentinel = sentinels[i];
    for (size_t at = text.find(sentinel.word); at != text.npos;
         at = text.find(sentinel.word, at + sentinel.word.size())) {
      size_t begin = at;
      size_t end = at + sentinel.word.size();
      if (ExtendsSentinel(Before(text, begin)) || ExtendsSentinel(After(text, end))) continue;
      if (sentinel.space_before && begin > 0 && text[begin - 1] == ' ') --begin;
      if (sentinel.space_after && end < text.size() && text[end] == ' ') ++end;
      // "Foo Inc." at the end of a sentence has one full stop.
      if (sentinel.text.ends_with('.') && end < text.size() && text[end] == '.') ++end;
      found.push_back({{static_cast<int64_t>(begin), static_cast<int64_t>(end)}, i});
    }
  }
  std::ranges::sort(found, {}, [](const Found& one) { return one.range.begin; });
  // If one space follows a sentinel and precedes the next one, it belongs to the first.
  for (size_t i = 1; i < found.size(); ++i) {
    found[i].range.begin = std::max(found[i].range.begin, found[i - 1].range.end);
  }
  return found;
}

// Returns, for each range, the tokens that have a byte in it. Leaves out ranges without tokens.
template <class Ranges>
std::vector<SentinelTokens> TokensOf(const std::vector<TextRange>& tokens, const Ranges& ranges) {
  std::vector<SentinelTokens> result;
  size_t next = 0;
  for (const auto& [range, sentinel] : ranges) {
    while (next < tokens.size() && tokens[next].end <= range.begin) ++next;
    size_t end = next;
    while (end < tokens.size() && tokens[end].begin < range.end) ++end;
    if (end > next) result.push_back({next, end, sentinel});
    next = end;
  }
  return result;
}

}  // namespace

TextRange MoveRange(std::span<const MovedRange> moved, TextRange range) {
  // Returns the first entry whose `from` ends after a position.
  const auto after = [&](int64_t position) {
    return std::upper_bound(
        moved.begin(), moved.end(), position,
        [](int64_t value, const MovedRange& entry) { return value < entry.from.end; });
  };
  const auto shifted = [&](auto next, int64_t position) {
    if (next == moved.begin()) return position;
    const MovedRange& before = *std::prev(next);
    return position - before.from.end + before.to.end;
  };
  TextRange to;
  const auto first = after(range.begin);
  if (first == moved.end() || range.begin < first->from.begin) {
    to.begin = shifted(first, range.begin);
  } else {
    to.begin = range.begin == first->from.begin ? first->to.begin : first->to.end;
  }
  if (range.end == range.begin) return {to.begin, to.begin};
  const auto last = after(range.end - 1);
  to.end = last == moved.end() || range.end <= last->from.begin ? shifted(last, range.end)
                                                                : last->to.end;
  return {to.begin, std::max(to.begin, to.end)};
}

SentinelText PutSentinels(std::string_view segment, std::span<const KeptPart> parts,
                          std::string_view stem) {
  SentinelText result;
  size_t at = 0;
  int number = 0;
  for (const KeptPart& part : parts) {
    Sentinel sentinel;
    do {
      sentinel.word = std::string(stem) + std::to_string(++number);
    } while (segment.find(sentinel.word) != segment.npos);
    const auto begin = static_cast<size_t>(part.range.begin);
    const auto end = static_cast<size_t>(part.range.end);
    sentinel.text = std::string(part.range.In(segment));
    sentinel.source = part.range;
    sentinel.kind = part.kind;
    result.text += segment.substr(at, begin - at);
    const auto from = static_cast<int64_t>(result.text.size());
    const bool touches = begin == at && !result.sentinels.empty();
    sentinel.space_before =
        touches ? !result.sentinels.back().space_after : WantsSpace(Before(segment, begin));
    sentinel.space_after = WantsSpace(After(segment, end));
    if (sentinel.space_before) result.text += ' ';
    result.text += sentinel.word;
    if (sentinel.space_after) result.text += ' ';
    result.moved.push_back({{from, static_cast<int64_t>(result.text.size())}, part.range});
    result.sentinels.push_back(std::move(sentinel));
    at = end;
  }
  result.text += segment.substr(at);
  return result;
}

std::vector<SentinelTokens> MoveToSource(const SentinelText& text, EncodedText* encoded) {
  std::vector<Found> ranges;
  for (size_t i = 0; i < text.moved.size(); ++i) ranges.push_back({text.moved[i].from, i});
  std::vector<SentinelTokens> tokens = TokensOf(encoded->ranges, ranges);
  for (TextRange& range : encoded->ranges) range = MoveRange(text.moved, range);
  return tokens;
}

RestoredText RestoreSentinels(DecodedText decoded, std::span<const Sentinel> sentinels) {
  RestoredText result;
  const std::vector<Found> found = FindSentinels(decoded.text, sentinels);
  std::vector<size_t> counts(sentinels.size());
  std::vector<MovedRange> moved;
  std::string text;
  int64_t at = 0;
  for (const Found& one : found) {
    text += TextRange{at, one.range.begin}.In(decoded.text);
    const auto begin = static_cast<int64_t>(text.size());
    text += sentinels[one.sentinel].text;
    moved.push_back({one.range, {begin, static_cast<int64_t>(text.size())}});
    at = one.range.end;
    ++counts[one.sentinel];
  }
  text += std::string_view(decoded.text).substr(static_cast<size_t>(at));
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 1) continue;
    switch (sentinels[i].kind) {
      case KeptKind::kPhrase:
        ++result.lost_phrases;
        break;
      case KeptKind::kPlaceholder:
        ++result.lost_placeholders;
        break;
      case KeptKind::kUnknown:
        ++result.lost_unknown;
        break;
    }
  }
  result.tokens = TokensOf(decoded.ranges, found);
  for (TextRange& range : decoded.ranges) range = MoveRange(moved, range);
  decoded.text = std::move(text);
  result.decoded = std::move(decoded);
  return result;
}

std::vector<KeptPart> PartsToKeep(std::string_view text, std::span<const TextRange> unknown) {
  std::vector<size_t> graphemes;  // where each grapheme ends
  if (!unknown.empty()) {
    Boundaries boundaries(&icu::BreakIterator::createCharacterInstance, text);
    while (const std::optional<size_t> end = boundaries.Next()) graphemes.push_back(*end);
  }
  const auto in_word = [](std::optional<char32_t> c) {
    return c.has_value() && IsWordCharacter(*c) && !IsUnspacedScript(*c);
  };
  const auto in_chunk = [](std::optional<char32_t> c) {
    return c.has_value() && !IsWhiteSpace(*c) && !IsUnspacedScript(*c);
  };
  const auto extend = [&](size_t& begin, size_t& end, const auto& belongs) {
    while (belongs(Before(text, begin))) PreviousCodePoint(text, begin);
    while (belongs(After(text, end))) NextCodePoint(text, end);
  };
  std::vector<KeptPart> parts;
  for (const TextRange& range : unknown) {
    const std::string_view visible = StripWhiteSpace(range.In(text));
    if (visible.empty()) continue;
    auto begin = static_cast<size_t>(visible.data() - text.data());
    size_t end = begin + visible.size();
    bool has_letter = false;
    bool has_ascii = false;
    bool has_symbol = false;
    for (size_t at = begin; at < end;) {
      const char32_t c = NextCodePoint(text, at);
      has_letter = has_letter || IsWordCharacter(c);
      has_ascii = has_ascii || c < 0x80;
      has_symbol = has_symbol || (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_P_MASK) == 0;
    }
    if (has_ascii) {
      const size_t first = begin;
      const size_t last = end;
      extend(begin, end, in_chunk);
      constexpr std::string_view kOpening = "(\"'";
      constexpr std::string_view kClosing = ".,;:!?)\"'";
      while (begin < first && kOpening.find(text[begin]) != kOpening.npos) ++begin;
      while (end > last && kClosing.find(text[end - 1]) != kClosing.npos) --end;
    } else if (has_letter) {
      extend(begin, end, in_word);
    } else if (!has_symbol) {
      continue;
    }
    // Extends the part to complete graphemes, so that an emoji keeps its variation selector.
    const auto first = std::upper_bound(graphemes.begin(), graphemes.end(), begin);
    begin = first == graphemes.begin() ? 0 : *std::prev(first);
    const auto last = std::lower_bound(graphemes.begin(), graphemes.end(), end);
    end = last == graphemes.end() ? text.size() : *last;
    const TextRange part{static_cast<int64_t>(begin), static_cast<int64_t>(end)};
    if (!parts.empty()) {
      TextRange& before = parts.back().range;
      const bool is_neighbour = part.begin <= before.end ||
                                StripWhiteSpace(TextRange{before.end, part.begin}.In(text)).empty();
      if (is_neighbour) {
        before.end = std::max(before.end, part.end);
        continue;
      }
    }
    parts.push_back({part, KeptKind::kUnknown});
  }
  return parts;
}

}  // namespace dragoman::engine

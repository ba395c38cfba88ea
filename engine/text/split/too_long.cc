#include "engine/text/split/too_long.h"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"
#include "engine/text/split/boundaries.h"

namespace dragoman::engine {
namespace {

// The kinds of places to cut, best first.
enum CutClass : int {
  kSentenceEnd,  // also a line break
  kSemicolon,    // ; :
  kComma,        // , dashes, a closing bracket
  kSpace,
  kLineOpportunity,  // UAX 14: a line may be broken here
  kGrapheme,
  kCutClasses
};

struct Cut {
  size_t at = 0;  // the first byte of the next part; never white space
  CutClass kind = kGrapheme;
  int64_t tokens = 0;  // tokens of the piece that end at or before `at`
};

bool IsOneOf(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

// Classifies a possible cut by the characters before and after it, ignoring white space between.
CutClass Classify(std::string_view text, size_t at, bool line_opportunity) {
  size_t end = at;
  bool space = false;
  bool line_break = false;
  bool closed = false;
  char32_t last = 0;
  while (end > 0) {
    size_t before = end;
    const char32_t c = PreviousCodePoint(text, before);
    // Looks at most 32 bytes back, which is enough for real text and keeps the time constant.
    if (at - before > 32) break;
    if (IsWhiteSpace(c)) {
      if (closed) break;
      space = true;
      line_break = line_break || IsOneOf(c, U"\n\r\u0085\u2028\u2029");
    } else if (IsOneOf(c, U"\"')]}“”’»«」』）】")) {
      closed = true;
    } else {
      last = c;
      break;
    }
    end = before;
  }
  const char32_t first = CodePointAt(text, at);
  if (line_break || IsOneOf(last, U"。！？｡")) return kSentenceEnd;
  if (IsOneOf(last, U"；：")) return kSemicolon;
  if (IsOneOf(last, U"，、､")) return kComma;
  if (space) {
    if (IsOneOf(last, U"!?…؟।") || (last == '.' && !u_islower(static_cast<UChar32>(first)))) {
      return kSentenceEnd;
    }
    if (IsOneOf(last, U";:؛")) return kSemicolon;
    if (IsOneOf(last, U",–—،") || IsOneOf(first, U"–—(") || closed) return kComma;
    return kSpace;
  }
  return line_opportunity ? kLineOpportunity : kGrapheme;
}

// Returns all places where `text` may be cut, in order. The last entry is the end of `text`.
// Returns an empty list if ICU fails.
std::vector<Cut> FindCuts(std::string_view text, const EncodedText& encoded) {
  std::vector<Cut> cuts;
  Boundaries graphemes(icu::BreakIterator::createCharacterInstance, text);
  Boundaries lines(icu::BreakIterator::createLineInstance, text);
  if (!graphemes.ok() || !lines.ok()) return cuts;
  // The ends of the tokens are ascending, so one pass counts the tokens before each cut.
  const size_t first_token = encoded.text_begin;
  const size_t end_token = encoded.text_end;
  size_t token = first_token;
  size_t line = lines.Next().value_or(text.size());
  while (const std::optional<size_t> at = graphemes.Next()) {
    while (line < *at) line = lines.Next().value_or(text.size());
    while (token < end_token && static_cast<size_t>(encoded.ranges[token].end) <= *at) {
      ++token;
    }
    Cut cut{*at, kGrapheme, static_cast<int64_t>(token - first_token)};
    if (*at < text.size()) {
      if (IsWhiteSpace(CodePointAt(text, *at))) continue;  // the cut is after the white space
      cut.kind = Classify(text, *at, line == *at);
    }
    cuts.push_back(cut);
  }
  return cuts;
}

// Returns the index of the best of cuts[first, last). Considers only cuts whose `tokens` is at
// least `low`. Prefers the best kind, then the `tokens` nearest to `target`. Returns last - 1 if
// every cut has fewer than `low` tokens. REQUIRES: first < last.
size_t BestCut(const std::vector<Cut>& cuts, size_t first, size_t last, int64_t low,
               int64_t target) {
  size_t best = last - 1;
  for (size_t i = first; i < last; ++i) {
    if (cuts[i].tokens < low) continue;
    const bool better_kind = cuts[i].kind < cuts[best].kind;
    const bool nearer = cuts[i].kind == cuts[best].kind &&
                        std::abs(cuts[i].tokens - target) < std::abs(cuts[best].tokens - target);
    if (better_kind || nearer) best = i;
  }
  return best;
}

}  // namespace

absl::Status TooLongError(int64_t tokens, int64_t max_tokens) {
  return InvalidRequest({.field = "contents",
                         .found = absl::StrCat(tokens, " tokens"),
                         .expected = absl::StrCat("at most ", max_tokens,
                                                  ", which is what the model takes at once")});
}

absl::StatusOr<std::vector<EncodedPiece>> SplitTooLong(std::string_view text, TextRange piece,
                                                       EncodedText encoded, int max_tokens,
                                                       const EncodeFunction& encode) {
  std::vector<EncodedPiece> parts;
  const auto limit = static_cast<size_t>(std::max(max_tokens, 0));
  if (encoded.ids.size() <= limit) {
    parts.push_back({.range = piece, .encoded = std::move(encoded)});
    return parts;
  }
  const auto special = static_cast<int64_t>(encode("").ids.size());
  const int64_t room = max_tokens - special;
  if (room < 1) {
    return InvalidRequest(
        {.field = "contents",
         .found = "text",
         .expected = "none",
         .words = absl::StrCat("a limit of ", max_tokens, " tokens leaves no room for text beside ",
                               special, " special ones")});
  }
  const std::string_view whole = piece.In(text);
  const std::vector<Cut> cuts = FindCuts(whole, encoded);
  if (cuts.empty()) return absl::InternalError("ICU found no grapheme boundaries");

  size_t begin = 0;
  size_t first = 0;  // the first cut after `begin`
  while (begin < whole.size()) {
    const int64_t before = first == 0 ? 0 : cuts[first - 1].tokens;
    const int64_t left = cuts.back().tokens - before;
    // The limit for a part, counted in tokens of the whole piece. It becomes smaller if the part,
    // when it is encoded alone, has more tokens than it had as a part of the piece.
    int64_t high = room;
    size_t cut_limit = cuts.size();
    while (true) {
      const int64_t parts_left = std::max<int64_t>(1, (left + high - 1) / high);
      const int64_t target = before + (left + parts_left - 1) / parts_left;
      const int64_t low = before + std::max<int64_t>(1, (target - before) / 2);
      size_t last = static_cast<size_t>(
          std::upper_bound(cuts.begin() + static_cast<ptrdiff_t>(first), cuts.end(), before + high,
                           [](int64_t tokens, const Cut& cut) { return tokens < cut.tokens; }) -
          cuts.begin());
      last = std::max(std::min(last, cut_limit), first + 1);
      const size_t chosen =
          last == cuts.size() ? last - 1 : BestCut(cuts, first, last, low, target);
      const size_t end = cuts[chosen].at;
      const std::string_view part = StripWhiteSpace(whole.substr(begin, end - begin));
      EncodedText part_tokens = encode(part);
      if (part_tokens.ids.size() <= limit) {
        parts.push_back({TextRange::Of(part, text), std::move(part_tokens)});
        begin = end;
        first = chosen + 1;
        break;
      }
      if (chosen == first) {
        return InvalidRequest(
            {.field = "contents",
             .found =
                 absl::StrCat("one character (byte ", piece.begin + static_cast<int64_t>(begin),
                              ", ", part.size(), " bytes with its combining marks) of ",
                              part_tokens.ids.size(), " tokens"),
             .expected =
                 absl::StrCat("at most ", max_tokens, ", which is what the model takes at once")});
      }
      const auto excess = static_cast<int64_t>(part_tokens.ids.size() - limit);
      const int64_t used = cuts[chosen].tokens - before;
      // If the limit cannot become smaller (a long run of unknown characters is one token), halve
      // the number of cuts that are considered instead.
      cut_limit = high > 1 ? chosen : first + (chosen - first + 1) / 2;
      high = std::max<int64_t>(1, std::min(high - 1, used - excess));
    }
  }
  return parts;
}

}  // namespace dragoman::engine

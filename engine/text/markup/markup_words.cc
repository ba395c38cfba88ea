#include "engine/text/markup/markup_words.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/text/script.h"

namespace dragoman::engine {
namespace {

// A word ends with at most this much punctuation. A bound, because each tag asks.
constexpr int kMostEndPunctuation = 64;

bool IsPunctuation(char32_t c) { return u_ispunct(static_cast<UChar32>(c)) != 0; }

}  // namespace

bool IsEndPunctuation(std::string_view text, int64_t at) {
  auto next = static_cast<size_t>(at);
  int marks = 0;
  while (next < text.size() && marks <= kMostEndPunctuation) {
    const char32_t c = NextCodePoint(text, next);
    if (!IsPunctuation(c)) return marks > 0 && IsWhiteSpace(c);
    ++marks;
  }
  return marks > 0 && marks <= kMostEndPunctuation;
}

namespace {

// Returns the first byte at or after `at` that is not white space, or the end.
int64_t SkipSpace(std::string_view text, int64_t at) {
  auto next = static_cast<size_t>(at);
  while (next < text.size()) {
    const size_t here = next;
    if (!IsWhiteSpace(NextCodePoint(text, next))) return static_cast<int64_t>(here);
  }
  return static_cast<int64_t>(text.size());
}

// Reports whether the source has a tag at `place` and this place is inside a word (H<sub>2</sub>O).
// The place before the punctuation at a word's end is not inside the word.
bool HasTagInWord(const MarkupRun& run, int64_t place) {
  return place > 0 && !IsWhiteSpace(CodePointBefore(run.text, static_cast<size_t>(place))) &&
         !IsEndPunctuation(run.text, place) &&
         std::binary_search(run.cuts.begin(), run.cuts.end(), place);
}

// Returns the stretch without the punctuation at its ends, or all of it if it is only punctuation.
TextRange WithoutPunctuation(std::string_view text, TextRange stretch) {
  auto begin = static_cast<size_t>(stretch.begin);
  auto end = static_cast<size_t>(stretch.end);
  while (begin < end && IsPunctuation(CodePointAt(text, begin))) NextCodePoint(text, begin);
  if (begin == end) return stretch;
  while (IsPunctuation(CodePointBefore(text, end))) PreviousCodePoint(text, end);
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

// The tokens of a segment, sorted by their position in the target.
class Tokens {
 public:
  Tokens(const MarkupRun& run, const MarkupSegment& segment) : run_(run), segment_(segment) {
    const auto size = static_cast<int64_t>(segment.target.size());
    for (const AlignedToken& token : segment.tokens) {
      if (token.target.begin < 0 || token.target.end > size || token.target.size() <= 0) continue;
      const int64_t begin = SkipSpace(segment.target, token.target.begin);
      if (begin < token.target.end) tokens_.push_back({begin, token.target.end, PlaceOf(token)});
    }
    std::stable_sort(tokens_.begin(), tokens_.end(),
                     [](const Token& a, const Token& b) { return a.begin < b.begin; });
  }

  // Returns the place of the token that contains byte `at` of the target, or -1.
  int64_t PlaceAt(int64_t at) const {
    const auto after = std::upper_bound(
        tokens_.begin(), tokens_.end(), at,
        [](int64_t position, const Token& token) { return position < token.begin; });
    if (after == tokens_.begin()) return -1;
    const Token& token = *std::prev(after);
    return at < token.end ? token.place : -1;
  }

  // Calls take(begin, place) for the tokens that begin inside the range, in order.
  template <typename Take>
  void EachBeginInside(TextRange range, const Take& take) const {
    auto token =
        std::upper_bound(tokens_.begin(), tokens_.end(), range.begin,
                         [](int64_t position, const Token& next) { return position < next.begin; });
    for (; token != tokens_.end() && token->begin < range.end; ++token) {
      take(token->begin, token->place);
    }
  }

 private:
  struct Token {
    int64_t begin = 0;  // the first byte of the token that is not white space
    int64_t end = 0;
    int64_t place = -1;
  };

  int64_t PlaceOf(const AlignedToken& token) const {
    if (!token.source) return -1;
    const TextRange& source = *token.source;
    if (source.begin < 0 || source.end < source.begin || source.end > segment_.source.size()) {
      return -1;
    }
    const std::string_view text =
        std::string_view(run_.text).substr(0, static_cast<size_t>(segment_.source.end));
    const int64_t place = SkipSpace(text, segment_.source.begin + source.begin);
    return place < segment_.source.end ? place : -1;
  }

  const MarkupRun& run_;
  const MarkupSegment& segment_;
  std::vector<Token> tokens_;
};

// Returns the punctuation in the run's text at the end of the word with `place` that the target's
// `punctuation` ends with as well. A mark that ends both a word and its source comes from there,
// whatever the alignment says: models often align it with the word.
TextRange CommonPunctuation(const MarkupRun& run, const MarkupSegment& segment, int64_t place,
                            TextRange punctuation) {
  const std::string_view source =
      std::string_view(run.text).substr(0, static_cast<size_t>(segment.source.end));
  auto end = static_cast<size_t>(place);
  while (end < source.size()) {
    size_t next = end;
    if (IsWhiteSpace(NextCodePoint(source, next))) break;
    end = next;
  }
  auto begin = end;
  auto at = static_cast<size_t>(punctuation.end);
  while (begin > static_cast<size_t>(place) && at > static_cast<size_t>(punctuation.begin)) {
    size_t source_at = begin;
    size_t target_at = at;
    const char32_t mark = PreviousCodePoint(source, source_at);
    if (mark != PreviousCodePoint(segment.target, target_at) || !IsPunctuation(mark)) break;
    begin = source_at;
    at = target_at;
  }
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end)};
}

}  // namespace

std::vector<MarkupWord> TranslatedWords(const MarkupRun& run, const MarkupSegment& segment) {
  const std::string_view text = segment.target;
  const Tokens tokens(run, segment);
  std::vector<MarkupWord> words;
  const auto add = [&](int64_t begin, int64_t end) {
    if (begin < end) words.push_back({{begin, end}, tokens.PlaceAt(begin)});
  };
  for (const std::string_view visible : SplitWhiteSpace(text)) {
    const TextRange stretch = TextRange::Of(visible, text);
    const TextRange inner = WithoutPunctuation(text, stretch);
    add(stretch.begin, inner.begin);
    int64_t begin = inner.begin;
    tokens.EachBeginInside(inner, [&](int64_t cut, int64_t place) {
      const auto at = static_cast<size_t>(cut);
      if (CharacterBegin(text, at) != at) return;
      if (!TouchesUnspacedScript(text, at) && !HasTagInWord(run, place)) return;
      add(begin, cut);
      begin = cut;
    });
    add(begin, inner.end);
    const bool is_aligned =
        !words.empty() && words.back().range.end == inner.end && words.back().place >= 0;
    const TextRange marks =
        is_aligned ? CommonPunctuation(run, segment, words.back().place, {inner.end, stretch.end})
                   : TextRange();
    add(inner.end, stretch.end - marks.size());
    int64_t mark = stretch.end - marks.size();
    for (int64_t place = marks.begin; place < marks.end;) {
      const auto cut = std::upper_bound(run.cuts.begin(), run.cuts.end(), place);
      const int64_t next = cut == run.cuts.end() ? marks.end : std::min(*cut, marks.end);
      words.push_back({{mark, mark + next - place}, place});
      mark += next - place;
      place = next;
    }
  }
  return words;
}

std::vector<MarkupWord> UntranslatedWords(const MarkupRun& run, TextRange range) {
  std::vector<MarkupWord> words;
  for (const std::string_view visible : SplitWhiteSpace(range.In(run.text))) {
    const TextRange stretch = TextRange::Of(visible, run.text);
    int64_t begin = stretch.begin;
    const auto add = [&](int64_t end) {
      if (begin < end) words.push_back({{begin, end}, begin});
      begin = end;
    };
    for (auto cut = std::upper_bound(run.cuts.begin(), run.cuts.end(), begin);
         cut != run.cuts.end() && *cut < stretch.end; ++cut) {
      add(*cut);
    }
    add(stretch.end);
  }
  return words;
}

}  // namespace dragoman::engine

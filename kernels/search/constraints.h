// The constraint state of a hypothesis: the required phrases that it has met, and the partial match
// of the next phrase (SEARCH.md d.1; Post & Vilar 2018).
//
// Pure functions over plain data, for host and device; no heap. The caller owns the immutable set
// of phrases. A state is a value of 32 bytes; each hypothesis has one.
//
// The phrases are in lexicographic order. So phrases that begin alike are neighbours, and a partial
// match is a range of phrases and a depth; no trie is needed. With WordEdges a phrase is met only
// between word boundaries. Whether the last token is followed by a boundary depends on the next
// token. So a state remembers the phrase that the last token completed. If the next token continues
// the word, the phrase is no longer met.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/search/options.h"

namespace dragoman::kernels {

// Tells where a target text has no word boundary: between a token that is open and a token that
// continues a word (SEARCH.md a.8, "Word boundaries"). Bit t % 32 of integer t / 32 of a bitmap is
// for token t. Tokens beyond the bitmaps are neither open nor continue a word.
struct WordEdges {
  const uint32_t* continues = nullptr;  // [words]; the bit of EOS is never set
  const uint32_t* open = nullptr;       // [words]
  int32_t words = 0;                    // number of integers in each bitmap

  DRAGOMAN_HD bool Continues(int32_t token) const { return Has(continues, token); }
  DRAGOMAN_HD bool IsOpen(int32_t token) const { return Has(open, token); }
  // Reports whether there is no word boundary between two neighbouring tokens.
  DRAGOMAN_HD bool Joins(int32_t before, int32_t after) const {
    return IsOpen(before) && Continues(after);
  }

 private:
  DRAGOMAN_HD bool Has(const uint32_t* bits, int32_t token) const {
    if (token < 0 || token >> 5 >= words) return false;
    return (bits[token >> 5] >> (token & 31) & 1U) != 0;
  }
};

// Stands for a source position that is not known. Every gate is open there.
inline constexpr uint16_t kAnySource = 0xFFFF;

// The required phrases of a segment. Two phrases may be equal: the phrases [7] and [7] require two
// tokens 7. No phrase is empty, and all together have at most kMaxConstraintTokens tokens. EOS may
// end one phrase.
struct ConstraintSet {
  const int32_t* tokens = nullptr;  // phrase i has the tokens begin[i] .. begin[i + 1] - 1
  const int32_t* begin = nullptr;   // [phrases + 1]
  int32_t phrases = 0;
  WordEdges edges;
  // [2 * phrases] or nullptr: no gates. The gate of phrase i is the source positions gates[2 * i]
  // .. gates[2 * i + 1] - 1 (SEARCH.md d.7).
  const int32_t* gates = nullptr;

  DRAGOMAN_HD bool gated() const { return gates != nullptr; }
  // Reports whether phrase i may begin in a row that is aligned with this source position.
  DRAGOMAN_HD bool IsOpenAt(int i, uint16_t source) const {
    return gates == nullptr || source == kAnySource ||
           (gates[2 * i] <= source && source < gates[2 * i + 1]);
  }

  // Returns the number of tokens in all phrases together, C in SEARCH.md.
  DRAGOMAN_HD int32_t total() const { return phrases == 0 ? 0 : begin[phrases]; }
  DRAGOMAN_HD int32_t Length(int i) const { return begin[i + 1] - begin[i]; }
  DRAGOMAN_HD int32_t Token(int i, int at) const { return tokens[begin[i] + at]; }
};

struct ConstraintState {
  uint64_t met[2] = {0, 0};  // bit i: phrase i is completed
  int16_t met_tokens = 0;    // number of tokens in the completed phrases
  int16_t met_phrases = 0;
  // The path, which is the current partial match. It is the first `depth` tokens of each of the
  // phrases low .. high - 1.
  int16_t low = 0;
  int16_t high = 0;
  int16_t depth = 0;
  int16_t ended = -1;  // the phrase that the last token completed; the path is empty then
  bool open = false;   // the last token is open (WordEdges)
  // The source position of the row in which the path began, or the path that was completed last.
  uint16_t source = kAnySource;
};
static_assert(sizeof(ConstraintState) == 32);

namespace constraints_internal {

DRAGOMAN_HD inline bool IsMet(const ConstraintState& s, int phrase) {
  // Does not index `met` with a number computed at run time, so that a state stays in registers.
  const uint64_t met = phrase < 64 ? s.met[0] : s.met[1];
  return ((met >> (phrase & 63)) & 1U) != 0;
}

DRAGOMAN_HD inline void Root(const ConstraintSet& set, ConstraintState& s) {
  s.low = 0;
  s.high = static_cast<int16_t>(set.phrases);
  s.depth = 0;
}

// Returns the one of the phrases equal to `phrase` whose gate was open where the path began, if
// there is one that is not met; otherwise `phrase`. REQUIRES: `phrase` is the first of those that
// are not met.
DRAGOMAN_HD inline int Preferred(const ConstraintSet& set, const ConstraintState& s, int phrase) {
  if (!set.gated()) return phrase;
  for (int i = phrase; i < set.phrases && set.Length(i) == set.Length(phrase); ++i) {
    bool same = !IsMet(s, i) && set.IsOpenAt(i, s.source);
    for (int j = 0; same && j < set.Length(i); ++j) same = set.Token(i, j) == set.Token(phrase, j);
    if (same) return i;
  }
  return phrase;
}

// Returns a phrase that is not met yet and consists of exactly the first `length` > 0 tokens of
// phrase `like`; -1 if there is none. Of equal phrases it prefers one whose gate was open where the
// path began. Phrases that begin with these tokens are neighbours, and the shortest come first.
DRAGOMAN_HD inline int NeededPhrase(const ConstraintSet& set, const ConstraintState& s, int like,
                                    int length) {
  int first = like;
  for (; first > 0; --first) {
    bool same = set.Length(first - 1) >= length;
    for (int j = 0; same && j < length; ++j) same = set.Token(first - 1, j) == set.Token(like, j);
    if (!same) break;
  }
  for (int i = first; i < set.phrases && set.Length(i) == length; ++i) {
    bool same = true;
    for (int j = 0; same && j < length; ++j) same = set.Token(i, j) == set.Token(like, j);
    if (same && !IsMet(s, i)) return Preferred(set, s, i);
  }
  return -1;
}

DRAGOMAN_HD inline void SetMet(const ConstraintSet& set, ConstraintState& s, int phrase, bool met) {
  const uint64_t bit = uint64_t{1} << (phrase & 63);
  s.met[0] ^= phrase < 64 ? bit : 0;
  s.met[1] ^= phrase < 64 ? 0 : bit;
  const int sign = met ? 1 : -1;
  s.met_tokens = static_cast<int16_t>(s.met_tokens + sign * set.Length(phrase));
  s.met_phrases = static_cast<int16_t>(s.met_phrases + sign);
}

// Extends the path by `token` if `token` is the next token of one of the path's phrases (low ..
// high - 1) that is not met. Returns whether it did. If this completes a phrase, sets `ended`. A
// path that begins gets the source position `source`.
DRAGOMAN_HD inline bool Extend(const ConstraintSet& set, ConstraintState& s, int32_t token,
                               uint16_t source) {
  int low = s.low;
  while (low < s.high && !(set.Length(low) > s.depth && set.Token(low, s.depth) == token)) ++low;
  int high = low;
  bool needed = false;
  while (high < s.high && set.Length(high) > s.depth && set.Token(high, s.depth) == token) {
    needed = needed || !IsMet(s, high);
    ++high;
  }
  if (!needed) return false;
  if (set.gated() && s.depth == 0) s.source = source;
  s.low = static_cast<int16_t>(low);
  s.high = static_cast<int16_t>(high);
  ++s.depth;
  // Completes a phrase of exactly this length, unless a longer one is not met yet; then the shorter
  // phrase stays pending.
  int whole = -1;
  for (int i = low; i < high; ++i) {
    if (IsMet(s, i)) continue;
    if (set.Length(i) > s.depth) return true;
    if (whole < 0) whole = i;
  }
  whole = Preferred(set, s, whole);
  SetMet(set, s, whole, true);
  Root(set, s);
  s.ended = static_cast<int16_t>(whole);
  return true;
}

// Takes back the phrase that the last token completed: it is no longer met, and its tokens become
// the path.
DRAGOMAN_HD inline void Reopen(const ConstraintSet& set, ConstraintState& s) {
  SetMet(set, s, s.ended, false);
  s.low = s.ended;
  s.depth = static_cast<int16_t>(set.Length(s.ended));
  s.ended = -1;
}

struct NoNotes {
  DRAGOMAN_HD void Met(int /*phrase*/, int32_t /*after*/) const {}
  DRAGOMAN_HD void TakenBack() const {}
};

}  // namespace constraints_internal

DRAGOMAN_HD inline ConstraintState StartConstraints(const ConstraintSet& set) {
  ConstraintState s;
  constraints_internal::Root(set, s);
  return s;
}

// Returns the hypothesis' bank: the number of tokens of completed phrases and of the path.
DRAGOMAN_HD inline int32_t Bank(const ConstraintState& s) { return s.met_tokens + s.depth; }

// Reports whether all phrases are completed. A pending phrase (fully matched, but it begins a
// longer phrase that is not met) does not matter here: the longer phrase is not completed either.
DRAGOMAN_HD inline bool Finished(const ConstraintSet& set, const ConstraintState& s) {
  return s.met_phrases == set.phrases;
}

// Returns the state after `token`, which a row aligned with the source position `source` produced.
// If `token` does not extend the path:
// * The longest unmet phrase that is a beginning of the path and ends at a word boundary is
//   completed, if there is one.
// * The rest of the path and the token are matched again from the root. If that fails, it is tried
//   again without the first of these tokens, and so on.
// If `token` continues the word that the phrase in `ended` ends with, that phrase is taken back.
// Its tokens are then a path that the token does not extend.
//
// Calls `notes.Met(phrase, after)` for each phrase that is completed; `after` is the number of
// tokens that follow the phrase, up to and including `token`. Calls `notes.TakenBack()` if the
// phrase that was completed last is taken back.
template <class Notes>
DRAGOMAN_HD ConstraintState Advance(const ConstraintSet& set, ConstraintState s, int32_t token,
                                    uint16_t source, const Notes& notes) {
  using namespace constraints_internal;  // NOLINT(google-build-using-namespace)
  bool joins = s.open && set.edges.Continues(token);
  s.open = set.edges.IsOpen(token);
  if (s.ended >= 0 && joins) {
    constraints_internal::Reopen(set, s);
    notes.TakenBack();
  } else {
    s.ended = -1;
    if (s.depth == 0 && joins) return s;  // no phrase begins inside a word
    if (constraints_internal::Extend(set, s, token, source)) {
      if (s.ended >= 0) notes.Met(s.ended, 0);
      return s;
    }
  }
  // The text to match is the path (the first `length` tokens of phrase `path`) and then `token`,
  // which does not extend the path. Below, the path of the changing state `s` begins at `start` of
  // this text.
  const int path = s.low;
  const int32_t length = s.depth;
  const auto text = [&](int32_t i) { return i < length ? set.Token(path, i) : token; };
  int32_t start = 0;
  for (;;) {
    int whole = -1;
    int32_t prefix = s.depth;
    for (; prefix > 0; --prefix) {
      if (set.edges.Joins(text(start + prefix - 1), text(start + prefix))) continue;
      whole = constraints_internal::NeededPhrase(set, s, s.low, prefix);
      if (whole >= 0) break;
    }
    if (whole >= 0) {
      constraints_internal::SetMet(set, s, whole, true);
      start += prefix;
      notes.Met(whole, length + 1 - start);
    } else {
      ++start;
    }
    constraints_internal::Root(set, s);
    int32_t at = start;
    for (; at <= length; ++at) {
      joins = set.edges.Joins(text(at - 1), text(at));
      if (s.ended >= 0 && joins) {
        constraints_internal::Reopen(set, s);
        notes.TakenBack();
        start = at - s.depth;
        break;
      }
      s.ended = -1;
      if ((s.depth == 0 && joins) || !constraints_internal::Extend(set, s, text(at), source)) break;
      if (s.depth == 0) {  // completed: the path is empty again
        start = at + 1;
        notes.Met(s.ended, length - at);
      }
    }
    if (at > length) return s;
  }
}

DRAGOMAN_HD inline ConstraintState Advance(const ConstraintSet& set, const ConstraintState& s,
                                           int32_t token, uint16_t source = kAnySource) {
  return Advance(set, s, token, source, constraints_internal::NoNotes());
}

// Reports whether the last token ends a phrase, pending or completed, and may be followed by the
// rest of the same word.
DRAGOMAN_HD inline bool EndsInWord(const ConstraintSet& set, const ConstraintState& s) {
  if (!s.open) return false;
  return s.ended >= 0 ||
         (s.depth > 0 && constraints_internal::NeededPhrase(set, s, s.low, s.depth) >= 0);
}

// Calls `use(token)`, possibly more than once for a token, for every token that makes progress where
// all gates are open. These are the tokens that continue the path. If the path is empty or is a
// pending phrase, they are also the first tokens of all unmet phrases, except tokens that would
// begin inside a word.
template <class Use>
DRAGOMAN_HD void ForProgressTokens(const ConstraintSet& set, const ConstraintState& s, Use use) {
  using namespace constraints_internal;  // NOLINT(google-build-using-namespace)
  const bool pending =
      s.depth > 0 && constraints_internal::NeededPhrase(set, s, s.low, s.depth) >= 0;
  if (s.depth > 0) {
    for (int i = s.low; i < s.high; ++i) {
      if (!constraints_internal::IsMet(s, i) && set.Length(i) > s.depth) use(set.Token(i, s.depth));
    }
  }
  if (s.depth == 0 || pending) {
    for (int i = 0; i < set.phrases; ++i) {
      const int32_t token = set.Token(i, 0);
      if (!constraints_internal::IsMet(s, i) && !(s.open && set.edges.Continues(token))) use(token);
    }
  }
}

// Reports whether `token` makes progress in a row aligned with the source position `source`. A
// token that continues the path does if the gate of its phrase was open where the path began; the
// first token of a phrase does if the gate is open here.
DRAGOMAN_HD inline bool MakesProgress(const ConstraintSet& set, const ConstraintState& s,
                                      uint16_t source, int32_t token) {
  using namespace constraints_internal;  // NOLINT(google-build-using-namespace)
  const int pending = s.depth > 0 ? constraints_internal::NeededPhrase(set, s, s.low, s.depth) : -1;
  const bool may_begin = (s.depth == 0 || pending >= 0) && !(s.open && set.edges.Continues(token));
  for (int i = 0; i < set.phrases; ++i) {
    if (constraints_internal::IsMet(s, i)) continue;
    if (s.low <= i && i < s.high && 0 < s.depth && s.depth < set.Length(i) &&
        set.Token(i, s.depth) == token && set.IsOpenAt(i, s.source)) {
      return true;
    }
    // A pending phrase is in the output already.
    if (may_begin && i != pending && set.Token(i, 0) == token && set.IsOpenAt(i, source)) {
      return true;
    }
  }
  return false;
}

}  // namespace dragoman::kernels

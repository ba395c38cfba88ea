// Cuts a text by a unigram language model (Kudo 2018).
//
// Thread-safety: pure functions. Units: bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

// The score of an unknown character is the lowest score of a piece minus this penalty.
inline constexpr float kUnknownPenalty = 10.0F;

// Finds the cut with the highest sum of scores by the Viterbi algorithm. The sums have the type
// Score, so that ties have the same result as in the library that the model comes from. Among cuts
// with equal sums, the one whose last piece begins earliest wins. score_of(id) returns the score of
// a piece; `pieces` has the ids. A character that is not a piece may be cut off with the id
// `unknown`.
template <class Score, class ScoreOf>
std::vector<PieceSpan> BestCut(std::string_view text, const PieceTrie& pieces, int32_t unknown,
                               Score unknown_score, ScoreOf score_of) {
  struct Best {
    int32_t id = -1;
    Score score = 0;
    int32_t begin = -1;
  };
  const auto size = static_cast<int32_t>(text.size());
  std::vector<Best> best(text.size() + 1);
  for (int32_t begin = 0; begin < size;) {
    auto next = static_cast<size_t>(begin);
    NextCodePoint(text, next);
    const auto character_end = static_cast<int32_t>(next);
    const Score so_far = best[static_cast<size_t>(begin)].score;
    bool has_single = false;
    const auto offer = [&](int32_t end, int32_t id, Score score) {
      Best& target = best[static_cast<size_t>(end)];
      const Score candidate = score + so_far;
      if (target.begin == -1 || candidate > target.score) target = {id, candidate, begin};
    };
    int32_t node = PieceTrie::root();
    for (int32_t end = begin; end < size;) {
      node = pieces.Next(node, text[static_cast<size_t>(end)]);
      if (node == PieceTrie::kNone) break;
      ++end;
      const int32_t id = pieces.Value(node);
      if (id == PieceTrie::kNone) continue;
      offer(end, id, score_of(id));
      has_single = has_single || end == character_end;
    }
    if (!has_single) offer(character_end, unknown, unknown_score);
    begin = character_end;
  }
  std::vector<PieceSpan> cut;
  for (int32_t end = size; end > 0;) {
    const Best& last = best[static_cast<size_t>(end)];
    cut.push_back({last.id, last.begin, end});
    end = last.begin;
  }
  std::reverse(cut.begin(), cut.end());
  return cut;
}

}  // namespace dragoman::engine

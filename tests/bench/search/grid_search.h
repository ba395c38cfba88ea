// Grid beam search (Hokamp and Liu 2017), with which Post and Vilar compare dynamic beam allocation
// (tests/bench/details/claims.md, "Claims of the papers", d4): a beam of its own for every number
// of constraint tokens that are met, and so a time that grows with them. For the benchmark only,
// one sentence at a time.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace dragoman::bench {

// The model as the search sees it.
class NextScores {
 public:
  virtual ~NextScores() = default;

  // Log-probs [rows][vocabulary] of the tokens that may follow. Row i of a call continues row
  // parents[i] of the call before with tokens[i]; the first call has one row, the start token, and
  // its parent is ignored. Until the next call.
  virtual const std::vector<std::vector<float>>& Next(const std::vector<int>& parents,
                                                      const std::vector<int32_t>& tokens) = 0;
};

struct GridOptions {
  int bank = 1;  // hypotheses for each number of met tokens
  int max_tokens =
      1;  // without EOS; >= the constraints' tokens. EOS follows then, with its log-prob
  int32_t eos = 0;
  int32_t start = 0;
  float length_penalty = 1.0F;  // score = log-prob / (tokens + 1)^it
  // Dropped: what is further below the best score of a finished hypothesis (SEARCH.md d.3).
  float prune = std::numeric_limits<float>::infinity();
};

struct GridResult {
  std::vector<int32_t> tokens;  // without EOS
  float score = 0;
  int64_t row_steps = 0;
};

// The best hypothesis that has all phrases. An open hypothesis goes on with any token, or begins a
// phrase that it lacks; one within a phrase goes on with that phrase. EOS comes when all are there,
// and takes a place of the last bank for the step in which it comes.
// REQUIRES: no phrase is empty or has EOS in it; at most 64 of them.
GridResult GridSearch(const std::vector<std::vector<int32_t>>& phrases, const GridOptions& options,
                      NextScores& model);

}  // namespace dragoman::bench

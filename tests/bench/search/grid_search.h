// Grid beam search (Hokamp and Liu 2017), with which Post and Vilar compare dynamic beam allocation
// (tests/bench/details/claims.md, "Claims of the papers", d4). It has a separate beam for every
// number of met constraint tokens. Only for the benchmark, one sentence at a time.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace dragoman::bench {

// The model as the search uses it.
class NextScores {
 public:
  virtual ~NextScores() = default;

  // Returns log-probabilities [rows][vocabulary] of the next tokens. Row i of a call continues row
  // parents[i] of the previous call with tokens[i]. The first call has one row, the start token;
  // its parent is ignored. The result is valid until the next call.
  virtual const std::vector<std::vector<float>>& Next(const std::vector<int>& parents,
                                                      const std::vector<int32_t>& tokens) = 0;
};

struct GridOptions {
  int bank = 1;  // hypotheses for each number of met constraint tokens
  int max_tokens =
      1;  // without EOS; >= the constraints' tokens. At this limit EOS follows with its log-prob
  int32_t eos = 0;
  int32_t start = 0;
  float length_penalty = 1.0F;  // score = log-prob / (tokens + 1)^length_penalty
  // Drops a hypothesis this far below the best score of a finished one (SEARCH.md d.3).
  float prune = std::numeric_limits<float>::infinity();
};

struct GridResult {
  std::vector<int32_t> tokens;  // without EOS
  float score = 0;
  int64_t row_steps = 0;
};

// Returns the best hypothesis that contains all phrases. An open hypothesis continues with any
// token or begins a phrase that it lacks. A hypothesis within a phrase continues that phrase. EOS
// may follow when all phrases are complete, and takes a place of the last bank in its step.
// REQUIRES: at most 64 phrases; none is empty or contains EOS.
GridResult GridSearch(const std::vector<std::vector<int32_t>>& phrases, const GridOptions& options,
                      NextScores& model);

}  // namespace dragoman::bench

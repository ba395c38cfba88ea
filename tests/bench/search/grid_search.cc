#include "tests/bench/search/grid_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dragoman::bench {
namespace {

using Phrases = std::vector<std::vector<int32_t>>;

// The phrases that a hypothesis has begun or completed, and its progress in the current one.
struct Coverage {
  uint64_t begun = 0;
  size_t phrase = 0;
  size_t next = 0;  // next token of the current phrase; 0: in no phrase
};

struct Candidate {
  float log_prob = 0;
  int parent = 0;  // row
  int32_t token = 0;
  Coverage coverage;
};

struct Hypothesis {
  std::vector<int32_t> tokens;
  float log_prob = 0;
  Coverage coverage;
  size_t met = 0;  // constraint tokens: its bank
};

bool Better(const Candidate& a, const Candidate& b) {
  if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
  return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
}

// Returns the coverage `of`, advanced by the next token of `phrase`. After the last token of a
// phrase, `next` is 0, because the hypothesis is inside no phrase then.
Coverage Advanced(const Phrases& phrases, Coverage of, size_t phrase) {
  of.begun |= uint64_t{1} << phrase;
  of.phrase = phrase;
  of.next = of.next + 1 == phrases[phrase].size() ? 0 : of.next + 1;
  return of;
}

class Grid {
 public:
  Grid(const Phrases& phrases, const GridOptions& options) : phrases_(phrases), options_(options) {
    for (const auto& phrase : phrases) total_ += phrase.size();
    beam_.push_back({});
  }

  GridResult Run(NextScores& model) {
    std::vector<int> parents = {0};
    std::vector<int32_t> tokens = {options_.start};
    for (int length = 0; !beam_.empty(); ++length) {
      result_.row_steps += static_cast<int64_t>(beam_.size());
      Expand(model.Next(parents, tokens), length == options_.max_tokens);
      Select(&parents, &tokens);
    }
    return result_;
  }

 private:
  void Expand(const std::vector<std::vector<float>>& scores, bool at_limit) {
    candidates_.assign(total_ + 1, {});
    for (size_t row = 0; row < beam_.size(); ++row) {
      const Hypothesis& h = beam_[row];
      const auto add = [&](int32_t token, size_t met, const Coverage& coverage) {
        const float log_prob = h.log_prob + scores[row][static_cast<size_t>(token)];
        if (log_prob == -INFINITY) return;
        candidates_[met].push_back({log_prob, static_cast<int>(row), token, coverage});
      };
      if (h.met == total_) add(options_.eos, total_, h.coverage);
      if (at_limit) continue;
      if (h.coverage.next > 0) {
        const size_t under_way = h.coverage.phrase;
        add(phrases_[under_way][h.coverage.next], h.met + 1,
            Advanced(phrases_, h.coverage, under_way));
        continue;
      }
      for (const int32_t token : BestTokens(scores[row])) add(token, h.met, h.coverage);
      for (size_t i = 0; i < phrases_.size(); ++i) {
        if (MayBegin(h.coverage, i)) {
          add(phrases_[i][0], h.met + 1, Advanced(phrases_, h.coverage, i));
        }
      }
    }
  }

  // Among equal phrases, only the first that has not begun may begin.
  bool MayBegin(const Coverage& coverage, size_t phrase) const {
    const auto begun = [&](size_t i) { return (coverage.begun >> i & 1) != 0; };
    if (begun(phrase)) return false;
    for (size_t i = 0; i < phrase; ++i) {
      if (!begun(i) && phrases_[i] == phrases_[phrase]) return false;
    }
    return true;
  }

  // Returns the best tokens of a row, without EOS. A bank takes at most this many from a row.
  std::vector<int32_t> BestTokens(const std::vector<float>& scores) const {
    std::vector<int32_t> tokens;
    for (size_t i = 0; i < scores.size(); ++i) {
      if (static_cast<int32_t>(i) != options_.eos) tokens.push_back(static_cast<int32_t>(i));
    }
    const size_t count = std::min(tokens.size(), static_cast<size_t>(options_.bank));
    std::partial_sort(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(count), tokens.end(),
                      [&](int32_t a, int32_t b) {
                        const float x = scores[static_cast<size_t>(a)];
                        const float y = scores[static_cast<size_t>(b)];
                        return x != y ? x > y : a < b;
                      });
    tokens.resize(count);
    return tokens;
  }

  void Select(std::vector<int>* parents, std::vector<int32_t>* tokens) {
    std::vector<Hypothesis> next;
    std::vector<int> origin;
    for (size_t met = 0; met <= total_; ++met) {
      std::vector<Candidate>& bank = candidates_[met];
      std::sort(bank.begin(), bank.end(), Better);
      if (bank.size() > static_cast<size_t>(options_.bank)) {
        bank.resize(static_cast<size_t>(options_.bank));
      }
      for (const Candidate& c : bank) {
        const Hypothesis& parent = beam_[static_cast<size_t>(c.parent)];
        if (c.token == options_.eos) {
          Finish(parent, c.log_prob);
          continue;
        }
        Hypothesis h{parent.tokens, c.log_prob, c.coverage, met};
        h.tokens.push_back(c.token);
        next.push_back(std::move(h));
        origin.push_back(c.parent);
      }
    }
    parents->clear();
    tokens->clear();
    beam_.clear();
    for (size_t i = 0; i < next.size(); ++i) {
      if (finished_ && next[i].log_prob < result_.score - options_.prune) continue;
      parents->push_back(origin[i]);
      tokens->push_back(next[i].tokens.back());
      beam_.push_back(std::move(next[i]));
    }
  }

  void Finish(const Hypothesis& h, float log_prob) {
    const auto length = static_cast<float>(h.tokens.size() + 1);
    const float score = log_prob / std::pow(length, options_.length_penalty);
    if (finished_ && score <= result_.score) return;
    finished_ = true;
    result_.score = score;
    result_.tokens = h.tokens;
  }

  const Phrases& phrases_;
  const GridOptions& options_;
  size_t total_ = 0;                                // constraint tokens
  std::vector<Hypothesis> beam_;                    // the rows, by bank and then best first
  std::vector<std::vector<Candidate>> candidates_;  // by bank
  GridResult result_;
  bool finished_ = false;
};

}  // namespace

GridResult GridSearch(const std::vector<std::vector<int32_t>>& phrases, const GridOptions& options,
                      NextScores& model) {
  return Grid(phrases, options).Run(model);
}

}  // namespace dragoman::bench

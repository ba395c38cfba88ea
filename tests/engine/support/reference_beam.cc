#include "tests/engine/support/reference_decode.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "tests/engine/support/reference_scores.h"

namespace dragoman::testing {
namespace {

struct Child {
  ReferenceHypothesis h;
  size_t parent;
  int32_t token;
};

bool BetterChild(const Child& a, const Child& b) {
  return std::make_tuple(-a.h.log_prob, a.parent, a.token) <
         std::make_tuple(-b.h.log_prob, b.parent, b.token);
}

// The part that the three unconstrained searches have in common.
class Beam {
 public:
  Beam(const ReferenceModel& model, const ReferenceOptions& options, bool emitted_only)
      : model_(model), o_(options), emitted_only_(emitted_only), beam_(1) {}

 protected:
  size_t k() const { return static_cast<size_t>(o_.beam); }

  // Returns the `limit` best children of all hypotheses on the beam, best first (SEARCH.md a.1,
  // steps 1 and 2).
  std::vector<Child> Pool(size_t limit) {
    std::vector<Child> pool;
    for (size_t p = 0; p < beam_.size(); ++p) {
      if (beam_[p].finished) {
        ++result_.noop_expansions;
        pool.push_back({beam_[p], p, -1});
        continue;
      }
      ++result_.expansions;
      const std::vector<Child> children = Children(p);
      pool.insert(pool.end(), children.begin(), children.end());
    }
    ++result_.steps;
    return Best(pool, limit);
  }

  // a.2: returns the hypotheses that the thresholds keep. `best_finished` is a log-probability.
  std::vector<ReferenceHypothesis> AboveThreshold(const std::vector<ReferenceHypothesis>& beam,
                                                  double best_finished) {
    double reference = best_finished;
    for (const ReferenceHypothesis& h : beam) reference = std::max(reference, h.log_prob);
    double limit = reference - o_.delta;
    if (o_.relative > 0) limit = std::max(limit, reference + std::log(o_.relative));
    std::vector<ReferenceHypothesis> kept;
    for (const ReferenceHypothesis& h : beam) {
      if (h.log_prob != reference) gap_.Note(h.log_prob, limit);
      if (h.log_prob >= limit) kept.push_back(h);
    }
    return kept;
  }

  double Score(const ReferenceHypothesis& h) const {
    return h.log_prob / LengthDivisor(o_, h.tokens.size() + (h.has_eos || !emitted_only_ ? 1 : 0));
  }

  // Sorts by score. Among equal scores, the hypothesis that finished first comes first.
  ReferenceResult Finish(std::vector<ReferenceHypothesis> nbest) {
    std::stable_sort(nbest.begin(), nbest.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    for (size_t i = 1; i < nbest.size(); ++i) gap_.Note(nbest[i - 1].score, nbest[i].score);
    if (nbest.size() > k()) nbest.resize(k());
    result_.nbest = nbest;
    result_.gap = gap_.gap();
    return result_;
  }

  void Trace(const std::vector<TokenList>& popped = {}) {
    result_.trace.push_back({beam_, popped, {}});
  }

  // Returns the maximum number of positions of an output: real tokens, and EOS if it is forced.
  int32_t Positions() const {
    return o_.max_tokens + (o_.forced_eos == ReferenceForcedEos::kNone ? 0 : 1);
  }

  const ReferenceModel& model_;
  const ReferenceOptions o_;
  const bool emitted_only_;  // the length includes EOS only if EOS was emitted
  std::vector<ReferenceHypothesis> beam_;
  ReferenceResult result_;
  GapMeter gap_;

 private:
  std::vector<Child> Best(std::vector<Child> children, size_t limit) {
    std::sort(children.begin(), children.end(), BetterChild);
    for (size_t i = 1; i < children.size() && i <= limit; ++i) {
      gap_.Note(children[i - 1].h.log_prob, children[i].h.log_prob);
    }
    if (children.size() > limit) children.resize(limit);
    return children;
  }

  // Returns the best max_candidates one-token extensions, or all if that is 0. If no EOS is forced,
  // an extension that reaches the maximum length is finished without EOS (a.7).
  std::vector<Child> Children(size_t parent) {
    const ReferenceHypothesis& from = beam_[parent];
    const std::vector<double> scores = StepScores(model_, o_, from.tokens);
    std::vector<Child> children;
    for (size_t t = 0; t < scores.size(); ++t) {
      if (scores[t] == kNegInf) continue;
      Child child{from, parent, static_cast<int32_t>(t)};
      child.h.log_prob += scores[t];
      if (child.token == model_.eos) {
        child.h.finished = child.h.has_eos = true;
      } else {
        child.h.tokens.push_back(child.token);
        child.h.finished = o_.forced_eos == ReferenceForcedEos::kNone &&
                           child.h.tokens.size() == static_cast<size_t>(o_.max_tokens);
      }
      child.h.score = child.h.finished ? Score(child.h) : 0;
      children.push_back(child);
    }
    if (o_.max_candidates == 0) return children;
    return Best(children, static_cast<size_t>(o_.max_candidates));
  }
};

class OnBeam : public Beam {
 public:
  using Beam::Beam;

  ReferenceResult Run() {
    std::vector<ReferenceHypothesis> done;
    double best_done = kNegInf;
    while (done.size() < k() && !beam_.empty()) {
      const std::vector<Child> pool = Pool(k());
      // a.1.3: moves the leading finished hypotheses of the pool to `done`. They can be more than
      // `done` has room for only if they all end at the limit without EOS.
      std::vector<TokenList> popped;
      size_t next = 0;
      while (next < pool.size() && pool[next].h.finished && done.size() < k()) {
        done.push_back(pool[next].h);
        best_done = std::max(best_done, pool[next].h.log_prob);
        popped.push_back(pool[next].h.tokens);
        ++next;
      }
      beam_.clear();
      for (; next < pool.size() && beam_.size() < k() - done.size(); ++next) {
        beam_.push_back(pool[next].h);
      }
      beam_ = AboveThreshold(beam_, best_done);
      Trace(popped);
    }
    return Finish(done);
  }
};

class Immediate : public Beam {
 public:
  using Beam::Beam;

  ReferenceResult Run() {
    std::vector<ReferenceHypothesis> done;
    size_t finished = 0;  // number of hypotheses that have ever finished
    double best_finished = kNegInf;
    const bool all_beams = o_.stop == ReferenceStop::kAllBeams;
    while (!beam_.empty()) {
      const size_t width = all_beams ? k() - finished : k();
      const std::vector<Child> pool = Pool(all_beams ? width : 2 * width);
      beam_.clear();
      for (size_t rank = 0; rank < pool.size(); ++rank) {
        const ReferenceHypothesis& h = pool[rank].h;
        if (!h.finished) {
          if (beam_.size() < width) beam_.push_back(h);
        } else if (rank < width) {
          done.push_back(h);
          ++finished;
          best_finished = std::max(best_finished, h.log_prob);
        }
      }
      std::stable_sort(done.begin(), done.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
      for (size_t i = 1; i < done.size(); ++i) gap_.Note(done[i - 1].score, done[i].score);
      if (done.size() > k()) done.resize(k());
      beam_ = AboveThreshold(beam_, best_finished);
      Trace();
      if (beam_.empty() || Over(done, finished)) break;
    }
    return Finish(done);
  }

 private:
  bool Over(const std::vector<ReferenceHypothesis>& done, size_t finished) {
    if (k() == 1) return finished > 0;  // ends like greedy search
    if (o_.stop == ReferenceStop::kAllBeams) return finished >= k();
    if (o_.stop == ReferenceStop::kFirstK) {
      const double needed = std::floor(static_cast<double>(k()) * o_.patience + 0.5);
      return static_cast<double>(finished) >= std::max(1.0, needed);
    }
    if (done.size() < k()) return false;
    // The length that normalises the score of a live hypothesis: its current length, or the maximum
    // length.
    size_t length = beam_.front().tokens.size();
    if (o_.stop == ReferenceStop::kNever && o_.length_penalty > 0) {
      length = static_cast<size_t>(Positions());
    }
    const double best = beam_.front().log_prob / LengthDivisor(o_, length);
    gap_.Note(done.back().score, best);
    return done.back().score >= best;
  }
};

class Keep : public Beam {
 public:
  using Beam::Beam;

  ReferenceResult Run() {
    while (result_.steps < Positions() &&
           std::any_of(beam_.begin(), beam_.end(), [](const auto& h) { return !h.finished; })) {
      const std::vector<Child> pool = Pool(k());
      beam_.clear();
      for (const Child& child : pool) beam_.push_back(child.h);
      beam_ = AboveThreshold(beam_, kNegInf);
      Trace();
    }
    for (ReferenceHypothesis& h : beam_) h.score = Score(h);
    return Finish(beam_);
  }
};

}  // namespace

ReferenceResult ReferenceOnBeam(const ReferenceModel& model, const ReferenceOptions& options) {
  return OnBeam(model, options, /*emitted_only=*/false).Run();
}

ReferenceResult ReferenceImmediate(const ReferenceModel& model, const ReferenceOptions& options) {
  return Immediate(model, options, /*emitted_only=*/true).Run();
}

ReferenceResult ReferenceKeep(const ReferenceModel& model, const ReferenceOptions& options) {
  return Keep(model, options, /*emitted_only=*/false).Run();
}

}  // namespace dragoman::testing

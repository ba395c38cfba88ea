#include "tests/engine/support/reference_decode.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "tests/engine/support/reference_constraints.h"
#include "tests/engine/support/reference_scores.h"

namespace dragoman::testing {
namespace {

// A hypothesis or a candidate for one. Items compete by `score`: the log-probability while they
// run, and the normalised log-probability once they have finished.
struct Item {
  ReferenceHypothesis h;
  ReferenceConstraints state;
  size_t parent = 0;
  int32_t token = -1;
  bool best_of_row = false;
  bool after_word = false;  // SEARCH.md d.2.2
  bool progress = false;
  bool cut = false;  // d.7
};

bool BetterItem(const Item& a, const Item& b) {
  return std::make_tuple(-a.h.score, a.parent, a.token) <
         std::make_tuple(-b.h.score, b.parent, b.token);
}

bool EosCompletes(ReferenceConstraints state, int32_t eos) {
  state.Advance(eos);
  return state.finished();
}

// d.7: marks the children that end without all phrases. If the best child is one of them, also
// marks the children that make no progress. `children` are all children of one row, best first.
void MarkCut(std::vector<Item>& children) {
  const auto ends_unmet = [](const Item& child) {
    return child.h.finished && !child.state.finished();
  };
  const bool closed = !children.empty() && ends_unmet(children.front());
  for (Item& child : children) {
    child.cut = ends_unmet(child) || (closed && !child.h.finished && !child.progress);
  }
}

class Search {
 public:
  Search(const ReferenceModel& model, const ReferenceOptions& options)
      : model_(model), o_(options) {
    for (const TokenList& phrase : o_.phrases) tokens_ += static_cast<int32_t>(phrase.size());
  }

  ReferenceResult Run() {
    beam_.push_back({{}, ReferenceConstraints(o_.phrases, o_.edges, o_.gates)});
    for (int32_t length = 0; length <= o_.max_tokens; ++length) {
      std::vector<Item> running;
      for (const Item& item : beam_) {
        if (!item.h.finished) running.push_back(item);
      }
      if (running.empty()) break;
      unmet_ = running;
      ++result_.steps;
      beam_ = Select(Candidates(length == o_.max_tokens));
      const bool last = o_.forced_eos == ReferenceForcedEos::kNone && length + 1 == o_.max_tokens;
      if (last) EndWithoutEos();
      beam_ = Prune(beam_);
      Trace();
      const bool complete =
          std::any_of(beam_.begin(), beam_.end(), [](const Item& item) { return item.h.finished; });
      if (last || (complete && o_.stop_at_first_complete)) break;
    }
    return Finish();
  }

 private:
  // SEARCH.md d.2.1 and d.2.2: returns the union of the four sources, best first. `eos_only`: the
  // maximum length is reached.
  std::vector<Item> Candidates(bool eos_only) {
    std::vector<Item> all;
    for (size_t p = 0; p < beam_.size(); ++p) {
      const Item& parent = beam_[p];
      if (parent.h.finished) {
        ++result_.noop_expansions;
        all.push_back(parent);
        all.back().parent = p;
        all.back().token = -1;
        continue;
      }
      ++result_.expansions;
      RowConstraint row;
      const int32_t source = o_.gates.empty()
                                 ? ReferenceGate::kAnyPosition
                                 : static_cast<int32_t>(parent.h.tokens.size()) % o_.source_length;
      row.eos_allowed = !o_.gates.empty() || EosCompletes(parent.state, model_.eos);
      if (eos_only && !row.eos_allowed) continue;
      for (const int32_t token : parent.state.Allowed()) {
        if (token != model_.eos || row.eos_allowed) row.ngram_exempt.push_back(token);
      }
      const std::vector<double> scores = StepScores(model_, o_, parent.h.tokens, row);
      const TokenList progress = parent.state.Allowed(source);
      std::vector<Item> children;
      for (size_t t = 0; t < scores.size(); ++t) {
        if (scores[t] == kNegInf) continue;
        Item child = parent;
        child.parent = p;
        child.token = static_cast<int32_t>(t);
        child.h.log_prob += scores[t];
        child.h.score = child.h.log_prob;
        child.progress = std::find(progress.begin(), progress.end(), child.token) != progress.end();
        child.best_of_row = false;
        child.after_word = false;
        child.state.Advance(child.token, source);
        if (child.token == model_.eos) {
          child.h.finished = child.h.has_eos = true;
        } else {
          child.h.tokens.push_back(child.token);
        }
        children.push_back(child);
      }
      std::sort(children.begin(), children.end(), BetterItem);
      if (children.size() > 1) gap_.Note(children[0].h.score, children[1].h.score);
      if (!children.empty()) children.front().best_of_row = true;
      if (parent.state.ends_in_word()) MarkAfterWord(children);
      if (!o_.gates.empty()) MarkCut(children);
      all.insert(all.end(), children.begin(), children.end());
    }
    std::sort(all.begin(), all.end(), BetterItem);
    std::vector<Item> kept;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool among_best = i < static_cast<size_t>(o_.beam);
      if (i == static_cast<size_t>(o_.beam)) gap_.Note(all[i - 1].h.score, all[i].h.score);
      if (!all[i].cut && (among_best || all[i].progress || all[i].best_of_row ||
                          all[i].after_word || all[i].token < 0)) {
        kept.push_back(all[i]);
      }
    }
    return kept;
  }

  // d.2.2 iv: marks the best child that does not continue a word, if it is among the first
  // max(beam, 8). `children` are all children of one row, best first.
  void MarkAfterWord(std::vector<Item>& children) {
    const size_t looked_at = static_cast<size_t>(std::max(o_.beam, 8));
    for (size_t i = 0; i < children.size() && i < looked_at; ++i) {
      if (i + 1 < children.size()) gap_.Note(children[i].h.score, children[i + 1].h.score);
      if (o_.edges.Continues(children[i].token)) continue;
      children[i].after_word = true;
      return;
    }
  }

  // d.2.3 to d.2.5: selects the new beam. `all` is sorted, best first.
  std::vector<Item> Select(const std::vector<Item>& all) {
    std::vector<std::vector<size_t>> banks(static_cast<size_t>(tokens_) + 1);
    std::vector<BankedCandidate> banked;
    for (size_t i = 0; i < all.size(); ++i) {
      auto& bank = banks[static_cast<size_t>(all[i].state.bank())];
      if (!bank.empty()) gap_.Note(all[bank.back()].h.score, all[i].h.score);
      bank.push_back(i);
      banked.push_back({all[i].state.bank(), all[i].h.score});
    }
    std::vector<size_t> chosen;
    if (o_.allocation == ReferenceAllocation::kStripe) {
      chosen = StripeSelect(o_.beam, banked);
    } else {
      std::vector<int32_t> counts;
      counts.reserve(banks.size());
      for (const auto& bank : banks) counts.push_back(static_cast<int32_t>(bank.size()));
      const std::vector<int32_t> slots = BankSlots(o_.beam, counts);
      for (size_t b = 0; b < banks.size(); ++b) {
        chosen.insert(chosen.end(), banks[b].begin(), banks[b].begin() + slots[b]);
      }
    }
    std::vector<Item> beam;
    for (const size_t i : chosen) {
      beam.push_back(all[i]);
      ReferenceHypothesis& h = beam.back().h;
      if (h.finished) h.score = h.log_prob / Divisor(h);
    }
    std::sort(beam.begin(), beam.end(), BetterItem);
    for (size_t i = 1; i < beam.size(); ++i) gap_.Note(beam[i - 1].h.score, beam[i].h.score);
    return beam;
  }

  // d.3: removes hypotheses whose score is more than the threshold below the best finished one.
  std::vector<Item> Prune(const std::vector<Item>& beam) {
    double best = kNegInf;
    for (const Item& item : beam) {
      if (item.h.finished) best = std::max(best, item.h.score);
    }
    std::vector<Item> kept;
    for (const Item& item : beam) {
      gap_.Note(best - item.h.score, o_.constraint_prune);
      if (best == kNegInf || best - item.h.score <= o_.constraint_prune) kept.push_back(item);
    }
    return kept;
  }

  // If no EOS is forced, hypotheses at the maximum length that contain all phrases are finished
  // without EOS. The others cannot continue.
  void EndWithoutEos() {
    std::vector<Item> kept;
    std::vector<Item> unmet;
    for (Item item : beam_) {
      if (!item.h.finished && !item.state.finished()) {
        unmet.push_back(item);
        continue;
      }
      if (!item.h.finished) item.h.score = item.h.log_prob / Divisor(item.h);
      item.h.finished = true;
      kept.push_back(item);
    }
    if (!unmet.empty()) unmet_ = unmet;
    std::sort(kept.begin(), kept.end(), BetterItem);
    beam_ = kept;
  }

  double Divisor(const ReferenceHypothesis& h) const {
    return LengthDivisor(o_, h.tokens.size() + 1);
  }

  ReferenceResult Finish() {
    for (const Item& item : beam_) {
      if (item.h.finished) result_.nbest.push_back(item.h);
    }
    std::stable_sort(result_.nbest.begin(), result_.nbest.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (result_.nbest.empty() && !unmet_.empty() && !unmet_.front().h.tokens.empty()) {
      result_.constraints_met = false;
      // Returns the best hypothesis of the highest bank. `unmet_` is sorted, best first.
      const Item* best = unmet_.data();
      for (const Item& item : unmet_) {
        if (item.state.bank() > best->state.bank()) best = &item;
      }
      result_.nbest.push_back(best->h);
      ReferenceHypothesis& h = result_.nbest.back();
      h.score = h.log_prob / Divisor(h);
    }
    result_.gap = gap_.gap();
    return result_;
  }

  void Trace() {
    ReferenceTrace trace;
    for (const Item& item : beam_) {
      trace.beam.push_back(item.h);
      trace.banks.push_back(item.state.bank());
    }
    result_.trace.push_back(trace);
  }

  const ReferenceModel& model_;
  const ReferenceOptions o_;
  int32_t tokens_ = 0;  // C
  std::vector<Item> beam_;
  std::vector<Item> unmet_;  // running before the latest step, or at the limit; best first
  ReferenceResult result_;
  GapMeter gap_;
};

void Enumerate(const ReferenceModel& model, const ReferenceOptions& o, const ReferenceHypothesis& h,
               const ReferenceConstraints& state, std::vector<ReferenceHypothesis>& found) {
  RowConstraint row;
  row.eos_allowed = EosCompletes(state, model.eos);
  const std::vector<double> scores = StepScores(model, o, h.tokens, row);
  for (size_t t = 0; t < scores.size(); ++t) {
    if (scores[t] == kNegInf) continue;
    ReferenceHypothesis child = h;
    child.log_prob += scores[t];
    ReferenceConstraints after = state;
    after.Advance(static_cast<int32_t>(t));
    if (static_cast<int32_t>(t) == model.eos) {
      if (!after.finished()) continue;  // EOS is forced at the limit
      child.finished = child.has_eos = true;
      child.score = child.log_prob / LengthDivisor(o, child.tokens.size() + 1);
      found.push_back(child);
    } else {
      child.tokens.push_back(static_cast<int32_t>(t));
      Enumerate(model, o, child, after, found);
    }
  }
}

}  // namespace

ReferenceResult ReferenceDba(const ReferenceModel& model, const ReferenceOptions& options) {
  return Search(model, options).Run();
}

ReferenceResult ExhaustiveConstrained(const ReferenceModel& model,
                                      const ReferenceOptions& options) {
  std::vector<ReferenceHypothesis> found;
  Enumerate(model, options, {}, ReferenceConstraints(options.phrases, options.edges), found);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  ReferenceResult result;
  result.constraints_met = !found.empty();
  if (found.size() > 1) result.gap = found[0].score - found[1].score;
  if (!found.empty()) result.nbest.push_back(found.front());
  return result;
}

}  // namespace dragoman::testing

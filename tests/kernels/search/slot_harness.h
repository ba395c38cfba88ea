// One slot with its own arrays and workspaces, for tests: rows make requests, a function supplies
// logits, and the step decides. `Lane` may be wider than production's byte, for beams above the
// API's limit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/search/host_memory.h"
#include "tests/engine/support/scripted_model.h"

namespace dragoman::testing {

// Returns the logits of the next token after a prefix, which excludes the start token.
using NextLogits = std::function<std::vector<float>(std::span<const int32_t> prefix)>;

template <class Lane>
class SlotHarness {
 public:
  // Borrows the data of `rules`. `start_token` may be outside of the vocabulary.
  SlotHarness(const kernels::SearchOptions& options, const kernels::SegmentRules& rules,
              int vocabulary, int32_t start_token)
      : vocabulary_(vocabulary),
        lane_memory_(static_cast<size_t>(options.beam), Stride(options)),
        rows_(static_cast<size_t>(options.beam),
              static_cast<size_t>(std::max(options.beam, options.candidates())),
              kernels::MaxRowMasks(options.max_tokens, rules.forbidden.nodes),
              static_cast<size_t>(vocabulary)),
        memory_(static_cast<size_t>(options.beam), Stride(options),
                static_cast<size_t>(vocabulary)) {
    for (int32_t i = 0; i < options.beam; ++i) lanes_.push_back(i);
    view = {&state, lanes_.data(), lane_memory_.arrays()};
    kernels::StartSlot(view, options, rules, start_token);
  }

  bool running() const { return state.status == kernels::SlotStatus::kRunning; }

  std::vector<int32_t> Prefix(int lane) const {
    std::vector<int32_t> prefix;
    for (int32_t i = 0; i < state.length; ++i) prefix.push_back(view.Token(lane, i));
    return prefix;
  }

  // Computes each row's request and the answer to it. Called before a step.
  void Fold(const NextLogits& next) {
    for (int32_t lane = 0; lane < state.live; ++lane) {
      const auto row = static_cast<size_t>(lane);
      rows_.Prepare(row, view, lane, state.length);
      FoldLogits(next(Prefix(lane)), rows_.requests()[row], rows_.summaries()[row]);
    }
  }

  // Runs the part of a step that follows the logits. Every member of `group` must call it.
  template <class ThreadGroup>
  void Decide(const ThreadGroup& group) {
    if (state.options.materialized_logits()) {
      for (int32_t lane = 0; lane < state.live; ++lane) {
        kernels::FoldMaterializedRow(group, view, lane, rows_.requests()[lane], vocabulary_,
                                     memory_.materialized(), rows_.summaries()[lane]);
      }
    }
    kernels::BeamStep(group, view, rows_.requests(), rows_.summaries(), memory_.step());
  }

  // Steps until the search ends. Returns the number of steps. Aligns the rows of position p with
  // source position p % source_length.
  int Run(const NextLogits& next, int source_length = 1) {
    int steps = 0;
    for (; running(); ++steps) {
      Fold(next);
      for (int32_t lane = 0; lane < state.live; ++lane) {
        view.arrays.aligned[view.At(lane, state.length)] =
            static_cast<uint16_t>(state.length % source_length);
      }
      Decide(kernels::SingleThread());
    }
    return steps;
  }

  struct Result {
    std::vector<int32_t> tokens;  // without EOS
    float log_prob = 0;
    float score = 0;
    bool has_eos = false;
    bool unmet = false;
  };
  // Returns the results, best first; samples in the order of their numbers.
  std::vector<Result> Results() const {
    std::vector<Result> results;
    for (int e = 0; e < state.options.beam; ++e) {
      const kernels::FinishedHypothesis& h = view.Finished(e);
      if (h.status != kernels::EntryStatus::kDone) continue;
      Result r;
      for (int32_t i = 0; i < h.length; ++i) r.tokens.push_back(view.FinishedToken(e, i));
      r.has_eos = h.last_token == state.options.eos;
      if (!r.has_eos) r.tokens.push_back(h.last_token);
      r.log_prob = h.log_prob;
      r.score = h.score;
      r.unmet = h.unmet;
      results.push_back(std::move(r));
    }
    if (!state.options.sampling.enabled) {
      std::stable_sort(results.begin(), results.end(),
                       [](const Result& a, const Result& b) { return a.score > b.score; });
    }
    return results;
  }

  kernels::SlotState state;
  kernels::BasicSlotView<Lane> view;

 private:
  static size_t Stride(const kernels::SearchOptions& o) {
    return static_cast<size_t>(o.max_tokens) + 2;
  }

  const int vocabulary_;
  std::vector<int32_t> lanes_;
  kernels::LaneMemory<Lane> lane_memory_;
  kernels::RowMemory rows_;
  kernels::StepMemory<Lane> memory_;
};

}  // namespace dragoman::testing

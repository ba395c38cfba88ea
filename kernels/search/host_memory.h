// Memory of the search on the host: the arrays of the lanes, and the workspaces of a step.
//
// The objects own what their views point to, so they are not copied or moved. The constructors
// allocate everything. Large arrays that only some options use take no physical memory until then.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/search/beam_step.h"
#include "kernels/search/materialized_row.h"
#include "kernels/search/prepare_row.h"
#include "kernels/search/slot.h"

namespace dragoman::kernels {

template <class T>
int64_t BytesOf(const std::vector<T>& v) {
  return static_cast<int64_t>(v.size() * sizeof(T));
}

template <class Lane>
class LaneMemory {
 public:
  LaneMemory(size_t lanes, size_t stride)
      : tokens_(lanes * stride),
        forbidden_(lanes),
        rank_(lanes),
        token_log_probs_(lanes * stride),
        log_prob_(lanes),
        aligned_(lanes * stride),
        ancestry_(lanes * stride),
        finished_ancestry_(lanes * stride),
        constraints_(lanes),
        finished_(lanes) {
    arrays_.tokens = tokens_.data();
    arrays_.token_log_probs = token_log_probs_.data();
    arrays_.aligned = aligned_.data();
    arrays_.ancestry = ancestry_.data();
    arrays_.log_prob = log_prob_.data();
    arrays_.rank = rank_.data();
    arrays_.constraints = constraints_.data();
    arrays_.forbidden = forbidden_.data();
    arrays_.finished = finished_.data();
    arrays_.finished_ancestry = finished_ancestry_.data();
    arrays_.stride = static_cast<int64_t>(stride);
  }
  LaneMemory(const LaneMemory&) = delete;
  LaneMemory& operator=(const LaneMemory&) = delete;

  const BasicLaneArrays<Lane>& arrays() const { return arrays_; }
  int64_t bytes() const {
    return BytesOf(tokens_) + BytesOf(token_log_probs_) + BytesOf(aligned_) + BytesOf(ancestry_) +
           BytesOf(finished_ancestry_) + BytesOf(constraints_) + BytesOf(finished_);
  }

 private:
  std::vector<int32_t> tokens_, forbidden_, rank_;
  std::vector<float> token_log_probs_, log_prob_;
  std::vector<uint16_t> aligned_;
  std::vector<Lane> ancestry_, finished_ancestry_;
  std::vector<ConstraintState> constraints_;
  std::vector<FinishedHypothesis> finished_;
  BasicLaneArrays<Lane> arrays_;
};

// Memory for the requests and summaries of `rows` rows with up to `top` best tokens, and for the
// lists that PrepareRow fills.
class RowMemory {
 public:
  RowMemory(size_t rows, size_t top, int64_t row_masks, size_t vocabulary)
      : requests_(rows),
        summaries_(rows),
        top_(rows * top),
        wanted_(new int32_t[rows * kMaxWantedIds]),
        wanted_logits_(new float[rows * kMaxWantedIds]),
        masked_(new int32_t[rows * static_cast<size_t>(row_masks)]),
        logits_(new float[rows * vocabulary]),
        tops_(top),
        row_masks_(static_cast<size_t>(row_masks)),
        vocabulary_(vocabulary) {}
  RowMemory(const RowMemory&) = delete;
  RowMemory& operator=(const RowMemory&) = delete;

  // Prepares the request of row `row`, which is the hypothesis in `lane` at `position`, and clears
  // its summary.
  template <class View>
  void Prepare(size_t row, const View& slot, int lane, int32_t position) {
    LogitRequest& request = requests_[row];
    request.logits =
        slot.state->options.materialized_logits() ? logits_.get() + row * vocabulary_ : nullptr;
    PrepareRow(slot, lane, position, wanted_.get() + row * kMaxWantedIds,
               masked_.get() + row * row_masks_, request);
    LogitSummary& summary = summaries_[row];
    summary = LogitSummary{};
    summary.top = top_.data() + row * tops_;
    summary.wanted = wanted_logits_.get() + row * kMaxWantedIds;
  }

  const LogitRequest* requests() const { return requests_.data(); }
  LogitSummary* summaries() { return summaries_.data(); }
  // Returns the number of bytes of the object's memory, including the parts that only some options
  // use.
  int64_t bytes() const {
    const size_t row = kMaxWantedIds * (sizeof(int32_t) + sizeof(float)) +
                       row_masks_ * sizeof(int32_t) + vocabulary_ * sizeof(float);
    return BytesOf(requests_) + BytesOf(summaries_) + BytesOf(top_) +
           static_cast<int64_t>(requests_.size() * row);
  }

 private:
  std::vector<LogitRequest> requests_;
  std::vector<LogitSummary> summaries_;
  std::vector<TokenScore> top_;
  const std::unique_ptr<int32_t[]> wanted_;
  const std::unique_ptr<float[]> wanted_logits_;
  const std::unique_ptr<int32_t[]> masked_;
  const std::unique_ptr<float[]> logits_;
  const size_t tops_;
  const size_t row_masks_;
  const size_t vocabulary_;
};

// The workspaces of a step. Only one call at a time may use them.
template <class Lane>
class StepMemory {
 public:
  StepMemory(size_t beam, size_t stride, size_t vocabulary)
      : extras_(beam * kMaxWantedIds),
        extra_count_(beam),
        banks_(kBanks),
        forbidden_(beam),
        cursors_(beam),
        entry_open_(new bool[beam]),
        chosen_(beam),
        pool_(static_cast<size_t>(MaxConstrainedCandidates(static_cast<int64_t>(beam)))),
        constraints_(beam),
        ancestry_(beam * stride),
        scores_(new float[vocabulary]),
        weights_(new float[vocabulary]),
        bins_(DrawWorkspace::kBins),
        block_best_(static_cast<size_t>(
            MaterializedRowWorkspace::Blocks(static_cast<int64_t>(vocabulary)))),
        block_sums_(block_best_.size()) {
    step_.offers.extras = extras_.data();
    step_.offers.extra_count = extra_count_.data();
    step_.offers.cursor = cursors_.data();
    step_.offers.entry_open = entry_open_.get();
    step_.chosen = chosen_.data();
    step_.pool = pool_.data();
    step_.shared = &shared_;
    step_.banks = banks_.data();
    step_.constraints = constraints_.data();
    step_.forbidden = forbidden_.data();
    step_.ancestry = ancestry_.data();
    materialized_.scores = scores_.get();
    materialized_.block_best = block_best_.data();
    materialized_.block_sums = block_sums_.data();
    materialized_.draw = {weights_.get(), bins_.data()};
  }
  StepMemory(const StepMemory&) = delete;
  StepMemory& operator=(const StepMemory&) = delete;

  BasicBeamStepWorkspace<Lane>& step() { return step_; }
  MaterializedRowWorkspace& materialized() { return materialized_; }
  int64_t bytes() const { return BytesOf(extras_) + BytesOf(pool_) + BytesOf(ancestry_); }

 private:
  std::vector<Extra> extras_;
  std::vector<int32_t> extra_count_, banks_, forbidden_;
  std::vector<RowCursor> cursors_;
  const std::unique_ptr<bool[]> entry_open_;
  std::vector<Candidate> chosen_, pool_;
  int32_t shared_ = 0;
  std::vector<ConstraintState> constraints_;
  std::vector<Lane> ancestry_;
  const std::unique_ptr<float[]> scores_;
  const std::unique_ptr<float[]> weights_;
  std::vector<uint64_t> bins_;
  std::vector<float> block_best_, block_sums_;
  BasicBeamStepWorkspace<Lane> step_;
  MaterializedRowWorkspace materialized_;
};

}  // namespace dragoman::kernels

#include "tests/bench/search/model_scores.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tests/bench/search/or_end.h"

namespace dragoman::bench {

ModelScores::ModelScores(const BenchModel& model, const Task& task)
    : task_(task),
      positions_(int64_t{task.search.max_tokens} + 1),
      decoder_(model.model().CreateDecoder(1, kernels::kMaxSlotLanes)),
      lanes_(kernels::kMaxSlotLanes),
      ancestry_(static_cast<size_t>(kernels::kMaxSlotLanes * positions_)),
      scores_(kernels::kMaxSlotLanes,
              std::vector<float>(static_cast<size_t>(model.spec().shape.target_vocab))) {
  const auto self_pages =
      static_cast<int32_t>(kernels::kMaxSlotLanes * kernels::KvLayout::PagesFor(positions_));
  const auto source = static_cast<int32_t>(task.source.size());
  const auto cross_pages = static_cast<int32_t>(kernels::KvLayout::PagesFor(source));
  auto memory = engine::KvMemory::Create(model.model().kv_layout(), self_pages, cross_pages);
  OrEnd(memory.status());
  memory_ = *std::move(memory);
  std::iota(lanes_.begin(), lanes_.end(), 0);
  lane_pages_.resize(static_cast<size_t>(self_pages));
  std::iota(lane_pages_.begin(), lane_pages_.end(), 0);
  cross_pages_ = memory_->TakeCross(cross_pages);
  const int32_t offsets[] = {0, source};
  const int32_t page_offsets[] = {0, cross_pages};
  OrEnd(model.model().CreateEncoder(1)->Encode(
      {task.source.data(), offsets, 1, page_offsets, cross_pages_.data(), memory_->pool()}));
}

const std::vector<std::vector<float>>& ModelScores::Next(const std::vector<int>& parents,
                                                         const std::vector<int32_t>& tokens) {
  const size_t rows = tokens.size();
  if (position_ > 0) {
    // A row has its parent's past, and the parent's lane wrote the newest position.
    const std::vector<uint8_t> before = ancestry_;
    for (size_t row = 0; row < rows; ++row) {
      const auto at = before.begin() + parents[row] * positions_;
      const auto mine = ancestry_.begin() + static_cast<int64_t>(row) * positions_;
      std::copy(at, at + position_ - 1, mine);
      mine[position_ - 1] = static_cast<uint8_t>(parents[row]);
    }
  }
  const std::vector<int32_t> slot(rows, 0);
  const std::vector<int32_t> position(rows, position_);
  const auto source = static_cast<int32_t>(task_.source.size());
  kernels::LogitRequest request;
  request.need_normaliser = true;
  request.mask_first = task_.search.renormalize;
  if (task_.forbidden != nullptr) {
    request.masked[0] = task_.forbidden->automaton().always;
    request.excluded = task_.forbidden->excluded();
  }
  std::vector<kernels::LogitRequest> requests(rows, request);
  std::vector<kernels::LogitSummary> summaries(rows);
  for (size_t row = 0; row < rows; ++row) requests[row].logits = scores_[row].data();
  engine::StepInput in;
  in.rows = {static_cast<int64_t>(rows), slot.data(), lanes_.data(), position.data()};
  in.tokens = tokens.data();
  in.requests = requests.data();
  in.self = {memory_->pool(),
             lane_pages_.data(),
             static_cast<int32_t>(kernels::KvLayout::PagesFor(positions_)),
             lanes_.data(),
             ancestry_.data(),
             static_cast<int32_t>(positions_)};
  in.cross = {memory_->pool(), cross_pages_.data(), static_cast<int32_t>(cross_pages_.size()),
              &source};
  OrEnd(decoder_->Step(in, summaries.data()));
  ++position_;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<float>& scores = scores_[row];
    for (size_t id = 0; id < scores.size(); ++id) {
      scores[id] = kernels::IsMasked(request, static_cast<int32_t>(id))
                       ? -INFINITY
                       : kernels::LogProb(scores[id], summaries[row].normaliser);
    }
  }
  return scores_;
}

}  // namespace dragoman::bench

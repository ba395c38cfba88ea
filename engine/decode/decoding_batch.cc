#include "engine/decode/decoding_batch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"

namespace dragoman {
namespace {

// Hypotheses held at a time. Under the default policy the beams in slots never exceed max_rows;
// others may hold more than they expand in a step.
constexpr int kLanesPerRow = 2;

template <class T>
int64_t Bytes(const std::vector<T>& v) {
  return static_cast<int64_t>(v.size() * sizeof(T));
}

std::vector<int32_t> Descending(int count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  return numbers;
}

}  // namespace

DecodingBatch::DecodingBatch(const BatchConfig& config, KvMemory* memory, Decoder* decoder)
    : config_(config),
      memory_(memory),
      decoder_(decoder),
      lanes_(config.max_rows * kLanesPerRow),
      stride_(config.max_positions + 1) {
  const auto slots = static_cast<size_t>(config.max_rows);
  const auto lanes = static_cast<size_t>(lanes_);
  const auto rows = static_cast<size_t>(config.max_rows);
  const auto stride = static_cast<size_t>(stride_);
  const auto pages_per_lane = static_cast<size_t>(KvLayout::PagesFor(config.max_positions));

  states_.resize(slots);
  views_.resize(slots);
  slot_lanes_.resize(slots * kMaxSlotLanes);
  cross_pages_.resize(slots * pages_per_lane);
  source_length_.resize(slots);
  slot_source_.resize(slots);
  free_slots_ = Descending(config.max_rows);
  free_lanes_ = Descending(lanes_);
  live_.reserve(slots);

  tokens_.resize(lanes * stride);
  token_log_probs_.resize(lanes * stride);
  ancestry_.resize(lanes * stride);
  log_prob_.resize(lanes);
  finished_.resize(lanes);
  finished_ancestry_.resize(lanes * stride);
  lane_pages_.assign(lanes * pages_per_lane, kNoPage);
  free_pages_ = Descending(memory->self_pages());
  lane_page_table_ = {lane_pages_.data(), static_cast<int32_t>(pages_per_lane)};
  pages_ = {free_pages_.data(), memory->self_pages()};

  row_slot_.resize(rows);
  row_lane_.resize(rows);
  row_position_.resize(rows);
  row_token_.resize(rows);
  plan_slots_.resize(slots);
  plan_first_row_.resize(slots);
  plan_ = {row_slot_.data(),
           row_lane_.data(),
           row_position_.data(),
           plan_slots_.data(),
           plan_first_row_.data(),
           0,
           0};
  queries_.resize(rows);
  folds_.resize(rows);
  top_.resize(rows * kMaxBeam);
  wanted_.resize(rows);
  candidates_.resize(kMaxBeam);
  beam_ancestry_.resize(kMaxBeam * stride);
  workspace_.ancestry = beam_ancestry_.data();

  masked_ = config.banned_tokens;
  std::sort(masked_.begin(), masked_.end());
  masked_.erase(std::unique(masked_.begin(), masked_.end()), masked_.end());
  banned_ = masked_;
  banned_.insert(std::lower_bound(banned_.begin(), banned_.end(), config.eos), config.eos);

  const LaneArrays arrays{tokens_.data(),   token_log_probs_.data(), ancestry_.data(),
                          log_prob_.data(), finished_.data(),        finished_ancestry_.data(),
                          stride_};
  for (size_t i = 0; i < slots; ++i) {
    views_[i] = {&states_[i], slot_lanes_.data() + i * kMaxSlotLanes, nullptr, arrays};
  }
  workspace_bytes_ = Bytes(tokens_) + Bytes(token_log_probs_) + Bytes(ancestry_) +
                     Bytes(finished_ancestry_) + Bytes(lane_pages_) + Bytes(top_) + Bytes(folds_) +
                     Bytes(queries_) + Bytes(cross_pages_) + Bytes(slot_lanes_);
}

int64_t DecodingBatch::WorstCase(int number) const {
  const SearchOptions& o = states_[static_cast<size_t>(number)].options;
  return WorstCasePages(o.beam, o.max_tokens);
}

bool DecodingBatch::HasRoomFor(int beam, int max_tokens) const {
  if (free_slots_.empty() || static_cast<int>(free_lanes_.size()) < beam) return false;
  int64_t worst_live = 0;
  for (const int32_t number : live_) worst_live = std::max(worst_live, WorstCase(number));
  const int64_t oldest_held = live_.empty() ? 0 : states_[static_cast<size_t>(live_.front())].pages;
  return MayAdmit(pages_.free_count, oldest_held, worst_live, WorstCasePages(beam, max_tokens));
}

int DecodingBatch::Admit(const SlotInput& input) {
  const int number = free_slots_.back();
  free_slots_.pop_back();
  const auto n = static_cast<size_t>(number);
  for (int lane = 0; lane < input.search.beam; ++lane) {
    slot_lanes_[n * kMaxSlotLanes + static_cast<size_t>(lane)] = free_lanes_.back();
    free_lanes_.pop_back();
  }
  const auto pages_per_slot = static_cast<size_t>(lane_page_table_.pages_per_lane);
  std::copy(input.cross_pages.begin(), input.cross_pages.end(),
            cross_pages_.begin() + static_cast<ptrdiff_t>(n * pages_per_slot));
  source_length_[n] = static_cast<int32_t>(input.source.size());
  slot_source_[n] = input.source.data();
  views_[n].divisor = input.divisor.data();
  StartSlot(views_[n], input.search, config_.start_token);
  live_.push_back(number);
  width_ += input.search.beam;
  return number;
}

void DecodingBatch::FillRows() {
  for (int32_t r = 0; r < plan_.rows; ++r) {
    const auto i = static_cast<size_t>(r);
    const SlotView& view = views_[static_cast<size_t>(row_slot_[i])];
    const SearchOptions& o = view.state->options;
    row_token_[i] = view.arrays.tokens[view.At(row_lane_[i], row_position_[i])];
    RowQuery& q = queries_[i];
    q.k = o.beam;
    q.need_normaliser = o.need_log_probs;
    q.wanted = &config_.eos;
    q.wanted_count = 1;
    // Sorted lists: with renormalisation EOS, too, is masked before the softmax while it is not
    // allowed; after it, the beam step does not open it.
    const bool eos_masked = o.renormalize && view.state->length < o.min_tokens;
    const std::vector<int32_t>& before = eos_masked ? banned_ : masked_;
    q.banned = banned_.data();
    q.banned_count = static_cast<int32_t>(banned_.size());
    q.excluded = o.renormalize ? before.data() : nullptr;
    q.excluded_count = o.renormalize ? static_cast<int32_t>(before.size()) : 0;
    folds_[i] = RowFold{};
    folds_[i].top = top_.data() + i * kMaxBeam;
    folds_[i].wanted = wanted_.data() + i;
  }
}

absl::StatusOr<DecodingBatch::StepResult> DecodingBatch::Step(std::span<const int32_t> order) {
  PlanInput in;
  in.order = order.data();
  in.count = static_cast<int32_t>(order.size());
  in.oldest = live_.front();
  in.max_rows = config_.max_rows;
  for (const int32_t number : live_) in.worst_case = std::max(in.worst_case, WorstCase(number));
  const SoloTeam team;
  PlanStep(team, in, views_.data(), lane_page_table_, pages_, plan_);
  FillRows();

  StepInput step;
  step.rows = {plan_.rows, row_slot_.data(), row_lane_.data(), row_position_.data()};
  step.tokens = row_token_.data();
  step.queries = queries_.data();
  step.self = {memory_->pool(),    lane_pages_.data(), lane_page_table_.pages_per_lane,
               slot_lanes_.data(), ancestry_.data(),   static_cast<int32_t>(stride_)};
  step.cross = {memory_->pool(), cross_pages_.data(), lane_page_table_.pages_per_lane,
                source_length_.data()};
  step.slots = views_.data();
  step.slot_source = slot_source_.data();
  if (const absl::Status status = decoder_->Step(step, folds_.data()); !status.ok()) return status;

  for (int32_t i = 0; i < plan_.slot_count; ++i) {
    const SlotView& view = views_[static_cast<size_t>(plan_slots_[static_cast<size_t>(i)])];
    const auto first = static_cast<size_t>(plan_first_row_[static_cast<size_t>(i)]);
    for (int32_t lane = 0; lane < view.state->live; ++lane) {
      const RowFold& fold = folds_[first + static_cast<size_t>(lane)];
      candidates_[static_cast<size_t>(lane)] = {fold.top, fold.count, fold.wanted[0],
                                                fold.normaliser, fold.nan};
    }
    BeamStep(team, view, candidates_.data(), workspace_);
  }
  return StepResult{plan_.rows, plan_.slot_count};
}

std::vector<DecodedHypothesis> DecodingBatch::Result(int number) const {
  const SlotView& view = slot(number);
  const SlotState& s = *view.state;
  std::vector<int> order(static_cast<size_t>(s.finished));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return view.Finished(a).score > view.Finished(b).score; });
  order.resize(std::min(order.size(), static_cast<size_t>(s.options.num_hypotheses)));
  std::vector<DecodedHypothesis> result;
  result.reserve(order.size());
  for (const int which : order) {
    const FinishedHypothesis& h = view.Finished(which);
    DecodedHypothesis out;
    out.score = h.score;
    out.log_prob = h.log_prob;
    for (int32_t i = 0; i < h.length; ++i) {
      out.tokens.push_back(view.FinishedToken(which, i));
      out.token_log_probs.push_back(view.FinishedTokenLogProb(which, i));
    }
    if (h.last_token != config_.eos) out.tokens.push_back(h.last_token);
    out.token_log_probs.push_back(h.last_log_prob);
    out.reason = static_cast<int32_t>(out.tokens.size()) >= s.options.max_tokens
                     ? FinishReason::kLength
                     : FinishReason::kEos;
    result.push_back(std::move(out));
  }
  return result;
}

void DecodingBatch::Release(int number) {
  const SlotView& view = slot(number);
  ReleasePages(view, lane_page_table_, pages_);
  const int beam = view.state->options.beam;
  for (int lane = beam; lane-- > 0;) free_lanes_.push_back(view.lanes[lane]);
  view.state->status = SlotStatus::kFree;
  free_slots_.push_back(number);
  live_.erase(std::find(live_.begin(), live_.end(), number));
  width_ -= beam;
}

}  // namespace dragoman

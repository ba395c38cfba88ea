#include "engine/decode/decoding_batch.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/search/materialized_row_cpu.h"
#include "kernels/search/partials.h"

namespace dragoman::engine {
namespace {

std::vector<int32_t> Descending(int count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  return numbers;
}

}  // namespace

DecodingBatch::DecodingBatch(const BatchConfig& config, KvMemory* memory,
                             std::unique_ptr<Decoder> decoder)
    : config_(config),
      memory_(memory),
      decoder_(std::move(decoder)),
      lanes_(config.lane_count()),
      stride_(config.max_positions + 1),
      lane_memory_(static_cast<size_t>(lanes_), static_cast<size_t>(stride_)),
      rows_(static_cast<size_t>(config.max_rows), kernels::kMaxBeam,
            kernels::MaxRowMasks(config.max_positions, kernels::kMaxForbiddenNodes),
            static_cast<size_t>(config.vocabulary)),
      step_memory_(kernels::kMaxBeam, static_cast<size_t>(stride_),
                   static_cast<size_t>(config.vocabulary)) {
  const auto slots = static_cast<size_t>(config.max_rows);
  const auto rows = static_cast<size_t>(config.max_rows);
  const auto pages_per_lane =
      static_cast<size_t>(kernels::KvLayout::PagesFor(config.max_positions));

  states_.resize(slots);
  views_.resize(slots);
  slot_lanes_.resize(slots * kernels::kMaxSlotLanes);
  cross_pages_.resize(slots * pages_per_lane);
  source_length_.resize(slots);
  slot_cross_.resize(slots);
  wants_partials_.resize(slots);
  settled_.resize(slots);
  free_slots_ = Descending(config.max_rows);
  free_lanes_ = Descending(lanes_);
  live_.reserve(slots);
  for (size_t i = 0; i < slots; ++i) {
    views_[i] = {&states_[i], slot_lanes_.data() + i * kernels::kMaxSlotLanes,
                 lane_memory_.arrays()};
  }

  lane_pages_.assign(static_cast<size_t>(lanes_) * pages_per_lane, kernels::kNoPage);
  free_pages_ = Descending(memory->self_pages());
  lane_page_table_ = {lane_pages_.data(), static_cast<int32_t>(pages_per_lane)};
  pages_ = {free_pages_.data(), memory->self_pages()};
  page_memory_ = memory->SelfPageMemory();

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
  align_.reserve(rows);
  aligned_.resize(rows);
  events_.reserve(slots);

  workspace_bytes_ = lane_memory_.bytes() + rows_.bytes() + step_memory_.bytes() +
                     kernels::BytesOf(states_) + kernels::BytesOf(lane_pages_) +
                     kernels::BytesOf(cross_pages_) + kernels::BytesOf(slot_lanes_) +
                     decoder_->workspace_bytes();
}

int64_t DecodingBatch::TableBytes(const BatchConfig& config) {
  const auto size = [](size_t bytes) { return static_cast<int64_t>(bytes); };
  const int64_t positions = config.max_positions + 1;
  const int64_t pages = kernels::KvLayout::PagesFor(config.max_positions);
  const int64_t lane =
      positions * size(2 * sizeof(int32_t) + sizeof(uint16_t) + 2) +
      size(sizeof(kernels::ConstraintState) + sizeof(kernels::FinishedHypothesis)) +
      pages * size(sizeof(int32_t));
  const int64_t row = size(sizeof(kernels::LogitRequest) + sizeof(kernels::LogitSummary) +
                           sizeof(kernels::SlotState)) +
                      size(kernels::kMaxBeam * sizeof(kernels::TokenScore)) +
                      kernels::kMaxWantedIds * size(2 * sizeof(float)) +
                      (kernels::MaxRowMasks(config.max_positions, kernels::kMaxForbiddenNodes) +
                       config.vocabulary + pages + kernels::kMaxSlotLanes) *
                          size(sizeof(int32_t));
  return config.lane_count() * lane + config.max_rows * row;
}

int64_t DecodingBatch::ExpectedRows() const {
  int64_t rows = 0;
  for (const int32_t number : live_) {
    rows += dragoman::kernels::ExpectedRows(states_[static_cast<size_t>(number)]);
  }
  return rows;
}

int64_t DecodingBatch::ExpectedLoad() const {
  int64_t load = 0;
  for (const int32_t number : live_) {
    const kernels::SlotState& s = states_[static_cast<size_t>(number)];
    load += int64_t{dragoman::kernels::ExpectedRows(s)} * s.options.row_cost;
  }
  return load;
}

int64_t DecodingBatch::WorstCase(int number) const {
  const kernels::SearchOptions& o = states_[static_cast<size_t>(number)].options;
  return kernels::WorstCasePages(o.beam, o.max_tokens);
}

bool DecodingBatch::HasRoomFor(const kernels::SearchOptions& search,
                               const kernels::SegmentRules&) const {
  if (free_slots_.empty() || static_cast<int>(free_lanes_.size()) < search.beam) return false;
  int64_t worst_live = 0;
  for (const int32_t number : live_) worst_live = std::max(worst_live, WorstCase(number));
  const int64_t oldest_held = live_.empty() ? 0 : states_[static_cast<size_t>(live_.front())].pages;
  return kernels::MayAdmit(pages_.free_count, oldest_held, worst_live,
                           kernels::WorstCasePages(search.beam, search.max_tokens));
}

int DecodingBatch::Admit(SlotInput input) {
  const int number = free_slots_.back();
  free_slots_.pop_back();
  const auto n = static_cast<size_t>(number);
  for (int lane = 0; lane < input.search.beam; ++lane) {
    slot_lanes_[n * kernels::kMaxSlotLanes + static_cast<size_t>(lane)] = free_lanes_.back();
    free_lanes_.pop_back();
  }
  const auto pages_per_slot = static_cast<size_t>(lane_page_table_.pages_per_lane);
  std::copy(input.cross.pages().begin(), input.cross.pages().end(),
            cross_pages_.begin() + static_cast<ptrdiff_t>(n * pages_per_slot));
  source_length_[n] = input.source_length;
  slot_cross_[n] = std::move(input.cross);
  wants_partials_[n] = input.wants_partials ? 1 : 0;
  settled_[n] = 0;
  if (input.words.count > 0) decoder_->Enter(number, input.words);
  kernels::StartSlot(views_[n], input.search, input.rules, config_.start_token);
  live_.push_back(number);
  return number;
}

void DecodingBatch::PrepareRows() {
  align_.clear();
  for (int32_t r = 0; r < plan_.rows; ++r) {
    const auto i = static_cast<size_t>(r);
    const kernels::SlotView& view = views_[static_cast<size_t>(row_slot_[i])];
    const kernels::SearchOptions& o = view.state->options;
    row_token_[i] = view.arrays.tokens[view.At(row_lane_[i], row_position_[i])];
    rows_.Prepare(i, view, row_lane_[i], row_position_[i]);
    if (o.align) align_.push_back({r, o.alignment_layer, o.alignment_heads});
  }
}

absl::StatusOr<Batch::StepReport> DecodingBatch::Step(const kernels::PlanRules& rules) {
  kernels::PlanInput in;
  in.order = live_.data();
  in.count = static_cast<int32_t>(live_.size());
  in.oldest = live_.data();
  in.max_rows = config_.max_rows;
  for (const int32_t number : live_) in.worst_case = std::max(in.worst_case, WorstCase(number));
  in.rules = rules;
  const kernels::SingleThread group;
  const int32_t free_before = pages_.free_count;
  kernels::PlanStep(group, in, views_.data(), lane_page_table_, pages_, plan_);
  // PlanStep has taken pages from the top of the stack pages_.free. Their numbers are still in the
  // array, after the numbers of the pages that are free.
  page_memory_.NoteTaken(pages_.free + pages_.free_count, free_before - pages_.free_count);
  PrepareRows();

  StepInput step;
  step.rows = {plan_.rows, row_slot_.data(), row_lane_.data(), row_position_.data()};
  step.tokens = row_token_.data();
  step.requests = rows_.requests();
  step.self = {memory_->pool(),
               lane_pages_.data(),
               lane_page_table_.pages_per_lane,
               slot_lanes_.data(),
               lane_memory_.arrays().ancestry,
               static_cast<int32_t>(stride_)};
  step.cross = {memory_->pool(), cross_pages_.data(), lane_page_table_.pages_per_lane,
                source_length_.data()};
  step.slots = views_.data();
  step.align = align_;
  step.aligned = aligned_.data();
  if (const absl::Status status = decoder_->Step(step, rows_.summaries()); !status.ok()) {
    return status;
  }

  for (size_t i = 0; i < align_.size(); ++i) {
    const auto row = static_cast<size_t>(align_[i].row);
    const kernels::SlotView& view = views_[static_cast<size_t>(row_slot_[row])];
    view.arrays.aligned[view.At(row_lane_[row], row_position_[row])] = aligned_[i];
  }
  for (int32_t i = 0; i < plan_.slot_count; ++i) {
    const kernels::SlotView& view =
        views_[static_cast<size_t>(plan_slots_[static_cast<size_t>(i)])];
    const int32_t first = plan_first_row_[static_cast<size_t>(i)];
    if (view.state->options.materialized_logits()) {
      for (int32_t lane = 0; lane < view.state->live; ++lane) {
        kernels::FoldMaterializedRowOnHost(view, lane, rows_.requests()[first + lane],
                                           config_.vocabulary, step_memory_.materialized(),
                                           rows_.summaries()[first + lane]);
      }
    }
    kernels::BeamSteps(group, view, rows_.requests() + first, rows_.summaries() + first,
                       step_memory_.step());
  }
  Report();
  return StepReport{plan_.rows, plan_.slot_count, events_};
}

void DecodingBatch::Report() {
  events_.clear();
  for (const int32_t number : stepped()) {
    switch (status(number)) {
      case kernels::SlotStatus::kFree:
        break;
      case kernels::SlotStatus::kRunning: {
        const auto n = static_cast<size_t>(number);
        if (wants_partials_[n] == 0) break;
        const int32_t settled =
            kernels::SettledTokens(kernels::SingleThread(), views_[n], settled_[n]);
        if (settled == settled_[n]) break;
        settled_[n] = settled;
        events_.push_back({number, BatchEvent::Kind::kSettled});
        break;
      }
      case kernels::SlotStatus::kDone:
        events_.push_back({number, BatchEvent::Kind::kDone});
        break;
      case kernels::SlotStatus::kBadNumber:
        events_.push_back({number, BatchEvent::Kind::kBadNumber});
        break;
    }
  }
}

std::vector<int32_t> DecodingBatch::Settled(int number) const {
  std::vector<int32_t> tokens(static_cast<size_t>(settled_[static_cast<size_t>(number)]));
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = slot(number).Token(0, static_cast<int>(i));
  }
  return tokens;
}

DecodedHypothesis DecodingBatch::Hypothesis(const kernels::SlotView& view, int entry) const {
  const kernels::SearchOptions& o = view.state->options;
  const kernels::FinishedHypothesis& h = view.Finished(entry);
  DecodedHypothesis out;
  out.score = h.score;
  out.log_prob = h.log_prob;
  for (int32_t i = 0; i < h.length; ++i) {
    out.tokens.push_back(view.FinishedToken(entry, i));
    out.token_log_probs.push_back(view.FinishedTokenLogProb(entry, i));
  }
  EndHypothesis(o, h.last_token, h.last_log_prob, h.unmet, &out);
  if (o.align) {
    for (int32_t i = 0; i <= h.length; ++i) out.aligned.push_back(view.FinishedAligned(entry, i));
  }
  return out;
}

std::vector<DecodedHypothesis> DecodingBatch::Result(int number) const {
  const kernels::SlotView& view = slot(number);
  const kernels::SearchOptions& o = view.state->options;
  std::vector<int> order;
  for (int e = 0; e < o.beam; ++e) {
    if (view.Finished(e).status == kernels::EntryStatus::kDone) order.push_back(e);
  }
  if (!o.sampling.enabled) {
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return view.Finished(a).score > view.Finished(b).score; });
  }
  order.resize(std::min(order.size(), static_cast<size_t>(o.num_alternatives)));
  std::vector<DecodedHypothesis> result;
  result.reserve(order.size());
  for (const int entry : order) result.push_back(Hypothesis(view, entry));
  return result;
}

void DecodingBatch::EndMemoryPeriod() {
  page_memory_.EndPeriod(pages_.free, pages_.free_count);
  memory_->EndCrossPeriod();
}

bool DecodingBatch::GiveBackIdleMemory(int64_t most_bytes) {
  const bool left = page_memory_.GiveBackIdle(most_bytes);
  return memory_->GiveBackIdleCross(most_bytes) || left;
}

void DecodingBatch::Release(int number) {
  const kernels::SlotView& view = slot(number);
  const int32_t sorted = pages_.free_count;
  kernels::ReleasePages(view, lane_page_table_, pages_);
  page_memory_.PutInOrder(pages_.free, sorted, pages_.free_count);
  for (int lane = view.state->options.beam; lane-- > 0;) free_lanes_.push_back(view.lanes[lane]);
  slot_cross_[static_cast<size_t>(number)].Release();
  decoder_->Leave(number);
  view.state->status = kernels::SlotStatus::kFree;
  free_slots_.push_back(number);
  live_.erase(std::find(live_.begin(), live_.end(), number));
  if (live_.empty()) decoder_->Rest();
}

}  // namespace dragoman::engine

#include "engine/schedule/decode_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// Idle memory is given back in pieces of these numbers of bytes: kBusySlice between two steps,
// which takes about 0.1 ms, and kIdleSlice while the loop waits for segments. A segment that
// arrives meanwhile waits for the piece to end, so pieces are small.
constexpr int64_t kBusySlice = int64_t{8} << 20;
constexpr int64_t kIdleSlice = int64_t{32} << 20;
// The interval at which a loop that waits for segments checks for idle memory.
constexpr std::chrono::seconds kIdleTick(1);

}  // namespace

DecodeLoop::DecodeLoop(Batch* batch, EncodedQueue* in, const Policy* policy,
                       const SegmentAccounting& accounting, const Clock* clock)
    : batch_(batch),
      in_(in),
      policy_(policy),
      accounting_(accounting),
      clock_(clock),
      segments_(static_cast<size_t>(batch->max_rows())),
      memory_period_began_(clock->Now()) {
  occupied_.reserve(segments_.size());
}

absl::Status DecodeLoop::Run() {
  while (WaitForWork()) {
    for (;;) {
      const absl::StatusOr<bool> stepped = RunOnce();
      if (!stepped.ok()) return stepped.status();
      if (!*stepped) break;
    }
  }
  return absl::OkStatus();
}

bool DecodeLoop::WaitForWork() {
  const auto ready = [this](const Waiting& waiting) {
    return policy_->RefillBegins(Load{}, waiting, batch_->max_rows());
  };
  bool is_idle_left = false;
  for (;;) {
    // No memory can be given back, so this waits without a time limit.
    if (batch_->resident_page_bytes() == 0) return in_->WaitUntil(ready);
    switch (in_->WaitUntil(ready, is_idle_left ? std::chrono::nanoseconds(0) : kIdleTick)) {
      case EncodedQueue::Wake::kReady:
        return true;
      case EncodedQueue::Wake::kOver:
        return false;
      case EncodedQueue::Wake::kTimeout:
        is_idle_left = GiveBackIdleMemory(kIdleSlice);
        break;
    }
  }
}

bool DecodeLoop::GiveBackIdleMemory(int64_t most_bytes) {
  const Nanos now = clock_->Now();
  if (now - memory_period_began_ >= kMemoryPeriod) {
    batch_->EndMemoryPeriod();
    memory_period_began_ = now;
  }
  const bool left = batch_->GiveBackIdleMemory(most_bytes);
  resident_page_bytes_.store(batch_->resident_page_bytes(), std::memory_order_relaxed);
  return left;
}

absl::StatusOr<bool> DecodeLoop::RunOnce() {
  DropAbandoned();
  topped_up_ += TopUp();
  if (!batch_->busy()) {
    Publish(0);
    return false;
  }
  const Nanos started = clock_->Now();
  // Sets busy_ before the step, so that the watchdog notices a step that never returns.
  if (!busy_.load(std::memory_order_relaxed)) {
    last_step_.store(started, std::memory_order_relaxed);
    busy_.store(true, std::memory_order_relaxed);
  }
  live_.store(static_cast<int>(occupied_.size()), std::memory_order_relaxed);
  const int64_t passes_ended = in_->passes().ended();
  const absl::StatusOr<Batch::StepReport> step = batch_->Step(policy_->plan_rules());
  if (!step.ok()) {
    FailAll(step.status());
    return step.status();
  }
  const Nanos now = clock_->Now();
  last_step_.store(now, std::memory_order_relaxed);
  // A GPU reports each step in the next call, so its first report is empty. An empty report is not
  // counted.
  if (step->slots > 0) {
    accounting_.observer->OnStep({now - started, step->rows, batch_->max_rows(), step->slots,
                                  std::exchange(topped_up_, 0),
                                  in_->passes().AnySince(passes_ended)});
  }
  Publish(step->rows);
  for (const BatchEvent& event : step->events) Harvest(event);
  GiveBackIdleMemory(kBusySlice);
  return true;
}

Load DecodeLoop::Live() const {
  Load live = load_;
  live.rows = batch_->ExpectedRows();
  live.cost = batch_->ExpectedLoad();
  return live;
}

int DecodeLoop::TopUp() {
  const Waiting waiting = in_->waiting();
  refilling_ = refilling_ || policy_->RefillBegins(Live(), waiting, batch_->max_rows());
  if (!refilling_) return 0;
  int admitted = 0;
  bool turned_away = false;
  const auto fits = [this, &turned_away](const Segment& s) {
    turned_away = !policy_->Admits(Live(), s.load(), batch_->max_rows()) ||
                  !batch_->HasRoomFor(s.search, s.Rules()) ||
                  !batch_->HasRoomForWords(s.Words().count);
    return !turned_away;
  };
  while (std::unique_ptr<Segment> segment = in_->TryPop(fits))
    admitted += Admit(std::move(segment));
  refilling_ = !turned_away && policy_->RefillGoesOn(waiting);
  return admitted;
}

int DecodeLoop::Admit(std::unique_ptr<Segment> segment) {
  const Nanos now = clock_->Now();
  if (MustDrop(*segment, now)) {
    Drop(std::move(segment), Stage::kSlotWait, 0, accounting_);
    return 0;
  }
  segment->admitted_at = now;
  accounting_.observer->OnStage(Stage::kSlotWait, now - segment->encoded_at);
  const int number =
      batch_->Admit({segment->search, segment->Rules(), static_cast<int32_t>(segment->tokens()),
                     std::move(segment->cross), segment->wants_partials, segment->Words()});
  occupied_.push_back(number);
  load_.Add(segment->load());
  accounting_.ledger->Start();
  segment->running = true;
  segment->owner->OnStarted();
  segments_[static_cast<size_t>(number)] = std::move(segment);
  return 1;
}

std::unique_ptr<Segment> DecodeLoop::Vacate(int number) {
  batch_->Release(number);
  occupied_.erase(std::find(occupied_.begin(), occupied_.end(), number));
  std::unique_ptr<Segment> segment = std::move(segments_[static_cast<size_t>(number)]);
  load_.Subtract(segment->load());
  return segment;
}

void DecodeLoop::DropAbandoned() {
  const Nanos now = clock_->Now();
  for (size_t i = occupied_.size(); i-- > 0;) {
    const int number = occupied_[i];
    if (!MustDrop(*segments_[static_cast<size_t>(number)], now)) continue;
    const int64_t wasted = batch_->DecodedTokens(number);
    Drop(Vacate(number), Stage::kDecode, wasted, accounting_);
  }
}

void DecodeLoop::Harvest(const BatchEvent& event) {
  switch (event.kind) {
    case BatchEvent::Kind::kSettled: {
      const Segment& running = *segments_[static_cast<size_t>(event.slot)];
      running.owner->OnPartial(running, batch_->Settled(event.slot));
      break;
    }
    case BatchEvent::Kind::kDone: {
      std::vector<DecodedHypothesis> hypotheses = batch_->Result(event.slot);
      CrossPages cross = batch_->TakeCross(event.slot);
      std::unique_ptr<Segment> segment = Vacate(event.slot);
      segment->decoded_at = clock_->Now();
      accounting_.observer->OnStage(Stage::kDecode, segment->decoded_at - segment->admitted_at);
      if (segment->owner->SearchAgain(segment.get(), hypotheses)) {
        Requeue(std::move(segment), std::move(cross));
      } else {
        cross.Release();
        Deliver(std::move(segment), std::move(hypotheses));
      }
      break;
    }
    case BatchEvent::Kind::kBadNumber:
      accounting_.observer->OnError("nan");
      Fail(Vacate(event.slot),
           absl::InternalError("the model's logits hold a value that is not a number"),
           accounting_);
      break;
  }
}

void DecodeLoop::Requeue(std::unique_ptr<Segment> segment, CrossPages cross) {
  accounting_.observer->OnSegmentSearchedAgain();
  accounting_.ledger->Requeue(segment->running);
  segment->running = false;
  segment->again = true;
  segment->cross = std::move(cross);
  segment->queued_at = segment->popped_at = segment->encoded_at = segment->decoded_at;
  in_->PushAgain(std::move(segment));
}

void DecodeLoop::FailAll(const absl::Status& status) {
  dead_.store(true, std::memory_order_relaxed);
  accounting_.observer->OnError("decode");
  while (!occupied_.empty()) {
    Fail(Vacate(occupied_.front()),
         absl::InternalError(absl::StrCat("the decoder failed: ", status.message())), accounting_);
  }
  Publish(0);
}

void DecodeLoop::Publish(int rows) {
  rows_.store(rows, std::memory_order_relaxed);
  live_.store(static_cast<int>(occupied_.size()), std::memory_order_relaxed);
  busy_.store(batch_->busy(), std::memory_order_relaxed);
  self_pages_used_.store(batch_->self_pages_used(), std::memory_order_relaxed);
}

DecodeLoop::Stats DecodeLoop::stats() const {
  Stats stats;
  stats.rows = rows_.load(std::memory_order_relaxed);
  stats.row_capacity = batch_->max_rows();
  stats.segments = live_.load(std::memory_order_relaxed);
  stats.self_pages_used = self_pages_used_.load(std::memory_order_relaxed);
  stats.resident_page_bytes = resident_page_bytes_.load(std::memory_order_relaxed);
  stats.last_step = last_step_.load(std::memory_order_relaxed);
  stats.busy = busy_.load(std::memory_order_relaxed);
  stats.dead = dead_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace dragoman::engine

#include "engine/schedule/decode_loop.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "kernels/decide/partials.h"

namespace dragoman {

DecodeLoop::DecodeLoop(const BatchConfig& config, KvMemory* memory, Decoder* decoder,
                       EncodedQueue* in, const Policy* policy, const Books& books,
                       const Clock* clock)
    : batch_(config, memory, decoder),
      in_(in),
      policy_(policy),
      books_(books),
      clock_(clock),
      segments_(static_cast<size_t>(config.max_rows)) {
  scratch_.reserve(static_cast<size_t>(config.max_positions));
}

absl::Status DecodeLoop::Run() {
  const auto ready = [this](const Waiting& waiting) {
    return policy_->RefillBegins(Load{}, waiting, batch_.max_rows());
  };
  while (in_->WaitUntil(ready)) {
    for (;;) {
      const absl::StatusOr<bool> stepped = RunOnce();
      if (!stepped.ok()) return stepped.status();
      if (!*stepped) break;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> DecodeLoop::RunOnce() {
  DropAbandoned();
  const int topped_up = TopUp();
  if (batch_.live().empty()) {
    Publish(0);
    return false;
  }
  const Nanos started = clock_->Now();
  // Busy from now on: a model that never comes back is seen by the watchdog.
  if (live_.load(std::memory_order_relaxed) == 0) {
    last_step_.store(started, std::memory_order_relaxed);
  }
  live_.store(static_cast<int>(batch_.live().size()), std::memory_order_relaxed);
  const absl::StatusOr<DecodingBatch::StepResult> step =
      batch_.Step(batch_.live(), policy_->plan_rules());
  if (!step.ok()) {
    FailAll(step.status());
    return step.status();
  }
  const Nanos now = clock_->Now();
  last_step_.store(now, std::memory_order_relaxed);
  books_.observer->OnStep({now - started, step->rows, batch_.max_rows(), step->slots, topped_up});
  Publish(step->rows);
  Harvest();
  return true;
}

Load DecodeLoop::Live() const {
  Load live = load_;
  live.rows = batch_.ExpectedRows();
  return live;
}

int DecodeLoop::TopUp() {
  const Waiting waiting = in_->waiting();
  refilling_ = refilling_ || policy_->RefillBegins(Live(), waiting, batch_.max_rows());
  if (!refilling_) return 0;
  int admitted = 0;
  bool turned_away = false;
  const auto fits = [this, &turned_away](const Segment& s) {
    turned_away = !policy_->Admits(Live(), s.load(), batch_.max_rows()) ||
                  !batch_.HasRoomFor(s.search.beam, s.search.max_tokens);
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
    Drop(std::move(segment), Stage::kSlotWait, 0, books_);
    return 0;
  }
  segment->admitted_at = now;
  books_.observer->OnStage(Stage::kSlotWait, now - segment->encoded_at);
  const int number =
      batch_.Admit({segment->search, segment->Rules(), segment->source, segment->cross.pages()});
  load_.Add(segment->load());
  books_.ledger->Start();
  segment->running = true;
  segment->owner->OnStarted();
  segments_[static_cast<size_t>(number)] = std::move(segment);
  return 1;
}

std::unique_ptr<Segment> DecodeLoop::Vacate(int number) {
  batch_.Release(number);
  std::unique_ptr<Segment> segment = std::move(segments_[static_cast<size_t>(number)]);
  load_.Subtract(segment->load());
  return segment;
}

void DecodeLoop::DropAbandoned() {
  const Nanos now = clock_->Now();
  for (size_t i = batch_.live().size(); i-- > 0;) {
    const int number = batch_.live()[i];
    if (!MustDrop(*segments_[static_cast<size_t>(number)], now)) continue;
    const int64_t wasted = batch_.DecodedTokens(number);
    Drop(Vacate(number), Stage::kDecode, wasted, books_);
  }
}

void DecodeLoop::ReportPartial(int number, Segment& segment) {
  const SlotView& slot = batch_.slot(number);
  const int32_t settled = SettledTokens(SoloTeam(), slot, segment.settled);
  if (settled == segment.settled) return;
  segment.settled = settled;
  scratch_.clear();
  for (int32_t i = 0; i < settled; ++i) scratch_.push_back(slot.Token(0, i));
  segment.owner->OnPartial(segment, scratch_);
}

void DecodeLoop::Harvest() {
  for (const int32_t number : batch_.stepped()) {
    Segment& running = *segments_[static_cast<size_t>(number)];
    switch (batch_.status(number)) {
      case SlotStatus::kFree:
        break;
      case SlotStatus::kRunning:
        if (running.wants_partials) ReportPartial(number, running);
        break;
      case SlotStatus::kDone: {
        std::vector<DecodedHypothesis> hypotheses = batch_.Result(number);
        std::unique_ptr<Segment> segment = Vacate(number);
        segment->decoded_at = clock_->Now();
        books_.observer->OnStage(Stage::kDecode, segment->decoded_at - segment->admitted_at);
        Deliver(std::move(segment), std::move(hypotheses));
        break;
      }
      case SlotStatus::kBadNumber:
        books_.observer->OnError("nan");
        Fail(Vacate(number),
             absl::InternalError("the model's logits hold a value that is no number"), books_);
        break;
    }
  }
}

void DecodeLoop::FailAll(const absl::Status& status) {
  dead_.store(true, std::memory_order_relaxed);
  books_.observer->OnError("decode");
  while (!batch_.live().empty()) {
    Fail(Vacate(batch_.live().front()),
         absl::InternalError(absl::StrCat("the decoder failed: ", status.message())), books_);
  }
  Publish(0);
}

void DecodeLoop::Publish(int rows) {
  rows_.store(rows, std::memory_order_relaxed);
  live_.store(static_cast<int>(batch_.live().size()), std::memory_order_relaxed);
  self_pages_used_.store(batch_.self_pages_used(), std::memory_order_relaxed);
}

DecodeLoop::Stats DecodeLoop::stats() const {
  Stats stats;
  stats.rows = rows_.load(std::memory_order_relaxed);
  stats.row_capacity = batch_.max_rows();
  stats.segments = live_.load(std::memory_order_relaxed);
  stats.self_pages_used = self_pages_used_.load(std::memory_order_relaxed);
  stats.workspace_bytes = batch_.workspace_bytes();
  stats.last_step = last_step_.load(std::memory_order_relaxed);
  stats.busy = stats.segments > 0;
  stats.dead = dead_.load(std::memory_order_relaxed);
  return stats;
}

}  // namespace dragoman

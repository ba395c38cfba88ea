#include "engine/schedule/encoder_worker.h"

#include <algorithm>
#include <utility>

namespace dragoman::engine {

EncoderWorker::EncoderWorker(const Config& config, RequestQueue* queue, Encoder* encoder,
                             KvMemory* memory, EncodedQueue* out,
                             const SegmentAccounting& accounting, const Clock* clock)
    : config_(config),
      queue_(queue),
      encoder_(encoder),
      memory_(memory),
      out_(out),
      accounting_(accounting),
      clock_(clock) {}

int32_t EncoderWorker::PagesFor(const Segment& segment) const {
  return static_cast<int32_t>(kernels::KvLayout::PagesFor(segment.tokens()));
}

EncoderWorker::Bounds EncoderWorker::WindowBounds() {
  const EncodeWindow& w = config_.window;
  if (config_.whole_windows) return {w.segments, w.tokens};
  // Waits until there is room for this many segments. The number is small, because the wait delays
  // new segments. If the decode loop is slower than the encoder, more room becomes free during each
  // pass.
  const int64_t least = std::max<int64_t>(1, w.segments / 16);
  const int64_t room = out_->WaitForRoom(least);
  // A segment takes at most tokens / kPagePositions + 1 pages, so the limits below let the window
  // fit into the free pages. A window of one segment may need more pages and then waits for them.
  const auto wanted =
      static_cast<int32_t>(std::min<int64_t>(2 * least, memory_->cross_pages() / 4));
  const int64_t pages = memory_->WaitForCross(std::max(1, wanted));
  const int64_t segments = std::max<int64_t>(1, std::min({w.segments, room, pages / 2}));
  return {segments, std::min(w.tokens, (pages - segments) * kernels::kPagePositions)};
}

std::vector<std::unique_ptr<Segment>> EncoderWorker::NextWindow() {
  const EncodeWindow& w = config_.window;
  const Bounds bounds = WindowBounds();
  std::vector<std::unique_ptr<Segment>> window =
      queue_->TryPopWindow(bounds.segments, bounds.tokens, config_.workers);
  if (window.empty()) {
    out_->SetEncoderAtWork(false);
    window = queue_->PopWindow(bounds.segments, bounds.tokens, config_.workers, &stopped_);
  }
  if (window.empty()) return window;
  out_->SetEncoderAtWork(true);
  // Sorting brings segments of similar length into the same pass. Then their attention tiles have
  // similar sizes, and passes take about equal times. The default is longest first, because long
  // segments take the most steps.
  switch (w.order) {
    case WindowOrder::kArrival:
      break;
    case WindowOrder::kLongestFirst:
      std::stable_sort(window.begin(), window.end(),
                       [](const auto& a, const auto& b) { return a->tokens() > b->tokens(); });
      break;
    case WindowOrder::kShortestFirst:
      std::stable_sort(window.begin(), window.end(),
                       [](const auto& a, const auto& b) { return a->tokens() < b->tokens(); });
      break;
  }
  return window;
}

std::vector<int32_t> EncoderWorker::TakePages(const Segment& segment) {
  const int32_t count = PagesFor(segment);
  // Only this thread takes cross pages, so pages that are free now stay free.
  if (memory_->cross_pages_free() >= count) return memory_->TakeCross(count);
  out_->SetEncoderHeldUp(true);
  std::vector<int32_t> pages = memory_->TakeCross(count);
  out_->SetEncoderHeldUp(false);
  return pages;
}

void EncoderWorker::Stop() {
  stopped_.store(true);
  queue_->Wake();
}

void EncoderWorker::Run() {
  bool open = true;
  while (open && !stopped_.load()) {
    std::vector<std::unique_ptr<Segment>> window = NextWindow();
    if (window.empty()) break;
    // A pass takes at most half of the cross pages, so that it never waits for pages that it holds
    // itself.
    const int32_t page_limit = std::max(1, memory_->cross_pages() / 2);
    size_t begin = 0;
    while (open && begin < window.size()) {
      int64_t tokens = 0;
      int32_t pages = 0;
      size_t end = begin;
      while (end < window.size()) {
        const Segment& next = *window[end];
        if (end > begin && (tokens + next.tokens() > encoder_->max_tokens() ||
                            pages + PagesFor(next) > page_limit)) {
          break;
        }
        tokens += next.tokens();
        pages += PagesFor(next);
        ++end;
      }
      open = EncodePass(window, begin, end);
      begin = end;
    }
    for (size_t i = begin; i < window.size(); ++i) {
      Fail(std::move(window[i]), WorkerStoppedError(), accounting_);
    }
  }
  out_->EndOfInput();
}

bool EncoderWorker::EncodePass(std::vector<std::unique_ptr<Segment>>& window, size_t begin,
                               size_t end) {
  tokens_.clear();
  offsets_.assign(1, 0);
  page_offsets_.assign(1, 0);
  pages_.clear();
  std::vector<std::unique_ptr<Segment>> pass;
  for (size_t i = begin; i < end; ++i) {
    std::unique_ptr<Segment> segment = std::move(window[i]);
    if (MustDrop(*segment, clock_->Now())) {
      Drop(std::move(segment), Stage::kQueue, 0, accounting_);
      continue;
    }
    std::vector<int32_t> pages = TakePages(*segment);
    if (!pages.empty()) {
      tokens_.insert(tokens_.end(), segment->source.begin(), segment->source.end());
      offsets_.push_back(static_cast<int32_t>(tokens_.size()));
      pages_.insert(pages_.end(), pages.begin(), pages.end());
      page_offsets_.push_back(static_cast<int32_t>(pages_.size()));
    }
    segment->cross = CrossPages(memory_, std::move(pages));
    pass.push_back(std::move(segment));
  }
  if (pass.empty()) return true;

  absl::Status status = WorkerStoppedError();
  if (offsets_.size() == pass.size() + 1) {
    const Nanos started = clock_->Now();
    for (const std::unique_ptr<Segment>& segment : pass) {
      accounting_.observer->OnStage(Stage::kQueue, started - segment->queued_at);
      segment->popped_at = started;
    }
    out_->passes().Begin();
    status = encoder_->Encode({tokens_.data(), offsets_.data(), static_cast<int64_t>(pass.size()),
                               page_offsets_.data(), pages_.data(), memory_->pool()});
    out_->passes().End();
    if (!status.ok()) {
      failed_.store(true);
      accounting_.observer->OnError("encode");
    }
    const Nanos now = clock_->Now();
    for (const std::unique_ptr<Segment>& segment : pass) {
      segment->encoded_at = now;
      accounting_.observer->OnStage(Stage::kEncode, now - started);
    }
    accounting_.observer->OnEncode(static_cast<int>(pass.size()), offsets_.back(), 0);
  }
  // If the pass got no pages or the encoder failed, the segments of this pass fail.
  bool open = status.ok();
  for (std::unique_ptr<Segment>& segment : pass) {
    if (status.ok()) segment = out_->Push(std::move(segment));
    if (segment == nullptr) continue;
    if (status.ok()) open = false;
    Fail(std::move(segment), status.ok() ? WorkerStoppedError() : status, accounting_);
  }
  return open;
}

}  // namespace dragoman::engine

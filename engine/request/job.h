// A request inside the engine: its items, their segments, and what has come back so far.
//
// Thread-safe. Shared by its segments (which may outlive the caller's interest) and by the engine's
// table of jobs. All calls of the sink go through one queue, so that they never overlap and never
// happen under a lock; the thread that adds to an idle queue empties it.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/api/engine.h"
#include "engine/api/observer.h"
#include "engine/base/mutex.h"
#include "engine/base/worker_pool.h"
#include "engine/request/item_plan.h"
#include "engine/request/item_result.h"
#include "engine/request/search_settings.h"
#include "engine/schedule/request_queue.h"
#include "engine/schedule/segment.h"
#include "engine/schedule/segment_end.h"

namespace dragoman::engine {

class Job;

// The services of the engine that jobs borrow.
struct JobServices {
  // Pieces of target ids and source ids, for returned tokens.
  std::function<std::string(int32_t)> source_piece;
  std::function<std::string(int32_t)> target_piece;
  WorkerPool* detokenizers = nullptr;
  const Clock* clock = nullptr;
  SegmentAccounting accounting;
  // Queues a segment that is searched again. Its entry in the ledger waits already.
  std::function<void(std::unique_ptr<Segment>)> search_again;
  // Called once, after OnDone has returned.
  std::function<void(JobId)> on_finished;
};

class Job : public SegmentOwner, public std::enable_shared_from_this<Job> {
 public:
  Job(JobId id, TranslationJob request, const SearchSettings& settings, bool target_uses_spaces,
      RequestQueue::Reservation reservation, std::shared_ptr<TranslationSink> sink,
      const JobServices* services);

  JobId id() const { return id_; }
  const TranslationJob& request() const { return request_; }
  const SearchSettings& settings() const { return settings_; }
  const RequestQueue::Reservation& reservation() const { return reservation_; }

  // Takes the plan of every item and makes the segments, which the caller enters into the ledger
  // and queues. Items without segments are answered at once. Called once.
  std::vector<std::unique_ptr<Segment>> Begin(std::vector<ItemPlan> plans, Nanos tokenize_time);

  // Ends the job early, unless it has ended: true if this call did it.
  bool End(CancelCause cause);
  // The same as End, with a status of its own.
  bool EndWith(const absl::Status& status);

  // Whether a segment of it is in a slot or has been.
  bool running() const { return running_.load(std::memory_order_relaxed); }

  std::optional<CancelCause> abandoned() const override;
  void OnStarted() override { running_.store(true, std::memory_order_relaxed); }
  void OnDeadline() override { End(CancelCause::kDeadline); }
  void OnPartial(const Segment& segment, std::span<const int32_t> tokens) override;
  void OnDecoded(std::unique_ptr<Segment> segment,
                 std::vector<DecodedHypothesis> hypotheses) override;
  void OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) override;

 private:
  struct SegmentState {
    std::vector<SegmentHypothesis> hypotheses;
    int64_t tokens = 0;            // of the best one, EOS included
    std::vector<int32_t> partial;  // settled tokens not shown yet
    std::string shown;             // of the translation so far
    bool partial_queued = false;
    bool done = false;
  };
  struct Item {
    absl::Status status;
    std::vector<SegmentState> segments;
    size_t remaining = 0;
  };

  const SegmentPlan& PlanOf(int item, int segment) const {
    return plans_[static_cast<size_t>(item)].segments[static_cast<size_t>(segment)];
  }
  SegmentState& StateOf(int item, int segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return items_[static_cast<size_t>(item)].segments[static_cast<size_t>(segment)];
  }
  std::unique_ptr<Segment> MakeSegment(int item, int index);

  // Detokenizer pool.
  void PostPartial(int item, int segment) ABSL_LOCKS_EXCLUDED(mu_);
  void DetokenizePartial(int item, int segment);
  void DetokenizeFinal(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses);
  SegmentHypothesis ToHypothesis(const SegmentPlan& plan, const DecodedHypothesis& decoded) const;
  // The segment goes back to the queue, with constraints in the place of its sentinels.
  void SearchAgain(std::unique_ptr<Segment> segment);
  // Adds the time that the segment took until it was decoded.
  void AddTimes(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AppendUpdate(int item, int segment, const std::string& text, bool final)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // One segment less to wait for: true when it was the item's last.
  bool SegmentDone(int item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // All segments of the item are done.
  void FinishItem(int index) ABSL_LOCKS_EXCLUDED(mu_);

  // The sink's queue. Append under the lock, Drain without it.
  using Event = std::function<void(TranslationSink&)>;
  void Append(Event event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AppendDone(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Drain() ABSL_LOCKS_EXCLUDED(mu_);

  const JobId id_;
  const TranslationJob request_;
  const SearchSettings settings_;
  const bool target_uses_spaces_;
  const RequestQueue::Reservation reservation_;
  const JobServices* const services_;
  const Nanos started_;

  // Set by Begin, before any segment is out; then constant, except that SearchAgain replaces the plan
  // of a segment that only its caller holds.
  std::vector<ItemPlan> plans_;

  // -1: going on; else a CancelCause, or kEndedOtherwise.
  std::atomic<int> ended_{-1};
  std::atomic<bool> running_{false};

  mutable Mutex mu_;
  std::vector<Item> items_ ABSL_GUARDED_BY(mu_);
  size_t items_remaining_ ABSL_GUARDED_BY(mu_);
  JobTimings timings_ ABSL_GUARDED_BY(mu_);
  int64_t target_tokens_ ABSL_GUARDED_BY(mu_) = 0;
  std::deque<Event> events_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool done_ ABSL_GUARDED_BY(mu_) = false;  // OnDone is in the queue or behind it
  std::shared_ptr<TranslationSink> sink_;   // shared with the caller; let go after OnDone; only the
                                            // drainer touches it
};

}  // namespace dragoman::engine

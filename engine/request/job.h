// A request inside the engine: its items, their segments, and the results so far.
//
// Thread-safe. The engine's table of jobs and the job's segments share the job, because segments
// may exist after the job has ended early. All calls of the sink go through a queue of events. So
// they never overlap, and no lock is held during a call. The thread that adds an event to an idle
// queue makes the calls.
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
  // Return the vocabulary's piece for a token id, for requests that ask for tokens.
  std::function<std::string(int32_t)> source_piece;
  std::function<std::string(int32_t)> target_piece;
  WorkerPool* detokenizers = nullptr;
  const Clock* clock = nullptr;
  SegmentAccounting accounting;
  // Puts a segment into the request queue to be searched again. The caller has already counted it
  // as waiting in the ledger.
  std::function<void(std::unique_ptr<Segment>)> search_again;
  // Called once per job, after OnDone has returned.
  std::function<void(JobId)> on_finished;
};

// The languages of a job as BCP-47 codes, resolved.
struct Languages {
  std::string source;
  std::string target;
};

class Job : public SegmentOwner, public std::enable_shared_from_this<Job> {
 public:
  Job(JobId id, TranslationJob request, const SearchSettings& settings, Languages languages,
      RequestQueue::Reservation reservation, std::shared_ptr<TranslationSink> sink,
      const JobServices* services);

  JobId id() const { return id_; }
  const TranslationJob& request() const { return request_; }
  const SearchSettings& settings() const { return settings_; }
  const RequestQueue::Reservation& reservation() const { return reservation_; }

  // Takes the plans of all items and returns their segments. The caller must count the segments in
  // the ledger (engine/schedule/ledger.h) and queue them. Calls the sink for items without segments
  // at once. REQUIRES: called once.
  std::vector<std::unique_ptr<Segment>> Begin(std::vector<ItemPlan> plans, Nanos tokenize_time);

  // Ends the job early, with the status of `cause`, unless it has ended already. Returns true if
  // this call ended the job.
  bool End(CancelCause cause);
  // Ends the job early with `status`. Returns false and has no effect if End or EndWith was called
  // before.
  bool EndWith(const absl::Status& status);

  // Reports whether a segment of the job is or was in a slot.
  bool running() const { return running_.load(std::memory_order_relaxed); }

  std::optional<CancelCause> abandoned() const override;
  void OnStarted() override { running_.store(true, std::memory_order_relaxed); }
  void OnDeadline() override { End(CancelCause::kDeadline); }
  void OnPartial(const Segment& segment, std::span<const int32_t> tokens) override;
  bool SearchAgain(Segment* segment, std::span<const DecodedHypothesis> found) override;
  void OnDecoded(std::unique_ptr<Segment> segment,
                 std::vector<DecodedHypothesis> hypotheses) override;
  void OnFailed(std::unique_ptr<Segment> segment, const absl::Status& status) override;

 private:
  struct SegmentState {
    std::vector<SegmentHypothesis> hypotheses;
    int64_t tokens = 0;  // number of tokens of the best hypothesis, EOS included
    // the latest tokens that are final, if no task has taken them yet
    std::vector<int32_t> partial;
    std::string shown;  // the text of the latest update that was sent to the sink
    bool partial_queued = false;
    bool done = false;
    // The result of the first search, while the segment is searched again because of Guard::kRetry.
    std::vector<SegmentHypothesis> first;
    int64_t first_tokens = 0;
  };
  struct Item {
    absl::Status status;
    std::vector<SegmentState> segments;
    size_t remaining = 0;
  };

  const SegmentPlan& PlanOf(int item, int segment) const {
    return plans_[static_cast<size_t>(item)].segments[static_cast<size_t>(segment)];
  }
  SegmentPlan& PlanOf(int item, int segment) {
    return plans_[static_cast<size_t>(item)].segments[static_cast<size_t>(segment)];
  }
  SegmentState& StateOf(int item, int segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return items_[static_cast<size_t>(item)].segments[static_cast<size_t>(segment)];
  }
  std::unique_ptr<Segment> MakeSegment(int item, int index);
  // Replaces the segment's plan by the one in the plan's member `next`.
  void GoToPlan(const Segment& segment, std::unique_ptr<SegmentPlan> SegmentPlan::*next);
  // Moves the plan's search into the segment.
  static void TakeSearch(SegmentPlan* plan, Segment* segment);

  // The functions from here to QueueAgain post tasks to the detokenizer pool or run in such tasks.
  void PostPartial(int item, int segment) ABSL_LOCKS_EXCLUDED(mu_);
  void DetokenizePartial(int item, int segment);
  void DetokenizeFinal(std::unique_ptr<Segment> segment, std::vector<DecodedHypothesis> hypotheses);
  SegmentHypothesis ToHypothesis(const SegmentPlan& plan, const DecodedHypothesis& decoded) const;
  // Queues the segment again, with safer options, and keeps the results of the first search.
  void Retry(std::unique_ptr<Segment> segment, std::vector<SegmentHypothesis> first,
             int64_t first_tokens);
  // Queues the segment to be encoded and searched again, with its present plan.
  void QueueAgain(const Segment& segment);
  // Judges the best hypothesis (engine/text/guard.h).
  Suspicion Judge(const Segment& segment, const SegmentHypothesis& best) const;
  // Adds the segment's times from queue to decoding to the sums in timings_.
  void AddTimes(const Segment& segment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AppendUpdate(int item, int segment, const std::string& text, bool final)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Counts a segment of the item as finished. Returns true if it was the last one.
  bool SegmentDone(int item) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Passes the item's result to the sink. REQUIRES: all segments of the item are done.
  void FinishItem(int index) ABSL_LOCKS_EXCLUDED(mu_);

  // The queue of events for the sink. Append and AppendDone add an event. Drain calls the sink with
  // the events in the queue, unless another thread is doing so.
  using Event = std::function<void(TranslationSink&)>;
  void Append(Event event) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AppendDone(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Drain() ABSL_LOCKS_EXCLUDED(mu_);

  const JobId id_;
  const TranslationJob request_;
  const SearchSettings settings_;
  const Languages languages_;
  const RequestQueue::Reservation reservation_;
  const JobServices* const services_;
  const Nanos started_;

  // Set by Begin before any segment is handed out, then constant. The exceptions are GoToPlan
  // and Retry, which change the plan of a segment that only their caller holds.
  std::vector<ItemPlan> plans_;

  // -1 unless the job has ended early. Then a CancelCause, or kEndedOtherwise after EndWith.
  std::atomic<int> ended_{-1};
  std::atomic<bool> running_{false};

  mutable Mutex mu_;
  std::vector<Item> items_ ABSL_GUARDED_BY(mu_);
  size_t items_remaining_ ABSL_GUARDED_BY(mu_);
  JobTimings timings_ ABSL_GUARDED_BY(mu_);
  int64_t target_tokens_ ABSL_GUARDED_BY(mu_) = 0;
  std::deque<Event> events_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool done_ ABSL_GUARDED_BY(mu_) = false;  // OnDone is in the queue or was called
  // Shared with the caller; released after OnDone. Only the thread that drains touches it.
  std::shared_ptr<TranslationSink> sink_;
};

}  // namespace dragoman::engine

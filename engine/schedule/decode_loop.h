// The decode loop of a worker. Each round drops cancelled and expired segments, moves segments from
// the queue of encoded segments into free slots of the batch, makes one decoding step and delivers
// the results.
//
// One thread calls Run. Tests call RunOnce instead. Any thread may call stats().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/batch.h"
#include "engine/schedule/encoded_queue.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/segment_end.h"

namespace dragoman::engine {

class DecodeLoop {
 public:
  // Borrows all arguments. REQUIRES: the batch is empty, and nothing else uses it.
  DecodeLoop(Batch* batch, EncodedQueue* in, const Policy* policy,
             const SegmentAccounting& accounting, const Clock* clock);

  // Runs until the encoder thread has ended and all its segments are decoded; then returns OK.
  // Returns an error if the model or device fails. Then all segments in slots have failed, and the
  // loop must not be used again.
  absl::Status Run();

  // Runs one round without waiting. Returns false if no step was due.
  absl::StatusOr<bool> RunOnce();

  // Gives K/V page memory that was unused for kMemoryPeriod back to the system, at most about
  // `most_bytes`. Returns true if more such memory is left. The loop calls this after each step and
  // while it waits for segments.
  static constexpr Nanos kMemoryPeriod = 15'000'000'000;
  bool GiveBackIdleMemory(int64_t most_bytes);

  struct Stats {
    int rows = 0;  // rows of the step that was reported last; 0 if idle
    int row_capacity = 0;
    int segments = 0;  // segments in slots
    int32_t self_pages_used = 0;
    int64_t resident_page_bytes = 0;  // Batch::resident_page_bytes
    Nanos last_step = 0;
    bool busy = false;  // a step is due
    bool dead = false;
  };
  Stats stats() const;

 private:
  // Waits for segments, and gives idle memory back meanwhile. Returns false if there are none and
  // no more can come.
  bool WaitForWork();
  // Returns the load of the segments in slots.
  Load Live() const;
  int TopUp();
  int Admit(std::unique_ptr<Segment> segment);
  void DropAbandoned();
  void Harvest(const BatchEvent& event);
  // Queues a segment that the batch has released for its next search.
  void Requeue(std::unique_ptr<Segment> segment, CrossPages cross);
  void FailAll(const absl::Status& status);
  std::unique_ptr<Segment> Vacate(int number);
  void Publish(int rows);

  Batch* const batch_;
  EncodedQueue* const in_;
  const Policy* const policy_;
  const SegmentAccounting accounting_;
  const Clock* const clock_;

  std::vector<std::unique_ptr<Segment>> segments_;  // by slot
  std::vector<int> occupied_;                       // slots by age, the oldest first
  Load load_;  // the load of the segments in slots, as if none had lost rows by pruning
  bool refilling_ = false;
  int topped_up_ = 0;  // segments that entered since the last OnStep
  Nanos memory_period_began_;

  std::atomic<int> rows_{0};
  std::atomic<int> live_{0};
  std::atomic<bool> busy_{false};
  std::atomic<int32_t> self_pages_used_{0};
  std::atomic<int64_t> resident_page_bytes_{0};
  std::atomic<Nanos> last_step_{0};
  std::atomic<bool> dead_{false};
};

}  // namespace dragoman::engine

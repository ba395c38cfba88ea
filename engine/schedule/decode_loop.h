// The decode loop of a worker: admit, step, harvest, forever. Between any two steps it drops what
// was cancelled or has expired and tops the batch up from the encoded queue.
//
// Run by one thread (or, in tests, step by step through RunOnce); stats() may be called by any.
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
  // Borrows everything. The batch is empty, and the loop's alone from now on.
  DecodeLoop(Batch* batch, EncodedQueue* in, const Policy* policy,
             const SegmentAccounting& accounting, const Clock* clock);

  // Runs until the encoder has ended and everything it pushed is decoded: OK. An error is the
  // model's: everything in slots has failed with it, and the loop cannot go on.
  absl::Status Run();

  // One round without waiting: top-up, then a step if one is due. False when none was.
  absl::StatusOr<bool> RunOnce();

  // Gives memory of pages that nothing has used for kMemoryPeriod by the clock back to the system,
  // at most `most_bytes` of it at a time. Returns whether some of it is left. Run calls it beside
  // its steps and while there are none.
  static constexpr Nanos kMemoryPeriod = 15'000'000'000;
  bool GiveBackIdleMemory(int64_t most_bytes);

  struct Stats {
    int rows = 0;  // of the step reported last; 0 when idle
    int row_capacity = 0;
    int segments = 0;  // in slots
    int32_t self_pages_used = 0;
    int64_t resident_page_bytes = 0;  // of a batch whose memory comes with use
    Nanos last_step = 0;
    bool busy = false;  // steps are due
    bool dead = false;
  };
  Stats stats() const;

 private:
  // False once the encoder has ended and nothing is left. Gives memory back meanwhile.
  bool WaitForWork();
  // The load of the segments that are in slots now.
  Load Live() const;
  int TopUp();
  int Admit(std::unique_ptr<Segment> segment);
  void DropAbandoned();
  void Harvest(const BatchEvent& event);
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
  Load load_;                                       // of the segments in slots
  bool refilling_ = false;
  int topped_up_ = 0;  // not yet told the observer
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

// The encoder side of a worker: takes windows of the request queue, encodes them without padding
// and hands the segments to the decode loop with their cross-attention K/V in place.
//
// Run by one thread. Borrows everything it is given.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "engine/api/scheduler_options.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"
#include "engine/schedule/encoded_queue.h"
#include "engine/schedule/request_queue.h"
#include "engine/schedule/segment_end.h"

namespace dragoman::engine {

class EncoderWorker {
 public:
  struct Config {
    EncodeWindow window;
    int workers = 1;
    // Take windows whole, and wait with the rest of one where there is no room for it; otherwise
    // wait for room and take what fits.
    bool whole_windows = false;
  };
  EncoderWorker(const Config& config, RequestQueue* queue, Encoder* encoder, KvMemory* memory,
                EncodedQueue* out, const SegmentAccounting& accounting, const Clock* clock);

  // Runs until the request queue is closed and empty, Stop was called, or the encoder has failed.
  // Then `out` has its end of input.
  void Run();

  // Takes no more from the queue: its decode loop is gone. Thread-safe.
  void Stop();

  // Whether the encoder has failed: its worker takes no more segments. Thread-safe; true before
  // `out` has its end of input.
  bool failed() const { return failed_.load(); }

 private:
  // How much to take at a time.
  struct Bounds {
    int64_t segments = 0;
    int64_t tokens = 0;
  };
  // With windows that are not whole: waits for some room, and says how much there is in the queue
  // and in the cross-attention pages.
  Bounds WindowBounds();
  // The next window, in the order in which it is to be handed over; empty once closed and drained.
  std::vector<std::unique_ptr<Segment>> NextWindow();
  // Cross-attention pages for the segment, waited for; none once the memory is closed.
  std::vector<int32_t> TakePages(const Segment& segment);
  // Encodes segments [begin, end) of the window in one pass and pushes them; false when the encoder
  // must stop.
  bool EncodePass(std::vector<std::unique_ptr<Segment>>& window, size_t begin, size_t end);
  int32_t PagesFor(const Segment& segment) const;

  const Config config_;
  RequestQueue* const queue_;
  Encoder* const encoder_;
  KvMemory* const memory_;
  EncodedQueue* const out_;
  const SegmentAccounting accounting_;
  const Clock* const clock_;

  std::atomic<bool> stopped_{false};
  std::atomic<bool> failed_{false};

  // Arrays of the current pass.
  std::vector<int32_t> tokens_, offsets_, page_offsets_, pages_;
};

}  // namespace dragoman::engine

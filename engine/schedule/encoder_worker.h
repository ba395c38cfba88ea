// The encoder side of a worker. Takes windows of segments from the request queue, encodes them
// without padding, and pushes the segments with their cross-attention K/V to the decode loop.
//
// One thread calls Run. Borrows all arguments of the constructor.
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
    // Takes complete windows, even if not all of one has room. False: takes only what has room.
    bool whole_windows = false;
  };
  EncoderWorker(const Config& config, RequestQueue* queue, Encoder* encoder, KvMemory* memory,
                EncodedQueue* out, const SegmentAccounting& accounting, const Clock* clock);

  // Runs until the request queue is closed and empty, Stop was called, or the encoder has failed.
  // Calls out->EndOfInput at the end.
  void Run();

  // Makes Run take no more segments, because the decode loop has ended. Thread-safe.
  void Stop();

  // Reports whether the encoder has failed. Becomes true before out->EndOfInput. Thread-safe.
  bool failed() const { return failed_.load(); }

 private:
  // The most to take at a time.
  struct Bounds {
    int64_t segments = 0;
    int64_t tokens = 0;
  };
  // Returns the bounds of the next window. Without whole_windows, waits for some room in `out` and
  // in the cross-attention pages, and limits the window to that room.
  Bounds WindowBounds();
  // Returns the next window in the order of its handover; empty if the queue is closed and empty.
  std::vector<std::unique_ptr<Segment>> NextWindow();
  // Waits for cross-attention pages for the segment. Returns none if the memory is closed.
  std::vector<int32_t> TakePages(const Segment& segment);
  // Encodes and pushes segments [begin, end) of the window. False: the encoder must stop.
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

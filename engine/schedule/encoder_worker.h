// The work of a worker's encoder thread. Takes windows (groups of segments) from the request queue
// and encodes them without padding. Stores their cross-attention K/V in pages, and pushes the
// segments into the encoded queue.
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
    int workers = 1;  // workers that share the request queue
    // True: takes complete windows, even if the encoded queue has less room. False: takes only as
    // many segments as there is room for.
    bool whole_windows = false;
  };
  EncoderWorker(const Config& config, RequestQueue* queue, Encoder* encoder, KvMemory* memory,
                EncodedQueue* out, const SegmentAccounting& accounting, const Clock* clock);

  // Runs until the request queue is closed and empty, Stop was called, or the encoder has failed.
  // Calls out->EndOfInput at the end.
  void Run();

  // Makes Run end after its current window. Call this when the decode loop has ended. Thread-safe.
  void Stop();

  // Reports whether a pass of the encoder has failed. If so, returns true before Run calls
  // out->EndOfInput. Thread-safe.
  bool failed() const { return failed_.load(); }

 private:
  // The most segments and tokens of a window.
  struct Bounds {
    int64_t segments = 0;
    int64_t tokens = 0;
  };
  // Returns the bounds of the next window. Without whole_windows, waits until the encoded queue has
  // some room and some cross pages are free, and limits the window to them.
  Bounds WindowBounds();
  // Returns the next window, sorted by WindowOrder. Waits for segments. Returns an empty window if
  // the request queue is closed and empty, or Stop was called.
  std::vector<std::unique_ptr<Segment>> NextWindow();
  // Waits until there are cross pages for the segment and takes them. Returns none if the memory is
  // closed.
  std::vector<int32_t> TakePages(const Segment& segment);
  // Encodes and pushes the segments [begin, end) of the window. Returns false if the encoder must
  // stop.
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

  // The input of the current pass (EncodeInput). They are members so that each pass uses their
  // memory again.
  std::vector<int32_t> tokens_, offsets_, page_offsets_, pages_;
};

}  // namespace dragoman::engine

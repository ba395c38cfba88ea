// A worker: an encoder thread, a decode thread, the queue between them and the K/V memory that both
// use. All workers of an engine take segments from one request queue. Workers of one backend share
// its weights.
//
// Methods are thread-safe only if they say so. The destructor joins the threads.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "engine/api/observer.h"
#include "engine/decode/backend.h"
#include "engine/decode/batch.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"
#include "engine/schedule/decode_loop.h"
#include "engine/schedule/encoded_queue.h"
#include "engine/schedule/encoder_worker.h"
#include "engine/schedule/ledger.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/request_queue.h"

namespace dragoman::engine {

struct WorkerConfig {
  BatchConfig batch;
  int threads = 1;  // the most threads for the encoder; the same limit for the decoder
  PagePlan pages;
  int64_t encoded_segments = 256;
  EncodeWindow window;
  int workers = 1;  // workers that share the request queue
};

// The parts of an engine that all its workers share. Borrowed.
struct WorkerShared {
  RequestQueue* queue = nullptr;
  Ledger* ledger = nullptr;
  const Policy* policy = nullptr;
  const Clock* clock = nullptr;
  EngineObserver* observer = nullptr;
};

class Worker {
 public:
  // Creates a worker and starts its threads. Returns RESOURCE_EXHAUSTED if memory cannot be
  // allocated. Throws std::system_error if a thread cannot be started. If the model or the device
  // fails later, the worker stops: its segments fail, and the decode thread calls `on_dead` once.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(const WorkerConfig& config,
                                                        const Backend& backend,
                                                        const WorkerShared& shared,
                                                        std::function<void()> on_dead);
  // Joins the threads. They end when all segments of the request queue are decoded. REQUIRES: the
  // request queue is closed.
  ~Worker();

  // Removes the segments of `owner`, a job that has ended early, from the encoded queue and drops
  // them. The decode loop drops the job's segments in slots. Thread-safe.
  void DropEncoded(const SegmentOwner* owner);

  struct Stats {
    EncodedQueue::Stats encoded;
    DecodeLoop::Stats decode;
    int32_t self_pages = 0;
    int32_t cross_pages = 0;
    int32_t cross_pages_used = 0;
    int64_t kv_bytes = 0;
    int64_t kv_resident_bytes = 0;
    int64_t workspace_bytes = 0;
  };
  Stats stats() const;  // thread-safe

 private:
  // The parts that the backend creates. The batch is destroyed before the memory.
  struct Parts {
    std::unique_ptr<KvMemory> memory;
    std::unique_ptr<Encoder> encoder;
    std::unique_ptr<Batch> batch;
  };
  Worker(const WorkerConfig& config, const WorkerShared& shared, std::function<void()> on_dead,
         Parts parts);
  void DecodeThread();

  const WorkerShared shared_;
  const std::function<void()> on_dead_;
  const Parts parts_;
  EncodedQueue encoded_;
  EncoderWorker encoder_worker_;
  DecodeLoop loop_;
  std::thread encode_thread_;
  std::thread decode_thread_;
};

}  // namespace dragoman::engine

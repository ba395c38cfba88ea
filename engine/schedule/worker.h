// A worker: one encoder thread, one decode loop, the queue between them and the memory they share.
// Several workers of an engine pop one request queue; those of one backend share its weights.
//
// Thread-safe where a method says so. Owns its threads; the destructor joins them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

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
  int threads = 1;  // of the encoder and of the decoder each
  PagePlan pages;
  int64_t encoded_segments = 256;
  EncodeWindow window;
  int workers = 1;  // that share the request queue
};

// The parts of an engine that all its workers share; borrowed.
struct WorkerShared {
  RequestQueue* queue = nullptr;
  Ledger* ledger = nullptr;
  const Policy* policy = nullptr;
  const Clock* clock = nullptr;
  EngineObserver* observer = nullptr;
};

class Worker {
 public:
  // RESOURCE_EXHAUSTED when memory cannot be allocated; std::system_error is thrown when a
  // thread cannot be started.
  // `on_dead` is called once, from the decode thread,
  // if the worker gives up after an error of the model or of its device: what it had fails, and it
  // takes no more from the queue.
  static absl::StatusOr<std::unique_ptr<Worker>> Create(const WorkerConfig& config,
                                                        const Backend& backend,
                                                        const WorkerShared& shared,
                                                        std::function<void()> on_dead);
  // Ends when the request queue is closed and everything is decoded. REQUIRES: it was closed.
  ~Worker();

  // Drops what an abandoned job has waiting here. Its slots are freed by the loop itself.
  // Thread-safe.
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
  // The parts that the backend has made. The batch is destroyed before the memory.
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

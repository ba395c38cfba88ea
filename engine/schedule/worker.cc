#include "engine/schedule/worker.h"
#include "engine/base/thread_name.h"

#include <utility>

namespace dragoman::engine {

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(const WorkerConfig& config,
                                                       const Backend& backend,
                                                       const WorkerShared& shared,
                                                       std::function<void()> on_dead) {
  absl::StatusOr<std::unique_ptr<KvMemory>> memory = backend.CreateKvMemory(config.pages);
  if (!memory.ok()) return memory.status();
  absl::StatusOr<std::unique_ptr<Encoder>> encoder = backend.CreateEncoder(config.threads);
  if (!encoder.ok()) return encoder.status();
  absl::StatusOr<std::unique_ptr<Batch>> batch =
      backend.CreateBatch(config.batch, config.threads, memory->get());
  if (!batch.ok()) return batch.status();
  return std::unique_ptr<Worker>(
      new Worker(config, shared, std::move(on_dead),
                 {std::move(*memory), std::move(*encoder), std::move(*batch)}));
}

Worker::Worker(const WorkerConfig& config, const WorkerShared& shared,
               std::function<void()> on_dead, Parts parts)
    : shared_(shared),
      on_dead_(std::move(on_dead)),
      parts_(std::move(parts)),
      encoded_(config.encoded_segments, shared.clock),
      encoder_worker_({config.window, config.workers, shared.policy->WholeWindows()}, shared.queue,
                      parts_.encoder.get(), parts_.memory.get(), &encoded_,
                      {shared.ledger, shared.observer}, shared.clock),
      loop_(parts_.batch.get(), &encoded_, shared.policy, {shared.ledger, shared.observer},
            shared.clock),
      encode_thread_([this] {
        NameThisThread("encode");
        encoder_worker_.Run();
      }) {
  try {
    decode_thread_ = std::thread([this] { DecodeThread(); });
  } catch (...) {
    encoder_worker_.Stop();
    encode_thread_.join();
    throw;
  }
}

Worker::~Worker() {
  encode_thread_.join();
  decode_thread_.join();
}

void Worker::DecodeThread() {
  NameThisThread("decode");
  const absl::Status status = loop_.Run();
  if (status.ok() && !encoder_worker_.failed()) return;
  shared_.observer->OnError("worker");
  encoder_worker_.Stop();
  parts_.memory->Close();
  for (std::unique_ptr<Segment>& segment : encoded_.Close()) {
    Fail(std::move(segment), WorkerStoppedError(), {shared_.ledger, shared_.observer});
  }
  on_dead_();
}

void Worker::DropEncoded(const SegmentOwner* owner) {
  for (std::unique_ptr<Segment>& segment : encoded_.Remove(owner)) {
    Drop(std::move(segment), Stage::kSlotWait, 0, {shared_.ledger, shared_.observer});
  }
}

Worker::Stats Worker::stats() const {
  const DecodeLoop::Stats decode = loop_.stats();
  return {encoded_.stats(),
          decode,
          parts_.memory->self_pages(),
          parts_.memory->cross_pages(),
          parts_.memory->cross_pages() - parts_.memory->cross_pages_free(),
          parts_.memory->bytes(),
          parts_.memory->is_lazy() ? decode.resident_page_bytes : parts_.memory->bytes(),
          parts_.batch->workspace_bytes() + parts_.encoder->workspace_bytes()};
}

}  // namespace dragoman::engine

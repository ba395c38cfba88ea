#include "engine/schedule/worker.h"

#include <utility>

namespace dragoman {

absl::StatusOr<std::unique_ptr<Worker>> Worker::Create(const WorkerConfig& config,
                                                       const WorkerShared& shared,
                                                       std::function<void()> on_dead) {
  absl::StatusOr<std::unique_ptr<KvMemory>> memory =
      KvMemory::Create(shared.model->kv_layout(), config.self_pages, config.cross_pages);
  if (!memory.ok()) return memory.status();
  return std::unique_ptr<Worker>(
      new Worker(config, shared, std::move(on_dead), std::move(*memory)));
}

Worker::Worker(const WorkerConfig& config, const WorkerShared& shared,
               std::function<void()> on_dead, std::unique_ptr<KvMemory> memory)
    : shared_(shared),
      on_dead_(std::move(on_dead)),
      memory_(std::move(memory)),
      encoded_(config.encoded_segments, shared.clock),
      encoder_(shared.model->CreateEncoder(config.threads)),
      decoder_(shared.model->CreateDecoder(config.threads, config.batch.max_rows)),
      encoder_worker_({config.window, config.workers}, shared.queue, encoder_.get(), memory_.get(),
                      &encoded_, {shared.ledger, shared.observer}, shared.clock),
      loop_(config.batch, memory_.get(), decoder_.get(), &encoded_, shared.policy,
            {shared.ledger, shared.observer}, shared.clock),
      encode_thread_([this] { encoder_worker_.Run(); }),
      decode_thread_([this] { DecodeThread(); }) {}

Worker::~Worker() {
  encode_thread_.join();
  decode_thread_.join();
}

void Worker::DecodeThread() {
  const absl::Status status = loop_.Run();
  if (status.ok()) return;
  shared_.observer->OnError("worker");
  memory_->Close();
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
  return {encoded_.stats(),
          loop_.stats(),
          memory_->self_pages(),
          memory_->cross_pages(),
          memory_->cross_pages() - memory_->cross_pages_free(),
          memory_->bytes()};
}

}  // namespace dragoman

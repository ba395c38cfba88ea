// A decode loop on a scripted model with a vocabulary of 12, which a test runs round by round.
// Token 11, the start token, is never produced.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/decode/decoding_batch.h"
#include "engine/schedule/decode_loop.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/host_device_backend.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"

namespace dragoman::testing {

class LoopHarness {
 public:
  static constexpr int kMaxTokens = 40;

  // `on_device` selects the batch of a device.
  explicit LoopHarness(Script script = RandomScript(12), int max_rows = 24, int self_pages = 512,
                       const engine::SchedulerOptions& options = {},
                       const HostDeviceOptions* on_device = nullptr)
      : policy(options), model(std::move(script)), queue(1000, &clock) {
    memory = *engine::KvMemory::Create(model.kv_layout(), self_pages, 4096);
    engine::BatchConfig config;
    config.max_rows = max_rows;
    config.lanes = options.lanes;
    config.max_positions = 64;
    config.vocabulary = 12;
    if (on_device == nullptr) {
      auto made = std::make_unique<engine::DecodingBatch>(config, memory.get(),
                                                          model.CreateDecoder(1, max_rows));
      batch = made.get();
      running = std::move(made);
    } else {
      auto made = *engine::DeviceBatch::Create(
          CreateHostDevice(model, config, 1, memory.get(), *on_device));
      device_batch = made.get();
      running = std::move(made);
    }
    loop = std::make_unique<engine::DecodeLoop>(
        running.get(), &queue, &policy, engine::SegmentAccounting{&ledger, &observer}, &clock);
    owner = std::make_shared<RecordingOwner>(&ledger);
  }

  void Push(int index, int beam, int seed, int length,
            const std::shared_ptr<RecordingOwner>& who = nullptr, int min_tokens = 0) {
    auto segment = std::make_unique<engine::Segment>();
    segment->owner = who != nullptr ? who : owner;
    segment->index = index;
    segment->source = {seed, length};
    segment->search.beam = beam;
    segment->search.num_alternatives = beam;
    segment->search.max_tokens = kMaxTokens;
    segment->search.min_tokens = min_tokens;
    segment->divisor = engine::LengthDivisors(kMaxTokens, 1.0F);
    segment->forbidden = forbidden;
    segment->wants_partials = index % 2 == 0;
    segment->deadline = deadline;
    segment->priority = priority;
    if (prepare) prepare(*segment);
    segment->cross = EncodeScripted(segment->source, memory.get());
    ledger.Accept(1);
    EXPECT_EQ(queue.Push(std::move(segment)), nullptr);
  }

  void RunDry() {
    for (;;) {
      const absl::StatusOr<bool> stepped = loop->RunOnce();
      ASSERT_TRUE(stepped.ok());
      ASSERT_TRUE(Balanced(ledger.Snapshot()));
      if (!*stepped) break;
    }
  }

  // Lets each segment be searched a second time, with a beam of `beam`.
  void SearchTwice(int beam) {
    owner->search_again = [beam](engine::Segment* segment,
                                 std::span<const engine::DecodedHypothesis>) {
      if (segment->again) return false;
      segment->search.beam = segment->search.num_alternatives = beam;
      return true;
    };
  }

  size_t live() const { return batch->live().size(); }

  FakeClock clock;
  CountingObserver observer;
  engine::Ledger ledger;
  const engine::Policy policy;
  ScriptedModel model;
  std::unique_ptr<engine::KvMemory> memory;
  engine::EncodedQueue queue;
  std::unique_ptr<engine::Batch> running;
  engine::DecodingBatch* batch = nullptr;       // `running` if it is on the host
  engine::DeviceBatch* device_batch = nullptr;  // `running` if it is on a device
  std::unique_ptr<engine::DecodeLoop> loop;
  std::shared_ptr<RecordingOwner> owner;
  const std::shared_ptr<const engine::ForbiddenTable> forbidden =
      std::make_shared<engine::ForbiddenTable>(std::vector<std::vector<int32_t>>{{11}});
  // The deadline of segments pushed after a test sets it.
  engine::Nanos deadline = engine::kNoDeadline;
  engine::Priority priority = engine::Priority::kNormal;
  std::function<void(engine::Segment&)> prepare;
};

inline std::vector<engine::DecodedHypothesis> DecodedAlone(
    int beam, int seed, int length,
    const std::function<void(engine::Segment&)>& prepare = nullptr) {
  LoopHarness harness;
  harness.prepare = prepare;
  harness.Push(0, beam, seed, length);
  harness.RunDry();
  return harness.owner->results().at(0);
}

inline void ExpectSame(const std::vector<engine::DecodedHypothesis>& a,
                       const std::vector<engine::DecodedHypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].tokens, b[i].tokens);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].token_log_probs, b[i].token_log_probs);
  }
}

}  // namespace dragoman::testing

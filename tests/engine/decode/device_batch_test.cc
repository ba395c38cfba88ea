// Tests the host's side of a batch on a device, call by call. The device is a thread whose steps a
// gate holds back. The model is a script with a vocabulary of 12: token 0 is EOS, 11 is never
// produced.
#include "engine/decode/device_batch.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "engine/decode/decoding_batch.h"
#include "engine/decode/phrase_tables.h"
#include "engine/schedule/segment.h"
#include "tests/engine/support/allocations.h"
#include "tests/engine/support/host_device_backend.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/engine/support/scripts.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using testing::HostDeviceOptions;
using testing::HostDeviceTotals;
using testing::HostStepDevice;
using testing::Script;
using testing::ScriptedModel;
using testing::StepGate;

constexpr int kCrossPages = 256;
constexpr int kMaxTokens = 30;

struct Shape {
  int max_rows = 16;
  int lanes = 0;
  int positions = kMaxTokens + 1;
  int self_pages = 512;
};

// A segment with the tables that a batch borrows from it.
struct Case {
  kernels::SearchOptions search;
  std::vector<int32_t> source;
  std::vector<float> divisor;
  ForbiddenTable forbidden;

  kernels::SegmentRules rules() const {
    kernels::SegmentRules rules;
    rules.divisor = divisor.data();
    rules.forbidden = forbidden.automaton();
    return rules;
  }
};

// Makes a segment whose source and logits follow from `seed`. EOS becomes likely at about `length`
// tokens.
Case MakeCase(int beam, int seed, int length, int max_tokens = kMaxTokens) {
  Case c;
  c.search.beam = beam;
  c.search.num_alternatives = beam;
  c.search.max_tokens = max_tokens;
  c.source = {seed, length};
  c.divisor = LengthDivisors(max_tokens, 1.0F);
  c.forbidden = ForbiddenTable(std::vector<std::vector<int32_t>>{{11}});
  return c;
}

// Makes a segment that takes exactly `steps` steps: EOS is masked before step `steps` - 1 and
// certain then.
Case MakeCaseOfSteps(int beam, int seed, int steps) {
  Case c = MakeCase(beam, seed, -1000);
  c.search.min_tokens = steps - 1;
  return c;
}

class DeviceBatchTest : public ::testing::Test {
 protected:
  ~DeviceBatchTest() override {
    gate_.Open();
    batch_.reset();
  }

  void Start(const Shape& shape = {}, HostDeviceOptions options = {}, bool gated = false,
             const Script& script = testing::RandomScript(12)) {
    model_ = std::make_unique<ScriptedModel>(script);
    memory_ = *KvMemory::Create(model_->kv_layout(), shape.self_pages, kCrossPages);
    config_.max_rows = shape.max_rows;
    config_.lanes = shape.lanes;
    config_.max_positions = shape.positions;
    config_.vocabulary = 12;
    options.totals = &totals_;
    if (gated) options.gate = &gate_;
    auto device = testing::CreateHostDevice(*model_, config_, 1, memory_.get(), options);
    device_ = device.get();
    auto batch = ExpectOk(DeviceBatch::Create(std::move(device)));
    batch_ = std::move(*batch);
  }

  int Admit(const Case& c, bool wants_partials = false) {
    EXPECT_TRUE(batch_->HasRoomFor(c.search, c.rules()));
    return batch_->Admit({c.search, c.rules(), static_cast<int32_t>(c.source.size()),
                          testing::EncodeScripted(c.source, memory_.get()), wants_partials});
  }

  // Returns the segment's result on the host, alone in the batch.
  std::vector<DecodedHypothesis> Expected(const Case& c) const {
    const auto memory = *KvMemory::Create(model_->kv_layout(), 512, 1);
    DecodingBatch batch(config_, memory.get(), model_->CreateDecoder(1, config_.max_rows));
    const int slot = batch.Admit({c.search, c.rules(), static_cast<int32_t>(c.source.size()),
                                  testing::EncodeScripted(c.source, memory.get()), false});
    while (batch.status(slot) == kernels::SlotStatus::kRunning) EXPECT_TRUE(batch.Step({}).ok());
    return batch.Result(slot);
  }

  // Steps until the batch is empty. Returns the result of each segment.
  std::map<int, std::vector<DecodedHypothesis>> RunDry() {
    std::map<int, std::vector<DecodedHypothesis>> results;
    while (batch_->busy()) {
      const auto report = ExpectOk(batch_->Step({}));
      if (!report.ok()) break;
      for (const BatchEvent& event : report->events) {
        if (event.kind == BatchEvent::Kind::kSettled) continue;
        EXPECT_EQ(results.count(event.slot), 0U);
        if (event.kind == BatchEvent::Kind::kDone) results[event.slot] = batch_->Result(event.slot);
        batch_->Release(event.slot);
      }
    }
    return results;
  }

  void ExpectAllFree() const {
    const DeviceBatch::Held held = batch_->held();
    EXPECT_EQ(held.slots, 0);
    EXPECT_EQ(held.lanes, 0);
    EXPECT_EQ(held.rules_words, 0);
    EXPECT_EQ(held.materialized_rows, 0);
    EXPECT_EQ(memory_->cross_pages_free(), kCrossPages);
    EXPECT_EQ(batch_->self_pages_used(), 0);
    EXPECT_FALSE(batch_->busy());
  }

  // Destroys the batch and its device. Checks that the device held no pages and slots at the end.
  void ExpectNothingLeftOnTheDevice() {
    gate_.Open();
    batch_.reset();
    EXPECT_EQ(totals_.gone, 1);
    EXPECT_EQ(totals_.pages_left, 0);
    EXPECT_EQ(totals_.slots_left, 0);
  }

  StepGate gate_;
  HostDeviceTotals totals_;
  std::unique_ptr<ScriptedModel> model_;
  std::unique_ptr<KvMemory> memory_;
  BatchConfig config_;
  HostStepDevice* device_ = nullptr;  // owned by batch_
  std::unique_ptr<DeviceBatch> batch_;
};

void ExpectSame(const std::vector<DecodedHypothesis>& a, const std::vector<DecodedHypothesis>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].tokens, b[i].tokens);
    EXPECT_EQ(a[i].token_log_probs, b[i].token_log_probs);
    EXPECT_EQ(a[i].aligned, b[i].aligned);
    EXPECT_EQ(a[i].score, b[i].score);
    EXPECT_EQ(a[i].log_prob, b[i].log_prob);
    EXPECT_EQ(a[i].reason, b[i].reason);
  }
}

TEST_F(DeviceBatchTest, ReportsAStepWhileTheNextOneRuns) {
  Start({}, {}, /*gated=*/true);
  Admit(MakeCaseOfSteps(1, 1, 4));
  // The gate lets no step begin, but the first call does not wait for one.
  auto report = batch_->Step({});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rows, 0);
  EXPECT_EQ(report->slots, 0);
  EXPECT_TRUE(report->events.empty());
  for (int64_t step = 0; step < 4; ++step) {
    gate_.Allow(1);
    report = batch_->Step({});  // waits for step number `step`; the gate holds the next
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(totals_.steps, step + 1);
    EXPECT_EQ(report->rows, 1);
    EXPECT_EQ(report->slots, 1);
    ASSERT_EQ(report->events.size(), step == 3 ? 1U : 0U) << step;
    EXPECT_EQ(batch_->DecodedTokens(0), step + 1);
  }
  EXPECT_EQ(report->events[0].kind, BatchEvent::Kind::kDone);
  EXPECT_EQ(device_->launches().size(), 5U);
}

TEST_F(DeviceBatchTest, GivesWhatTheHostGivesWithEveryKindOfOutput) {
  Start();
  std::map<int, Case> cases;
  for (int i = 0; i < 8; ++i) {
    Case c = MakeCase(1 + i, i, 3 + i * 5 % 20);
    c.search.align = i % 2 == 1;
    if (i == 5) c.search.forced_eos = kernels::ForcedEos::kNone;
    if (i == 6) c.search.repetition_penalty = 1.2F;
    if (i == 7) {
      c.search.sampling.enabled = true;
      c.search.sampling.seed = 9;
    }
    cases[Admit(c)] = c;
  }
  const auto results = RunDry();
  ASSERT_EQ(results.size(), cases.size());
  for (const auto& [slot, c] : cases) {
    SCOPED_TRACE(slot);
    ExpectSame(results.at(slot), Expected(c));
  }
  ExpectAllFree();
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, SettledTokensComeAsTheWholePrefix) {
  Start();
  const Case c = MakeCase(4, 3, 20);
  const int slot = Admit(c, /*wants_partials=*/true);
  const std::vector<int32_t> best = Expected(c).at(0).tokens;
  size_t last = 0;
  int partials = 0;
  while (batch_->busy()) {
    const auto report = batch_->Step({});
    ASSERT_TRUE(report.ok());
    for (const BatchEvent& event : report->events) {
      if (event.kind == BatchEvent::Kind::kSettled) {
        const std::vector<int32_t> settled = batch_->Settled(slot);
        ASSERT_GT(settled.size(), last);
        ASSERT_LE(settled.size(), best.size());
        EXPECT_TRUE(std::equal(settled.begin(), settled.end(), best.begin()));
        last = settled.size();
        ++partials;
      } else {
        batch_->Release(slot);
      }
    }
  }
  EXPECT_GT(partials, 1);
}

TEST_F(DeviceBatchTest, ANanEndsItsSegmentAlone) {
  Start({}, {}, false, [](std::span<const int32_t> source, std::span<const int32_t> prefix) {
    std::vector<float> logits = testing::RandomScript(12)(source, prefix);
    if (source[0] == 1 && prefix.size() == 3) logits[4] = NAN;
    return logits;
  });
  Case bad = MakeCase(4, 1, 20);
  bad.search.min_tokens = 10;
  const Case good = MakeCase(4, 2, 20);
  Admit(bad);
  const int slot = Admit(good);
  const auto results = RunDry();
  ASSERT_EQ(results.size(), 1U);
  ExpectSame(results.at(slot), Expected(good));
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, WhatHasEndedIsFreeAtOnceAndItsNumberWorksAgain) {
  Start({.max_rows = 1, .lanes = 1});
  for (int seed = 0; seed < 5; ++seed) {
    const Case c = MakeCase(1, seed, 6);
    EXPECT_EQ(Admit(c), 0);
    EXPECT_FALSE(batch_->HasRoomFor(c.search, c.rules()));
    const auto results = RunDry();
    ExpectSame(results.at(0), Expected(c));
    ExpectAllFree();  // the device may still run the following step
  }
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, ACancelledSegmentLeavesWithTheNextStep) {
  Start({}, {}, /*gated=*/true);
  const int slot = Admit(MakeCaseOfSteps(4, 1, 20));
  gate_.Allow(3);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(batch_->Step({}).ok());
  // Step 3 has been enqueued and will read the segment's cross pages.
  batch_->Release(slot);
  EXPECT_EQ(batch_->held().slots, 1);
  EXPECT_EQ(memory_->cross_pages_free(), kCrossPages - 1);
  EXPECT_TRUE(batch_->busy());
  gate_.Allow(1);
  const auto report = batch_->Step({});  // cancels, and waits for step 3
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->rows, 4);
  ExpectAllFree();
  // The slot's number can be reused although the gate holds the step that cancels the segment.
  const Case next = MakeCase(2, 5, 8);
  EXPECT_EQ(Admit(next), slot);
  gate_.Open();
  const auto results = RunDry();
  ExpectSame(results.at(slot), Expected(next));
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, ASegmentThatTheDeviceHasNotHeardOfLeavesAtOnce) {
  Start();
  const Case first = MakeCase(3, 1, 9);
  const Case last = MakeCase(2, 3, 7);
  const int kept = Admit(first);
  const int dropped = Admit(MakeCase(8, 2, 9));
  const int also_kept = Admit(last);
  batch_->Release(dropped);
  EXPECT_EQ(batch_->held().slots, 2);
  EXPECT_EQ(batch_->held().lanes, 5);
  const auto results = RunDry();
  ASSERT_EQ(results.size(), 2U);
  ExpectSame(results.at(kept), Expected(first));
  ExpectSame(results.at(also_kept), Expected(last));
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, ExpectedRowsFollowWhatEntersAndLeaves) {
  Start();
  const auto step = [this] { ASSERT_TRUE(batch_->Step({}).ok()); };
  Admit(MakeCaseOfSteps(2, 1, 20));
  const int unheard = Admit(MakeCaseOfSteps(3, 2, 20));
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 3);
  batch_->Release(unheard);
  EXPECT_EQ(batch_->ExpectedRows(), 2);
  step();  // the first step: it reads no output
  EXPECT_EQ(batch_->ExpectedRows(), 2);
  const int unread = Admit(MakeCaseOfSteps(4, 3, 20));
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 4);
  step();
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 4);
  Admit(MakeCaseOfSteps(3, 4, 20));
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 4 + 3);
  batch_->Release(unread);
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 3);
  step();  // reads a step in which the removed segment still ran
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 3);
  for (int i = 0; i < 3; ++i) step();
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 3);
  RunDry();
  EXPECT_EQ(batch_->ExpectedRows(), 0);
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, ASegmentThatWaitsForPagesCanBeCancelled) {
  // Positions 0 .. 30 take one page for each lane, so the two running segments use five of the six
  // pages. A beam of four cannot begin before one of them ends.
  Start({.self_pages = 6});
  const Case oldest = MakeCaseOfSteps(2, 1, 20);
  const Case second = MakeCaseOfSteps(3, 2, 20);
  const Case last = MakeCase(4, 4, 8);
  const int running = Admit(oldest);
  const int also_running = Admit(second);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(batch_->Step({}).ok());
  EXPECT_EQ(batch_->self_pages_used(), 5);
  const int waiting = Admit(MakeCase(4, 3, 8));
  const int behind = Admit(last);
  for (int i = 0; i < 5; ++i) {
    const auto report = batch_->Step({});
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->slots, 2);
  }
  EXPECT_EQ(batch_->ExpectedRows(), 2 + 3 + 4 + 4);
  batch_->Release(waiting);
  const auto results = RunDry();
  EXPECT_GT(totals_.waiting, 0);
  ASSERT_EQ(results.size(), 3U);
  ExpectSame(results.at(running), Expected(oldest));
  ExpectSame(results.at(also_running), Expected(second));
  ExpectSame(results.at(behind), Expected(last));
  ExpectAllFree();
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, AnEndThatWasNotReadYetIsNoEventOfACancelledSegment) {
  Start({}, {}, /*gated=*/true);
  constexpr int kSteps = 5;
  const int slot = Admit(MakeCaseOfSteps(2, 1, kSteps));
  gate_.Allow(kSteps);
  for (int i = 0; i < kSteps; ++i) {
    const auto report = batch_->Step({});
    ASSERT_TRUE(report.ok());
    ASSERT_TRUE(report->events.empty());
  }
  // The segment's last step may have ended already. Its output is not read.
  batch_->Release(slot);
  const auto report = batch_->Step({});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->slots, 1);
  EXPECT_TRUE(report->events.empty());
  ExpectAllFree();
  const Case next = MakeCase(3, 2, 5);
  EXPECT_EQ(Admit(next), slot);
  gate_.Open();
  ExpectSame(RunDry().at(slot), Expected(next));
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, WhatFindsNoRoomInTheOutputComesLater) {
  // 128 results of the same length end in one step. The output has room for 64 and a few more,
  // because it is sized for the largest beam.
  constexpr int kTokens = 12;
  Start({.max_rows = 128, .positions = kTokens + 1});
  std::map<int, Case> cases;
  for (int i = 0; i < 128; ++i) {
    Case c = MakeCase(1, i, 1000, kTokens);
    c.search.min_tokens = kTokens;
    c.search.align = true;
    cases[Admit(c)] = c;
  }
  const auto results = RunDry();
  EXPECT_GT(totals_.undelivered, 0);
  ASSERT_EQ(results.size(), 128U);
  for (const auto& [slot, c] : cases) ExpectSame(results.at(slot), Expected(c));
  ExpectAllFree();
  ExpectNothingLeftOnTheDevice();
}

TEST_F(DeviceBatchTest, RulesThatFindNoRoomWait) {
  Start();
  Case large = MakeCase(1, 1, 6);
  std::vector<std::vector<int32_t>> phrases = {{11}};
  for (int32_t i = 0; i < 1000; ++i) phrases.push_back({1 + i / 100, 1 + i / 10 % 10, 1 + i % 10});
  large.forbidden = ForbiddenTable(phrases);
  int admitted = 0;
  while (batch_->HasRoomFor(large.search, large.rules())) {
    Admit(large);
    ++admitted;
  }
  EXPECT_GT(admitted, 1);
  EXPECT_LT(admitted, 16);
  const Case small = MakeCase(1, 2, 6);
  const int32_t used = batch_->held().rules_words;
  EXPECT_TRUE(batch_->HasRoomFor(small.search, small.rules()));
  RunDry();
  EXPECT_TRUE(batch_->HasRoomFor(large.search, large.rules()));
  EXPECT_GT(used, 0);
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, MaterializedRowsAreBounded) {
  Start({.max_rows = 80});  // at most 64 rows are materialized
  Case sampled = MakeCase(32, 1, 6);
  sampled.search.sampling.enabled = true;
  Case wide = MakeCase(1, 2, 6);
  wide.search.repetition_penalty = 1.5F;
  const Case plain = MakeCase(4, 3, 6);
  const int first = Admit(sampled);
  Admit(sampled);
  EXPECT_EQ(batch_->held().materialized_rows, 64);
  EXPECT_FALSE(batch_->HasRoomFor(wide.search, wide.rules()));
  EXPECT_TRUE(batch_->HasRoomFor(plain.search, plain.rules()));
  ASSERT_TRUE(batch_->Step({}).ok());
  batch_->Release(first);  // the step that admits the next segment removes these rows
  EXPECT_TRUE(batch_->HasRoomFor(wide.search, wide.rules()));
  RunDry();
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, MoreCandidatesThanTheFusedLayerGivesAreMaterialized) {
  HostDeviceOptions options;
  options.fused_candidates = 4;
  Start({.max_rows = 80}, options);
  Admit(MakeCase(3, 1, 6));
  ASSERT_TRUE(batch_->Step({}).ok());
  const Case wide = MakeCase(40, 2, 9);
  const int slot = Admit(wide);
  Case pruned = wide;
  pruned.search.max_candidates = 4;
  EXPECT_TRUE(batch_->HasRoomFor(pruned.search, pruned.rules()));
  EXPECT_FALSE(batch_->HasRoomFor(wide.search, wide.rules())) << "80 of 64 rows";
  ExpectSame(RunDry().at(slot), Expected(wide));
  const auto launches = device_->launches();
  EXPECT_FALSE(launches[0].materialized);
  EXPECT_TRUE(launches[1].materialized);
  EXPECT_EQ(launches[1].max_k, 3);
}

// Only steps with such a segment launch the kernels for alignments.
TEST_F(DeviceBatchTest, AlignmentsAreAnnouncedWhileASegmentAsksForThem) {
  Start({.max_rows = 16});
  Admit(MakeCaseOfSteps(1, 1, 20));
  ASSERT_TRUE(batch_->Step({}).ok());
  Case aligned = MakeCaseOfSteps(2, 2, 4);
  aligned.search.align = true;
  Admit(aligned);
  ASSERT_TRUE(batch_->Step({}).ok());
  RunDry();
  const auto launches = device_->launches();
  EXPECT_FALSE(launches.front().align);
  EXPECT_TRUE(launches[1].align);
  EXPECT_FALSE(launches.back().align);
}

TEST_F(DeviceBatchTest, BucketsHoldWhatIsExpectedAndTheWidestBeam) {
  HostDeviceOptions options;
  options.buckets = {2, 4, 8};
  Start({.max_rows = 16}, options);
  Admit(MakeCaseOfSteps(1, 1, 20));
  ASSERT_TRUE(batch_->Step({}).ok());  // expects 1 row
  Admit(MakeCaseOfSteps(2, 2, 20));
  ASSERT_TRUE(batch_->Step({}).ok());  // 3
  const int wide = Admit(MakeCaseOfSteps(12, 3, 20));
  ASSERT_TRUE(batch_->Step({}).ok());                   // 15
  ASSERT_TRUE(batch_->Step({.width_budget = 4}).ok());  // 4, but one beam has 12 rows
  batch_->Release(wide);
  ASSERT_TRUE(batch_->Step({}).ok());  // 3
  std::vector<int> found;
  for (const auto& launch : device_->launches()) found.push_back(launch.bucket);
  EXPECT_EQ(found, (std::vector<int>{2, 4, 16, 16, 4}));
  RunDry();
}

TEST_F(DeviceBatchTest, AnErrorOfAStepIsTheLastWord) {
  HostDeviceOptions options;
  options.fails_at = 3;
  Start({}, options);
  std::vector<int> slots;
  for (int i = 0; i < 3; ++i) slots.push_back(Admit(MakeCaseOfSteps(2, i, 20)));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(batch_->Step({}).ok()) << i;
  batch_->Release(slots[0]);  // leaves in a step that is never reported
  ASSERT_TRUE(batch_->Step({}).ok());
  EXPECT_EQ(batch_->Step({}).status().code(), absl::StatusCode::kInternal);
  batch_->Release(slots[1]);
  batch_->Release(slots[2]);
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, AStepThatCannotBeEnqueuedIsTheLastWord) {
  HostDeviceOptions options;
  options.refuses = 2;
  Start({}, options);
  const int running = Admit(MakeCaseOfSteps(2, 1, 20));
  const int cancelled = Admit(MakeCaseOfSteps(2, 2, 20));
  ASSERT_TRUE(batch_->Step({}).ok());
  ASSERT_TRUE(batch_->Step({}).ok());
  batch_->Release(cancelled);
  EXPECT_EQ(batch_->Step({}).status().code(), absl::StatusCode::kInternal);
  batch_->Release(running);
  ExpectAllFree();
}

TEST_F(DeviceBatchTest, ADeviceThatIsTooSmallIsRefused) {
  model_ = std::make_unique<ScriptedModel>(testing::RandomScript(12));
  memory_ = *KvMemory::Create(model_->kv_layout(), 64, kCrossPages);
  config_.max_rows = 4;
  config_.max_positions = kMaxTokens + 1;
  config_.vocabulary = 12;
  const auto refused = [this](int32_t HostDeviceOptions::*field) {
    HostDeviceOptions options;
    options.*field = -1;
    return DeviceBatch::Create(
               testing::CreateHostDevice(*model_, config_, 1, memory_.get(), options))
               .status()
               .code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refused(&HostDeviceOptions::rules_words));
  EXPECT_TRUE(refused(&HostDeviceOptions::output_words));
  EXPECT_TRUE(refused(&HostDeviceOptions::command_words));
}

TEST_F(DeviceBatchTest, AStepAllocatesNothing) {
  Start();
  std::vector<int> slots;
  for (int i = 0; i < 3; ++i) slots.push_back(Admit(MakeCaseOfSteps(4, i, 25), true));
  for (int i = 0; i < 12; ++i) {
    if (i == 6) batch_->Release(slots[1]);
    const int64_t before = testing::Allocations();
    ASSERT_TRUE(batch_->Step({}).ok());
    EXPECT_EQ(testing::Allocations() - before, 0) << "step " << i;
  }
  RunDry();
}

}  // namespace
}  // namespace dragoman::engine

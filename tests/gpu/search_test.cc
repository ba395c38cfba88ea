// Whole batches are decided on a GPU. Every segment must give the result that it gives alone on the
// host. Logits are scripted, so that only decisions are compared. Tokens, their order and the steps
// of the batch must be equal. Scores may differ by the rounding of exp and log.
//
// The batch is in page-locked memory, which both host and device can access.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/batch_step_cuda.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/search/batch_harness.h"

namespace dragoman::testing {
namespace {

// Page-locked memory with the same address on host and device. Ends the program if none is
// available.
class PinnedMemory : public std::pmr::memory_resource {
 private:
  void* do_allocate(size_t bytes, size_t /*alignment: 256*/) override {
    kernels::cuda::PinnedBuffer buffer;
    if (buffer.Allocate(static_cast<int64_t>(std::max<size_t>(bytes, 1))) !=
            kernels::cuda::Error::kNone ||
        buffer.host() != buffer.device()) {
      throw std::bad_alloc();
    }
    void* const memory = buffer.host();
    buffers_.emplace(memory, std::move(buffer));
    return memory;
  }
  void do_deallocate(void* memory, size_t, size_t) override { buffers_.erase(memory); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::map<void*, kernels::cuda::PinnedBuffer> buffers_;
};

class CudaRunner : public StepRunner {
 public:
  CudaRunner() { EXPECT_LAUNCHED(stream_.Create(kernels::cuda::StreamPriority::kHigh)); }

  std::pmr::memory_resource* memory() override { return &memory_; }
  void Format(const kernels::BatchTables& tables) override {
    EXPECT_LAUNCHED(kernels::cuda::FormatBatch(stream_.get(), tables));
    EXPECT_LAUNCHED(stream_.Wait());
  }
  void Before(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    EXPECT_LAUNCHED(kernels::cuda::BeginStep(stream_.get(), tables, Mailboxes(mailboxes)));
    EXPECT_LAUNCHED(kernels::cuda::PrepareRows(stream_.get(), tables, tables.limits.max_rows,
                                               kernels::cuda::MaterializedList::kNotFused));
    EXPECT_LAUNCHED(stream_.Wait());
  }
  void After(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    const int64_t rows = tables.limits.max_rows;
    EXPECT_LAUNCHED(kernels::cuda::FoldMaterializedRows(stream_.get(), tables, 0, rows));
    EXPECT_LAUNCHED(kernels::cuda::StepSlots(stream_.get(), tables, rows));
    EXPECT_LAUNCHED(kernels::cuda::Deliver(stream_.get(), tables, Mailboxes(mailboxes), 2));
    EXPECT_LAUNCHED(kernels::cuda::EndStep(stream_.get(), tables, Mailboxes(mailboxes)));
    EXPECT_LAUNCHED(stream_.Wait());
  }

 private:
  static kernels::cuda::StepMailboxes Mailboxes(const kernels::StepMailbox* mailboxes) {
    kernels::cuda::StepMailboxes both;
    std::copy(mailboxes, mailboxes + kernels::kStepMailboxes, both.mailbox);
    return both;
  }

  PinnedMemory memory_;
  kernels::cuda::OwnedStream stream_;
};

constexpr double kTolerance = 1e-5;

bool Near(float a, float b) {
  return a == b || std::abs(double{a} - double{b}) <=
                       kTolerance * std::max(1.0, std::abs(static_cast<double>(b)));
}

bool Same(const HarnessHypothesis& a, const HarnessHypothesis& b) {
  return a.tokens == b.tokens && a.aligned == b.aligned && a.last_token == b.last_token &&
         a.unmet == b.unmet && Near(a.score, b.score) && Near(a.log_prob, b.log_prob) &&
         Near(a.last_log_prob, b.last_log_prob) &&
         std::ranges::equal(a.log_probs, b.log_probs, Near);
}

bool Same(const HarnessResult& a, const HarnessResult& b) {
  return a.bad_number == b.bad_number &&
         std::ranges::equal(a.hypotheses, b.hypotheses,
                            [](const auto& x, const auto& y) { return Same(x, y); });
}

std::vector<std::unique_ptr<HarnessSegment>> Segments(uint64_t first_seed, int count, int pages) {
  std::vector<std::unique_ptr<HarnessSegment>> segments;
  for (uint64_t seed = first_seed; static_cast<int>(segments.size()) < count; ++seed) {
    auto segment = std::make_unique<HarnessSegment>(seed);
    if (segment->WorstPages() <= pages) segments.push_back(std::move(segment));
  }
  return segments;
}

class SearchOnCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = kernels::WhyNoCuda();
    if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
  }

  // Runs one batch on the device and on the host. Expects equality step by step and segment by
  // segment.
  void ExpectAsOnTheHost(const HarnessConfig& config, uint64_t first_seed, int segments) {
    CudaRunner device;
    BatchHarness on_device(config, Segments(first_seed, segments, config.self_pages), &device);
    on_device.Run();
    if (HasFatalFailure()) return;
    OneGroupRunner host(1);
    BatchHarness on_host(config, Segments(first_seed, segments, config.self_pages), &host);
    on_host.Run();
    if (HasFatalFailure()) return;
    EXPECT_TRUE(on_device.steps() == on_host.steps());
    for (size_t i = 0; i < on_device.outcomes().size(); ++i) {
      SCOPED_TRACE(on_device.segments()[i]->ToString());
      const BatchHarness::Outcome& outcome = on_device.outcomes()[i];
      EXPECT_EQ(outcome.settled, on_host.outcomes()[i].settled);
      ASSERT_EQ(outcome.cancelled, on_host.outcomes()[i].cancelled);
      if (outcome.cancelled) {
        ++cancelled_;
        continue;
      }
      ASSERT_TRUE(outcome.ended);
      EXPECT_TRUE(Same(outcome.result, on_device.segments()[i]->Alone()));
      ++ended_;
    }
  }

  int ended_ = 0;
  int cancelled_ = 0;
};

// Small enough to run under a tool that checks every memory access.
TEST_F(SearchOnCuda, SmallBatch) {
  HarnessConfig config;
  config.max_rows = 40;
  config.lanes = 48;
  config.self_pages = 60;
  ExpectAsOnTheHost(config, 0, 10);
  EXPECT_EQ(ended_, 10);
}

TEST_F(SearchOnCuda, SegmentsOfEveryMethodTogether) {
  for (int batch = 0; batch < 8; ++batch) {
    HarnessConfig config;
    config.seed = static_cast<unsigned>(batch);
    config.rules.selection = static_cast<kernels::SlotSelection>(batch % 3);
    config.rules.width_budget = batch % 2 == 0 ? 0 : 12;
    ExpectAsOnTheHost(config, 1000 * static_cast<uint64_t>(batch), 50);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(ended_, 400);
}

TEST_F(SearchOnCuda, CancellationsAndOutputsReadOneStepLate) {
  for (int batch = 0; batch < 4; ++batch) {
    HarnessConfig config;
    config.seed = static_cast<unsigned>(batch);
    config.cancel_percent = 50;
    config.reads_late = true;
    ExpectAsOnTheHost(config, 1000 * static_cast<uint64_t>(batch), 50);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(ended_, 60);
  EXPECT_GT(cancelled_, 20);
}

TEST_F(SearchOnCuda, ShortPagesAndMailboxes) {
  for (int batch = 0; batch < 4; ++batch) {
    HarnessConfig config;
    config.seed = static_cast<unsigned>(batch);
    config.self_pages = 16;
    config.output_capacity = 5200;
    ExpectAsOnTheHost(config, 1000 * static_cast<uint64_t>(batch), 50);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(ended_, 200);
}

}  // namespace
}  // namespace dragoman::testing

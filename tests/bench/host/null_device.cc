#include "tests/bench/host/null_device.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/decode/device_batch.h"
#include "engine/decode/step_device.h"
#include "tests/engine/support/mailbox_memory.h"

namespace dragoman::bench {
namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr kernels::KvLayout kLayout{1, 1, 1};
// Ids that are text in the bundled model's vocabulary.
constexpr int32_t kFirstPiece = 100;
constexpr int32_t kPieces = 2000;

class NullEncoder final : public engine::Encoder {
 public:
  explicit NullEncoder(NullDeviceTotals* totals) : totals_(totals) {}
  absl::Status Encode(const engine::EncodeInput&) override {
    const int64_t now = ThreadCpuNanos();
    if (last_ != 0) totals_->encode += now - last_;
    last_ = now;
    return absl::OkStatus();
  }
  int64_t max_tokens() const override { return 8192; }

 private:
  NullDeviceTotals* const totals_;
  int64_t last_ = 0;
};

class NullDevice final : public engine::StepDevice {
 public:
  NullDevice(const kernels::BatchLimits& limits, const NullDeviceOptions& options)
      : limits_(limits), options_(options), buckets_{limits.max_rows} {
    limits_.materialized_rows = limits.max_rows;
    // Reserves room for the divisors of every slot, as a GPU's planner does.
    limits_.rules_words += limits.max_rows * (limits.positions + 64);
    const engine::DeviceNeeds needs = engine::NeedsOf(limits_);
    const auto rows = static_cast<size_t>(limits.max_rows);
    for (Mailbox& mailbox : mailboxes_) {
      mailbox.Allocate(limits.max_rows, static_cast<size_t>(needs.command_words) + rows * 512,
                       static_cast<size_t>(needs.output_words) + rows * 128);
    }
  }

  const kernels::BatchLimits& limits() const override { return limits_; }
  std::span<const int> buckets() const override { return buckets_; }
  bool IsMaterialized(const kernels::SearchOptions&) const override { return false; }
  const kernels::StepMailbox& mailbox(int index) const override {
    return mailboxes_[index].mailbox;
  }
  int64_t workspace_bytes() const override { return 0; }

  absl::Status Enqueue(const Launch& launch) override {
    const int64_t begun = ThreadCpuNanos();
    if (last_ != 0) options_.totals->decode += begun - last_;
    Mailbox& mailbox = mailboxes_[launch.mailbox];
    Obey(mailbox);
    Advance(mailbox);
    mailbox.ends_at = std::max(steady_clock::now(), busy_until_) + nanoseconds(options_.step_nanos);
    busy_until_ = mailbox.ends_at;
    ++options_.totals->steps;
    last_ = ThreadCpuNanos();
    options_.totals->simulation += last_ - begun;
    return absl::OkStatus();
  }

  absl::Status Wait(int mailbox) override {
    if (options_.step_nanos > 0) std::this_thread::sleep_until(mailboxes_[mailbox].ends_at);
    return absl::OkStatus();
  }

 private:
  struct Mailbox : testing::MailboxMemory {
    steady_clock::time_point ends_at;
  };
  struct Running {
    int32_t slot = 0;
    int32_t beam = 0;
    int32_t length = 0;
    int32_t left = 0;  // remaining steps
  };

  void Obey(const Mailbox& mailbox) {
    for (int32_t i = 0; i < mailbox.command.cancelled; ++i) {
      std::erase_if(running_, [&](const Running& r) { return r.slot == mailbox.cancelled[i]; });
    }
    for (int32_t i = 0; i < mailbox.command.admissions; ++i) {
      const kernels::AdmitCommand& admit = mailbox.admissions[i];
      const int32_t length = std::min(admit.source_length, admit.options.max_tokens);
      running_.push_back({admit.slot, admit.options.beam, length, length});
    }
  }

  void Advance(Mailbox& mailbox) {
    kernels::StepOutput& out = mailbox.output;
    out = kernels::StepOutput{.step = next_step_++};
    int32_t words = 0;
    size_t kept = 0;
    bool full = false;
    for (Running& running : running_) {
      const int32_t rows = running.left == running.length ? 1 : running.beam;
      full = full || out.rows + rows > mailbox.command.max_rows;
      if (full) {
        out.expected_rows += running.beam;
        running_[kept++] = running;
        continue;
      }
      out.rows += rows;
      ++out.slots;
      --running.left;
      const int32_t needed = kernels::HypothesisWords(running.length, false);
      if (running.left > 0 || words + needed > mailbox.mailbox.output_capacity) {
        out.expected_rows += running.beam;
        running_[kept++] = running;
        continue;
      }
      mailbox.deliveries[out.deliveries++] = {running.slot, kernels::DeliveryKind::kDone, 1, words,
                                              needed};
      const kernels::HypothesisHeader header{-1, -1, running.length, 0, -0.1F, 0};
      std::memcpy(&mailbox.output_words[words], &header, sizeof(header));
      words += kernels::HypothesisHeader::kWords;
      for (int32_t i = 0; i < running.length; ++i, ++words) {
        mailbox.output_words[words] = kFirstPiece + (running.slot * 31 + i * 7) % kPieces;
        mailbox.output_words[words + running.length] = kernels::FloatBits(-0.1F);
      }
      words += running.length;
    }
    running_.resize(kept);
    out.running = static_cast<int32_t>(kept);
    options_.totals->rows += out.rows;
  }

  kernels::BatchLimits limits_;
  const NullDeviceOptions options_;
  const std::vector<int> buckets_;
  Mailbox mailboxes_[kernels::kStepMailboxes];
  std::vector<Running> running_;
  steady_clock::time_point busy_until_;
  int64_t next_step_ = 0;
  int64_t last_ = 0;  // processor time of the decode thread when the last step was enqueued
};

class NullBackend final : public engine::Backend {
 public:
  explicit NullBackend(const NullDeviceOptions& options) : options_(options) {}

  const engine::BackendInfo& info() const override { return info_; }
  absl::StatusOr<engine::PagePlan> PlanPages(const engine::PageRequest& request) const override {
    return engine::PlanPagesOf(request,
                               kLayout.ElementsPerPage() * static_cast<int64_t>(sizeof(float)));
  }
  absl::StatusOr<std::unique_ptr<engine::KvMemory>> CreateKvMemory(
      const engine::PagePlan& plan) const override {
    return engine::KvMemory::Create(kLayout, plan.self_pages, plan.cross_pages);
  }
  absl::StatusOr<std::unique_ptr<engine::Encoder>> CreateEncoder(int) const override {
    return std::make_unique<NullEncoder>(options_.totals);
  }
  absl::StatusOr<std::unique_ptr<engine::Batch>> CreateBatch(
      const engine::BatchConfig& config, int, engine::KvMemory* memory) const override {
    return engine::DeviceBatch::Create(
        std::make_unique<NullDevice>(engine::LimitsOf(config, memory->self_pages()), options_));
  }

 private:
  const NullDeviceOptions options_;
  const engine::BackendInfo info_{"null", "", "float32", 0};
};

}  // namespace

std::shared_ptr<const engine::Backend> CreateNullBackend(const NullDeviceOptions& options) {
  return std::make_shared<NullBackend>(options);
}

int64_t ThreadCpuNanos() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace dragoman::bench

// A StepDevice without a device. Its steps run on a separate thread, as those of a stream do, with
// the CPU's model and the device's search code. Only this thread accesses the tables. Mailboxes are
// plain memory, so that ThreadSanitizer detects races on them.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/decode/kv_memory.h"
#include "engine/decode/step_device.h"
#include "engine/decode/step_model.h"
#include "tests/engine/support/command_check.h"
#include "tests/engine/support/mailbox_memory.h"
#include "tests/engine/support/step_gate.h"

namespace dragoman::testing {

// Totals over all destroyed devices.
struct HostDeviceTotals {
  std::atomic<int64_t> steps{0};
  std::atomic<int64_t> undelivered{0};  // finished segments without room in the step's output
  std::atomic<int64_t> waiting{0};      // segments that could not begin in a step
  std::atomic<int64_t> pages_left{0};   // pages in use at destruction
  std::atomic<int64_t> slots_left{0};
  std::atomic<int64_t> gone{0};  // number of destroyed devices
};

struct HostDeviceOptions {
  std::vector<int> buckets;            // ascending, below max_rows, which is always a bucket
  int32_t rules_words = 0;             // in addition to those that are needed
  int32_t output_words = 0;            // the same
  int32_t command_words = 0;           // the same
  int32_t fused_candidates = 16;       // rows that request more are materialized
  int64_t fails_at = -1;               // number of the step that fails as if the model did
  int64_t refuses = -1;                // the step of this number cannot be enqueued
  unsigned seed = 0;                   // of the order in which a step handles the slots
  StepGate* gate = nullptr;            // borrowed; nullptr: every step begins at once
  HostDeviceTotals* totals = nullptr;  // borrowed, or nullptr
  const char* name = "thread";         // as BackendInfo::device
};

class HostStepDevice final : public engine::StepDevice {
 public:
  // Uses `limits` except for the workspaces and rules_words: these are what is needed plus what the
  // options add. Borrows `memory`.
  HostStepDevice(const kernels::BatchLimits& limits, engine::KvMemory* memory,
                 std::unique_ptr<engine::Decoder> decoder, const HostDeviceOptions& options);
  ~HostStepDevice() override;

  const kernels::BatchLimits& limits() const override { return tables_.limits; }
  std::span<const int> buckets() const override { return buckets_; }
  bool IsMaterialized(const kernels::SearchOptions& search) const override {
    return search.materialized_logits() || search.candidates() > options_.fused_candidates;
  }
  const kernels::StepMailbox& mailbox(int index) const override {
    return mailboxes_[index].mailbox;
  }
  int64_t workspace_bytes() const override { return bytes_; }
  absl::Status Enqueue(const Launch& launch) override;
  absl::Status Wait(int mailbox) override;

  // The launches of all steps so far.
  std::vector<Launch> launches() const {
    engine::MutexLock lock(&mu_);
    return launches_;
  }

 private:
  struct FreeBlock {
    void operator()(void* block) const { ::operator delete(block, std::align_val_t(256)); }
  };

  void MakeMailboxes();
  void Run();
  absl::Status RunStep(const Launch& launch);
  absl::Status Prepare(const Launch& launch);
  absl::Status RunModel();
  void Decide(const kernels::StepMailbox& mailbox);
  // Returns 0 .. count - 1 in the order of this step.
  std::span<const int32_t> Shuffled(int32_t count);

  const HostDeviceOptions options_;
  engine::KvMemory* const memory_;
  const std::unique_ptr<engine::Decoder> decoder_;
  std::vector<int> buckets_;
  kernels::BatchTables tables_;
  int64_t bytes_ = 0;
  std::unique_ptr<void, FreeBlock> block_;
  MailboxMemory mailboxes_[kernels::kStepMailboxes];

  // Used only by the thread.
  CommandCheck check_;
  std::vector<float> logits_;  // [materialized_rows, vocabulary]
  std::vector<kernels::AlignRow> align_;
  std::vector<uint16_t> aligned_;
  std::vector<int32_t> order_;
  std::mt19937 random_;

  mutable engine::Mutex mu_;
  engine::CondVar changed_;
  std::vector<Launch> launches_ ABSL_GUARDED_BY(mu_);  // by number
  int64_t through_ ABSL_GUARDED_BY(mu_) = 0;           // number of finished steps
  int64_t failed_ ABSL_GUARDED_BY(mu_) = INT64_MAX;    // number of the step that failed
  absl::Status status_ ABSL_GUARDED_BY(mu_);
  int64_t last_of_mailbox_[kernels::kStepMailboxes] ABSL_GUARDED_BY(mu_) = {-1, -1};
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;  // last, because it uses all of the above
};

}  // namespace dragoman::testing

// Runs the parts of a batch's step (kernels/search/batch_step.h) with one thread, one group of
// threads, or several groups at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <thread>
#include <vector>

#include "kernels/search/batch_step.h"
#include "tests/kernels/search/host_thread_group.h"

namespace dragoman::testing {

class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // Memory for all data that the steps access: the batch's tables, mailboxes, logits.
  virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
  virtual void Format(const kernels::BatchTables& tables) = 0;
  // Runs the step up to the rows' requests.
  virtual void Before(const kernels::BatchTables& tables,
                      const kernels::StepMailbox* mailboxes) = 0;
  // Runs the step from the summaries on.
  virtual void After(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) = 0;
};

inline bool IsMaterialized(const kernels::SearchOptions& o) { return o.materialized_logits(); }

// Runs every part with a group of `size` threads, or with SingleThread if `size` is 1.
class OneGroupRunner : public StepRunner {
 public:
  explicit OneGroupRunner(int size) : size_(size) {}

  void Format(const kernels::BatchTables& tables) override {
    Run([&](const auto& group) { kernels::FormatBatch(group, tables); });
  }
  void Before(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    Run([&](const auto& group) {
      kernels::BeginStep(group, tables, mailboxes[tables.now->step % kernels::kStepMailboxes]);
      for (int32_t row = group.rank(); row < tables.now->plan.rows; row += group.size()) {
        kernels::PrepareStepRow(tables, row);
      }
      group.Sync();
      kernels::ListMaterializedRows(group, tables, IsMaterialized);
    });
  }
  void After(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    Run([&](const auto& group) {
      const kernels::StepMailbox& mailbox = mailboxes[tables.now->step % kernels::kStepMailboxes];
      for (int32_t i = 0; i < tables.now->materialized_count; ++i) {
        kernels::FoldMaterializedStepRow(group, tables, i, tables.materialized_workspaces[0]);
      }
      for (int32_t i = 0; i < tables.now->plan.slot_count; ++i) {
        kernels::StepSlot(group, tables, i, tables.step_workspaces[0]);
      }
      for (int32_t i = 0; i < tables.now->order_count; ++i)
        kernels::Deliver(group, tables, i, mailbox);
      group.Sync();
      kernels::EndStep(group, tables, mailbox);
    });
  }

 private:
  template <class Body>
  void Run(Body body) {
    if (size_ == 1) {
      body(kernels::SingleThread());
    } else {
      RunGroup(size_, body);
    }
  }

  const int size_;
};

// Runs `groups` groups of one thread each, with a workspace each, for parts that have many groups.
class ManyGroupsRunner : public StepRunner {
 public:
  explicit ManyGroupsRunner(int groups) : groups_(groups) {}

  void Format(const kernels::BatchTables& tables) override {
    kernels::FormatBatch(kernels::SingleThread(), tables);
  }
  void Before(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    kernels::BeginStep(kernels::SingleThread(), tables,
                       mailboxes[tables.now->step % kernels::kStepMailboxes]);
    Divide(tables.now->plan.rows, [&](int, int32_t row) { kernels::PrepareStepRow(tables, row); });
    kernels::ListMaterializedRows(kernels::SingleThread(), tables, IsMaterialized);
  }
  void After(const kernels::BatchTables& tables, const kernels::StepMailbox* mailboxes) override {
    const kernels::StepMailbox& mailbox = mailboxes[tables.now->step % kernels::kStepMailboxes];
    Divide(tables.now->materialized_count, [&](int group, int32_t i) {
      kernels::FoldMaterializedStepRow(kernels::SingleThread(), tables, i,
                                       tables.materialized_workspaces[group]);
    });
    Divide(tables.now->plan.slot_count, [&](int group, int32_t i) {
      kernels::StepSlot(kernels::SingleThread(), tables, i, tables.step_workspaces[group]);
    });
    Divide(tables.now->order_count,
           [&](int, int32_t i) { kernels::Deliver(kernels::SingleThread(), tables, i, mailbox); });
    kernels::EndStep(kernels::SingleThread(), tables, mailbox);
  }

 private:
  void Divide(int32_t count, const std::function<void(int group, int32_t i)>& body) const {
    const int running = std::min(groups_, count);
    std::vector<std::thread> groups;
    groups.reserve(static_cast<size_t>(running));
    for (int group = 0; group < running; ++group) {
      groups.emplace_back([&, group] {
        for (int32_t i = group; i < count; i += groups_) body(group, i);
      });
    }
    for (std::thread& group : groups) group.join();
  }

  const int groups_;
};

}  // namespace dragoman::testing

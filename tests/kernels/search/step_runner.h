// Who runs the parts of a batch's step (kernels/search/batch_step.h): one thread, a team of
// threads, several teams at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <thread>
#include <vector>

#include "kernels/search/batch_step.h"
#include "tests/kernels/search/thread_team.h"

namespace dragoman::testing {

class StepRunner {
 public:
  virtual ~StepRunner() = default;
  // Where what the steps see and write must lie: the batch's tables, ports, logits.
  virtual std::pmr::memory_resource* memory() { return std::pmr::get_default_resource(); }
  virtual void Format(const BatchTables& tables) = 0;
  // Up to what the rows ask.
  virtual void Before(const BatchTables& tables, const StepPort* ports) = 0;
  // From the summaries on.
  virtual void After(const BatchTables& tables, const StepPort* ports) = 0;
};

inline bool IsStored(const SearchOptions& o) { return o.stored_logits(); }

// A team of `size`; of one: a SoloTeam.
class OneTeamRunner : public StepRunner {
 public:
  explicit OneTeamRunner(int size) : size_(size) {}

  void Format(const BatchTables& tables) override {
    Run([&](const auto& team) { FormatBatch(team, tables); });
  }
  void Before(const BatchTables& tables, const StepPort* ports) override {
    Run([&](const auto& team) {
      BeginStep(team, tables, ports[tables.now->step % kStepPorts]);
      for (int32_t row = team.rank(); row < tables.now->plan.rows; row += team.size()) {
        PrepareStepRow(tables, row);
      }
      team.Sync();
      ListStoredRows(team, tables, IsStored);
    });
  }
  void After(const BatchTables& tables, const StepPort* ports) override {
    Run([&](const auto& team) {
      const StepPort& port = ports[tables.now->step % kStepPorts];
      for (int32_t i = 0; i < tables.now->stored_count; ++i) {
        FoldStoredStepRow(team, tables, i, tables.stored_workspaces[0]);
      }
      for (int32_t i = 0; i < tables.now->plan.slot_count; ++i) {
        StepSlot(team, tables, i, tables.step_workspaces[0]);
      }
      for (int32_t i = 0; i < tables.now->order_count; ++i) Deliver(team, tables, i, port);
      team.Sync();
      EndStep(team, tables, port);
    });
  }

 private:
  template <class Body>
  void Run(Body body) {
    if (size_ == 1) {
      body(SoloTeam());
    } else {
      RunTeam(size_, body);
    }
  }

  const int size_;
};

// Where a part has many teams, `teams` of one thread each are at work, each with a workspace.
class ManyTeamsRunner : public StepRunner {
 public:
  explicit ManyTeamsRunner(int teams) : teams_(teams) {}

  void Format(const BatchTables& tables) override { FormatBatch(SoloTeam(), tables); }
  void Before(const BatchTables& tables, const StepPort* ports) override {
    BeginStep(SoloTeam(), tables, ports[tables.now->step % kStepPorts]);
    Divide(tables.now->plan.rows, [&](int, int32_t row) { PrepareStepRow(tables, row); });
    ListStoredRows(SoloTeam(), tables, IsStored);
  }
  void After(const BatchTables& tables, const StepPort* ports) override {
    const StepPort& port = ports[tables.now->step % kStepPorts];
    Divide(tables.now->stored_count, [&](int team, int32_t i) {
      FoldStoredStepRow(SoloTeam(), tables, i, tables.stored_workspaces[team]);
    });
    Divide(tables.now->plan.slot_count, [&](int team, int32_t i) {
      StepSlot(SoloTeam(), tables, i, tables.step_workspaces[team]);
    });
    Divide(tables.now->order_count, [&](int, int32_t i) { Deliver(SoloTeam(), tables, i, port); });
    EndStep(SoloTeam(), tables, port);
  }

 private:
  void Divide(int32_t count, const std::function<void(int team, int32_t i)>& body) const {
    const int running = std::min(teams_, count);
    std::vector<std::thread> teams;
    teams.reserve(static_cast<size_t>(running));
    for (int team = 0; team < running; ++team) {
      teams.emplace_back([&, team] {
        for (int32_t i = team; i < count; i += teams_) body(team, i);
      });
    }
    for (std::thread& team : teams) team.join();
  }

  const int teams_;
};

}  // namespace dragoman::testing

// Tests how many workers a machine gets and where they run. The machines are described in files.
#include "server/process/worker_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/process/cpu_topology.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Machine {
  int nodes = 1;
  int caches = 1;   // per node
  int cores = 1;    // per cache
  int threads = 1;  // per core
  int cpus() const { return nodes * caches * cores * threads; }
};

class WorkerPlanTest : public ::testing::Test {
 protected:
  // Numbers the processors as Linux does: the first threads of all cores, then the second ones.
  CpuTopology Read(const Machine& m, std::vector<int> allowed = {}) {
    directory_.Remove("sys");
    const int cores = m.nodes * m.caches * m.cores;
    for (int node = 0; node < m.nodes; ++node) {
      std::vector<int> of_node;
      for (int cpu = 0; cpu < m.cpus(); ++cpu) {
        if (cpu % cores / (m.caches * m.cores) == node) of_node.push_back(cpu);
      }
      Write(absl::StrCat("node/node", node, "/cpulist"), CpuListText(of_node));
    }
    Write("node/possible", "0");
    for (int cpu = 0; cpu < m.cpus(); ++cpu) {
      const std::string at = absl::StrCat("cpu/cpu", cpu);
      const int core = cpu % cores;
      std::vector<int> siblings;
      std::vector<int> sharing;
      for (int other = 0; other < m.cpus(); ++other) {
        if (other % cores == core) siblings.push_back(other);
        if (other % cores / m.cores == core / m.cores) sharing.push_back(other);
      }
      Write(at + "/topology/thread_siblings_list", CpuListText(siblings));
      const auto cache = [&](int index, int level, const char* type, const char* size,
                             const std::vector<int>& shared_by) {
        const std::string file = absl::StrCat(at, "/cache/index", index, "/");
        Write(file + "level", absl::StrCat(level));
        Write(file + "type", type);
        Write(file + "size", size);
        Write(file + "shared_cpu_list", CpuListText(shared_by));
      };
      cache(0, 1, "Data", "48K", siblings);
      cache(1, 1, "Instruction", "64K", siblings);
      cache(2, 2, "Unified", "2048K", siblings);
      cache(3, 3, "Unified", "32768K", sharing);
    }
    if (allowed.empty()) {
      allowed.resize(static_cast<size_t>(m.cpus()));
      std::iota(allowed.begin(), allowed.end(), 0);
    }
    return ReadCpuTopology(directory_.path(), allowed);
  }

  void Write(const std::string& path, const std::string& text) {
    directory_.Write("sys/devices/system/" + path, text + "\n");
  }

  static std::pair<int, int> Plan(int cpus, int per_cache = 0, int workers = 0, int threads = 0) {
    const WorkerPlan plan = PlanWorkers(cpus, per_cache, workers, threads);
    return {plan.workers, plan.threads_per_worker};
  }

  // Returns the places on the whole machine for the workers that `auto` plans.
  static std::vector<engine::WorkerCpus> PlaceAll(const CpuTopology& topology, Pinning pin,
                                                  int quota = 0) {
    const auto all = static_cast<int>(topology.cpus.size());
    const int cpus = quota > 0 ? std::min(quota, all) : all;
    auto places = ExpectOk(PlaceWorkers(topology, {pin, 0, cpus, quota},
                                        PlanWorkers(cpus, topology.PerCache(), 0, 0)));
    return places.ok() ? *std::move(places) : std::vector<engine::WorkerCpus>();
  }

  const TempDirectory directory_;
};

TEST_F(WorkerPlanTest, FillsInWhatIsNotAsked) {
  using P = std::pair<int, int>;
  EXPECT_EQ(Plan(8, 0, 2, 0), P(2, 4));
  EXPECT_EQ(Plan(8, 0, 0, 3), P(2, 3));
  EXPECT_EQ(Plan(2, 0, 5, 0), P(5, 1));
  EXPECT_EQ(Plan(2, 0, 3, 3), P(3, 3));
  EXPECT_GE(CpuBudget(), 1);
  EXPECT_EQ(TextThreads(2, 0), 1);
  EXPECT_EQ(TextThreads(16, 0), 4);
  EXPECT_EQ(TextThreads(16, 2), 2);
}

// The expected sizes are those of the table in server/README.md.
TEST_F(WorkerPlanTest, FollowsTheMachine) {
  using P = std::pair<int, int>;
  EXPECT_EQ(Plan(1), P(1, 1));
  EXPECT_EQ(Plan(2, 2), P(2, 1));
  EXPECT_EQ(Plan(8, 8), P(8, 1));
  EXPECT_EQ(Plan(16, 16), P(16, 1));
  EXPECT_EQ(Plan(32, 32), P(16, 2));
  EXPECT_EQ(Plan(64, 64), P(16, 4));
  EXPECT_EQ(Plan(96, 48), P(16, 6));  // two sockets
  // Twelve caches: with six workers, each would share two caches.
  EXPECT_EQ(Plan(96, 8), P(12, 8));
  EXPECT_EQ(Plan(32, 8), P(16, 2));
  EXPECT_EQ(Plan(64, 3), P(21, 3));  // no four processors share a cache
  EXPECT_EQ(Plan(64, 1), P(16, 4));  // a hypervisor that reports one cache for each processor
  for (int cpus = 1; cpus <= 256; ++cpus) {
    for (const int per_cache : {0, 4, 6, 8, 16, 32, 56}) {
      const auto [workers, threads] = Plan(cpus, per_cache);
      EXPECT_LE(workers * threads, cpus);
      EXPECT_GT(workers * threads, cpus / 2) << cpus << ", " << per_cache;
      EXPECT_TRUE(threads == 1 || cpus > 16) << cpus << ", " << per_cache;
    }
  }
}

TEST_F(WorkerPlanTest, ReadsWhatProcessorsShare) {
  const CpuTopology topology = Read({.nodes = 2, .caches = 2, .cores = 2, .threads = 2});
  ASSERT_THAT(topology.cpus, SizeIs(16));
  EXPECT_THAT(topology.Nodes(), ElementsAre(0, 1));
  EXPECT_EQ(topology.PerCache(), 4);
  EXPECT_EQ(topology.cache_bytes, int64_t{32} << 20);
  // Processor 5 is on the second core of the first cache of node 1.
  const Cpu& sixth = topology.cpus[5];
  EXPECT_EQ(sixth.number, 5);
  EXPECT_EQ(sixth.node, 1);
  EXPECT_EQ(sixth.cache, 4);
  EXPECT_EQ(sixth.core, 5);
  EXPECT_EQ(sixth.sibling, 0);
  EXPECT_EQ(topology.cpus[13].number, 13);
  EXPECT_EQ(topology.cpus[13].core, 5);
  EXPECT_EQ(topology.cpus[13].sibling, 1);
}

TEST_F(WorkerPlanTest, AMachineThatSaysNothingIsOneNode) {
  const CpuTopology topology = ReadCpuTopology("/nowhere", {3, 1});
  ASSERT_THAT(topology.cpus, SizeIs(2));
  EXPECT_EQ(topology.cpus[0].number, 1);
  EXPECT_THAT(topology.Nodes(), ElementsAre(0));
  EXPECT_EQ(topology.PerCache(), 2);
  EXPECT_EQ(topology.cache_bytes, 0);
  // This machine has at least the processor that runs the test.
  EXPECT_THAT(AllowedCpus(), ::testing::Not(IsEmpty()));
}

TEST_F(WorkerPlanTest, ListsOfProcessorsAreReadAndWritten) {
  EXPECT_THAT(ParseCpuList("0-2,8,10-11"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_EQ(CpuListText({11, 10, 8, 2, 1, 0}), "0-2,8,10-11");
  for (const char* bad : {"", "x", "3-1", "1-2-3", "-4", "0-9999999"}) {
    EXPECT_THAT(ParseCpuList(bad), IsEmpty()) << bad;
  }
}

TEST_F(WorkerPlanTest, OneNodeIsLeftToTheSystem) {
  EXPECT_THAT(PlaceAll(Read({.cores = 2}), Pinning::kAuto), IsEmpty());
  EXPECT_THAT(PlaceAll(Read({.caches = 4, .cores = 8}), Pinning::kAuto), IsEmpty());
  EXPECT_THAT(PlaceAll(Read({.nodes = 2, .cores = 48}), Pinning::kOff), IsEmpty());
}

TEST_F(WorkerPlanTest, SeveralNodesHaveTheirWorkers) {
  const std::vector<engine::WorkerCpus> places =
      PlaceAll(Read({.nodes = 2, .cores = 48}), Pinning::kAuto);
  ASSERT_THAT(places, SizeIs(16));
  int of_first = 0;
  for (const engine::WorkerCpus& place : places) {
    of_first += place.node == 0 ? 1 : 0;
    EXPECT_EQ(CpuListText(place.cpus), place.node == 0 ? "0-47" : "48-95");
  }
  EXPECT_EQ(of_first, 8);
}

// A container with a quota of four processors may run on all of them. The system spreads the
// container over both nodes as the load of others allows.
TEST_F(WorkerPlanTest, AQuotaIsNoPlace) {
  const CpuTopology topology = Read({.nodes = 2, .cores = 48});
  EXPECT_THAT(PlaceAll(topology, Pinning::kAuto, 4), IsEmpty());
  const auto refused = PlaceWorkers(topology, {Pinning::kCores, 0, 4, 4}, {4, 1});
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("pin: found cores"), HasSubstr("the time of 4 of 96 processors"),
                    HasSubstr("expected a cpuset")));
  // A quota of all allowed processors limits nothing.
  EXPECT_TRUE(PlaceWorkers(Read({.cores = 4}), {Pinning::kCores, 0, 4, 4}, {4, 1}).ok());
}

TEST_F(WorkerPlanTest, CoresAreEachWorkersOwnAndShareItsCache) {
  const std::vector<Machine> machines = {
      {.cores = 2},
      {.cores = 8},
      {.caches = 4, .cores = 8},
      {.nodes = 2, .cores = 48},
      {.nodes = 2, .caches = 6, .cores = 8},
      {.nodes = 2, .caches = 2, .cores = 8, .threads = 2},
  };
  for (const Machine& machine : machines) {
    const CpuTopology topology = Read(machine);
    const std::vector<engine::WorkerCpus> places = PlaceAll(topology, Pinning::kCores);
    EXPECT_THAT(places, ::testing::Not(IsEmpty()));
    std::set<int> used;
    for (const engine::WorkerCpus& place : places) {
      std::set<int> caches;
      for (const Cpu& cpu : topology.cpus) {
        if (std::count(place.cpus.begin(), place.cpus.end(), cpu.number) == 0) continue;
        EXPECT_EQ(cpu.node, place.node);
        EXPECT_TRUE(used.insert(cpu.number).second) << cpu.number << " is two workers'";
        caches.insert(cpu.cache);
      }
      EXPECT_THAT(caches, SizeIs(1));
    }
    EXPECT_GT(static_cast<int>(used.size()), machine.cpus() / 2);
  }
}

// Half of a machine's hardware threads: one of each core.
TEST_F(WorkerPlanTest, CoresComeBeforeTheirSecondThreads) {
  const CpuTopology topology = Read({.cores = 4, .threads = 2});
  const auto places = PlaceWorkers(topology, {Pinning::kCores, 0, 4, 0}, {4, 1});
  ASSERT_TRUE(places.ok());
  std::set<int> cpus;
  for (const engine::WorkerCpus& place : *places) cpus.insert(place.cpus.begin(), place.cpus.end());
  EXPECT_THAT(cpus, ElementsAre(0, 1, 2, 3));
}

TEST_F(WorkerPlanTest, TheAffinityMaskHolds) {
  // Processors 3 and 5 are on different nodes.
  const CpuTopology topology = Read({.nodes = 2, .cores = 4}, {3, 5});
  const auto places = PlaceWorkers(topology, {Pinning::kCores, 0, 2, 0}, {2, 1});
  ASSERT_TRUE(places.ok());
  EXPECT_THAT((*places)[0].cpus, ElementsAre(3));
  EXPECT_THAT((*places)[1].cpus, ElementsAre(5));
  EXPECT_EQ((*places)[1].node, 1);
  // One worker with two threads would span both nodes.
  const auto refused = PlaceWorkers(topology, {Pinning::kCores, 0, 2, 0}, {1, 2});
  EXPECT_THAT(std::string(refused.status().message()),
              AllOf(HasSubstr("1 workers of 2 threads"), HasSubstr("at most 0 such workers"),
                    HasSubstr("2 of 2 processors"), HasSubstr("(3,5)"), HasSubstr("one node")));
}

TEST_F(WorkerPlanTest, ModelsHaveProcessorsOfTheirOwnOrAreRefused) {
  const CpuTopology topology = Read({.cores = 8});
  const auto first = PlaceWorkers(topology, {Pinning::kCores, 0, 5, 0}, {5, 1});
  const auto second = PlaceWorkers(topology, {Pinning::kCores, 5, 3, 0}, {3, 1});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(second.ok());
  EXPECT_THAT((*first)[4].cpus, ElementsAre(4));
  EXPECT_THAT((*second)[0].cpus, ElementsAre(5));
  // More threads than processors are refused. So is a model that is loaded when all processors are
  // taken.
  EXPECT_THAT(
      std::string(PlaceWorkers(topology, {Pinning::kCores, 0, 9, 0}, {3, 3}).status().message()),
      AllOf(HasSubstr("3 workers of 3 threads"),
            HasSubstr("at most 2 such workers on the 8 of 8")));
  EXPECT_THAT(
      std::string(PlaceWorkers(topology, {Pinning::kCores, 8, 2, 0}, {2, 1}).status().message()),
      HasSubstr("at most 0 such workers on the 0 of 8"));
  // On a machine with nodes, such a late model is not pinned.
  const auto late = PlaceWorkers(Read({.nodes = 2, .cores = 4}), {Pinning::kAuto, 8, 2, 0}, {2, 1});
  ASSERT_TRUE(late.ok());
  EXPECT_THAT(*late, IsEmpty());
}

}  // namespace
}  // namespace dragoman::server

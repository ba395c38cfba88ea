#include "engine/base/fair_turns.h"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <string>

namespace dragoman::engine {
namespace {

// Flows that are named by letters, each with a queue of costs.
class Waiting {
 public:
  void Push(char name, double cost) {
    Flow& flow = flows_[name];
    flow.name = name;
    flow.costs.push_back(cost);
    if (flow.costs.size() > 1) return;
    turns_.Begin(&flow);
    turns_.Enter(&flow, cost);
  }

  // Returns the names of the flows of the next `count` turns.
  std::string Take(int count) {
    std::string names;
    for (int i = 0; i < count; ++i) {
      auto* const flow = static_cast<Flow*>(turns_.Next());
      names += flow->name;
      turns_.Leave(flow);
      turns_.Took(flow);
      flow->costs.pop_front();
      if (!flow->costs.empty()) turns_.Enter(flow, flow->costs.front());
    }
    return names;
  }

 private:
  struct Flow : FairTurns::Flow {
    char name = 0;
    std::deque<double> costs;
  };
  std::map<char, Flow> flows_;
  FairTurns turns_;
};

TEST(FairTurns, FlowsShareWhatIsSpent) {
  Waiting waiting;
  for (int i = 0; i < 6; ++i) waiting.Push('a', 1);
  for (int i = 0; i < 3; ++i) waiting.Push('b', 2);
  EXPECT_EQ(waiting.Take(9), "abaabaaba");
}

TEST(FairTurns, ANewFlowWaitsForNoBacklog) {
  Waiting waiting;
  for (int i = 0; i < 100; ++i) waiting.Push('a', 10);
  EXPECT_EQ(waiting.Take(50), std::string(50, 'a'));
  waiting.Push('b', 1);
  waiting.Push('c', 15);
  EXPECT_EQ(waiting.Take(4), "baca");
}

// A flow earns no credit for the time in which it had nothing queued.
TEST(FairTurns, AFlowThatComesBackIsANewOne) {
  Waiting waiting;
  waiting.Push('b', 1);
  for (int i = 0; i < 100; ++i) waiting.Push('a', 1);
  waiting.Take(80);
  for (int i = 0; i < 4; ++i) waiting.Push('b', 1);
  EXPECT_EQ(waiting.Take(8), "abababab");
}

}  // namespace
}  // namespace dragoman::engine

// Compares random schedule cases with a second, naive simulator of the written rules, and tests
// that cases can fail.
#include "tests/oracle/schedule_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace dragoman::testing {
namespace {

using nlohmann::json;

struct Live {
  int id;
  int length;
};

// Simulates SEARCH.md a.4 line by line. All segments wait from the start.
json SimulateStream(const json& input) {
  const auto lifetimes = input["lifetimes"].get<std::vector<int>>();
  const int64_t n = input["n"];
  const int64_t num = input["eps_num"];
  const int64_t den = input["eps_den"];
  const bool fifo = input["order"] == "fifo";
  size_t next = 0;
  std::vector<Live> live;  // in the order of admission
  json refills = json::array();
  json log = json::array();
  int64_t expansions = 0;
  for (int iteration = 0; next < lifetimes.size() || !live.empty(); ++iteration) {
    if (next < lifetimes.size() && static_cast<int64_t>(live.size()) * den <= num * n) {
      json admitted = json::array();
      while (next < lifetimes.size() && static_cast<int64_t>(live.size()) < n) {
        admitted.push_back(next);
        live.push_back({static_cast<int>(next++), 0});
      }
      if (!admitted.empty()) {
        refills.push_back(
            {{"iteration", iteration}, {"admitted", admitted}, {"live_after", live.size()}});
      }
    }
    int least = INT32_MAX;
    for (const Live& s : live) least = std::min(least, s.length);
    json selected = json::array();
    int longest = 0;
    int64_t width = 0;
    for (Live& s : live) {
      if (!fifo && s.length != least) continue;
      const int w =
          input.contains("widths")
              ? input["widths"][static_cast<size_t>(s.id)][static_cast<size_t>(s.length)].get<int>()
              : 1;
      if (input.contains("width_budget") && !selected.empty() &&
          width + w > input["width_budget"].get<int64_t>()) {
        break;
      }
      width += w;
      selected.push_back(s.id);
      longest = std::max(longest, s.length);
      ++s.length;
    }
    log.push_back({{"iteration", iteration},
                   {"selected", selected},
                   {"max_l", longest},
                   {"expansions", width}});
    expansions += width;
    std::erase_if(live,
                  [&](const Live& s) { return s.length == lifetimes[static_cast<size_t>(s.id)]; });
  }
  return {
      {"timesteps", log.size()}, {"refills", refills}, {"log", log}, {"expansions", expansions}};
}

// Simulates SEARCH.md c. `may_refill` takes the number of live segments.
json SimulateTopUp(const std::vector<int>& lifetimes, size_t n,
                   const std::function<bool(size_t)>& may_refill) {
  size_t next = 0;
  std::vector<int> left;
  json active = json::array();
  json topups = json::array();
  while (next < lifetimes.size() || !left.empty()) {
    if (next < lifetimes.size() && may_refill(left.size())) {
      json admitted = json::array();
      while (next < lifetimes.size() && left.size() < n) {
        admitted.push_back(next);
        left.push_back(lifetimes[next++]);
      }
      if (!admitted.empty()) {
        topups.push_back({{"iteration", active.size()}, {"admitted", admitted}});
      }
    }
    active.push_back(left.size());
    for (int& steps : left) --steps;
    std::erase(left, 0);
  }
  return {{"iterations", active.size()}, {"active_per_iteration", active}, {"topups", topups}};
}

json ExpectedTopUp(const json& input) {
  const auto lifetimes = input["lifetimes"].get<std::vector<int>>();
  const size_t n = input["n"];
  json expected = SimulateTopUp(lifetimes, n, [&](size_t live) {
    return input["rule"] == "half" ? 2 * live <= n : live < n;
  });
  expected["minibatch_iterations"] =
      SimulateTopUp(lifetimes, n, [](size_t live) { return live == 0; })["iterations"];
  return expected;
}

class Cases {
 public:
  explicit Cases(unsigned seed) : random_(seed) {}

  int Below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  json Stream() {
    json input;
    input["n"] = 1 + Below(9);
    input["eps_den"] = 1 + Below(12);
    input["eps_num"] = Below(input["eps_den"].get<int>() + 1);
    input["order"] = Below(2) == 0 ? "min" : "fifo";
    input["lifetimes"] = Lifetimes();
    if (Below(2) == 0) {
      const int widest = 1 + Below(5);
      json widths = json::array();
      for (const json& life : input["lifetimes"]) {
        json steps = {1};
        while (steps.size() < life.get<size_t>()) steps.push_back(1 + Below(widest));
        widths.push_back(steps);
      }
      input["widths"] = widths;
    }
    if (Below(3) > 0) input["width_budget"] = 1 + Below(12);
    return {{"kind", "stream_schedule"}, {"input", input}, {"expected", SimulateStream(input)}};
  }

  json TopUp() {
    json input;
    input["n"] = 1 + Below(9);
    input["rule"] = Below(2) == 0 ? "half" : "any";
    input["lifetimes"] = Lifetimes();
    return {{"kind", "topup_schedule"}, {"input", input}, {"expected", ExpectedTopUp(input)}};
  }

 private:
  json Lifetimes() {
    const int longest = 1 + Below(std::vector<int>{4, 12, 40}[static_cast<size_t>(Below(3))]);
    json lifetimes = json::array();
    for (int count = 1 + Below(30); count > 0; --count) lifetimes.push_back(1 + Below(longest));
    return lifetimes;
  }

  std::mt19937 random_;
};

TEST(ScheduleCases, TwoThousandStreamsGoAsTheRulesAreWritten) {
  Cases cases(1);
  for (int i = 0; i < 2000; ++i) {
    const json test_case = cases.Stream();
    const absl::Status status = RunScheduleCase(test_case);
    ASSERT_TRUE(status.ok()) << status << "\n" << test_case["input"];
  }
}

TEST(ScheduleCases, AThousandTopUpsGoAsTheRulesAreWritten) {
  Cases cases(2);
  for (int i = 0; i < 1000; ++i) {
    const json test_case = cases.TopUp();
    const absl::Status status = RunScheduleCase(test_case);
    ASSERT_TRUE(status.ok()) << status << "\n" << test_case["input"];
  }
}

// A schedule written by hand, with three slots that are refilled when at most one segment is live.
TEST(ScheduleCases, AStreamWrittenByHand) {
  json test_case = json::parse(R"({
    "kind": "stream_schedule",
    "input": {"n": 3, "eps_num": 1, "eps_den": 3, "lifetimes": [1, 3, 1, 2], "order": "min"},
    "expected": {
      "timesteps": 5,
      "refills": [{"iteration": 0, "admitted": [0, 1, 2], "live_after": 3},
                  {"iteration": 1, "admitted": [3], "live_after": 2}],
      "log": [{"iteration": 0, "selected": [2, 1, 0], "max_l": 0, "expansions": 3},
              {"iteration": 1, "selected": [3], "max_l": 0, "expansions": 1},
              {"iteration": 2, "selected": [1, 3], "max_l": 1, "expansions": 2},
              {"iteration": 3, "selected": [1], "max_l": 2, "expansions": 1}],
      "expansions": 7}})");
  // The schedule has four steps, not five.
  EXPECT_EQ(RunScheduleCase(test_case).message(), "timesteps: expected 5, found 4");
  test_case["expected"]["timesteps"] = 4;
  EXPECT_TRUE(RunScheduleCase(test_case).ok()) << RunScheduleCase(test_case);
}

// Checks that a case fails if any number of its expectation is one higher, or any list is one
// shorter.
void ExpectEveryNumberCounts(const json& test_case) {
  ASSERT_TRUE(RunScheduleCase(test_case).ok());
  const json flat = test_case["expected"].flatten();
  for (const auto& [path, value] : flat.items()) {
    if (!value.is_number()) continue;
    json wrong = test_case;
    wrong["expected"][json::json_pointer(path)] = value.get<int>() + 1;
    EXPECT_EQ(RunScheduleCase(wrong).code(), absl::StatusCode::kInternal) << path;
  }
  for (const auto& [key, value] : test_case["expected"].items()) {
    if (!value.is_array()) continue;
    json wrong = test_case;
    wrong["expected"][key].erase(value.size() - 1);
    EXPECT_EQ(RunScheduleCase(wrong).code(), absl::StatusCode::kInternal) << key;
  }
}

TEST(ScheduleCases, EveryNumberOfAnExpectationCounts) {
  Cases cases(3);
  for (int i = 0; i < 3; ++i) ExpectEveryNumberCounts(cases.Stream());
  for (int i = 0; i < 3; ++i) ExpectEveryNumberCounts(cases.TopUp());
}

TEST(ScheduleCases, WhatIsNoCaseIsRefusedWithTheReason) {
  Cases cases(5);
  const auto refused = [](const json& test_case, const char* reason) {
    const absl::Status status = RunScheduleCase(test_case);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << reason;
    EXPECT_NE(status.message().find(reason), std::string::npos) << status;
  };
  const json good = cases.Stream();
  const auto with = [&good](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return changed;
  };
  refused(json::array(), "cannot be read");
  refused(with("/kind", "var_beam"), "var_beam");
  refused(with("/expected", json::object()), "expects nothing");
  refused(with("/expected/seconds", 3), "seconds");
  refused(with("/input/order", "best"), "best");
  refused(with("/input/n", 0), "n is 0");
  refused(with("/input/n", "four"), "cannot be read");
  refused(with("/input/lifetimes/0", 0), "lifetime");
  refused(with("/input/widths", json::array()), "equally many");
  json widths = json::array();
  for (const json& life : good["input"]["lifetimes"]) {
    widths.push_back(std::vector<int>(life.get<size_t>(), 1));
  }
  widths[0][0] = 2;
  refused(with("/input/widths", widths), "one hypothesis to begin with");
}

}  // namespace
}  // namespace dragoman::testing

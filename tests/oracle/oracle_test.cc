// Tests of the oracle cases on the production code and on the reference decoders, and that reading
// and comparing cases detects errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"
#include "tests/support/expect_ok.h"

namespace dragoman::oracle {
namespace {

using ::testing::HasSubstr;

std::vector<OracleCase> ReadAll(const std::string& directory) {
  std::vector<OracleCase> cases;
  const auto files = ExpectOk(CaseFiles(directory));
  for (const std::string& path : files.value_or(std::vector<std::string>())) {
    const auto c = ParseCase(ReadFile(path).value_or(""));
    EXPECT_TRUE(c.ok()) << path << ": " << c.status();
    if (c.ok()) cases.push_back(*c);
  }
  return cases;
}

std::vector<OracleCase> OwnCases() { return ReadAll(DRAGOMAN_SOURCE_DIR "/tests/oracle/cases"); }

// Runs the cases on the production code, and on the reference decoders, with which other tests
// compare the production code.
class OracleCases : public ::testing::TestWithParam<bool> {
 protected:
  SearchBackend& backend() {
    if (GetParam()) return production_;
    return reference_;
  }
  // The reference decoders have no scheduler.
  bool Runs(const OracleCase& c) const { return GetParam() || !c.kind.ends_with("_schedule"); }
  void ExpectAllPass(const std::vector<OracleCase>& cases) {
    for (const OracleCase& c : cases) {
      if (!Runs(c)) continue;
      const absl::Status status = RunCase(c, backend(), {.compare_traces = true});
      EXPECT_TRUE(status.ok()) << c.id << ": " << status.message();
    }
  }

 private:
  ProductionBackend production_;
  ReferenceBackend reference_;
};

TEST_P(OracleCases, OfTheProjectPass) {
  const std::vector<OracleCase> cases = OwnCases();
  std::set<std::string> kinds;
  for (const OracleCase& c : cases) kinds.insert(c.kind);
  EXPECT_EQ(kinds.size(), 18U);  // all kinds
  ExpectAllPass(cases);
}

// Runs the cases of the directory that DRAGOMAN_ORACLES names.
TEST_P(OracleCases, OfDragomanOraclesPass) {
  const char* const directory = std::getenv("DRAGOMAN_ORACLES");
  if (directory == nullptr) GTEST_SKIP() << "DRAGOMAN_ORACLES names no directory of cases";
  const std::vector<OracleCase> cases = ReadAll(directory);
  EXPECT_FALSE(cases.empty());
  ExpectAllPass(cases);
}

std::string BackendName(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Production" : "Reference";
}
INSTANTIATE_TEST_SUITE_P(Backends, OracleCases, ::testing::Bool(), BackendName);

// A rule of the search, and a change that removes the rule from a case. A changed case must fail.
struct Rule {
  const char* name;
  std::function<void(OracleCase&)> take_out;
};

// Returns a change that sets fields of the input or of its rows, where a case has them.
std::function<void(OracleCase&)> Setting(std::vector<std::pair<const char*, Json>> fields) {
  return [fields = std::move(fields)](OracleCase& c) {
    const auto set = [&fields](Json& object) {
      for (const auto& [name, value] : fields) {
        if (object.contains(name)) object[name] = value;
      }
    };
    set(c.input);
    if (c.input.contains("rows"))
      std::for_each(c.input["rows"].begin(), c.input["rows"].end(), set);
  };
}
std::function<void(OracleCase&)> Exchanging(const char* name, const char* a, const char* b) {
  return [=](OracleCase& c) {
    if (c.input.contains(name)) c.input[name] = c.input[name] == a ? b : a;
  };
}
std::function<void(OracleCase&)> Of(const char* kind, std::function<void(Json&)> change) {
  return [kind, change = std::move(change)](OracleCase& c) {
    if (c.kind == kind) change(c.input);
  };
}

std::vector<Rule> Rules() {
  const Json none = Json::array();
  return {
      {"absolute threshold", Setting({{"delta", "inf"}})},
      {"relative threshold", Setting({{"relative_threshold", nullptr}})},
      {"limit of children", Setting({{"max_candidates", nullptr}})},
      {"costs of a forced EOS", Exchanging("forced_eos", "model", "zero")},
      {"least length", Setting({{"min_len", 0}})},
      {"n-gram blocking", Setting({{"no_repeat_ngram", 0}})},
      {"forced prefix", Setting({{"forced_prefix", none}})},
      {"forbidden phrases", Setting({{"avoid", none}})},
      {"length norm", Setting({{"length_alpha", 0}, {"length_penalty", 0}, {"alpha", 0}})},
      {"allocation", Exchanging("allocation", "banks", "stripe")},
      {"banks of stripes", Of("stripe_select",
                              [](Json& input) {
                                for (Json& candidate : input["candidates"]) candidate["bank"] = 0;
                              })},
      {"pruning of constrained beams", Setting({{"prune", "inf"}})},
      {"last phrase", Of("dba",
                         [](Json& input) {
                           Json& phrases = input["phrases"];
                           if (phrases.size() > 1) phrases.erase(phrases.size() - 1);
                         })},
      {"softmax smoothing", Setting({{"softmax_smoothing", 1}})},
      {"EOS penalty", Setting({{"eos_penalty", 1}})},
      {"forbidden tokens in the sum", Of("fused_output",
                                         [](Json& input) {
                                           for (Json& row : input["rows"]) {
                                             for (const Json& id : row["forbid"]) {
                                               row["bias"][id.get<size_t>()] = "-inf";
                                             }
                                           }
                                         })},
      {"unwinding",
       [](OracleCase& c) {
         if (c.kind != "constraint_state") return;
         for (size_t row = 0; row < c.expected.size(); ++row) {
           Json& tokens = c.input["rows"][row]["tokens"];
           for (size_t i = 0; i < tokens.size(); ++i) {
             const Json& allowed = c.expected[row][i]["allowed"];
             // Replaces a token that makes no progress by one that begins nothing.
             if (std::find(allowed.begin(), allowed.end(), tokens[i]) == allowed.end()) {
               tokens[i] = 1'000'000;
             }
           }
         }
       }},
      {"old tokens in n-grams", Of("no_repeat_ngram",
                                   [](Json& input) {
                                     for (Json& row : input["rows"]) {
                                       const int n = row["n"];
                                       Json& history = row["history"];
                                       while (n > 0 &&
                                              history.size() > 2 * static_cast<size_t>(n) - 1) {
                                         history.erase(0);
                                       }
                                     }
                                   })},
      {"gathering of the cache's table", Of("cache_indirection",
                                            [](Json& input) {
                                              for (Json& step : input["parents"]) {
                                                std::iota(step.begin(), step.end(), 0);
                                              }
                                            })},
      {"order of selection", Exchanging("order", "min", "fifo")},
      {"a refill at the threshold itself", Of("stream_schedule",
                                              [](Json& input) {
                                                const int64_t twice = 2 * input["n"].get<int64_t>();
                                                input["eps_num"] =
                                                    twice * input["eps_num"].get<int64_t>() - 1;
                                                input["eps_den"] =
                                                    twice * input["eps_den"].get<int64_t>();
                                              })},
      {"width budget", Setting({{"width_budget", nullptr}})},
      {"rule of topping up", Exchanging("rule", "half", "any")},
  };
}

TEST(OwnCases, NoticeEveryRuleThatIsTakenOut) {
  ProductionBackend production;
  const std::vector<OracleCase> cases = OwnCases();
  for (const Rule& rule : Rules()) {
    int failed = 0;
    for (OracleCase c : cases) {
      rule.take_out(c);
      const absl::Status status = RunCase(c, production);
      EXPECT_NE(status.code(), absl::StatusCode::kInvalidArgument) << rule.name << ": " << status;
      failed += status.ok() ? 0 : 1;
    }
    EXPECT_GT(failed, 0) << rule.name;
  }
}

OracleCase OwnCase(const std::string& id) {
  for (OracleCase& c : OwnCases()) {
    if (c.id == id) return c;
  }
  ADD_FAILURE() << "no case " << id;
  return {};
}

std::string MessageOf(const OracleCase& c) {
  ReferenceBackend backend;
  return std::string(RunCase(c, backend).message());
}

TEST(RunCase, SaysWhichFieldDiffersAndWhereTheSearchWentApart) {
  OracleCase c = OwnCase("var_delta");
  c.expected["steps"] = 99;
  c.expected["nbest"][1]["logprob"] = -1.5;
  EXPECT_THAT(MessageOf(c), HasSubstr("nbest[1].logprob is -"));
  EXPECT_THAT(MessageOf(c), HasSubstr(", expected -1.5"));
  EXPECT_THAT(MessageOf(c), HasSubstr("steps is 3, expected 99"));
  c.expected["trace"][0]["beam"][0]["tokens"] = {1, 1};
  EXPECT_THAT(MessageOf(c), HasSubstr("beam after step 1 is {"));
}

TEST(RunCase, ComparesWithinTheTolerance) {
  OracleCase c = OwnCase("online_softmax");
  const double lse = c.expected["lse"].get<double>();
  c.tolerance = 1e-3;
  c.expected["lse"] = lse + 9e-4;
  EXPECT_EQ(MessageOf(c), "");
  c.expected["lse"] = lse - 11e-4;
  EXPECT_THAT(MessageOf(c), HasSubstr("lse is "));
}

}  // namespace
}  // namespace dragoman::oracle

// The oracle cases on the production code and on the reference decoders; and that reading and
// comparing them notices what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "tests/oracle/broken_backend.h"
#include "tests/oracle/oracle_case.h"
#include "tests/oracle/production_backend.h"
#include "tests/oracle/reference_backend.h"

namespace dragoman::oracle {
namespace {

using ::testing::HasSubstr;

std::vector<OracleCase> ReadAll(const std::string& directory) {
  std::vector<OracleCase> cases;
  const auto files = CaseFiles(directory);
  EXPECT_TRUE(files.ok()) << files.status();
  for (const std::string& path : files.value_or(std::vector<std::string>())) {
    const auto c = ParseCase(ReadFile(path).value_or(""));
    EXPECT_TRUE(c.ok()) << path << ": " << c.status();
    if (c.ok()) cases.push_back(*c);
  }
  return cases;
}

std::vector<OracleCase> OwnCases() { return ReadAll(DRAGOMAN_SOURCE_DIR "/tests/oracle/cases"); }

// The production code is what is tested; the reference decoders are what it is compared with
// elsewhere.
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
  EXPECT_EQ(kinds.size(), 18U);  // every kind there is
  ExpectAllPass(cases);
}

// The directory of cases that DRAGOMAN_ORACLES names.
TEST_P(OracleCases, OfDragomanOraclesPass) {
  const char* const directory = std::getenv("DRAGOMAN_ORACLES");
  if (directory == nullptr) GTEST_SKIP() << "DRAGOMAN_ORACLES names no directory of cases";
  const std::vector<OracleCase> cases = ReadAll(directory);
  EXPECT_FALSE(cases.empty());
  ExpectAllPass(cases);
}

TEST_P(OracleCases, NoticeEveryBrokenRule) {
  const std::vector<OracleCase> cases = OwnCases();
  for (const BrokenRule rule : AllBrokenRules()) {
    if (!GetParam() && rule >= BrokenRule::kOtherOrder) continue;  // of schedulers
    BrokenBackend broken(rule, &backend());
    int failed = 0;
    for (const OracleCase& c : cases) failed += Runs(c) && !RunCase(c, broken).ok() ? 1 : 0;
    EXPECT_GT(failed, 0) << Name(rule);
  }
}

std::string BackendName(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Production" : "Reference";
}
INSTANTIATE_TEST_SUITE_P(Backends, OracleCases, ::testing::Bool(), BackendName);

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

TEST(RunCase, RefusesWhatItDoesNotKnow) {
  OracleCase c = OwnCase("var_delta");
  c.input["new_option"] = 1;
  EXPECT_EQ(MessageOf(c), "input.new_option: unknown field");
  c = OwnCase("var_delta");
  c.kind = "crystal_ball";
  EXPECT_EQ(MessageOf(c), "unknown kind 'crystal_ball'");
  c = OwnCase("var_delta");
  c.input["k"] = "three";
  EXPECT_EQ(MessageOf(c), "input.k: expected an integer, 1 to 1000000");
  c = OwnCase("var_delta");
  c.input["model"]["start"] = {0.5, 0.5};
  EXPECT_THAT(MessageOf(c), HasSubstr("input.model.start"));
  c = OwnCase("var_delta");
  c.expected.erase("nbest");
  EXPECT_EQ(MessageOf(c), "expected.nbest: missing");
}

TEST(ParseCase, NamesWhatIsMissing) {
  EXPECT_EQ(ParseCase("{").status().message(), "not JSON");
  EXPECT_EQ(ParseCase("[]").status().message(), "case: expected an object");
  EXPECT_EQ(ParseCase(R"({"id": "x", "kind": "dba"})").status().message(), "case.input: missing");
}

TEST(CaseFiles, OfNoDirectoryAreNotFound) {
  EXPECT_EQ(CaseFiles("/nonexistent").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dragoman::oracle

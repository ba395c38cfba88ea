#include "tests/oracle/compare_search.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/oracle/differences.h"
#include "tests/oracle/search_input.h"

namespace dragoman::oracle {
namespace {

std::string BeamText(const std::vector<Hypothesis>& beam) {
  std::vector<std::string> items;
  items.reserve(beam.size());
  for (const Hypothesis& h : beam) {
    items.push_back(
        absl::StrCat(ToText(h.tokens), h.finished ? " ended " : " ", ToText(h.log_prob)));
  }
  std::sort(items.begin(), items.end());
  return absl::StrCat("{", absl::StrJoin(items, ", "), "}");
}

// Returns the beam after each step of the case. A step is a list, or an object with a list `beam`.
// Returns no beams if the trace has another form.
std::vector<std::vector<Hypothesis>> ReadTrace(const Json& trace) {
  std::vector<std::vector<Hypothesis>> beams;
  if (!trace.is_array()) return {};
  for (const Json& step : trace) {
    const Json& beam = step.is_object() && step.contains("beam") ? step["beam"] : step;
    if (!beam.is_array()) return {};
    std::vector<Hypothesis> hypotheses;
    for (const Json& item : beam) {
      Fields fields(item, "trace");
      Hypothesis h;
      h.tokens = fields.Ids("tokens", kMaxVocabulary);
      h.log_prob = fields.Real(fields.Has("raw") ? "raw" : "logprob");
      h.finished = fields.Bool("finished");
      h.bank = static_cast<int32_t>(fields.IntOr("bank", 0, 0, kMaxLen));
      if (!fields.status().ok()) return {};
      hypotheses.push_back(h);
    }
    beams.push_back(hypotheses);
  }
  return beams;
}

bool SameBeam(std::vector<Hypothesis> a, std::vector<Hypothesis> b, double tolerance) {
  const auto by_content = [](const Hypothesis& x, const Hypothesis& y) {
    return std::tie(x.finished, x.tokens) < std::tie(y.finished, y.tokens);
  };
  std::sort(a.begin(), a.end(), by_content);
  std::sort(b.begin(), b.end(), by_content);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
    return x.tokens == y.tokens && x.finished == y.finished && x.bank == y.bank &&
           std::fabs(x.log_prob - y.log_prob) <= tolerance;
  });
}

// Reports the first step after which the beams differ as sets, if both sides have beams.
void CompareTraces(const OracleCase& c, const SearchOutcome& found, Differences& differences) {
  const auto expected = c.expected.contains("trace") ? ReadTrace(c.expected["trace"])
                                                     : std::vector<std::vector<Hypothesis>>();
  if (expected.empty() || found.trace.empty()) return;
  for (size_t i = 0; i < std::max(expected.size(), found.trace.size()); ++i) {
    const auto none = std::vector<Hypothesis>();
    const auto& a = i < found.trace.size() ? found.trace[i] : none;
    const auto& b = i < expected.size() ? expected[i] : none;
    if (SameBeam(a, b, c.tolerance)) continue;
    differences.Say(
        absl::StrCat("beam after step ", i + 1, " is ", BeamText(a), ", expected ", BeamText(b)));
    return;
  }
}

void CompareHypothesis(const std::string& where, const Hypothesis& found, const Json& json,
                       Differences& differences) {
  Fields fields(json, where);
  differences.Ids(where + ".tokens", found.tokens, fields.Ids("tokens", kMaxVocabulary));
  if (fields.Has("logprob")) {
    differences.Real(where + ".logprob", found.log_prob, fields.Real("logprob"));
  }
  if (fields.Has("nll_normalised")) {
    differences.Real(where + ".nll_normalised", -found.score, fields.Real("nll_normalised"));
  } else {
    differences.Real(where + ".score", found.score, fields.Real("score"));
  }
  if (fields.Has("finished")) {
    differences.Boolean(where + ".finished", found.finished, fields.Bool("finished"));
  }
  if (absl::Status status = fields.status(); !status.ok()) {
    differences.Say(std::string(status.message()));
  }
}

}  // namespace

absl::Status CompareSearch(const OracleCase& c, const absl::StatusOr<SearchOutcome>& outcome,
                           const RunOptions& options) {
  if (!outcome.ok()) return outcome.status();
  Differences differences(c.tolerance);
  Fields expected(c.expected, "expected");
  if (expected.Has("best")) {
    if (outcome->nbest.empty()) {
      differences.Say("there is no output, expected one");
    } else {
      CompareHypothesis("best", outcome->nbest.front(), expected.Any("best"), differences);
    }
  } else {
    const std::vector<Json> nbest = expected.Objects("nbest");
    differences.Integer("length of nbest", static_cast<int64_t>(outcome->nbest.size()),
                        static_cast<int64_t>(nbest.size()));
    for (size_t i = 0; i < std::min(nbest.size(), outcome->nbest.size()); ++i) {
      CompareHypothesis(absl::StrCat("nbest[", i, "]"), outcome->nbest[i], nbest[i], differences);
    }
    differences.Integer("steps", outcome->steps, expected.Int("steps", 0, kMaxLen));
  }
  if (expected.Has("expansions")) {
    differences.Integer("expansions", outcome->expansions,
                        expected.Int("expansions", 0, INT64_MAX));
  }
  if (expected.Has("noop_expansions")) {
    differences.Integer("noop_expansions", outcome->noop_expansions,
                        expected.Int("noop_expansions", 0, INT64_MAX));
  }
  if (expected.Has("constraints_met")) {
    differences.Boolean("constraints_met", outcome->constraints_met,
                        expected.Bool("constraints_met"));
  }
  expected.Has("trace");
  if (absl::Status status = expected.status(); !status.ok()) return status;
  if (options.compare_traces || !differences.none()) CompareTraces(c, *outcome, differences);
  return differences.status();
}

}  // namespace dragoman::oracle

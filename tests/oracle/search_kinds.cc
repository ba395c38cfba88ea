// The kinds of case that run a whole search: var_beam, immediate_beam, dba, dba_exhaustive,
// batch_beam.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/oracle/differences.h"
#include "tests/oracle/oracle_case.h"

namespace dragoman::oracle {
namespace {

constexpr int64_t kMaxVocabulary = 1'000'000;
constexpr int64_t kMaxBeam = 1'000'000;
constexpr int64_t kMaxLen = 1'000'000;

std::vector<double> LogOf(const std::vector<double>& probabilities) {
  std::vector<double> logs;
  logs.reserve(probabilities.size());
  for (const double p : probabilities) logs.push_back(std::log(p));
  return logs;
}

// The rows of `next` or `override`, their keys as lists of tokens.
std::map<Tokens, std::vector<double>> ReadRows(Fields& model, const char* name,
                                               int32_t vocabulary) {
  std::map<Tokens, std::vector<double>> rows;
  if (!model.Has(name)) return rows;
  const Json& object = model.Any(name);
  if (!object.is_object()) {
    model.Fail(name, "expected an object");
    return rows;
  }
  Fields fields(object, name);
  for (const auto& [key, value] : object.items()) {
    Tokens tokens;
    const std::vector<std::string> words = absl::StrSplit(key, ' ', absl::SkipEmpty());
    for (const std::string& word : words) {
      int32_t token = -1;
      if (!absl::SimpleAtoi(word, &token) || token < 0 || token >= vocabulary) {
        model.Fail(name, absl::StrCat("key '", key, "' is no list of token ids"));
      }
      tokens.push_back(token);
    }
    rows[tokens] = fields.Reals(key);
    if (rows[tokens].size() != static_cast<size_t>(vocabulary)) {
      model.Fail(name, absl::StrCat("row '", key, "' is not of the vocabulary's size"));
    }
  }
  if (absl::Status status = fields.status(); !status.ok()) {
    model.Fail(name, std::string(status.message()));
  }
  return rows;
}

CaseModel ReadModel(Fields& input) {
  Fields fields(input.Any("model"), "input.model");
  CaseModel model;
  model.vocabulary = static_cast<int32_t>(fields.Int("vocab_size", 1, kMaxVocabulary));
  model.eos = static_cast<int32_t>(fields.Int("eos", 0, model.vocabulary - 1));
  model.start = fields.Reals("start");
  if (model.start.size() != static_cast<size_t>(model.vocabulary)) {
    fields.Fail("start", "not of the vocabulary's size");
  }
  for (const auto& [key, row] : ReadRows(fields, "next", model.vocabulary)) {
    if (key.size() != 1) {
      fields.Fail("next", "a key is not one token");
      continue;
    }
    model.next[key[0]] = row;
  }
  model.whole_prefix = ReadRows(fields, "override", model.vocabulary);
  if (absl::Status status = fields.status(); !status.ok()) {
    input.Fail("model", std::string(status.message()));
  }
  return model;
}

// The fields that every kind of search may have; `beam` and `max_len` are called as the kind does.
void ReadSearch(Fields& input, SearchCase& c) {
  c.model = ReadModel(input);
  const int64_t last = c.model.vocabulary - 1;
  c.beam = static_cast<int32_t>(input.Int(input.Has("k") ? "k" : "beam", 1, kMaxBeam));
  c.max_len = static_cast<int32_t>(
      input.Int(input.Has("decode_max_len") ? "decode_max_len" : "max_len", 0, kMaxLen));
  c.min_len = static_cast<int32_t>(input.IntOr("min_len", 0, 0, kMaxLen));
  c.no_repeat_ngram = static_cast<int32_t>(input.IntOr("no_repeat_ngram", 0, 0, kMaxLen));
  c.forced_prefix = input.IdsOr("forced_prefix", last);
  c.avoid = input.IdRowsOr("avoid", last);
  if (!input.Has("forced_eos")) return;
  const std::map<std::string, CaseForcedEos> names = {{"model", CaseForcedEos::kModel},
                                                      {"zero", CaseForcedEos::kZero},
                                                      {"none", CaseForcedEos::kNone}};
  const auto named = names.find(input.Text("forced_eos"));
  if (named == names.end()) {
    input.Fail("forced_eos", "expected model, zero or none");
  } else {
    c.forced_eos = named->second;
  }
}

std::string BeamText(std::vector<Hypothesis> beam) {
  std::vector<std::string> items;
  items.reserve(beam.size());
  for (const Hypothesis& h : beam) {
    items.push_back(
        absl::StrCat(ToText(h.tokens), h.finished ? " ended " : " ", ToText(h.log_prob)));
  }
  std::sort(items.begin(), items.end());
  return absl::StrCat("{", absl::StrJoin(items, ", "), "}");
}

// The beams of the case: after each step a list, or an object with one. Where it is of another form
// there are none.
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

// Where the beams go apart, as sets. Nothing where either side has none.
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

absl::Status Compare(const OracleCase& c, const absl::StatusOr<SearchOutcome>& outcome,
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

absl::Status RunVarBeam(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  Fields input(c.input, "input");
  VarBeamCase v;
  ReadSearch(input, v);
  v.length_alpha = input.RealOr("length_alpha", 1);
  v.delta = input.RealOr("delta", v.delta);
  if (input.Has("max_candidates")) {
    v.max_candidates = static_cast<int32_t>(input.Int("max_candidates", 1, kMaxVocabulary));
  }
  if (input.Has("relative_threshold")) v.relative_threshold = input.Real("relative_threshold");
  if (absl::Status status = input.status(); !status.ok()) return status;
  return Compare(c, backend.VarBeam(v), options);
}

absl::Status RunImmediate(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  Fields input(c.input, "input");
  SearchCase s;
  ReadSearch(input, s);
  s.length_alpha = input.RealOr("length_alpha", 1);
  if (absl::Status status = input.status(); !status.ok()) return status;
  return Compare(c, backend.ImmediateBeam(s), options);
}

// Both kinds: an exhaustive case is one that a beam wide enough must find the optimum of.
absl::Status RunDba(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  Fields input(c.input, "input");
  DbaCase d;
  ReadSearch(input, d);
  d.length_alpha = input.RealOr("length_alpha", 1);
  d.phrases = input.IdRows("phrases", d.model.vocabulary - 1);
  for (const Tokens& phrase : d.phrases) {
    if (phrase.empty()) input.Fail("phrases", "one of them is empty");
  }
  d.prune = input.RealOr("prune", d.prune);
  const std::string allocation = input.TextOr("allocation", "stripe");
  d.stripe = allocation == "stripe";
  if (!d.stripe && allocation != "banks") input.Fail("allocation", "expected banks or stripe");
  if (absl::Status status = input.status(); !status.ok()) return status;
  return Compare(c, backend.Dba(d), options);
}

absl::Status RunBatchBeam(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  Fields input(c.input, "input");
  BatchBeamCase b;
  b.forced_eos = CaseForcedEos::kNone;
  ReadSearch(input, b);
  b.nbest = static_cast<int32_t>(input.Int("nbest", 1, b.beam));
  b.softmax_smoothing = input.RealOr("softmax_smoothing", 1);
  b.length_alpha = input.RealOr("length_penalty", 0);
  b.eos_penalty = input.RealOr("eos_penalty", 1);
  if (absl::Status status = input.status(); !status.ok()) return status;
  return Compare(c, backend.BatchBeam(b), options);
}

}  // namespace

std::vector<double> CaseModel::LogProbs(std::span<const int32_t> prefix) const {
  if (const auto it = whole_prefix.find(Tokens(prefix.begin(), prefix.end()));
      it != whole_prefix.end()) {
    return LogOf(it->second);
  }
  if (prefix.empty()) return LogOf(start);
  const auto it = next.find(prefix.back());
  if (it == next.end()) {
    return std::vector<double>(static_cast<size_t>(vocabulary),
                               -std::numeric_limits<double>::infinity());
  }
  return LogOf(it->second);
}

void AddSearchKinds(KindTable& table) {
  table["var_beam"] = RunVarBeam;
  table["immediate_beam"] = RunImmediate;
  table["dba"] = RunDba;
  table["dba_exhaustive"] = RunDba;
  table["batch_beam"] = RunBatchBeam;
}

}  // namespace dragoman::oracle

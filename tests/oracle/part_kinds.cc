// The kinds of case that ask for one part of a decoder: length norms, the output layer, constraint
// states, allocation and bans.
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/oracle/differences.h"
#include "tests/oracle/oracle_case.h"

namespace dragoman::oracle {
namespace {

constexpr int64_t kMaxId = 1'000'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The rows of the input and the same number of expected rows.
struct Rows {
  std::vector<Json> inputs;
  std::vector<Json> expected;
};

absl::StatusOr<Rows> ReadRows(Fields& input, const Json& expected) {
  Rows rows;
  rows.inputs = input.Objects("rows");
  if (!expected.is_array() || expected.size() != rows.inputs.size()) {
    input.Fail("rows", "not as many as are expected");
  }
  if (absl::Status status = input.status(); !status.ok()) return status;
  rows.expected.assign(expected.begin(), expected.end());
  return rows;
}

std::string RowName(const char* what, size_t row) { return absl::StrCat(what, "[", row, "]"); }

// Returns an object with `value` as its field, so that Fields can read the value.
Json Wrapped(const Json& value) { return Json{{"value", value}}; }

absl::Status RunLengthNorm(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  Fields expected(c.expected, "expected");
  const std::vector<Json> rows = input.Objects("rows");
  std::vector<double> by_length;
  std::vector<double> gnmt;
  for (size_t i = 0; i < rows.size(); ++i) {
    Fields row(rows[i], RowName("input.rows", i));
    const double log_prob = row.Real("logprob");
    const auto tokens = static_cast<int32_t>(row.Int("real_tokens", 0, kMaxId));
    const double alpha = row.Real("alpha");
    if (absl::Status status = row.status(); !status.ok()) return status;
    const auto found = backend.LengthNorm(log_prob, tokens, alpha);
    if (!found.ok()) return found.status();
    by_length.push_back(found->divide_by_len);
    gnmt.push_back(found->gnmt);
  }
  Differences differences(c.tolerance);
  differences.Reals("divide_by_len", by_length, expected.Reals("divide_by_len"));
  differences.Reals("gnmt", gnmt, expected.Reals("gnmt"));
  if (absl::Status status = input.status(); !status.ok()) return status;
  if (absl::Status status = expected.status(); !status.ok()) return status;
  return differences.status();
}

absl::Status RunFusedOutput(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto rows = ReadRows(input, c.expected);
  if (!rows.ok()) return rows.status();
  Differences differences(c.tolerance);
  for (size_t i = 0; i < rows->inputs.size(); ++i) {
    Fields row(rows->inputs[i], RowName("input.rows", i));
    FusedRow r;
    r.logits = row.Reals("logits");
    r.bias = row.Reals("bias");
    if (r.logits.empty() || r.bias.size() != r.logits.size()) {
      row.Fail("bias", "not of the same size as logits");
    }
    for (const auto& values : {r.logits, r.bias}) {
      if (std::count(values.begin(), values.end(), kInfinity) > 0) {
        row.Fail("logits, bias", "a value is infinite");
      }
    }
    r.n = static_cast<int32_t>(row.Int("n", 1, kMaxId));
    r.forbid = row.IdsOr("forbid", static_cast<int64_t>(r.logits.size()) - 1);
    if (absl::Status status = row.status(); !status.ok()) return status;
    const auto found = backend.FusedOutput(r);
    if (!found.ok()) return found.status();
    Tokens found_tokens;
    std::vector<double> found_log_probs;
    for (const auto& [token, log_prob] : found->nbest) {
      found_tokens.push_back(token);
      found_log_probs.push_back(log_prob);
    }
    const std::string where = RowName("expected", i);
    Fields expected(rows->expected[i], where);
    differences.Real(where + ".lse", found->lse, expected.Real("lse"));
    Tokens tokens;
    std::vector<double> log_probs;
    for (const Json& item : expected.Objects("nbest")) {
      Fields fields(item, where + ".nbest");
      tokens.push_back(static_cast<int32_t>(fields.Int("token", 0, kMaxId)));
      log_probs.push_back(fields.Real("logprob"));
      if (absl::Status status = fields.status(); !status.ok()) return status;
    }
    differences.Ids(where + ".nbest tokens", found_tokens, tokens);
    differences.Reals(where + ".nbest logprobs", found_log_probs, log_probs);
    if (absl::Status status = expected.status(); !status.ok()) return status;
  }
  return differences.status();
}

absl::Status RunOnlineSoftmax(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  Fields expected(c.expected, "expected");
  std::vector<std::pair<double, double>> parts;
  for (const auto& part : input.RealRows("parts")) {
    if (part.size() != 2) {
      input.Fail("parts", "expected pairs of a maximum and a sum");
      break;
    }
    if (part[0] == kInfinity) input.Fail("parts", "a maximum is infinite");
    parts.emplace_back(part[0], part[1]);
  }
  const double lse = expected.Real("lse");
  if (absl::Status status = input.status(); !status.ok()) return status;
  if (absl::Status status = expected.status(); !status.ok()) return status;
  const auto found = backend.OnlineSoftmax(parts);
  if (!found.ok()) return found.status();
  Differences differences(c.tolerance);
  differences.Real("lse", *found, lse);
  return differences.status();
}

absl::Status CompareStates(const std::vector<ConstraintView>& found, const Json& expected_row,
                           size_t row, Differences& differences) {
  const Json wrapped = Wrapped(expected_row);
  Fields list(wrapped, RowName("expected", row));
  const std::vector<Json> expected = list.Objects("value");
  if (absl::Status status = list.status(); !status.ok()) return status;
  differences.Integer(absl::StrCat("length of ", RowName("expected", row)),
                      static_cast<int64_t>(found.size()), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    Fields state(expected[i], RowName("expected", row));
    const std::string where =
        absl::StrCat(RowName("row", row), " after ", ToText(state.Ids("after", kMaxId)));
    differences.Integer(where + ": bank", found[i].bank, state.Int("bank", 0, kMaxId));
    differences.Boolean(where + ": finished", found[i].finished, state.Bool("finished"));
    differences.Ids(where + ": allowed", found[i].allowed, state.Ids("allowed", kMaxId));
    if (absl::Status status = state.status(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RunConstraintState(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto rows = ReadRows(input, c.expected);
  if (!rows.ok()) return rows.status();
  Differences differences(c.tolerance);
  for (size_t i = 0; i < rows->inputs.size(); ++i) {
    Fields row(rows->inputs[i], RowName("input.rows", i));
    const std::vector<Tokens> phrases = row.IdRows("phrases", kMaxId);
    for (const Tokens& phrase : phrases) {
      if (phrase.empty()) row.Fail("phrases", "one of them is empty");
    }
    const Tokens tokens = row.Ids("tokens", kMaxId);
    if (absl::Status status = row.status(); !status.ok()) return status;
    const auto found = backend.ConstraintStates(phrases, tokens);
    if (!found.ok()) return found.status();
    if (absl::Status status = CompareStates(*found, rows->expected[i], i, differences);
        !status.ok()) {
      return status;
    }
  }
  return differences.status();
}

absl::Status RunBankAllocation(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto rows = ReadRows(input, c.expected);
  if (!rows.ok()) return rows.status();
  Differences differences(c.tolerance);
  for (size_t i = 0; i < rows->inputs.size(); ++i) {
    Fields row(rows->inputs[i], RowName("input.rows", i));
    const auto k = static_cast<int32_t>(row.Int("k", 1, kMaxId));
    const auto tokens = static_cast<int32_t>(row.Int("num_constraint_tokens", 0, kMaxId));
    const Tokens counts = row.Ids("candidate_counts", kMaxId);
    if (counts.size() != static_cast<size_t>(tokens) + 1) {
      row.Fail("candidate_counts", "not one for each bank");
    }
    const Json wrapped = Wrapped(rows->expected[i]);
    Fields expected(wrapped, RowName("expected", i));
    const Tokens slots = expected.Ids("value", kMaxId);
    if (absl::Status status = row.status(); !status.ok()) return status;
    if (absl::Status status = expected.status(); !status.ok()) return status;
    const auto found = backend.BankAllocation(k, tokens, counts);
    if (!found.ok()) return found.status();
    differences.Ids(RowName("expected", i), *found, slots);
  }
  return differences.status();
}

absl::Status RunStripeSelect(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto k = static_cast<int32_t>(input.Int("k", 1, kMaxId));
  std::vector<StripeCandidate> candidates;
  for (const Json& item : input.Objects("candidates")) {
    Fields fields(item, "input.candidates");
    StripeCandidate candidate;
    candidate.bank = static_cast<int32_t>(fields.Int("bank", 0, kMaxId));
    candidate.score = fields.Real("score");
    candidate.id = static_cast<int32_t>(fields.Int("id", 0, kMaxId));
    if (absl::Status status = fields.status(); !status.ok()) return status;
    candidates.push_back(candidate);
  }
  const Json wrapped = Wrapped(c.expected);
  Fields expected(wrapped, "expected");
  const Tokens ids = expected.Ids("value", kMaxId);
  if (absl::Status status = input.status(); !status.ok()) return status;
  if (absl::Status status = expected.status(); !status.ok()) return status;
  const auto found = backend.StripeSelect(k, candidates);
  if (!found.ok()) return found.status();
  Differences differences(c.tolerance);
  differences.Ids("expected", *found, ids);
  return differences.status();
}

// Returns the banned tokens after a history, for avoid_forbidden and no_repeat_ngram.
using BanFunction = std::function<absl::StatusOr<Tokens>(Fields& row, const Tokens& history)>;

absl::Status RunBans(const OracleCase& c, Fields& input, int64_t max_id, const BanFunction& bans) {
  const auto rows = ReadRows(input, c.expected);
  if (!rows.ok()) return rows.status();
  Differences differences(c.tolerance);
  for (size_t i = 0; i < rows->inputs.size(); ++i) {
    Fields row(rows->inputs[i], RowName("input.rows", i));
    const Tokens history = row.Ids("history", max_id);
    const auto found = bans(row, history);
    if (absl::Status status = row.status(); !status.ok()) return status;
    if (!found.ok()) return found.status();
    const Json wrapped = Wrapped(rows->expected[i]);
    Fields expected(wrapped, RowName("expected", i));
    differences.Ids(RowName("expected", i), *found, expected.Ids("value", kMaxId));
    if (absl::Status status = expected.status(); !status.ok()) return status;
  }
  return differences.status();
}

absl::Status RunAvoidForbidden(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto vocabulary = static_cast<int32_t>(input.Int("vocab_size", 1, kMaxId));
  return RunBans(c, input, vocabulary - 1,
                 [&](Fields& row, const Tokens& history) -> absl::StatusOr<Tokens> {
                   const std::vector<Tokens> avoid = row.IdRows("avoid", vocabulary - 1);
                   if (absl::Status status = row.status(); !status.ok()) return status;
                   return backend.AvoidForbidden(avoid, history, vocabulary);
                 });
}

absl::Status RunNoRepeatNgram(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  return RunBans(c, input, kMaxId,
                 [&](Fields& row, const Tokens& history) -> absl::StatusOr<Tokens> {
                   const auto n = static_cast<int32_t>(row.Int("n", -kMaxId, kMaxId));
                   if (absl::Status status = row.status(); !status.ok()) return status;
                   return backend.NoRepeatNgram(history, n);
                 });
}

}  // namespace

void AddPartKinds(KindTable& table) {
  table["length_norm"] = RunLengthNorm;
  table["fused_output"] = RunFusedOutput;
  table["online_softmax"] = RunOnlineSoftmax;
  table["constraint_state"] = RunConstraintState;
  table["bank_allocation"] = RunBankAllocation;
  table["stripe_select"] = RunStripeSelect;
  table["avoid_forbidden"] = RunAvoidForbidden;
  table["no_repeat_ngram"] = RunNoRepeatNgram;
}

}  // namespace dragoman::oracle

// The kinds of case about caches and attention: cache_indirection, cross_attention,
// split_attention.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/oracle/differences.h"
#include "tests/oracle/oracle_case.h"

namespace dragoman::oracle {
namespace {

constexpr int64_t kLargestBeam = 100'000;

absl::Status RunCacheIndirection(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  const auto beam = static_cast<int32_t>(input.Int("beam", 1, kLargestBeam));
  const std::vector<Tokens> parents = input.IdRows("parents", beam - 1);
  for (const Tokens& step : parents) {
    if (step.size() != static_cast<size_t>(beam)) input.Fail("parents", "not one for each lane");
  }
  if (absl::Status status = input.status(); !status.ok()) return status;
  const auto found = backend.CacheIndirection(beam, parents);
  if (!found.ok()) return found.status();
  if (!c.expected.is_array()) return absl::InvalidArgumentError("expected: not a list");
  Differences differences(c.tolerance);
  differences.Integer("length of expected", static_cast<int64_t>(found->size()),
                      static_cast<int64_t>(c.expected.size()));
  for (size_t t = 0; t < std::min(found->size(), c.expected.size()); ++t) {
    const Json wrapped = Json{{"value", c.expected[t]}};
    const std::string where = absl::StrCat("expected[", t, "]");
    Fields fields(wrapped, where);
    const std::vector<Tokens> table = fields.IdRows("value", beam - 1);
    if (absl::Status status = fields.status(); !status.ok()) return status;
    differences.Integer("length of " + where, static_cast<int64_t>((*found)[t].size()),
                        static_cast<int64_t>(table.size()));
    for (size_t past = 0; past < std::min(table.size(), (*found)[t].size()); ++past) {
      differences.Ids(absl::StrCat(where, "[", past, "]"), (*found)[t][past], table[past]);
    }
  }
  return differences.status();
}

absl::Status CompareContexts(const OracleCase& c, const absl::StatusOr<Contexts>& found) {
  if (!found.ok()) return found.status();
  Fields expected(c.expected, "expected");
  const std::vector<double> context = expected.Reals("context");
  if (absl::Status status = expected.status(); !status.ok()) return status;
  Differences differences(c.tolerance);
  if (found->empty()) differences.Say("the backend gave no context");
  for (const auto& [form, values] : *found) {
    differences.Reals(absl::StrCat("context (", form, ")"), values, context);
  }
  return differences.status();
}

// Reports an error of field `name` unless the matrix has this shape.
void CheckShape(Fields& input, const char* name, const Matrix& matrix, size_t rows,
                size_t columns) {
  bool good = matrix.size() == rows;
  for (const auto& row : matrix) good = good && row.size() == columns;
  if (!good) input.Fail(name, absl::StrCat("expected ", rows, " rows of ", columns));
}

absl::Status RunCrossAttention(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  CrossAttentionCase a;
  a.query = input.Reals("query");
  a.memory = input.RealRows("memory");
  a.wq = input.RealRows("Wq");
  a.wk = input.RealRows("Wk");
  a.wv = input.RealRows("Wv");
  a.bq = input.Reals("bq");
  a.bk = input.Reals("bk");
  a.bv = input.Reals("bv");
  a.mask = input.IdsOr("mask", 1);
  if (a.mask.empty()) a.mask.assign(a.memory.size(), 1);
  const size_t width = a.query.size();
  a.heads = static_cast<int32_t>(input.Int("heads", 1, std::max<int64_t>(1, a.query.size())));
  if (width == 0 || width % static_cast<size_t>(a.heads) != 0) {
    input.Fail("heads", "does not divide the width");
  }
  CheckShape(input, "memory", a.memory, a.memory.size(), width);
  CheckShape(input, "Wq", a.wq, width, width);
  CheckShape(input, "Wk", a.wk, width, width);
  CheckShape(input, "Wv", a.wv, width, width);
  CheckShape(input, "bq, bk, bv", {a.bq, a.bk, a.bv}, 3, width);
  if (a.mask.size() != a.memory.size() ||
      std::find(a.mask.begin(), a.mask.end(), 1) == a.mask.end()) {
    input.Fail("mask", "expected one for each row of memory, not all of them 0");
  }
  if (absl::Status status = input.status(); !status.ok()) return status;
  return CompareContexts(c, backend.CrossAttention(a));
}

absl::Status RunSplitAttention(const OracleCase& c, SearchBackend& backend, const RunOptions&) {
  Fields input(c.input, "input");
  SplitAttentionCase s;
  s.query = input.Reals("query");
  s.k_prefix = input.RealRows("K_prefix");
  s.v_prefix = input.RealRows("V_prefix");
  s.k_gen = input.RealRows("K_gen");
  s.v_gen = input.RealRows("V_gen");
  const size_t width = s.query.size();
  if (width == 0) input.Fail("query", "is empty");
  CheckShape(input, "K_prefix", s.k_prefix, s.k_prefix.size(), width);
  CheckShape(input, "V_prefix", s.v_prefix, s.k_prefix.size(), width);
  CheckShape(input, "K_gen", s.k_gen, s.k_gen.size(), width);
  CheckShape(input, "V_gen", s.v_gen, s.k_gen.size(), width);
  if (s.k_prefix.empty() && s.k_gen.empty()) input.Fail("K_gen", "there is no key at all");
  if (absl::Status status = input.status(); !status.ok()) return status;
  return CompareContexts(c, backend.SplitAttention(s));
}

}  // namespace

void AddAttentionKinds(KindTable& table) {
  table["cache_indirection"] = RunCacheIndirection;
  table["cross_attention"] = RunCrossAttention;
  table["split_attention"] = RunSplitAttention;
}

}  // namespace dragoman::oracle

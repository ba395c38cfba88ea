// The kinds of case that run a whole search: var_beam, immediate_beam, dba, dba_exhaustive,
// batch_beam.
#include <string>

#include "tests/oracle/compare_search.h"
#include "tests/oracle/oracle_case.h"
#include "tests/oracle/search_input.h"

namespace dragoman::oracle {
namespace {

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
  return CompareSearch(c, backend.VarBeam(v), options);
}

absl::Status RunImmediate(const OracleCase& c, SearchBackend& backend, const RunOptions& options) {
  Fields input(c.input, "input");
  SearchCase s;
  ReadSearch(input, s);
  s.length_alpha = input.RealOr("length_alpha", 1);
  if (absl::Status status = input.status(); !status.ok()) return status;
  return CompareSearch(c, backend.ImmediateBeam(s), options);
}

// Runs dba and dba_exhaustive. The latter expects the optimum, which a beam that is wide enough
// must find.
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
  return CompareSearch(c, backend.Dba(d), options);
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
  return CompareSearch(c, backend.BatchBeam(b), options);
}

}  // namespace

bool IsSearch(const std::string& kind) {
  static const KindTable searches = [] {
    KindTable table;
    AddSearchKinds(table);
    return table;
  }();
  return searches.contains(kind);
}

void AddSearchKinds(KindTable& table) {
  table["var_beam"] = RunVarBeam;
  table["immediate_beam"] = RunImmediate;
  table["dba"] = RunDba;
  table["dba_exhaustive"] = RunDba;
  table["batch_beam"] = RunBatchBeam;
}

}  // namespace dragoman::oracle

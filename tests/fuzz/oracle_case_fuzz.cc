// Input: a case file of oracle_runner. It is read, and compared with what a backend that knows
// nothing answers.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/oracle/oracle_case.h"

namespace {

using namespace dragoman::oracle;  // NOLINT(google-build-using-namespace)

class EmptyBackend : public SearchBackend {
 public:
  absl::StatusOr<SearchOutcome> VarBeam(const VarBeamCase&) override { return OneEmpty(); }
  absl::StatusOr<SearchOutcome> ImmediateBeam(const SearchCase&) override { return OneEmpty(); }
  absl::StatusOr<SearchOutcome> Dba(const DbaCase&) override { return OneEmpty(); }
  absl::StatusOr<SearchOutcome> BatchBeam(const BatchBeamCase&) override { return OneEmpty(); }
  absl::StatusOr<LengthNorms> LengthNorm(double, int32_t, double) override { return LengthNorms(); }
  absl::StatusOr<FusedOutcome> FusedOutput(const FusedRow&) override { return FusedOutcome(); }
  absl::StatusOr<double> OnlineSoftmax(const std::vector<std::pair<double, double>>&) override {
    return 0.0;
  }
  absl::StatusOr<std::vector<ConstraintView>> ConstraintStates(const std::vector<Tokens>&,
                                                               const Tokens& tokens) override {
    return std::vector<ConstraintView>(tokens.size() + 1);
  }
  absl::StatusOr<std::vector<int32_t>> BankAllocation(int32_t, int32_t,
                                                      const std::vector<int32_t>&) override {
    return Tokens();
  }
  absl::StatusOr<std::vector<int32_t>> StripeSelect(int32_t,
                                                    const std::vector<StripeCandidate>&) override {
    return Tokens();
  }
  absl::StatusOr<Tokens> AvoidForbidden(const std::vector<Tokens>&, const Tokens&,
                                        int32_t) override {
    return Tokens();
  }
  absl::StatusOr<Tokens> NoRepeatNgram(const Tokens&, int32_t) override { return Tokens(); }
  absl::StatusOr<std::vector<std::vector<Tokens>>> CacheIndirection(
      int32_t, const std::vector<Tokens>& parents) override {
    return std::vector<std::vector<Tokens>>(parents.size() + 1);
  }
  absl::StatusOr<Contexts> CrossAttention(const CrossAttentionCase&) override {
    return Contexts{{"none", {}}};
  }
  absl::StatusOr<Contexts> SplitAttention(const SplitAttentionCase&) override {
    return Contexts{{"none", {}}};
  }

  absl::Status Schedule(const Json&) override { return absl::OkStatus(); }

 private:
  static SearchOutcome OneEmpty() {
    SearchOutcome outcome;
    outcome.nbest.resize(1);
    outcome.trace.resize(1);
    return outcome;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto c = ParseCase(std::string(reinterpret_cast<const char*>(data), size));
  if (!c.ok()) return 0;
  EmptyBackend backend;
  (void)RunCase(*c, backend, {.compare_traces = true});
  return 0;
}

// Input: a case file of oracle_runner. It is read, and compared with what a backend that knows
// nothing answers.

#include <cstddef>
#include <cstdint>
#include <string>

#include "tests/oracle/oracle_case.h"

namespace {

using namespace dragoman::oracle;  // NOLINT(google-build-using-namespace)

class EmptyBackend : public dragoman::oracle::SearchBackend {
 public:
  absl::StatusOr<dragoman::oracle::SearchOutcome> VarBeam(
      const dragoman::oracle::VarBeamCase&) override {
    return OneEmpty();
  }
  absl::StatusOr<dragoman::oracle::SearchOutcome> ImmediateBeam(
      const dragoman::oracle::SearchCase&) override {
    return OneEmpty();
  }
  absl::StatusOr<dragoman::oracle::SearchOutcome> Dba(const dragoman::oracle::DbaCase&) override {
    return OneEmpty();
  }
  absl::StatusOr<dragoman::oracle::SearchOutcome> BatchBeam(
      const dragoman::oracle::BatchBeamCase&) override {
    return OneEmpty();
  }
  absl::StatusOr<dragoman::oracle::LengthNorms> LengthNorm(double, int32_t, double) override {
    return dragoman::oracle::LengthNorms();
  }
  absl::StatusOr<dragoman::oracle::FusedOutcome> FusedOutput(
      const dragoman::oracle::FusedRow&) override {
    return dragoman::oracle::FusedOutcome();
  }
  absl::StatusOr<double> OnlineSoftmax(const std::vector<std::pair<double, double>>&) override {
    return 0.0;
  }
  absl::StatusOr<std::vector<dragoman::oracle::ConstraintView>> ConstraintStates(
      const std::vector<dragoman::oracle::Tokens>&,
      const dragoman::oracle::Tokens& tokens) override {
    return std::vector<dragoman::oracle::ConstraintView>(tokens.size() + 1);
  }
  absl::StatusOr<std::vector<int32_t>> BankAllocation(int32_t, int32_t,
                                                      const std::vector<int32_t>&) override {
    return dragoman::oracle::Tokens();
  }
  absl::StatusOr<std::vector<int32_t>> StripeSelect(
      int32_t, const std::vector<dragoman::oracle::StripeCandidate>&) override {
    return dragoman::oracle::Tokens();
  }
  absl::StatusOr<dragoman::oracle::Tokens> AvoidForbidden(
      const std::vector<dragoman::oracle::Tokens>&, const dragoman::oracle::Tokens&,
      int32_t) override {
    return dragoman::oracle::Tokens();
  }
  absl::StatusOr<dragoman::oracle::Tokens> NoRepeatNgram(const dragoman::oracle::Tokens&,
                                                         int32_t) override {
    return dragoman::oracle::Tokens();
  }
  absl::StatusOr<std::vector<std::vector<dragoman::oracle::Tokens>>> CacheIndirection(
      int32_t, const std::vector<dragoman::oracle::Tokens>& parents) override {
    return std::vector<std::vector<dragoman::oracle::Tokens>>(parents.size() + 1);
  }
  absl::StatusOr<dragoman::oracle::Contexts> CrossAttention(
      const dragoman::oracle::CrossAttentionCase&) override {
    return dragoman::oracle::Contexts{{"none", {}}};
  }
  absl::StatusOr<dragoman::oracle::Contexts> SplitAttention(
      const dragoman::oracle::SplitAttentionCase&) override {
    return dragoman::oracle::Contexts{{"none", {}}};
  }

  absl::Status Schedule(const dragoman::oracle::Json&) override { return absl::OkStatus(); }

 private:
  static dragoman::oracle::SearchOutcome OneEmpty() {
    dragoman::oracle::SearchOutcome outcome;
    outcome.nbest.resize(1);
    outcome.trace.resize(1);
    return outcome;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto c =
      dragoman::oracle::ParseCase(std::string(reinterpret_cast<const char*>(data), size));
  if (!c.ok()) return 0;
  EmptyBackend backend;
  (void)dragoman::oracle::RunCase(*c, backend, {.compare_traces = true});
  return 0;
}

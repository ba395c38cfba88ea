// Compares a whole engine on the PTX device with the same engine emulated: nvcc's instructions and
// the kernels' source code, through encoder passes, graphs, pages and mailboxes.
//
// With DRAGOMAN_PTX_PRODUCTS=one-by-one both engines sum products in the same order. The remaining
// differences are the last bits of exp and rsqrt, which a card approximates, sums that nvcc fuses
// with a product, and the order of the sums in mma.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/engine/support/translate_all.h"
#include "tests/gpu/ptx/small_model.h"

namespace dragoman::testing {
namespace {

class PtxEngine : public ::testing::TestWithParam<kernels::ComputeType> {};

TEST_P(PtxEngine, TranslatesAsTheEmulationAndAloneAsInCompany) {
  const std::vector<engine::TranslationJob> jobs = SmallJobs(Sentences(4));
  const std::unique_ptr<engine::Engine> device = SmallEngineOnCuda(GetParam());
  const std::unique_ptr<engine::Engine> emulated = SmallEngineEmulated(GetParam());
  ASSERT_TRUE(device != nullptr && emulated != nullptr);
  // A note would report, for example, that a fused output layer failed its trial.
  EXPECT_THAT(device->info().notes, ::testing::IsEmpty());
  const auto expected = TranslateTogether(*emulated, jobs, InOrder(jobs.size()));
  const auto found = TranslateTogether(*device, jobs, InOrder(jobs.size()));
  const auto alone = TranslateAlone(*device, jobs);
  Compared compared;
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(found[i].status.ok()) << found[i].status;
    EXPECT_TRUE(SameToTheBit(found[i], alone[i])) << jobs[i].contents[0];
    ASSERT_EQ(found[i].hypotheses.size(), expected[i].hypotheses.size());
    std::vector<std::string> texts;
    std::vector<float> log_probs;
    for (const engine::Hypothesis& hypothesis : found[i].hypotheses) {
      texts.push_back(hypothesis.text);
      log_probs.push_back(hypothesis.log_prob);
    }
    Compare(texts, log_probs, expected[i], &compared);
  }
  std::cout << kernels::ComputeTypeName(GetParam()) << ": " << Text(compared, jobs.size()) << "\n";
  EXPECT_EQ(compared.lists, jobs.size());
}

INSTANTIATE_TEST_SUITE_P(Cuda, PtxEngine,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kFloat16,
                                           kernels::ComputeType::kBFloat16),
                         [](const ::testing::TestParamInfo<kernels::ComputeType>& info) {
                           return std::string(kernels::ComputeTypeName(info.param));
                         });

}  // namespace
}  // namespace dragoman::testing

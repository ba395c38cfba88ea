// Tests of the calls that the CPU's operations make to a probe.
#include "kernels/base/op_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/base/op_context.h"
#include "kernels/ops/linear.h"
#include "kernels/ops/output_layer.h"

namespace dragoman::kernels {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Records the names in order and checks that the calls keep OpProbe's contract.
class RecordingProbe final : public OpProbe {
 public:
  void Before(const char* name) override {
    EXPECT_EQ(std::this_thread::get_id(), own_);
    ++running_;
    names_.emplace_back(name);
  }
  void After() override {
    EXPECT_EQ(std::this_thread::get_id(), own_);
    EXPECT_GT(running_--, 0);
  }

  std::vector<std::string> Take() {
    EXPECT_EQ(running_, 0);
    return std::exchange(names_, {});
  }

 private:
  const std::thread::id own_ = std::this_thread::get_id();
  int running_ = 0;
  std::vector<std::string> names_;
};

constexpr int kIn = 64;
constexpr int kOut = 400;
constexpr int kVocabulary = 4 * 480;  // four blocks of the output layer

// Runs with one thread, and with two threads that share all work.
class OpProbes : public ::testing::TestWithParam<int> {
 protected:
  OpProbes() : context_(GetParam(), 1) { context_.set_probe(&probe_); }

  std::vector<std::string> PartsOfLinear(ComputeType type, Activation activation, int64_t rows) {
    const auto linear = Linear::Create(weight_.data(), nullptr, kIn, kOut, activation, type);
    const std::vector<float> x(static_cast<size_t>(rows * kIn), 0.5F);
    std::vector<float> y(static_cast<size_t>(rows * kOut));
    linear->Run(context_, x.data(), rows, y.data());
    return probe_.Take();
  }

  const std::vector<float> weight_ = std::vector<float>(size_t{kIn} * kVocabulary, 0.25F);
  RecordingProbe probe_;
  OpContext context_;
};

TEST_P(OpProbes, HearOfThePartsOfAProduct) {
  for (const int64_t rows : {3, 200}) {  // 3 rows are divided by columns, 200 by rows
    EXPECT_THAT(PartsOfLinear(ComputeType::kFloat32, Activation::kRelu, rows), IsEmpty());
    const auto f32 = PartsOfLinear(ComputeType::kFloat32, Activation::kSwish, rows);
    EXPECT_THAT(f32, Each(op_part::kActivation));
    if (GetParam() == 1) {
      EXPECT_THAT(f32, SizeIs(1));
    }
    for (const ComputeType type : {ComputeType::kBFloat16, ComputeType::kInt8}) {
      const auto plain = PartsOfLinear(type, Activation::kNone, rows);
      const auto activated = PartsOfLinear(type, Activation::kSwish, rows);
      EXPECT_THAT(plain, Each(op_part::kOperands));
      EXPECT_THAT(activated, Each(AnyOf(op_part::kOperands, op_part::kActivation)));
      // When work is divided, each thread reports the pieces that it took.
      if (GetParam() == 1 || rows == 3) {
        EXPECT_THAT(plain, SizeIs(1));
      }
      if (GetParam() == 1) {
        EXPECT_THAT(activated, ElementsAre(op_part::kOperands, op_part::kActivation));
      }
    }
  }
}

TEST_P(OpProbes, HearOfTheFoldOfAnOutputLayer) {
  const auto layer =
      OutputLayer::Create(weight_.data(), nullptr, kIn, kVocabulary, ComputeType::kInt8);
  const std::vector<float> hidden(kIn, 0.5F);
  TokenScore top[1];
  LogitRequest request;
  request.k = 1;
  LogitSummary summary;
  summary.top = top;
  layer->Fold(context_, hidden.data(), 1, &request, &summary);
  std::vector<std::string> parts = probe_.Take();
  ASSERT_GE(parts.size(), GetParam() == 1 ? 3U : 2U);  // operands, own blocks, the final merge
  EXPECT_EQ(parts.front(), op_part::kOperands);
  parts.erase(parts.begin());
  EXPECT_THAT(parts, Each(op_part::kFold));
  EXPECT_LE(parts.size(), 4U + 1);
}

INSTANTIATE_TEST_SUITE_P(Threads, OpProbes, ::testing::Values(1, 2));

}  // namespace
}  // namespace dragoman::kernels

// Tests which algorithm a product on a device is pinned to, with a scripted cuBLASLt on the host.
// The trials must detect every fault, and the pinned algorithm must compute
// y = activation(x W^T + bias).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/ops/linear_cuda.h"
#include "tests/kernels/cuda/host_cuda.h"
#include "tests/kernels/cuda/scripted_cublas_lt.h"

namespace dragoman::emulation {

extern int64_t launches;  // kernel launches in this process (emulation.h)

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {
namespace {

constexpr int kIn = 64;
constexpr int kOut = 24;
const std::vector<int> kBuckets = {8, 16, 64, 100};
constexpr int kFirstOfMany = 64;  // the first bucket above the few rows of kByCount and kUnfit

std::vector<float> RandomFloats(size_t n, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& value : x) value = normal(generator);
  return x;
}

// Floats at an address that is a multiple of 64.
class AlignedFloats {
 public:
  explicit AlignedFloats(const std::vector<float>& values)
      : values_(std::aligned_alloc(64, (values.size() * sizeof(float) + 63) / 64 * 64), std::free) {
    std::copy(values.begin(), values.end(), data());
  }
  float* data() const { return static_cast<float*>(values_.get()); }

 private:
  std::unique_ptr<void, void (*)(void*)> values_;
};

class LinearChoiceTest : public ::testing::Test {
 protected:
  LinearChoiceTest()
      : w_(RandomFloats(size_t{kIn} * kOut, 1)), b_(RandomFloats(kOut, 2)), at_w_(w_), at_b_(b_) {
    options_.in = kIn;
    options_.out = kOut;
    options_.tune_rows = 64;
    std::string why;
    blas_ = Blas::Create(&why);
    EXPECT_NE(blas_, nullptr) << why;
  }
  ~LinearChoiceTest() override {
    FailWaits(Error::kNone);
    SetFewRows(kUnfit);
    blas_.reset();
    EXPECT_EQ(LiveDescriptors(), 0);
    EXPECT_EQ(HeldBytes(), 0);
  }

  std::unique_ptr<Linear> Create() {
    return Linear::Create(blas_.get(), options_, at_w_.data(), at_b_.data(), kBuckets, &why_);
  }

  // Returns the id of the pinned algorithm, which is its LtFault, or -1 if none was pinned.
  int Pinned() {
    const std::unique_ptr<Linear> linear = Create();
    return linear == nullptr ? -1 : std::stoi(linear->algorithm().substr(sizeof("algorithm")));
  }

  const std::vector<float> w_;
  const std::vector<float> b_;
  const AlignedFloats at_w_;
  const AlignedFloats at_b_;
  std::unique_ptr<Blas> blas_;
  LinearOptions options_;
  std::string why_;
};

TEST_F(LinearChoiceTest, EveryFaultIsPassedOver) {
  for (const LtFault fault :
       {kByCount, kByPlace, kSplit, kUnfit, kBigWorkspace, kFailsToRun, kLeavesOut}) {
    SetOffers([&](int) { return std::vector<LtFault>{fault, kSound, kOtherOrder}; });
    EXPECT_EQ(Pinned(), kSound) << fault;
    if (fault == kByCount) continue;  // enough for one class of row counts
    SetOffers([&](int) { return std::vector<LtFault>{fault}; });
    EXPECT_EQ(Pinned(), -1) << fault;
    EXPECT_FALSE(why_.empty());
  }
}

// If no algorithm serves all row counts, small and large row counts get one algorithm each, and
// this is reported. Otherwise the model could not be loaded.
TEST_F(LinearChoiceTest, TwoClassesOfRowCountsWhereNoneFitsThemAll) {
  SetOffers([](int) { return std::vector<LtFault>{kSound, kByCount}; });
  ASSERT_NE(Create(), nullptr) << why_;
  EXPECT_EQ(Create()->other_bits_from(), 0);
  // Only kSound is offered for small row counts, and only kUnfit for large ones.
  SetOffers([](int rows) { return std::vector<LtFault>{rows < 64 ? kSound : kUnfit}; });
  std::unique_ptr<Linear> linear = Create();
  ASSERT_NE(linear, nullptr) << why_;
  EXPECT_EQ(linear->other_bits_from(), 0);  // kSound serves all of them
  SetOffers([](int) { return std::vector<LtFault>{kByCount}; });
  linear = Create();
  ASSERT_NE(linear, nullptr) << why_;
  EXPECT_EQ(linear->other_bits_from(), kFirstOfMany);
  EXPECT_NE(linear->algorithm().find("; with other bits from " + std::to_string(kFirstOfMany)),
            std::string::npos)
      << linear->algorithm();
  // A row has the same bits in every row count of its class, and other bits in the other class.
  const std::vector<float> x = RandomFloats(size_t{100} * kIn, 3);
  const AlignedFloats at_x(x);
  const AlignedFloats workspace(std::vector<float>(64));
  std::vector<std::vector<float>> first_rows;
  for (const int rows : kBuckets) {
    const AlignedFloats y(std::vector<float>(size_t{100} * kOut, 7.0F));
    EXPECT_EQ(linear->Run(nullptr, workspace.data(), at_x.data(), rows, nullptr, y.data()),
              Error::kNone);
    first_rows.emplace_back(y.data(), y.data() + kOut);
  }
  for (size_t i = 1; i < kBuckets.size(); ++i) {
    EXPECT_EQ(first_rows[i] == first_rows[i - 1], kBuckets[i] != kFirstOfMany) << kBuckets[i];
  }
}

TEST_F(LinearChoiceTest, SaysWhyNoneIsLeft) {
  // No algorithm is sound for few rows, so two classes do not help either.
  SetOffers([](int rows) {
    std::vector<LtFault> offers = {kUnfit, kBigWorkspace, kSplit, kByPlace, kFailsToRun};
    if (rows >= kFirstOfMany) offers.push_back(kByCount);
    return offers;
  });
  EXPECT_EQ(Pinned(), -1);
  EXPECT_EQ(why_,
            "none of the 5 algorithms that cuBLASLt offers gives a row the same bits in every row "
            "count: 2 do not take every row count, 2 do not run or depend on a row's place, "
            "1 depend on the row count");
}

// A single row count cannot be compared with another, but a row's place must still not matter.
TEST_F(LinearChoiceTest, PlacesMatterInOneRowCountToo) {
  for (const int rows : {8, 100}) {
    for (const LtFault fault : {kSound, kByPlace}) {
      SetOffers([&](int) { return std::vector<LtFault>{fault}; });
      const std::vector<int> one = {rows};
      const auto linear =
          Linear::Create(blas_.get(), options_, at_w_.data(), at_b_.data(), one, &why_);
      EXPECT_EQ(linear != nullptr, fault == kSound) << rows;
    }
  }
}

TEST_F(LinearChoiceTest, TheFirstSoundOfferIsTaken) {
  SetOffers([](int) { return std::vector<LtFault>{kOtherOrder, kSound}; });
  EXPECT_EQ(Pinned(), kOtherOrder);
}

TEST_F(LinearChoiceTest, TheTunedRowCountIsAskedFirst) {
  SetOffers([](int rows) { return std::vector<LtFault>{rows == 64 ? kSound : kOtherOrder}; });
  EXPECT_EQ(Pinned(), kSound);
  options_.tune_rows = 99;  // uses the bucket below, 64
  EXPECT_EQ(Pinned(), kSound);
  options_.tune_rows = 1;  // uses the smallest bucket
  EXPECT_EQ(Pinned(), kOtherOrder);
  options_.tune_rows = 4096;
  EXPECT_EQ(Pinned(), kOtherOrder);
}

TEST_F(LinearChoiceTest, OtherRowCountsAreAskedWhenNoneFits) {
  SetOffers([](int rows) { return std::vector<LtFault>{rows == 8 ? kSound : kByPlace}; });
  EXPECT_EQ(Pinned(), kSound);
  SetOffers([](int) { return std::vector<LtFault>(); });
  EXPECT_EQ(Pinned(), -1);
}

TEST_F(LinearChoiceTest, RowCountsMayHaveTheirOwnWhereItsBitsAreTheSame) {
  SetOffers([](int rows) {
    if (rows == 8) return std::vector<LtFault>{kOtherOrder, kSoundToo, kSound};
    return rows == 16 ? std::vector<LtFault>{kOtherOrder} : std::vector<LtFault>{kSound, kSoundToo};
  });
  EXPECT_EQ(Create()->algorithm().find("from"), std::string::npos);
  options_.per_bucket = true;
  const std::string text = Create()->algorithm();
  EXPECT_EQ(text.find("algorithm " + std::to_string(kSoundToo)), 0U) << text;
  EXPECT_NE(text.find("; from 16 rows algorithm " + std::to_string(kSound)), std::string::npos)
      << text;
  EXPECT_EQ(text.find("from 64"), std::string::npos) << text;
}

// Dragoman's own kernel multiplies a few rows if `few_rows` allows it and it gives the same bits as
// the pinned algorithm.
TEST_F(LinearChoiceTest, AFewRowsGoByAKernelOfOurOwnWhereItsBitsAreTheSame) {
  const AlignedFloats x(RandomFloats(size_t{100} * kIn, 3));
  const AlignedFloats workspace(std::vector<float>(64));
  for (const LtFault pinned : {kSound, kOtherOrder}) {
    SetOffers([&](int) { return std::vector<LtFault>{pinned}; });
    for (const LtFault few : {kUnfit, kSound, kOtherOrder, kFailsToRun}) {
      SetFewRows(few);
      for (const bool allowed : {false, true}) {
        options_.few_rows = allowed;
        const std::unique_ptr<Linear> linear = Create();
        ASSERT_NE(linear, nullptr) << why_;
        const bool own = allowed && few == pinned;
        EXPECT_EQ(linear->algorithm().rfind("own; from 64 rows algorithm ", 0) == 0, own)
            << linear->algorithm();
        std::vector<std::vector<float>> first_rows;
        for (const int rows : kBuckets) {
          const AlignedFloats y(std::vector<float>(size_t{100} * kOut, 7.0F));
          const int before = FewRowsCalls();
          EXPECT_EQ(linear->Run(nullptr, workspace.data(), x.data(), rows, nullptr, y.data()),
                    Error::kNone);
          EXPECT_EQ(FewRowsCalls() - before, own && rows <= 16 ? 1 : 0) << rows;
          first_rows.emplace_back(y.data(), y.data() + kOut);
        }
        for (const auto& row : first_rows) EXPECT_EQ(row, first_rows[0]);
      }
    }
  }
}

// The kernel for few rows applies the activation itself if its bits are those of the separate pass.
// That pass is then skipped.
TEST_F(LinearChoiceTest, TheActivationOfAFewRowsIsTakenWhereItsBitsAreTheSame) {
  const AlignedFloats x(RandomFloats(size_t{100} * kIn, 3));
  const AlignedFloats workspace(std::vector<float>(64));
  SetOffers([](int) { return std::vector<LtFault>{kSound}; });
  options_.activation = Activation::kSwish;
  options_.few_rows = true;
  for (const LtFault few : {kSound, kOtherActivation}) {
    SetFewRows(few);
    const std::unique_ptr<Linear> linear = Create();
    ASSERT_NE(linear, nullptr) << why_;
    EXPECT_EQ(linear->algorithm().rfind("own; ", 0), 0U) << linear->algorithm();
    std::vector<std::vector<float>> first_rows;
    for (const int rows : kBuckets) {
      const AlignedFloats y(std::vector<float>(size_t{100} * kOut, 7.0F));
      const int64_t before = emulation::launches;
      EXPECT_EQ(linear->Run(nullptr, workspace.data(), x.data(), rows, nullptr, y.data()),
                Error::kNone);
      // One launch of Activate in any case: by the scripted product of few rows or by the separate
      // pass.
      EXPECT_EQ(emulation::launches - before, 1) << rows;
      first_rows.emplace_back(y.data(), y.data() + kOut);
    }
    for (const auto& row : first_rows) EXPECT_EQ(row, first_rows[0]) << few;
  }
}

TEST_F(LinearChoiceTest, AFailingDeviceIsNoFaultOfTheAlgorithms) {
  SetOffers([](int) { return std::vector<LtFault>{kSound}; });
  FailWaits(static_cast<Error>(1));
  EXPECT_EQ(Create(), nullptr);
  EXPECT_NE(why_.find("a test's error"), std::string::npos) << why_;
}

TEST_F(LinearChoiceTest, WhatDoesNotFitIsRefused) {
  SetOffers([](int) { return std::vector<LtFault>{kSound}; });
  ASSERT_NE(Create(), nullptr) << why_;
  const LinearOptions good = options_;
  const auto refused = [&](auto change) {
    options_ = good;
    change();
    why_.clear();
    return Create() == nullptr && !why_.empty();
  };
  EXPECT_TRUE(refused([&] { options_.in = 63; }));
  EXPECT_TRUE(refused([&] { options_.out = 0; }));
  EXPECT_TRUE(refused([&] { options_.y_stride = 23; }));
  EXPECT_TRUE(refused([&] {
    options_.activation = Activation::kGelu;
    options_.y_stride = 32;
  }));
  EXPECT_TRUE(refused([&] {
    options_.activation = Activation::kSwish;
    options_.out = 20;
  }));
  const auto with = [&](const float* weight, const std::vector<int>& buckets) {
    return Linear::Create(blas_.get(), good, weight, nullptr, buckets, &why_);
  };
  EXPECT_NE(with(at_w_.data(), {1}), nullptr);
  EXPECT_EQ(with(at_w_.data() + 1, {8}), nullptr);
  EXPECT_EQ(with(at_w_.data(), {}), nullptr);
  EXPECT_EQ(with(at_w_.data(), {0, 8}), nullptr);
  EXPECT_EQ(with(at_w_.data(), {16, 8}), nullptr);
  EXPECT_EQ(with(at_w_.data(), {8, 8}), nullptr);
}

TEST_F(LinearChoiceTest, ComputesTheProduct) {
  SetOffers([](int) { return std::vector<LtFault>{kSound}; });
  const int rows = 16;
  const std::vector<float> x = RandomFloats(size_t{rows} * kIn, 3);
  const AlignedFloats at_x(x);
  const AlignedFloats workspace(std::vector<float>(64));
  const int32_t count = 11;
  for (const Activation activation :
       {Activation::kNone, Activation::kRelu, Activation::kGelu, Activation::kSwish}) {
    const bool dense = activation == Activation::kGelu || activation == Activation::kSwish;
    options_.activation = activation;
    options_.y_stride = dense ? 0 : 32;
    const int stride = dense ? kOut : 32;
    const std::unique_ptr<Linear> linear = Create();
    ASSERT_NE(linear, nullptr) << why_;
    const AlignedFloats y(std::vector<float>(size_t{rows} * stride, 7.0F));
    EXPECT_EQ(linear->Run(nullptr, workspace.data(), at_x.data(), rows, &count, y.data()),
              Error::kNone);
    for (int r = 0; r < rows; ++r) {
      for (int c = kOut; c < stride; ++c) EXPECT_EQ(y.data()[r * stride + c], 7.0F);
      for (int c = 0; c < kOut; ++c) {
        double sum = b_[c];
        for (int k = 0; k < kIn; ++k) sum += double(x[r * kIn + k]) * w_[c * kIn + k];
        if (activation == Activation::kRelu) sum = std::max(sum, 0.0);
        // GELU and Swish are applied to the first `count` rows only.
        if (r < count && activation == Activation::kGelu) {
          sum *= (1.0 + std::erf(sum / std::sqrt(2.0))) / 2.0;
        }
        if (r < count && activation == Activation::kSwish) sum /= 1.0 + std::exp(-sum);
        EXPECT_NEAR(y.data()[r * stride + c], sum, 1e-5 * (1.0 + std::abs(sum)));
      }
    }
  }
}

TEST_F(LinearChoiceTest, OtherRowCountsAreRefusedByRun) {
  SetOffers([](int) { return std::vector<LtFault>{kSound}; });
  const std::unique_ptr<Linear> linear = Create();
  ASSERT_NE(linear, nullptr) << why_;
  for (const int64_t rows : {1, 9, 101}) {
    EXPECT_NE(linear->Run(nullptr, nullptr, nullptr, rows, nullptr, nullptr), Error::kNone) << rows;
  }
  EXPECT_EQ(linear->Run(nullptr, nullptr, nullptr, 0, nullptr, nullptr), Error::kNone);
}

}  // namespace
}  // namespace dragoman::kernels::cuda

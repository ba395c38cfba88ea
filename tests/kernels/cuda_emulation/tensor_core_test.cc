// Tests of a warp's emulated tensor core instructions: which lane holds what, when copies arrive,
// what fails.
#include "tests/kernels/cuda_emulation/emulation.h"
// Comes before the .cuh files, because it replaces their instructions.
#include "tests/kernels/cuda_emulation/tensor_core.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/tensor_core.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kSide = 16;  // a is 16 x 16, b 16 x 8, c 16 x 8

template <class T>
unsigned PairAt(const float* first, const float* second) {
  return RoundPair(T{}, *first, *second);
}

// Computes c += a b, with the operands laid out as kernels/cuda/tensor_core.cuh says. Then computes
// d = [c c] b, where [c c], a 16 x 16 operand, is c next to itself.
template <class T>
__global__ void MultiplyTwice(const float* a, const float* b, float* c, float* d) {
  const int lane = static_cast<int>(threadIdx.x);
  const int g = lane / 4;
  const int t = lane % 4;
  unsigned x[4];
  for (int i = 0; i < 4; ++i) {
    const float* const at = a + (g + i % 2 * 8) * kSide + 2 * t + i / 2 * 8;
    x[i] = PairAt<T>(at, at + 1);
  }
  unsigned y[2];
  for (int i = 0; i < 2; ++i) {
    const float* const at = b + (2 * t + i * 8) * 8 + g;
    y[i] = PairAt<T>(at, at + 8);
  }
  float z[4];
  for (int i = 0; i < 4; ++i) z[i] = c[(g + i / 2 * 8) * 8 + 2 * t + i % 2];
  Multiply(T{}, z, x, y[0], y[1]);
  for (int i = 0; i < 4; ++i) c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = z[i];
  const unsigned again[4] = {RoundPair(T{}, z[0], z[1]), RoundPair(T{}, z[2], z[3]),
                             RoundPair(T{}, z[0], z[1]), RoundPair(T{}, z[2], z[3])};
  float w[4] = {};
  Multiply(T{}, w, again, y[0], y[1]);
  for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = w[i];
}

// Uses small whole numbers, so that every sum is exact in every type.
template <class T>
void ExpectProducts() {
  std::vector<float> a(kSide * kSide);
  std::vector<float> b(kSide * 8);
  std::vector<float> c(kSide * 8);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7 % 5) - 2;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 11 % 3) - 1;
  for (size_t i = 0; i < c.size(); ++i) c[i] = static_cast<float>(i % 4);
  std::vector<float> expected = c;
  std::vector<float> expected_again(c.size());
  for (size_t row = 0; row < kSide; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      float& sum = expected[row * 8 + column];
      for (size_t k = 0; k < kSide; ++k) sum += a[row * kSide + k] * b[k * 8 + column];
    }
    for (size_t column = 0; column < 8; ++column) {
      float& sum = expected_again[row * 8 + column];
      for (size_t k = 0; k < kSide; ++k) sum += expected[row * 8 + k % 8] * b[k * 8 + column];
    }
  }
  std::vector<float> again(c.size());
  ASSERT_EQ(Launch(MultiplyTwice<T>, 1, 32, 0, nullptr, a.data(), b.data(), c.data(), again.data()),
            Error::kNone);
  EXPECT_EQ(c, expected);
  EXPECT_EQ(again, expected_again);
}

TEST(TensorCoreEmulation, MultipliesMatrices) {
  ExpectProducts<__half>();
  ExpectProducts<__nv_bfloat16>();
}

// Loads four matrices of 8 x 8 elements, one after the other in memory, and writes what every lane
// gets.
__global__ void ReadMatrices(bool transposed, const uint16_t* from, unsigned* out) {
  auto* const shared = DynamicShared<uint16_t>();
  const int lane = static_cast<int>(threadIdx.x);
  CopyPiece(shared + lane * 8, from + lane * 8, true);
  AwaitCopies();
  __syncthreads();
  unsigned m[4];
  if (transposed) {
    LoadTransposed(shared + lane * 8, m);
  } else {
    LoadMatrices(shared + lane * 8, m);
  }
  for (int i = 0; i < 4; ++i) out[lane * 4 + i] = m[i];
}

TEST(TensorCoreEmulation, LoadsMatricesAsTheyAreAndTransposed) {
  alignas(16) uint16_t from[4 * 64];
  for (uint16_t i = 0; i < 4 * 64; ++i) from[i] = i;
  for (const bool transposed : {false, true}) {
    std::vector<unsigned> out(32 * 4);
    ASSERT_EQ(Launch(ReadMatrices, 1, 32, sizeof(from), nullptr, transposed, from, out.data()),
              Error::kNone);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned g = lane / 4;
        const unsigned t = lane % 4;
        const unsigned first = i * 64 + (transposed ? 2 * t * 8 + g : g * 8 + 2 * t);
        const unsigned second = first + (transposed ? 8 : 1);
        EXPECT_EQ(out[lane * 4 + i], first | second << 16) << lane << " " << i;
      }
    }
  }
}

__global__ void ReadAtOnce(const float* from, bool wanted, bool wait, float* out) {
  auto* const shared = DynamicShared<float>();
  CopyPiece(shared, from, wanted);
  if (wait) AwaitCopies();
  *out = shared[3];
  AwaitCopies();
}

TEST(TensorCoreEmulation, CopiesComeAtOnceOrNotBeforeTheyAreAwaited) {
  alignas(16) const float from[4] = {1, 2, 3, 4};
  const auto read = [&](bool wanted, bool wait) {
    float out = 0;
    EXPECT_EQ(Launch(ReadAtOnce, 1, 1, 16, nullptr, from, wanted, wait, &out), Error::kNone);
    return out;
  };
  int late = 0;
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(read(true, true), 4);
    EXPECT_EQ(read(false, true), 0);
    const float at_once = read(true, false);
    if (at_once != 4) ++late;
  }
  EXPECT_GT(late, 0);
  EXPECT_LT(late, 64);
}

__global__ void ReadGroups(const float* from, float* out) {
  auto* const shared = DynamicShared<float>();
  for (int i = 0; i < 2; ++i) {
    CopyPiece(shared + 4 * i, from + 4 * i, true);
    CommitCopies();
  }
  CommitCopies();  // an empty group
  AwaitCopyGroups<2>();
  out[0] = shared[0];
  out[1] = shared[4];
  AwaitCopyGroups<1>();
  out[2] = shared[4];
}

TEST(TensorCoreEmulation, GroupsOfCopiesAreAwaitedInTheirOrder) {
  alignas(16) const float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int late = 0;
  for (int i = 0; i < 64; ++i) {
    float out[3] = {};
    ASSERT_EQ(Launch(ReadGroups, 1, 1, 32, nullptr, from, out), Error::kNone);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[2], 5);
    if (out[1] != 5) ++late;
  }
  EXPECT_GT(late, 0);
  EXPECT_LT(late, 64);
}

enum class TensorCoreMistake { kOutside, kNotAligned, kFromNotAligned };

__global__ void MakeTensorCoreMistake(TensorCoreMistake mistake, const float* from) {
  auto* const shared = DynamicShared<float>();
  unsigned m[4];
  if (mistake == TensorCoreMistake::kOutside) CopyPiece(shared + 16, from, true);
  if (mistake == TensorCoreMistake::kNotAligned) LoadMatrices(shared + 1, m);
  if (mistake == TensorCoreMistake::kFromNotAligned) CopyPiece(shared, from + 1, true);
}

TEST(TensorCoreEmulationDeathTest, MistakesAreNamed) {
  alignas(16) const float from[8] = {};
  const auto run = [&](TensorCoreMistake mistake) {
    static_cast<void>(Launch(MakeTensorCoreMistake, 1, 32, 64, nullptr, mistake, from));
  };
  EXPECT_DEATH(run(TensorCoreMistake::kOutside), "outside");
  EXPECT_DEATH(run(TensorCoreMistake::kNotAligned), "a piece that is not aligned");
  EXPECT_DEATH(run(TensorCoreMistake::kFromNotAligned), "from what is not aligned");
}

}  // namespace
}  // namespace dragoman::kernels::cuda

// Tests of the emulated Hopper instructions: where copies put data, what products read, what fails.
#include "tests/kernels/cuda_emulation/emulation.h"
// Comes before the .cuh files, because it replaces their instructions.
#include "tests/kernels/cuda_emulation/hopper.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kWidth = 64;

// A matrix of halves for boxes of `box` rows of 64.
CUtensorMap MapOf(std::vector<uint16_t>& matrix, int rows, uint32_t box) {
  const cuuint64_t size[2] = {kWidth, static_cast<cuuint64_t>(rows)};
  const cuuint64_t row_bytes[1] = {kWidth * 2};
  const cuuint32_t boxes[2] = {kWidth, box};
  const cuuint32_t step[2] = {1, 1};
  CUtensorMap map{};
  EXPECT_EQ(cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix.data(), size,
                                   row_bytes, boxes, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            CUDA_SUCCESS);
  return map;
}

uint32_t Aligned(uint32_t address) { return (address + 1023) & ~1023U; }

__global__ void CopyOut(CUtensorMap map, uint32_t box_bytes, uint16_t* out) {
  auto* memory = DynamicShared<unsigned char>();
  const uint32_t start = SharedAddress(memory);
  const uint32_t barrier = start;
  const uint32_t box = Aligned(start + 8);
  if (threadIdx.x == 0) {
    InitBarrier(barrier, 1);
    FenceBarrierInit();
    ArriveExpecting(barrier, box_bytes);
    CopyBox(box, map, 0, 0, barrier);
  }
  __syncthreads();
  WaitForPhase(barrier, 0);
  const auto* from = reinterpret_cast<const uint16_t*>(memory + (box - start));
  for (uint32_t i = threadIdx.x; i < box_bytes / 2; i += 64) out[i] = from[i];
}

// CUDA's programming guide draws this pattern: in row r, the 16-byte piece p lies at p ^ r % 8.
TEST(HopperEmulation, CopiesAreSwizzledAndZeroBeyondTheTensor) {
  constexpr int kRows = 13;
  constexpr uint32_t kBox = 16;
  std::vector<uint16_t> matrix(kRows * kWidth);
  for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<uint16_t>(1 + i);
  const CUtensorMap map = MapOf(matrix, kRows, kBox);
  for (int launch = 0; launch < 5; ++launch) {
    std::vector<uint16_t> out(kBox * kWidth);
    EXPECT_EQ(Launch(CopyOut, 1, 64, 4096, nullptr, map, kBox * kWidth * 2, out.data()),
              Error::kNone);
    for (int r = 0; r < static_cast<int>(kBox); ++r) {
      for (int x = 0; x < kWidth; ++x) {
        const int at = r * kWidth + (x / 8 ^ r % 8) * 8 + x % 8;
        const int expected = r < kRows ? 1 + r * kWidth + x : 0;
        EXPECT_EQ(out[size_t(at)], expected) << r << ", " << x;
      }
    }
  }
}

// Multiplies a slab (64 elements) of 64 rows of a and of 256 rows of b.
__global__ void MultiplySlab(CUtensorMap a, CUtensorMap b, float* out) {
  const uint32_t barrier = SharedAddress(DynamicShared<unsigned char>());
  const uint32_t a_at = Aligned(barrier + 8);
  const uint32_t b_at = a_at + 64 * 128;
  if (threadIdx.x == 0) {
    InitBarrier(barrier, 1);
    FenceBarrierInit();
    ArriveExpecting(barrier, (64 + 256) * 128);
    CopyBox(a_at, a, 0, 0, barrier);
    CopyBox(b_at, b, 0, 0, barrier);
  }
  __syncthreads();
  WaitForPhase(barrier, 0);
  float d[128];
  FenceProducts();
  for (uint64_t i = 0; i < 4; ++i) {
    Product(__half{}, d, OperandOf(a_at) + i * kOperandStep, OperandOf(b_at) + i * kOperandStep,
            i > 0);
  }
  CommitProducts();
  WaitForProducts<0>();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = 0; i < 128; ++i) {
    const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane / 4 + i % 4 / 2 * 8;
    const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    out[row * 256 + column] = d[i];
  }
}

TEST(HopperEmulation, ProductsReadWhatCopiesLeft) {
  const auto half = [](int x) {
    const __half h = __float2half_rn(static_cast<float>(x));
    uint16_t bits = 0;
    std::memcpy(&bits, &h, sizeof(bits));
    return bits;
  };
  const auto a_of = [](int r, int k) { return (r * 7 + k * 3) % 11 - 5; };
  const auto b_of = [](int c, int k) { return (c * 5 + k * 13) % 9 - 4; };
  std::vector<uint16_t> a(64 * kWidth);
  std::vector<uint16_t> b(256 * kWidth);
  for (int i = 0; i < 64 * kWidth; ++i) a[size_t(i)] = half(a_of(i / kWidth, i % kWidth));
  for (int i = 0; i < 256 * kWidth; ++i) b[size_t(i)] = half(b_of(i / kWidth, i % kWidth));
  for (int launch = 0; launch < 3; ++launch) {
    std::vector<float> out(64 * 256);
    EXPECT_EQ(Launch(MultiplySlab, 1, 128, 48 << 10, nullptr, MapOf(a, 64, 64), MapOf(b, 256, 256),
                     out.data()),
              Error::kNone);
    for (int r = 0; r < 64; ++r) {
      for (int c = 0; c < 256; ++c) {
        int expected = 0;
        for (int k = 0; k < kWidth; ++k) expected += a_of(r, k) * b_of(c, k);
        ASSERT_EQ(out[size_t(r * 256 + c)], static_cast<float>(expected)) << r << ", " << c;
      }
    }
  }
}

// Every phase needs two arrivals. Parity 1 of a fresh barrier counts as over.
__global__ void TakeTurns(int* rounds) {
  const uint32_t barrier = SharedAddress(DynamicShared<unsigned char>());
  if (threadIdx.x == 0) InitBarrier(barrier, 2);
  __syncthreads();
  WaitForPhase(barrier, 1);
  __syncthreads();
  for (uint32_t round = 0; round < 5; ++round) {
    if (threadIdx.x % 32 == 0) Arrive(barrier);
    WaitForPhase(barrier, round % 2);
    __syncthreads();
    rounds[threadIdx.x] = static_cast<int>(round) + 1;
  }
}

TEST(HopperEmulation, PhasesAlternate) {
  std::vector<int> rounds(64);
  EXPECT_EQ(Launch(TakeTurns, 1, 64, 2048, nullptr, rounds.data()), Error::kNone);
  for (const int n : rounds) EXPECT_EQ(n, 5);
}

enum class HopperMistake { kNoInit, kNobodyArrives, kTooManyArrivals, kUnexpectedBytes, kOutside };

__global__ void MakeHopperMistake(HopperMistake mistake, CUtensorMap map) {
  const uint32_t barrier = SharedAddress(DynamicShared<unsigned char>());
  if (mistake == HopperMistake::kNoInit) Arrive(barrier);
  InitBarrier(barrier, 2);
  if (mistake == HopperMistake::kNobodyArrives) WaitForPhase(barrier, 0);
  ArriveExpecting(barrier, 64);
  if (mistake == HopperMistake::kTooManyArrivals) {
    Arrive(barrier);
    Arrive(barrier);
  }
  if (mistake == HopperMistake::kUnexpectedBytes) CopyBox(Aligned(barrier + 8), map, 0, 0, barrier);
  if (mistake == HopperMistake::kOutside) CopyBox(Aligned(barrier + 4096), map, 0, 0, barrier);
  WaitForPhase(barrier, 0);
}

TEST(HopperEmulationDeathTest, MistakesAreNamed) {
  std::vector<uint16_t> matrix(8 * kWidth);
  const CUtensorMap map = MapOf(matrix, 8, 8);
  const auto run = [&](HopperMistake mistake) {
    static_cast<void>(Launch(MakeHopperMistake, 1, 1, 4096, nullptr, mistake, map));
  };
  EXPECT_DEATH(run(HopperMistake::kNoInit), "not initialised");
  EXPECT_DEATH(run(HopperMistake::kNobodyArrives), "wait elsewhere");
  EXPECT_DEATH(run(HopperMistake::kTooManyArrivals), "more arrivals");
  EXPECT_DEATH(run(HopperMistake::kUnexpectedBytes), "does not expect");
  EXPECT_DEATH(run(HopperMistake::kOutside), "outside");
}

}  // namespace
}  // namespace dragoman::kernels::cuda

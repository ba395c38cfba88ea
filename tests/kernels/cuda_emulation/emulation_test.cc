// The emulation itself: what it promises of barriers, shuffles and shared memory.
#include "tests/kernels/cuda_emulation/emulation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {
namespace {

__global__ void Number(int* out) {
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * blockDim.x * blockDim.y + thread] = static_cast<int>(100 * block + thread);
}

TEST(CudaEmulation, EveryThreadOfEveryBlockRunsOnce) {
  std::vector<int> out(12 * 15, -1);
  EXPECT_EQ(Launch(Number, dim3(3, 2, 2), dim3(5, 3), 0, nullptr, out.data()), Error::kNone);
  for (int i = 0; i < 180; ++i) EXPECT_EQ(out[size_t(i)], i / 15 * 100 + i % 15);
}

__global__ void Reverse(const int* in, int* out) {
  __shared__ int values[96];
  int* const copy = DynamicShared<int>();
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  copy[threadIdx.x] = values[95 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = copy[threadIdx.x];
}

TEST(CudaEmulation, BarriersOrderSharedMemory) {
  std::vector<int> in(96);
  for (int i = 0; i < 96; ++i) in[size_t(i)] = i * i;
  for (int launch = 0; launch < 20; ++launch) {
    std::vector<int> out(96);
    EXPECT_EQ(Launch(Reverse, 1, 96, 96 * sizeof(int), nullptr, in.data(), out.data()),
              Error::kNone);
    for (int i = 0; i < 96; ++i) EXPECT_EQ(out[size_t(i)], (95 - i) * (95 - i));
  }
}

__global__ void LastOne(int* out) { *out = static_cast<int>(threadIdx.x); }

TEST(CudaEmulation, TurnsComeInAnotherOrderAtEveryLaunch) {
  std::set<int> last;
  for (int launch = 0; launch < 20; ++launch) {
    int out = -1;
    EXPECT_EQ(Launch(LastOne, 1, 64, 0, nullptr, &out), Error::kNone);
    last.insert(out);
  }
  EXPECT_GT(last.size(), 5U);
}

__global__ void Vote(const int* in, unsigned* ballots, int* any) {
  const int mine = in[threadIdx.x];
  for (int turn = 0; turn < 3; ++turn) {
    ballots[3 * threadIdx.x + turn] = __ballot_sync(kWholeWarp, mine >> turn & 1);
  }
  // Votes one after the other, with barriers between some of them.
  for (int turn = 0; turn < 8; ++turn) {
    any[8 * threadIdx.x + turn] = __syncthreads_or(mine == turn);
    if (turn % 3 == 0) __syncthreads();
  }
}

TEST(CudaEmulation, VotesCountEveryThreadOnce) {
  std::vector<int> in(96, 1);
  in[40] = 6;
  in[95] = 2;
  for (int launch = 0; launch < 20; ++launch) {
    std::vector<unsigned> ballots(96 * 3);
    std::vector<int> any(96 * 8, -1);
    EXPECT_EQ(Launch(Vote, 1, 96, 0, nullptr, in.data(), ballots.data(), any.data()), Error::kNone);
    for (int i = 0; i < 96; ++i) {
      for (int turn = 0; turn < 3; ++turn) {
        unsigned expected = 0;
        for (int lane = 0; lane < 32; ++lane) {
          expected |= unsigned(in[size_t(i) / 32 * 32 + size_t(lane)] >> turn & 1) << lane;
        }
        EXPECT_EQ(ballots[size_t(3 * i + turn)], expected);
      }
      for (int turn = 0; turn < 8; ++turn) {
        EXPECT_EQ(any[size_t(8 * i + turn)], turn == 1 || turn == 2 || turn == 6) << turn;
      }
    }
  }
}

__global__ void Count(int* count, unsigned* bits, int* places) {
  __syncthreads();
  places[threadIdx.x] = atomicAdd(count, 1);
  atomicOr(bits + threadIdx.x / 32, 1U << threadIdx.x % 32);
}

TEST(CudaEmulation, AtomicsLoseNothing) {
  int count = 0;
  std::vector<unsigned> bits(3);
  std::vector<int> places(96);
  EXPECT_EQ(Launch(Count, 1, 96, 0, nullptr, &count, bits.data(), places.data()), Error::kNone);
  EXPECT_EQ(count, 96);
  for (const unsigned word : bits) EXPECT_EQ(word, ~0U);
  EXPECT_EQ(std::set<int>(places.begin(), places.end()).size(), 96U);
}

struct Shuffled {
  float sum, max;
  int at, low, down, grouped;
  unsigned odd;
};

__global__ void Shuffles(Shuffled* out) {
  const int lane = static_cast<int>(threadIdx.x);
  Shuffled& mine = out[threadIdx.y * 32 + threadIdx.x];
  mine.sum = WarpSum(static_cast<float>(lane));
  mine.max = WarpMax(static_cast<float>(lane * 7 % 32));
  mine.at = __shfl_sync(kWholeWarp, lane, 9);
  mine.low = __shfl_xor_sync(kWholeWarp, lane, 3);
  mine.down = __shfl_down_sync(kWholeWarp, lane, 4);
  mine.grouped = __shfl_sync(kWholeWarp, lane, 2, 8);
  mine.odd = __ballot_sync(kWholeWarp, lane % 2);
}

TEST(CudaEmulation, ShufflesStayWithinTheirWarp) {
  std::vector<Shuffled> out(96);
  EXPECT_EQ(Launch(Shuffles, 1, dim3(32, 3), 0, nullptr, out.data()), Error::kNone);
  for (int i = 0; i < 96; ++i) {
    const int lane = i % 32;
    const Shuffled& found = out[size_t(i)];
    EXPECT_EQ(found.sum, 496.0F);
    EXPECT_EQ(found.max, 31.0F);
    EXPECT_EQ(found.at, 9);
    EXPECT_EQ(found.low, lane ^ 3);
    EXPECT_EQ(found.down, lane < 28 ? lane + 4 : lane);
    EXPECT_EQ(found.grouped, lane / 8 * 8 + 2);
    EXPECT_EQ(found.odd, 0xaaaaaaaaU);
  }
}

__global__ void Nothing() {}

TEST(CudaEmulation, RefusesWhatADeviceRefuses) {
  EXPECT_NE(Launch(Nothing, 0, 32, 0, nullptr), Error::kNone);
  EXPECT_NE(Launch(Nothing, 1, 1056, 0, nullptr), Error::kNone);
  EXPECT_NE(Launch(Nothing, dim3(1, 65536), 32, 0, nullptr), Error::kNone);
  EXPECT_NE(Launch(Nothing, 1, 32, size_t{256} << 10, nullptr), Error::kNone);
  EXPECT_EQ(Launch(Nothing, dim3(2, 3), 1024, 0, nullptr), Error::kNone);
}

__global__ void Diverges() {
  if (threadIdx.x < 16) __syncthreads();
}

__global__ void HalfAWarpShuffles(float* out) {
  if (threadIdx.x % 32 < 16) out[threadIdx.x] = WarpSum(1.0F);
}

__global__ void WaitsInHalfOfIt(int* out) {
  if (threadIdx.x < 16) AwaitKernelBefore();
  out[threadIdx.x] = 1;
}

__global__ void Waits(int* out) {
  AwaitKernelBefore();
  out[threadIdx.x] = 1;
}

TEST(CudaEmulationDeathTest, WhatBeginsEarlyWaitsInEveryThread) {
  int out[32] = {};
  EXPECT_EQ(LaunchEarly(Waits, 3, 32, 0, nullptr, out), Error::kNone);
  EXPECT_EQ(out[31], 1);
  EXPECT_DEATH((void)LaunchEarly(WaitsInHalfOfIt, 1, 32, 0, nullptr, out), "do not wait");
}

TEST(CudaEmulationDeathTest, DivergentBarriersFail) {
  float out[32];
  EXPECT_DEATH((void)Launch(Diverges, 1, 32, 0, nullptr), "wait elsewhere");
  EXPECT_DEATH((void)Launch(HalfAWarpShuffles, 1, 32, 0, nullptr, out), "wait elsewhere");
}

}  // namespace
}  // namespace dragoman::kernels::cuda

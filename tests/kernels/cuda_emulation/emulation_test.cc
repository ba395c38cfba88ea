// Tests of the emulation itself: the order of turns, and what it refuses. The tests of the emulated
// kernels cover the rest.
#include "tests/kernels/cuda_emulation/emulation.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/cuda/kernel.cuh"

namespace dragoman::kernels::cuda {
namespace {

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

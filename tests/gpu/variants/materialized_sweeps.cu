// Separate sweeps. Every sweep has one block for each row, with loads of 16 bytes and four loads in
// flight per thread. 512 rows of 58k tokens make one wave of 4 blocks per SM, which is bound by
// memory.
#include "kernels/cuda/kernel.cuh"
#include "kernels/search/fold.h"
#include "tests/gpu/variants/materialized_sweeps.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kWarpThreads;

__device__ TokenScore BetterOf(TokenScore a, TokenScore b) { return Better(b, a) ? b : a; }

// Returns the best score of the block, in every thread.
__device__ TokenScore BlockBest(TokenScore best) {
  __shared__ TokenScore warps[kWarps];
#pragma unroll
  for (int lanes = kWarpThreads / 2; lanes > 0; lanes /= 2) {
    best = BetterOf(best, {__shfl_xor_sync(kWholeWarp, best.score, lanes),
                           __shfl_xor_sync(kWholeWarp, best.token, lanes)});
  }
  if (threadIdx.x % kWarpThreads == 0) warps[threadIdx.x / kWarpThreads] = best;
  __syncthreads();
  best = warps[0];
  for (int i = 1; i < kWarps; ++i) best = BetterOf(best, warps[i]);
  __syncthreads();
  return best;
}

__device__ float BlockSum(float sum) {
  __shared__ float warps[kWarps];
  sum = WarpSum(sum);
  if (threadIdx.x % kWarpThreads == 0) warps[threadIdx.x / kWarpThreads] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < kWarps; ++i) sum += warps[i];
  __syncthreads();
  return sum;
}

// Calls four(columns i .. i + 3) and, for the last columns of a vocabulary that is no multiple of
// 4, one(column).
template <class Four, class One>
__device__ void EachColumn(int vocabulary, Four four, One one) {
  const int whole = vocabulary / 4;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < whole; i += kThreads) four(4 * i);
  const int rest = 4 * whole + static_cast<int>(threadIdx.x);
  if (rest < vocabulary) one(rest);
}

__device__ float4 LoadFour(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ void StoreFour(float* to, float4 x) { *reinterpret_cast<float4*>(to) = x; }

__device__ TokenScore RowBest(const float* x, int vocabulary) {
  TokenScore best{-INFINITY, vocabulary};
  const auto take = [&](float score, int token) { best = BetterOf(best, {score, token}); };
  EachColumn(
      vocabulary,
      [&](int i) {
        const float4 four = LoadFour(x + i);
        take(four.x, i);
        take(four.y, i + 1);
        take(four.z, i + 2);
        take(four.w, i + 3);
      },
      [&](int i) { take(x[i], i); });
  return BlockBest(best);
}

__global__ void __launch_bounds__(kThreads)
    AddBiasKernel(float* logits, int64_t stride, const float* bias, int vocabulary) {
  float* const x = logits + blockIdx.x * stride;
  EachColumn(
      vocabulary,
      [&](int i) {
        const float4 a = LoadFour(x + i);
        const float4 b = LoadFour(bias + i);
        StoreFour(x + i, {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w});
      },
      [&](int i) { x[i] += bias[i]; });
}

__global__ void __launch_bounds__(kThreads)
    MaximaKernel(const float* logits, int64_t stride, int vocabulary, float* maxima) {
  const TokenScore best = RowBest(logits + blockIdx.x * stride, vocabulary);
  if (threadIdx.x == 0) maxima[blockIdx.x] = best.score;
}

__global__ void __launch_bounds__(kThreads)
    SumsKernel(const float* logits, int64_t stride, int vocabulary, const float* maxima,
               float* sums) {
  const float* const x = logits + blockIdx.x * stride;
  const float max = maxima[blockIdx.x];
  float sum = 0;
  EachColumn(
      vocabulary,
      [&](int i) {
        const float4 four = LoadFour(x + i);
        sum += (__expf(four.x - max) + __expf(four.y - max)) +
               (__expf(four.z - max) + __expf(four.w - max));
      },
      [&](int i) { sum += __expf(x[i] - max); });
  sum = BlockSum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads)
    NormaliseKernel(float* logits, int64_t stride, int vocabulary, const float* maxima,
                    const float* sums) {
  float* const x = logits + blockIdx.x * stride;
  const float normaliser = maxima[blockIdx.x] + logf(sums[blockIdx.x]);
  EachColumn(
      vocabulary,
      [&](int i) {
        const float4 a = LoadFour(x + i);
        StoreFour(x + i, {a.x - normaliser, a.y - normaliser, a.z - normaliser, a.w - normaliser});
      },
      [&](int i) { x[i] -= normaliser; });
}

__global__ void __launch_bounds__(kThreads)
    FindBestKernel(float* logits, int64_t stride, int vocabulary, int k, int32_t* token,
                   float* log_prob) {
  float* const x = logits + blockIdx.x * stride;
  const int64_t at = int64_t{blockIdx.x} * k;
  for (int i = 0; i < k; ++i) {
    const TokenScore best = RowBest(x, vocabulary);
    if (threadIdx.x == 0) {
      token[at + i] = best.token;
      log_prob[at + i] = best.score;
      x[best.token] = -INFINITY;
    }
    __syncthreads();
  }
}

}  // namespace

Error SeparateSweeps(Stream stream, float* logits, int64_t stride, const float* bias,
                     int vocabulary, int64_t rows, int k, float* maxima, float* sums,
                     int32_t* token, float* log_prob) {
  if (stride % 4 != 0 || stride < vocabulary || vocabulary < k || k <= 0) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (rows == 0) return Error::kNone;
  const auto blocks = static_cast<unsigned>(rows);
  const Error errors[] = {
      Launch(AddBiasKernel, blocks, kThreads, 0, stream, logits, stride, bias, vocabulary),
      Launch(MaximaKernel, blocks, kThreads, 0, stream, logits, stride, vocabulary, maxima),
      Launch(SumsKernel, blocks, kThreads, 0, stream, logits, stride, vocabulary, maxima, sums),
      Launch(NormaliseKernel, blocks, kThreads, 0, stream, logits, stride, vocabulary, maxima,
             sums),
      Launch(FindBestKernel, blocks, kThreads, 0, stream, logits, stride, vocabulary, k, token,
             log_prob)};
  for (const Error error : errors) {
    if (error != Error::kNone) return error;
  }
  return Error::kNone;
}

}  // namespace dragoman::kernels::cuda

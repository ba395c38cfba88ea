#include <cuda_runtime_api.h>

#include "tests/gpu/bench/sweeps.h"

namespace dragoman::bench {
namespace {

// One block for each row in every sweep.
constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;

struct Best {
  float score;
  int32_t token;
};

__device__ Best Better(Best a, Best b) {
  return a.score > b.score || (a.score == b.score && a.token < b.token) ? a : b;
}

// The best of the block, in every thread.
__device__ Best BlockBest(Best best) {
  __shared__ Best warps[kWarps];
  for (int offset = 16; offset > 0; offset /= 2) {
    best = Better(
        best, {__shfl_xor_sync(~0U, best.score, offset), __shfl_xor_sync(~0U, best.token, offset)});
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = best;
  __syncthreads();
  best = warps[0];
  for (int i = 1; i < kWarps; ++i) best = Better(best, warps[i]);
  __syncthreads();
  return best;
}

__device__ float BlockSum(float sum) {
  __shared__ float warps[kWarps];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < kWarps; ++i) sum += warps[i];
  __syncthreads();
  return sum;
}

__device__ Best RowBest(const float* x, int vocabulary) {
  Best best{-INFINITY, vocabulary};
  for (int i = static_cast<int>(threadIdx.x); i < vocabulary; i += kThreads) {
    best = Better(best, {x[i], i});
  }
  return BlockBest(best);
}

__global__ void AddBias(float* logits, int64_t stride, const float* bias, int vocabulary) {
  float* const x = logits + blockIdx.x * stride;
  for (int i = static_cast<int>(threadIdx.x); i < vocabulary; i += kThreads) x[i] += bias[i];
}

__global__ void Maxima(const float* logits, int64_t stride, int vocabulary, float* maxima) {
  const Best best = RowBest(logits + blockIdx.x * stride, vocabulary);
  if (threadIdx.x == 0) maxima[blockIdx.x] = best.score;
}

__global__ void Sums(const float* logits, int64_t stride, int vocabulary, const float* maxima,
                     float* sums) {
  const float* const x = logits + blockIdx.x * stride;
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < vocabulary; i += kThreads) {
    sum += __expf(x[i] - maxima[blockIdx.x]);
  }
  sum = BlockSum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void Normalise(float* logits, int64_t stride, int vocabulary, const float* maxima,
                          const float* sums) {
  float* const x = logits + blockIdx.x * stride;
  const float normaliser = maxima[blockIdx.x] + __logf(sums[blockIdx.x]);
  for (int i = static_cast<int>(threadIdx.x); i < vocabulary; i += kThreads) x[i] -= normaliser;
}

__global__ void FindBest(float* logits, int64_t stride, int vocabulary, int k, int32_t* token,
                         float* log_prob) {
  float* const x = logits + blockIdx.x * stride;
  for (int i = 0; i < k; ++i) {
    const Best best = RowBest(x, vocabulary);
    if (threadIdx.x == 0) {
      token[blockIdx.x * static_cast<int64_t>(k) + i] = best.token;
      log_prob[blockIdx.x * static_cast<int64_t>(k) + i] = best.score;
      x[best.token] = -INFINITY;
    }
    __syncthreads();
  }
}

}  // namespace

cuda::Error SeparateSweeps(cuda::Stream stream, float* logits, int64_t stride, const float* bias,
                           int vocabulary, int64_t rows, int k, float* maxima, float* sums,
                           int32_t* token, float* log_prob) {
  const auto blocks = static_cast<unsigned>(rows);
  AddBias<<<blocks, kThreads, 0, stream>>>(logits, stride, bias, vocabulary);
  Maxima<<<blocks, kThreads, 0, stream>>>(logits, stride, vocabulary, maxima);
  Sums<<<blocks, kThreads, 0, stream>>>(logits, stride, vocabulary, maxima, sums);
  Normalise<<<blocks, kThreads, 0, stream>>>(logits, stride, vocabulary, maxima, sums);
  FindBest<<<blocks, kThreads, 0, stream>>>(logits, stride, vocabulary, k, token, log_prob);
  return static_cast<cuda::Error>(cudaGetLastError());
}

}  // namespace dragoman::bench

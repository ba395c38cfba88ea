// Attention of one head by one warp, over tiles of 32 positions. Computes one or a few rows that
// share K and V. Keeps a running (max, sum, context) for each row.
//
// K and V of a position are rows of head_dim elements. A group of kGroup lanes reads such a row, 16
// bytes per lane, and the warp's groups read different positions at the same time. In load j of a
// tile, group g reads position g * kGroup + j. So the kGroup loads of a group cover the positions
// that have the numbers of its own lanes. After the dot products, kGroup - 1 shuffles turn the
// kGroup partial scores in each lane into one complete score: that of the position with the lane's
// own number. V is read in the same way; the weight for load j is in lane j of the group. At the
// end the contexts of the groups are added.
//
// A row's order of summation depends only on head_dim, the type and the positions, not on kRows,
// the number of rows that the warp computes. Multiply-adds that may be fused are written as fmaf,
// and no other multiplication is followed by an addition. Everything is f32 except the elements
// that are loaded and stored.
//
// A kernel may load K and V of a tile together, so that the softmax does not separate the two loads
// (TileLoads). They are loaded to registers or, if registers do not suffice, copied to shared
// memory. A lane reads only its own copies, so no barrier is needed.
//
// Positions from `count` on are not read: their loads repeat the last position, with weight 0. A
// lane whose piece is beyond head_dim loads the row's first piece. So no load depends on a
// condition. With conditions ptxas keeps zeros for missing loads and makes one load wait for
// another.
//
// Scores are exponents of 2, because log2(e) / sqrt(head_dim) is multiplied into the query.
#pragma once

#include "kernels/base/exponent.h"
#include "kernels/base/relative_bias.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/tensor_core.cuh"

namespace dragoman::kernels::cuda {

// Whether this code is compiled for Hopper. True in host code, too, where tests emulate the
// kernels. Other cards have their own tuning: with that of Hopper, the code compiled for them would
// spill registers to memory.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
inline constexpr bool kForHopper = false;
#else
inline constexpr bool kForHopper = true;
#endif

inline constexpr int kTilePositions = 32;

// The term added to a score for the distance of its key from its query
// (kernels/base/relative_bias.h): none, or a head's table. Each kernel chooses one.
struct NoBias {
  static constexpr bool kIsThere = false;
};
struct DistanceBias {
  static constexpr bool kIsThere = true;

  __device__ DistanceBias(const RelativeBias& bias, int64_t head)
      : zero(bias.At(head, 0)), least(-static_cast<int>(bias.zero)) {}
  // Rows that have no query may ask for distances before the first column.
  __device__ float operator[](int distance) const { return zero[max(distance, least)]; }

  const float* zero;  // the bias of distance 0
  int least;
};

// How K and V of a tile reach the lanes that need them.
enum class TileLoads : uint8_t {
  kInTurn,  // K first, then V when the weights are known
  // Both, in registers; needs kBatches == 1, that is 16-bit elements and head_dim up to 64.
  kTogether,
  kCopied,  // both, copied to shared memory (kCopiedBytes, aligned to 16); from sm_80 on
};

// kHeadClass is the largest head_dim that the code takes, 32, 64 or 128. REQUIRES: head_dim is a
// multiple of 8.
template <class T, int kHeadClass, int kRows, TileLoads kLoads = TileLoads::kInTurn>
class WarpAttention {
 public:
  static constexpr bool kByCopies = kLoads == TileLoads::kCopied;
  static constexpr bool kTogether = kLoads == TileLoads::kTogether;
  static constexpr int kElements = kPieceElements<T>;
  static constexpr int kGroup = kHeadClass / kElements;  // lanes per position
  static_assert(kGroup <= kWarpThreads && kTilePositions == kWarpThreads);

  // The number of bytes of shared memory that a warp needs.
  static constexpr int kCopiedBytes = kByCopies ? 2 * kGroup * kWarpThreads * 16 : 0;

  // Starts without queries. A row whose query is not set weighs any K equally, and its context is
  // not used.
  __device__ WarpAttention(int lane, int head_dim, void* copied = nullptr)
      : lane_(lane),
        group_at_(lane / kGroup * kGroup),
        at_(lane % kGroup * kElements),
        has_piece_(at_ < head_dim),
        load_at_(has_piece_ ? at_ : 0),
        scale_(kLog2OfE / sqrtf(static_cast<float>(head_dim))),
        copied_(static_cast<RawPiece<T>*>(copied) + lane) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      max_[r] = -INFINITY;
      sum_[r] = 0.0F;
#pragma unroll
      for (int i = 0; i < kElements; ++i) query_[r][i] = acc_[r][i] = 0.0F;
    }
  }

  // Sets the query of row r for this head. REQUIRES: r is a constant after unrolling.
  __device__ void SetQuery(int r, const T* query) {
    float x[kElements];
    Widen(Load(query), x);
#pragma unroll
    for (int i = 0; i < kElements; ++i) query_[r][i] = has_piece_ ? x[i] * scale_ : 0.0F;
  }

  // Takes in K and V of the query's own position, which is in no tile, and copies them to k_to and
  // v_to. REQUIRES: called before any Tile.
  template <class Bias = NoBias>
  __device__ void StartWith(const T* k, const T* v, T* k_to, T* v_to, const Bias& bias = {}) {
    const RawPiece<T> key = Load(k);
    const RawPiece<T> value = Load(v);
    if (lane_ < kGroup && has_piece_) {
      StoreRaw(k_to + at_, key);
      StoreRaw(v_to + at_, value);
    }
    float x[kElements];
    Widen(value, x);
    float score[kRows];
    Dot(key, score);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int lanes = kGroup / 2; lanes > 0; lanes /= 2) {
        score[r] += __shfl_xor_sync(kWholeWarp, score[r], lanes);
      }
      if constexpr (Bias::kIsThere) score[r] = fmaf(bias[0], kLog2OfE, score[r]);
      max_[r] = score[r];
      sum_[r] = lane_ == 0 ? 1.0F : 0.0F;
#pragma unroll
      for (int i = 0; i < kElements; ++i) {
        acc_[r][i] = lane_ < kGroup ? x[i] : 0.0F;
      }
    }
  }

  // Takes in the first `count` >= 1 positions of a tile. key(p) returns the address of K of
  // position p < count. All lanes call it together, possibly with different p. V is v_offset
  // elements after K. `distance` is the position of the tile's first key minus that of the first
  // row's query.
  template <class Key, class Bias = NoBias>
  __device__ void Tile(int count, int64_t v_offset, Key key, const Bias& bias = {},
                       int distance = 0) {
    if constexpr (kByCopies) {
      Copy(count, 0, key, copied_);
      Copy(count, v_offset, key, copied_ + kCopiedV);
      AwaitCopies();
    }
    RawPiece<T> values[kTogether ? kGroup : 1];
    float score[kRows];
    Scores(count, key, score, [&] {
      if constexpr (kTogether) {
        const int group_at = Unknown(group_at_);
#pragma unroll
        for (int j = 0; j < kGroup; ++j) {
          values[j] = Load(key(min(group_at + j, count - 1)) + v_offset);
        }
      }
    });
    if constexpr (Bias::kIsThere) {
      if (lane_ < count) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          score[r] = fmaf(bias[distance + lane_ - r], kLog2OfE, score[r]);
        }
      }
    }
    float weight[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) weight[r] = Weigh(r, score[r]);
    int group_at = Unknown(group_at_);
#pragma unroll
    for (int first = 0; first < kGroup; first += kBatch) {
      if (first > 0) group_at = After(acc_[0][0], group_at);
      RawPiece<T> v[kBatch];
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        if constexpr (kByCopies) {
          v[j] = copied_[kCopiedV + (first + j) * kWarpThreads];
        } else if constexpr (kTogether) {
          v[j] = values[first + j];
        } else {
          v[j] = Load(key(min(group_at + first + j, count - 1)) + v_offset);
        }
      }
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        float w[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
          w[r] = __shfl_sync(kWholeWarp, weight[r], first + j, kGroup);
        }
        float x[kElements];
        Widen(v[j], x);
#pragma unroll
        for (int i = 0; i < kElements; ++i) {
#pragma unroll
          for (int r = 0; r < kRows; ++r) acc_[r][i] = fmaf(w[r], x[i], acc_[r][i]);
        }
      }
    }
  }

  struct NothingElse {
    __device__ void operator()() const {}
  };

  // Computes, for every row, the score of this lane's position in a tile; -infinity from `count`
  // on. `key` is as for Tile. With TileLoads::kCopied, K is already in shared memory. Calls asked()
  // each time after the loads of a batch of K were issued.
  template <class Key, class Asked = NothingElse>
  __device__ void Scores(int count, Key key, float (&score)[kRows], Asked asked = {}) const {
    int group_at = Unknown(group_at_);
    float parts[kRows][kBatches];
#pragma unroll
    for (int batch = 0; batch < kBatches; ++batch) {
      if (batch > 0) group_at = After(parts[0][batch - 1], group_at);
      RawPiece<T> k[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int j = batch * kBatch + i;
        if constexpr (kByCopies) {
          k[i] = copied_[j * kWarpThreads];
        } else {
          k[i] = Load(key(min(group_at + j, count - 1)));
        }
      }
      asked();
      float dots[kRows][kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        float dot[kRows];
        Dot(k[i], dot);
#pragma unroll
        for (int r = 0; r < kRows; ++r) dots[r][i] = dot[r];
      }
#pragma unroll
      for (int r = 0; r < kRows; ++r) parts[r][batch] = Gather<kBatch / 2, 1>(dots[r]);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if constexpr (kBatches > 1) parts[r][0] = Gather<kGroup / 2, kBatch>(parts[r]);
      score[r] = lane_ < count ? parts[r][0] : -INFINITY;
    }
  }

  // Stores row r's context of this head at context + r * stride, for r < rows. REQUIRES: all lanes
  // call it, once.
  __device__ void Store(int rows, T* context, int64_t stride) {
    const int first = AddGroups<kGroup, kRows * kElements>(&acc_[0][0], 0);
    const float factor = 1.0F / SumOfRow<kWarpThreads / 2>(sum_);
    constexpr int kKept = kRows * kElements * kGroup / kWarpThreads;
    Run<T, kKept> run;
#pragma unroll
    for (int i = 0; i < kKept; ++i) run.element[i] = FromFloat<T>((&acc_[0][0])[i] * factor);
    const int row = first / kElements;
    if (row < rows && has_piece_) {
      *reinterpret_cast<Run<T, kKept>*>(context + row * stride + at_ + first % kElements) = run;
    }
  }

 private:
  // The number of loads of K or V that are issued before the first one is used.
  static constexpr int kBatch = kGroup == 8 || kGroup == 16 ? 8 : 4;
  static constexpr int kBatches = kGroup / kBatch;
  static_assert(kGroup * kRows <= kWarpThreads, "rows are divided among groups");
  static_assert(!kTogether || kBatches == 1);

  // Distance in pieces from this lane's first piece of K to its first piece of V in shared memory.
  static constexpr int kCopiedV = kGroup * kWarpThreads;

  // Copies this lane's pieces of a tile to shared memory. `offset` is 0 for K, or the number of
  // elements from K to V.
  template <class Key>
  __device__ void Copy(int count, int64_t offset, Key key, RawPiece<T>* to) const {
    const int group_at = Unknown(group_at_);
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      const T* const row = key(min(group_at + j, count - 1)) + offset;
      CopyPiece(to + j * kWarpThreads, row + load_at_, true);
    }
  }

  // Returns `value`, but hides it from the compiler. Otherwise the compiler derives the addresses
  // of all loads from each other and keeps them in registers from tile to tile.
  __device__ static int Unknown(int value) {
    asm volatile("" : "+r"(value));
    return value;
  }

  // Returns `value`, but makes the addresses of a batch depend on a result of the batch before.
  // Otherwise ptxas moves all loads to the front, past any barrier, and runs out of registers. The
  // test compares with a NaN that no operation returns, so the result is always `value`.
  __device__ static int After(float result, int value) {
    constexpr uint32_t kNoResult = 0x7fffdeadU;
    return __float_as_uint(result) == kNoResult ? 0 : value;
  }

  // Adds values of this lane and of the lane whose number differs in bit `lanes`. Returns the sum
  // of their `lower` if the bit is 0 in this lane, and the sum of their `upper` if it is 1.
  __device__ float SumOfHalves(float lower, float upper, int lanes) const {
    const bool is_upper = (lane_ & lanes) != 0;
    const float keep = is_upper ? upper : lower;
    return keep + __shfl_xor_sync(kWholeWarp, is_upper ? lower : upper, lanes);
  }

  // Adds up kValues values over the groups of lanes. In each round a lane and the lane that differs
  // in bit kLanes add their values; each of the two keeps one half. `first` is the number of this
  // lane's first value. Returns the number of the first value that is left to this lane. The values
  // left are complete and at the front of `values`.
  template <int kLanes, int kValues>
  __device__ int AddGroups(float* values, int first) const {
    if constexpr (kLanes == kWarpThreads) {
      return first;
    } else {
      constexpr int kHalf = kValues / 2;
#pragma unroll
      for (int i = 0; i < kHalf; ++i) values[i] = SumOfHalves(values[i], values[i + kHalf], kLanes);
      return AddGroups<2 * kLanes, kHalf>(values, (lane_ & kLanes) != 0 ? first + kHalf : first);
    }
  }

  // Returns the sum of the weights of the row that AddGroups leaves to this lane. Adds in the order
  // of WarpSum, from bit kLanes down. The lowest bits of the lane's group number, in reverse order,
  // give the number of the row.
  template <int kLanes, int kLeft>
  __device__ float SumOfRow(const float (&sums)[kLeft]) const {
    constexpr bool kDivides = kLanes >= kGroup && kLanes < kGroup * kRows;
    constexpr int kNext = kDivides ? kLeft / 2 : kLeft;
    float next[kNext];
#pragma unroll
    for (int r = 0; r < kNext; ++r) {
      next[r] = kDivides ? SumOfHalves(sums[2 * r % kLeft], sums[(2 * r + 1) % kLeft], kLanes)
                         : sums[r] + __shfl_xor_sync(kWholeWarp, sums[r], kLanes);
    }
    if constexpr (kLanes > 1) return SumOfRow<kLanes / 2>(next);
    return next[0];
  }

  // Loads this lane's piece of a row, or the row's first piece if the lane has none.
  __device__ RawPiece<T> Load(const T* row) const { return LoadRaw(row + load_at_); }

  __device__ void Dot(RawPiece<T> k, float (&dot)[kRows]) const {
    float x[kElements];
    Widen(k, x);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      dot[r] = query_[r][0] * x[0];
#pragma unroll
      for (int i = 1; i < kElements; ++i) dot[r] = fmaf(query_[r][i], x[i], dot[r]);
    }
  }

  // On entry each lane has a part of the scores of several positions. Returns the complete score of
  // one position to each lane. Value i is for the positions whose number in the group has the bits
  // of i * kUnit. There is a round for each bit from kBit down to kUnit. In a round a lane and the
  // lane whose number differs in this bit add their values. Each of the two keeps the sums for the
  // positions whose number has the same bit as the lane's.
  template <int kBit, int kUnit, int kValues>
  __device__ float Gather(float (&values)[kValues]) const {
    constexpr int kHalf = kBit / kUnit;
    const bool upper = (lane_ & kBit) != 0;
#pragma unroll
    for (int i = 0; i < kHalf; ++i) {
      const float give = upper ? values[i] : values[i + kHalf];
      const float keep = upper ? values[i + kHalf] : values[i];
      values[i] = keep + __shfl_xor_sync(kWholeWarp, give, kBit);
    }
    if constexpr (kHalf > 1) return Gather<kBit / 2, kUnit>(values);
    return values[0];
  }

  // Adds this lane's position in row r to the running maximum and sum. Returns its weight, relative
  // to the running maximum.
  __device__ float Weigh(int r, float score) {
    const float top = fmaxf(max_[r], WarpMax(score));
    const float keep = exp2f(max_[r] - top);
    const float weight = exp2f(score - top);
    max_[r] = top;
    sum_[r] = fmaf(sum_[r], keep, weight);
#pragma unroll
    for (int i = 0; i < kElements; ++i) acc_[r][i] *= keep;
    return weight;
  }

  const int lane_;
  const int group_at_;  // the first position of a tile that this lane's group reads
  const int at_;        // the offset of this lane's piece within a row, in elements
  const bool has_piece_;
  const int load_at_;
  const float scale_;
  RawPiece<T>* const copied_;  // this lane's first piece of K in shared memory
  float query_[kRows][kElements];
  float max_[kRows];
  float sum_[kRows];  // this lane's part of the sum of weights
  float acc_[kRows][kElements];
};

// kRowsTogether is the number of rows that one warp computes together. kBlocksOfFourWarps is the
// number of blocks of four such warps whose registers fit a multiprocessor.
template <class T, int kHeadClass>
inline constexpr int kRowsTogether = kHeadClass / kPieceElements<T> <= 8    ? 4
                                     : kHeadClass / kPieceElements<T> <= 16 ? 2
                                                                            : 1;
template <class T, int kHeadClass>
inline constexpr int kBlocksOfFourWarps = kHeadClass > 64 ? 2 : 3;

template <int kClass>
struct HeadClass {
  static constexpr int kValue = kClass;
};

// Calls launch(HeadClass<...>{}) with the class of head_dim.
template <class Launch>
Error ForHeadClass(int head_dim, Launch launch) {
  if (head_dim <= 0 || head_dim % 8 != 0 || head_dim > 128) {
    return static_cast<Error>(cudaErrorInvalidValue);
  }
  if (head_dim <= 32) return launch(HeadClass<32>{});
  if (head_dim <= 64) return launch(HeadClass<64>{});
  return launch(HeadClass<128>{});
}

}  // namespace dragoman::kernels::cuda

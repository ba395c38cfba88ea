// Attention of one head by one warp, for one or a few rows that share K and V, over tiles of 32
// positions with a running (max, sum, context) for each row.
//
// K and V of a position are head_dim elements in a row. A group of lanes reads such a row, 16 bytes
// a lane; the warp's groups read different positions at once. In load j of a tile, group g has
// position g * kGroup + j: so the kGroup loads of a group are the positions that its own lanes
// number. After the dot products, kGroup partial scores in each lane are turned into one whole
// score in each lane, its own position's, with kGroup - 1 shuffles. V is read in the same way; the
// weight of load j comes from lane j of the group. Groups add up at the very end.
//
// A row's order of summation depends on head_dim, the type and the positions alone, not on kRows:
// multiply-adds that may be fused are written so (fmaf), and no other multiplication feeds a sum.
// Everything is f32 but what is loaded and stored.
//
// Where they can, K and V of a tile are asked for at once, so that the softmax is not between the two
// (TileLoads): in registers, or where those are short, by copies to shared memory. A lane reads what it
// copied itself, and needs no barrier.
//
// Positions from `count` on are not read: where one would be, its load takes the last position there
// is once more, with a weight of 0, and so does a lane beyond head_dim with the row's first piece. So
// no load depends on a condition. With conditions ptxas keeps zeros for what is not loaded, and has
// one load wait for another to move it there.
// Scores are in powers of two: log2(e) / sqrt(head_dim) is in the query.
#pragma once

#include "kernels/base/exponent.h"
#include "kernels/base/relative_bias.h"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/tensor_core.cuh"

namespace dragoman::kernels::cuda {

// Whether this is code for Hopper, or emulated. What asks for it was measured there, and is spilt by ptxas
// for other cards.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
inline constexpr bool kForHopper = false;
#else
inline constexpr bool kForHopper = true;
#endif

inline constexpr int kTilePositions = 32;

// The term added to a score for the distance of its key from its query
// (kernels/base/relative_bias.h): none here, or a head's table below. Each kernel chooses one.
struct NoBias {
  static constexpr bool kIsThere = false;
};
struct DistanceBias {
  static constexpr bool kIsThere = true;

  __device__ DistanceBias(const RelativeBias& bias, int64_t head)
      : zero(bias.At(head, 0)), least(-static_cast<int>(bias.zero)) {}
  // Rows without a query may ask for more than there is before one.
  __device__ float operator[](int distance) const { return zero[max(distance, least)]; }

  const float* zero;  // of distance 0
  int least;
};

// How K and V of a tile come to the lanes that need them.
enum class TileLoads : uint8_t {
  kInTurn,  // K, and V when its weights are there
  kTogether,  // both in registers: only where a lane's K of a tile is one batch, as of 16 bits up to 64
  kCopied,  // both in shared memory: on sm_80 and later only, with kCopiedBytes, aligned to 16 bytes
};

// kHeadClass: the largest head_dim it takes, 32, 64 or 128; head_dim is a multiple of 8.
template <class T, int kHeadClass, int kRows, TileLoads kLoads = TileLoads::kInTurn>
class WarpAttention {
 public:
  static constexpr bool kByCopies = kLoads == TileLoads::kCopied;
  static constexpr bool kTogether = kLoads == TileLoads::kTogether;
  static constexpr int kElements = kPieceElements<T>;
  static constexpr int kGroup = kHeadClass / kElements;  // lanes to a position
  static_assert(kGroup <= kWarpThreads && kTilePositions == kWarpThreads);

  // The shared memory that a warp needs.
  static constexpr int kCopiedBytes = kByCopies ? 2 * kGroup * kWarpThreads * 16 : 0;

  // No row has a query yet: each is idle (weights of any K, a context that is not wanted).
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

  // The query of row r (a constant, once unrolled) for this head.
  __device__ void SetQuery(int r, const T* query) {
    float x[kElements];
    Widen(Load(query), x);
#pragma unroll
    for (int i = 0; i < kElements; ++i) query_[r][i] = has_piece_ ? x[i] * scale_ : 0.0F;
  }

  // Before any tile, for every row: a position that is in no tile, the query's own. Copies it to k_to
  // and v_to.
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

  // Takes in the first `count` >= 1 positions of a tile. key(p), called by all lanes together, is where
  // K of position p < count of the tile lies, which may be another one for each lane; V lies v_offset
  // elements after it. `distance`: of the tile's first position from the first query.
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

  // Every row's score of the position that is this lane's in a tile, -infinity from `count` on; key
  // as for Tile. By copies, K is there already. Calls asked() when it has asked for a batch of K.
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

  // The contexts of the first `rows` rows, of this head: row r's at context + r * stride. Called by
  // all lanes together, once.
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
  // Loads of K, or of V, that are in flight at once.
  static constexpr int kBatch = kGroup == 8 || kGroup == 16 ? 8 : 4;
  static constexpr int kBatches = kGroup / kBatch;
  static_assert(kGroup * kRows <= kWarpThreads, "rows are divided among groups");
  static_assert(!kTogether || kBatches == 1);

  // Pieces from this lane's first one of K to that of V.
  static constexpr int kCopiedV = kGroup * kWarpThreads;

  // This lane's pieces of a tile, `offset` elements after those of K, to shared memory.
  template <class Key>
  __device__ void Copy(int count, int64_t offset, Key key, RawPiece<T>* to) const {
    const int group_at = Unknown(group_at_);
#pragma unroll
    for (int j = 0; j < kGroup; ++j) {
      const T* const row = key(min(group_at + j, count - 1)) + offset;
      CopyPiece(to + j * kWarpThreads, row + load_at_, true);
    }
  }

  // The same, but the compiler cannot know: or it would keep the addresses of all loads, which it
  // can derive from each other, in registers from tile to tile.
  __device__ static int Unknown(int value) {
    asm volatile("" : "+r"(value));
    return value;
  }

  // The same value, for addresses of a batch's loads: they depend on a result of the batch before, or
  // ptxas would move all loads to the front, past any barrier, into registers that are not there. No
  // operation results in this NaN; with it the positions would be others of the tile.
  __device__ static int After(float result, int value) {
    constexpr uint32_t kNoResult = 0x7fffdeadU;
    return __float_as_uint(result) == kNoResult ? 0 : value;
  }

  // Each lane brings two values and gets the sum of one over itself and its neighbour by bit `lanes`:
  // of `lower` where its bit is 0, of `upper` where it is 1.
  __device__ float SumOfHalves(float lower, float upper, int lanes) const {
    const bool is_upper = (lane_ & lanes) != 0;
    const float keep = is_upper ? upper : lower;
    return keep + __shfl_xor_sync(kWholeWarp, is_upper ? lower : upper, lanes);
  }

  // Groups add up what they have of kValues values, which begin with number `first`: in each round a lane
  // and its neighbour by bit kLanes keep one half of them each. Returns the first of those that are
  // left, whole, in front.
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

  // The sum of the weights of the row that AddGroups leaves to this lane, in the order of WarpSum: rounds
  // from bit kLanes down. The bits of a lane's group number its row, the lowest the highest.
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

  // This lane's piece of a row; the first one where it has none.
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

  // From parts of the scores of several positions in each lane to one position's in each. Value i
  // is that of the positions whose number in the group has the bits of i * kUnit; a round for each
  // bit from kBit down to kUnit adds what a lane and its neighbour by that bit have, and leaves
  // each with the half of the values that has its own bit.
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

  // The weight of this lane's position in row r, relative to the running maximum.
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
  const int group_at_;  // first position in a tile that this lane's group reads
  const int at_;        // of this lane's piece in a row
  const bool has_piece_;
  const int load_at_;
  const float scale_;
  RawPiece<T>* const copied_;  // this lane's first piece of K in shared memory
  float query_[kRows][kElements];
  float max_[kRows];
  float sum_[kRows];  // this lane's share
  float acc_[kRows][kElements];
};

// Rows that a warp takes together where there are enough, and the blocks of four warps for which an
// SM has registers then.
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

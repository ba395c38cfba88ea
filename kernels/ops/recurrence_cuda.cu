// Computes the SSRU (recurrence.h) of a decoding step. A row of d elements of e bytes moves 3 d e
// bytes of gate, x and y, and 8 d bytes of the state, which is read and written. An element takes
// about 15 flop.
//
// A thread computes one piece of 16 bytes of y, in f32. It computes this piece for all adjacent
// rows of a lane, one after another. So no other thread of the launch needs to read the states that
// it writes. Elements are independent of each other, so a row's bits do not depend on its place.
#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/element.cuh"
#include "kernels/cuda/kernel.cuh"
#include "kernels/cuda/self_pages.cuh"
#include "kernels/ops/recurrence.h"

namespace dragoman::kernels::cuda {
namespace {

constexpr int kThreads = 256;

// The f32 states of as many elements as one piece of T has. A piece is 16 bytes.
template <class T>
struct States {
  static constexpr int kPieces = kPieceElements<T> / kPieceElements<float>;

  __device__ void Load(const float* from) {
    RawPiece<float> raw[kPieces];
#pragma unroll
    for (int i = 0; i < kPieces; ++i) raw[i] = LoadRaw(from + i * kPieceElements<float>);
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      float four[kPieceElements<float>];
      Widen(raw[i], four);
#pragma unroll
      for (int j = 0; j < kPieceElements<float>; ++j) at[i * kPieceElements<float> + j] = four[j];
    }
  }
  __device__ void Store(float* to) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      Piece<float> four;
#pragma unroll
      for (int j = 0; j < kPieceElements<float>; ++j) {
        four.element[j] = at[i * kPieceElements<float> + j];
      }
      StorePiece(to + i * kPieceElements<float>, four);
    }
  }

  float at[kPieceElements<T>] = {};  // the state before position 0 is zeros
};

// Returns the address of element `at` of the state of a position.
template <class T>
__device__ float* StateOf(const KvLayout& layout, int layer, void* pool, int64_t page, int position,
                          int at) {
  T* const begin = static_cast<T*>(pool) + page * layout.ElementsPerPage();
  return reinterpret_cast<float*>(begin) + StateAt(layout, position, layer) + at;
}

template <class T, class Pages>
__global__ void __launch_bounds__(kThreads)
    RecurKernel(KvLayout layout, int layer, StepRows rows, SelfKvTables tables, const T* gate_x,
                int row_pieces, T* y) {
  AwaitKernelBefore();
  const int64_t piece = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (piece >= rows.rows * row_pieces) return;
  int row = static_cast<int>(piece / row_pieces);
  const int count = *rows.count;
  if (row >= count || FollowsInLane(rows, row)) return;

  const int d = layout.width();
  const int at = static_cast<int>(piece % row_pieces) * kPieceElements<T>;
  int position = rows.position[row];
  const T* from = gate_x + int64_t{row} * 2 * d + at;
  RawPiece<T> raw_gate = LoadRaw(from);
  RawPiece<T> raw_x = LoadRaw(from + d);
  States<T> state;
  if (position > 0) {
    const Pages pages(rows, tables, row);
    state.Load(StateOf<T>(layout, layer, tables.pool, pages.Before(position - 1, position),
                          position - 1, at));
  }
  for (;;) {
    float gate[kPieceElements<T>];
    float x[kPieceElements<T>];
    Widen(raw_gate, gate);
    Widen(raw_x, x);
    Piece<T> values;
#pragma unroll
    for (int j = 0; j < kPieceElements<T>; ++j) {
      const float keep = Apply<Activation::kSigmoid, float>(gate[j]);
      state.at[j] = fmaf(keep, state.at[j], (1.0F - keep) * x[j]);
      values.element[j] = FromFloat<T>(Apply<Activation::kRelu, float>(state.at[j]));
    }
    const Pages pages(rows, tables, row);
    state.Store(StateOf<T>(layout, layer, tables.pool, pages.Own(position), position, at));
    StorePiece(y + int64_t{row} * d + at, values);
    if (++row >= count || !FollowsInLane(rows, row)) return;
    position = rows.position[row];
    from += 2 * d;
    raw_gate = LoadRaw(from);
    raw_x = LoadRaw(from + d);
  }
}

}  // namespace

Error Recur(Stream stream, ComputeType type, const KvLayout& layout, int layer,
            const StepRows& rows, const SelfKvTables& tables, const void* gate_x, void* y) {
  const int d = layout.width();
  if (d <= 0 || d % 8 != 0) return static_cast<Error>(cudaErrorInvalidValue);
  if (rows.rows == 0) return Error::kNone;
  return ForType(type, [&](auto zero) {
    using T = decltype(zero);
    const int row_pieces = d / kPieceElements<T>;
    const auto blocks = static_cast<unsigned>((rows.rows * row_pieces + kThreads - 1) / kThreads);
    auto* const kernel =
        rows.pages != nullptr ? RecurKernel<T, PagesOfStep> : RecurKernel<T, PagesByAncestry>;
    return LaunchEarly(kernel, blocks, kThreads, 0, stream, layout, layer, rows, tables,
                       static_cast<const T*>(gate_x), row_pieces, static_cast<T*>(y));
  });
}

}  // namespace dragoman::kernels::cuda

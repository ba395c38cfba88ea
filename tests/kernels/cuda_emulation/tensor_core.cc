#include "tests/kernels/cuda_emulation/tensor_core.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace dragoman::emulation {
namespace {

constexpr int kWarp = 32;
constexpr size_t kPieceBytes = 16;

// The operands that the lanes of a warp bring to the current instruction: rows of a and columns of
// b (32 elements of one byte, or 16 of two bytes), and the rows of matrix loads.
struct WarpOperands {
  float a[16][32];
  float b[8][32];
  std::array<const unsigned char*, kWarp> row;
};
std::vector<WarpOperands> operands;

struct PieceCopy {
  unsigned char* to;
  const void* from;  // nullptr: zeros
  int64_t group;
};
struct ThreadCopies {
  std::vector<PieceCopy> under_way;
  int64_t groups = 0;  // how many groups have been committed
};
std::vector<ThreadCopies> copies;  // of each thread
std::mt19937 chance(1);

size_t ThreadNumber() {
  const Current& c = current;
  return (size_t{c.thread.z} * c.block_size.y + c.thread.y) * c.block_size.x + c.thread.x;
}

WarpOperands& OperandsOfWarp() {
  const size_t warp = ThreadNumber() / kWarp;
  if (operands.size() <= warp) operands.resize(warp + 1);
  return operands[warp];
}

unsigned char* SharedPiece(const void* pointer) {
  const auto at =
      reinterpret_cast<uintptr_t>(pointer) - reinterpret_cast<uintptr_t>(dynamic_shared);
  if (at > dynamic_shared_bytes || dynamic_shared_bytes - at < kPieceBytes) {
    Fail("a piece outside of the block's shared memory");
  }
  if (at % kPieceBytes != 0) Fail("a piece that is not aligned");
  return dynamic_shared + at;
}

ThreadCopies& CopiesOfThread() {
  const size_t thread = ThreadNumber();
  if (copies.size() <= thread) copies.resize(thread + 1);
  return copies[thread];
}

void Perform(const PieceCopy& copy) {
  if (copy.from == nullptr) {
    std::memset(copy.to, 0, kPieceBytes);
  } else {
    std::memcpy(copy.to, copy.from, kPieceBytes);
  }
}

// Performs this thread's copies of the groups below `end`.
void PerformBefore(int64_t end) {
  std::vector<PieceCopy>& under_way = CopiesOfThread().under_way;
  for (const PieceCopy& copy : under_way) {
    if (copy.group < end) Perform(copy);
  }
  std::erase_if(under_way, [&](const PieceCopy& copy) { return copy.group < end; });
}

template <size_t bytes, float (*widen)(uint16_t)>
void Widen(unsigned from, float* to) {
  for (size_t i = 0; i < 4 / bytes; ++i) {
    const unsigned bits = from >> 8 * bytes * i;
    to[i] = widen(static_cast<uint16_t>(bytes == 1 ? bits & 0xFF : bits));
  }
}

// Returns the sums that a product adds to c [4] of this lane. `widen` converts an element's bits to
// float.
template <size_t bytes, float (*widen)(uint16_t)>
std::array<double, 4> WarpProducts(const unsigned (&a)[4], const unsigned (&b)[2]) {
  constexpr size_t kDepth = 32 / bytes;
  const auto lane = static_cast<size_t>(current.lane);
  WarpOperands& mine = OperandsOfWarp();
  const size_t first = lane % 4 * (4 / bytes);
  for (size_t i = 0; i < 4; ++i) {
    Widen<bytes, widen>(a[i], &mine.a[lane / 4 + i % 2 * 8][first + i / 2 * (kDepth / 2)]);
  }
  for (size_t i = 0; i < 2; ++i) {
    Widen<bytes, widen>(b[i], &mine.b[lane / 4][first + i * (kDepth / 2)]);
  }
  WarpBarrier();
  // Looks the operands up again, because threads that ran during the barrier may have resized the
  // vector. No other thread runs before the next barrier.
  const WarpOperands& all = OperandsOfWarp();
  std::array<double, 4> sums{};
  for (size_t k = 0; k < kDepth; ++k) {
    for (size_t i = 0; i < 4; ++i) {
      sums[i] += double{all.a[lane / 4 + i / 2 * 8][k]} * all.b[lane % 4 * 2 + i % 2][k];
    }
  }
  WarpBarrier();
  return sums;
}

}  // namespace

void AwaitCopyGroups(int pending) { PerformBefore(CopiesOfThread().groups - pending); }

void WarpLoadMatrices(const void* row, bool transposed, unsigned (&m)[4]) {
  const auto lane = static_cast<size_t>(current.lane);
  OperandsOfWarp().row[lane] = SharedPiece(row);
  WarpBarrier();
  const auto rows = OperandsOfWarp().row;
  for (size_t i = 0; i < 4; ++i) {
    m[i] = 0;
    for (size_t half = 0; half < 2; ++half) {
      const size_t along = lane % 4 * 2 + half;
      const size_t from = transposed ? along : lane / 4;
      const size_t column = transposed ? lane / 4 : along;
      uint16_t element = 0;
      std::memcpy(&element, rows[i * 8 + from] + column * sizeof(element), sizeof(element));
      m[i] |= unsigned{element} << 16 * half;
    }
  }
  WarpBarrier();
}

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {
namespace {

float WidenHalf(uint16_t bits) { return __half2float(__ushort_as_half(bits)); }
float WidenBFloat16(uint16_t bits) { return __bfloat162float({bits}); }
float WidenFloat8(uint16_t bits) { return FromFloat8(static_cast<uint8_t>(bits)); }
float WidenInt8(uint16_t bits) { return static_cast<int8_t>(bits); }

template <class Sum>
void Add(Sum (&c)[4], const std::array<double, 4>& sums) {
  for (size_t i = 0; i < 4; ++i) c[i] = static_cast<Sum>(c[i] + sums[i]);
}

template <class T>
unsigned PairOf(T first, T second) {
  static_assert(sizeof(T) == sizeof(uint16_t));
  uint16_t bits[2];
  std::memcpy(bits, &first, sizeof(first));
  std::memcpy(bits + 1, &second, sizeof(second));
  return unsigned{bits[0]} | unsigned{bits[1]} << 16;
}

}  // namespace

void Multiply(__half, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  Add(c, emulation::WarpProducts<2, WidenHalf>(a, {b0, b1}));
}
void Multiply(__nv_bfloat16, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  Add(c, emulation::WarpProducts<2, WidenBFloat16>(a, {b0, b1}));
}
void Multiply(Float8, float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  Add(c, emulation::WarpProducts<1, WidenFloat8>(a, {b0, b1}));
}
void Multiply(Int8, int32_t (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  Add(c, emulation::WarpProducts<1, WidenInt8>(a, {b0, b1}));
}

void CopyPiece(void* to, const void* from, bool wanted) {
  emulation::ThreadCopies& copies = emulation::CopiesOfThread();
  const emulation::PieceCopy copy{emulation::SharedPiece(to), wanted ? from : nullptr,
                                  copies.groups};
  if (wanted && reinterpret_cast<uintptr_t>(from) % emulation::kPieceBytes != 0) {
    emulation::Fail("a copy from what is not aligned");
  }
  if (emulation::chance() % 2 == 0) {
    emulation::Perform(copy);
    return;
  }
  copies.under_way.push_back(copy);
}

void AwaitCopies() { emulation::PerformBefore(INT64_MAX); }

void CommitCopies() { ++emulation::CopiesOfThread().groups; }

unsigned RoundPair(__half, float first, float second) {
  return PairOf(__float2half_rn(first), __float2half_rn(second));
}
unsigned RoundPair(__nv_bfloat16, float first, float second) {
  return PairOf(__float2bfloat16_rn(first), __float2bfloat16_rn(second));
}

}  // namespace dragoman::kernels::cuda

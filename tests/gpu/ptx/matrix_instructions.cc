// The matrix instructions of a warp: ldmatrix, and mma with 16 x 8 x 16 (x 32 with one-byte
// elements) and with 8 x 8 x 16 of int8.
//
// Below, g = lane / 4 and t = lane % 4, as in the ISA's figures. Products are exact and are summed
// in double in the order of k, with the accumulator last. The ISA leaves the order and precision of
// the sum open.
#include <array>
#include <cstring>
#include <string>

#include "tests/gpu/ptx/access.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/half.h"

namespace dragoman::ptx {
namespace {

constexpr int kMatrixRows = 8;
constexpr uint32_t kRowBytes = 16;

// list: a register for each matrix. a: the address of row lane % 8 of matrix lane / 8. mode:
// whether to transpose.
void LoadMatrices(Warp& warp, const Instruction& i, uint32_t lanes) {
  const size_t matrices = i.list.size();
  std::array<const uint8_t*, kLanes> rows{};
  for (size_t row = 0; row < matrices * kMatrixRows; ++row) {
    const int lane = static_cast<int>(row);
    const uint32_t address = warp.At(i.a)[lane] + static_cast<uint32_t>(i.offset);
    rows[row] = ResolveShared(warp, address, kRowBytes, AccessKind::kRead, warp.clock, lane);
  }
  for (size_t m = 0; m < matrices; ++m) {
    const auto element = [&](int row, int column) {
      uint16_t value = 0;
      std::memcpy(&value, rows[m * kMatrixRows + static_cast<size_t>(row)] + 2 * column, 2);
      return uint32_t{value};
    };
    uint32_t* const d = warp.At(i.list[m]);
    ForLanes(lanes, [&](int lane) {
      const int g = lane / 4;
      const int t = lane % 4;
      d[lane] = i.mode != 0 ? element(2 * t, g) | element(2 * t + 1, g) << 16
                            : element(g, 2 * t) | element(g, 2 * t + 1) << 16;
    });
  }
}

// A register holds four one-byte elements or two two-byte elements, so k is twice as large for one
// byte.
template <class Element>
void Multiply(Warp& warp, const Instruction& i, uint32_t /*lanes*/) {
  constexpr int kRows = 16;
  constexpr int kColumns = 8;
  constexpr int kPerRegister = 4 / Element::kBytes;
  // Elements of k that a register of each of four lanes holds.
  constexpr int kHalf = 4 * kPerRegister;
  constexpr int kDepth = 2 * kHalf;
  double a[kRows][kDepth];
  double b[kDepth][kColumns];
  const auto element = [&](size_t operand, int lane, int which) {
    const uint32_t bits = warp.At(i.list[operand])[lane] >> (8 * Element::kBytes * which);
    return Element::Widen(static_cast<uint16_t>(Element::kBytes == 1 ? bits & 0xffU : bits));
  };
  constexpr size_t kA = 4;
  constexpr size_t kB = 8;
  constexpr size_t kC = 10;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4;
    const int k = lane % 4 * kPerRegister;
    for (int e = 0; e < kPerRegister; ++e) {
      a[g][k + e] = element(kA, lane, e);
      a[g + 8][k + e] = element(kA + 1, lane, e);
      a[g][k + kHalf + e] = element(kA + 2, lane, e);
      a[g + 8][k + kHalf + e] = element(kA + 3, lane, e);
      b[k + e][g] = element(kB, lane, e);
      b[k + kHalf + e][g] = element(kB + 1, lane, e);
    }
  }
  double sums[kRows][kColumns] = {};
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < kDepth; ++k) {
      for (int column = 0; column < kColumns; ++column) {
        sums[row][column] += a[row][k] * b[k][column];
      }
    }
  }
  using Sum = typename Element::Sum;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4;
    const int t = lane % 4;
    // Reads all of c before writing d, because both may be the same registers in another order.
    std::array<Sum, 4> d;
    for (size_t e = 0; e < 4; ++e) {
      const double c = Get<Sum>(warp.At(i.list[kC + e]), lane);
      d[e] = Accumulated<Sum>(c + sums[g + (e < 2 ? 0 : 8)][2 * t + static_cast<int>(e % 2)]);
    }
    for (size_t e = 0; e < 4; ++e) Put<Sum>(warp.At(i.list[e]), lane, d[e]);
  }
}

// m8n8k16: a and b are one register of four elements each, of row or column g, from k = 4 t on. c
// has two registers, of row g and columns 2 t and 2 t + 1.
void MultiplySmall(Warp& warp, const Instruction& i, uint32_t /*lanes*/) {
  constexpr size_t kA = 2;
  constexpr size_t kB = 3;
  constexpr size_t kC = 4;
  const auto element = [&](size_t operand, int line, int k) {
    const uint32_t bits = warp.At(i.list[operand])[line * 4 + k / 4] >> (k % 4 * 8);
    return static_cast<int32_t>(static_cast<int8_t>(bits & 0xffU));
  };
  std::array<std::array<int32_t, 2>, kLanes> sums{};
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 2; ++e) {
      int64_t sum = Get<int32_t>(warp.At(i.list[kC + static_cast<size_t>(e)]), lane);
      for (int k = 0; k < 16; ++k) {
        sum += int64_t{element(kA, lane / 4, k)} * element(kB, lane % 4 * 2 + e, k);
      }
      sums[static_cast<size_t>(lane)][static_cast<size_t>(e)] = static_cast<int32_t>(sum);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (size_t e = 0; e < 2; ++e) {
      Put<int32_t>(warp.At(i.list[e]), lane, sums[static_cast<size_t>(lane)][e]);
    }
  }
}

}  // namespace

bool DecodeMatrix(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] == "ldmatrix") {
    const std::string expected = std::string("ldmatrix.sync.aligned.m8n8.") +
                                 (Has(q, "x1")   ? "x1"
                                  : Has(q, "x2") ? "x2"
                                                 : "x4") +
                                 (Has(q, "trans") ? ".trans" : "") + ".shared.b16";
    if (s.mnemonic != expected) throw BadProgram("expected " + expected);
    ExpectOperands(s, 2, 2);
    for (const std::string& text : InBraces(s.operands[0])) {
      i->list.push_back(RegisterOf(text, Width::k32, names));
    }
    const size_t matrices = Has(q, "x1") ? 1 : Has(q, "x2") ? 2 : 4;
    if (i->list.size() != matrices) throw BadProgram("expected a register for each matrix");
    const Names::Address at = names.At(s.operands[1], Width::k32);
    if (at.width != Width::k32) throw BadProgram("expected an address of the shared window");
    i->a = at.base;
    i->offset = at.offset;
    i->mode = Has(q, "trans") ? 1 : 0;
    i->execute = &LoadMatrices;
  } else if (q[0] == "mma") {
    const std::string shape = "mma.sync.aligned.m16n8k";
    if (s.mnemonic == shape + "16.row.col.f32.f16.f16.f32") {
      i->execute = &Multiply<HalfElement>;
    } else if (s.mnemonic == shape + "16.row.col.f32.bf16.bf16.f32") {
      i->execute = &Multiply<BFloat16Element>;
    } else if (s.mnemonic == shape + "32.row.col.f32.e4m3.e4m3.f32") {
      i->execute = &Multiply<Float8Element>;
    } else if (s.mnemonic == shape + "32.row.col.s32.s8.s8.s32") {
      i->execute = &Multiply<Int8Element>;
    } else if (s.mnemonic == "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32") {
      i->execute = &MultiplySmall;
    } else {
      throw BadProgram("this mma is not known");
    }
    ExpectOperands(s, 4, 4);
    constexpr size_t kLarge[] = {4, 4, 2, 4};
    constexpr size_t kSmall[] = {2, 1, 1, 2};
    const size_t* const expected = i->execute == &MultiplySmall ? kSmall : kLarge;
    for (size_t n = 0; n < 4; ++n) {
      const Words registers = InBraces(s.operands[n]);
      if (registers.size() != expected[n]) throw BadProgram("operands of another shape");
      for (const std::string& text : registers) {
        i->list.push_back(n == 0 ? RegisterOf(text, Width::k32, names)
                                 : names.Operand(text, Width::k32));
      }
    }
  } else {
    return false;
  }
  i->flow = Flow::kAligned;
  return true;
}

}  // namespace dragoman::ptx

// A warp's matrices: ldmatrix, and mma of 16 x 8 x 16.
//
// In what follows g = lane / 4 and t = lane % 4, as in the ISA's figures. Products are exact and summed in
// double in the order of k, the accumulator last; the ISA leaves order and precision of the sum open.
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

// list: a register for each matrix. a: the address of row lane % 8 of matrix lane / 8. mode: transposed.
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

template <auto widen>
void Multiply(Warp& warp, const Instruction& i, uint32_t /*lanes*/) {
  constexpr int kRows = 16;
  constexpr int kColumns = 8;
  constexpr int kDepth = 16;
  double a[kRows][kDepth];
  double b[kDepth][kColumns];
  const auto half = [&](size_t operand, int lane, int upper) {
    return static_cast<double>(
        widen(static_cast<uint16_t>(warp.At(i.list[operand])[lane] >> (16 * upper))));
  };
  constexpr size_t kA = 4;
  constexpr size_t kB = 8;
  constexpr size_t kC = 10;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4;
    const int t = lane % 4;
    for (int e = 0; e < 2; ++e) {
      a[g][2 * t + e] = half(kA, lane, e);
      a[g + 8][2 * t + e] = half(kA + 1, lane, e);
      a[g][2 * t + 8 + e] = half(kA + 2, lane, e);
      a[g + 8][2 * t + 8 + e] = half(kA + 3, lane, e);
      b[2 * t + e][g] = half(kB, lane, e);
      b[2 * t + 8 + e][g] = half(kB + 1, lane, e);
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
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = lane / 4;
    const int t = lane % 4;
    for (int e = 0; e < 4; ++e) {
      const double c = Get<float>(warp.At(i.list[kC + static_cast<size_t>(e)]), lane);
      const double sum = sums[g + (e < 2 ? 0 : 8)][2 * t + e % 2];
      Put<float>(warp.At(i.list[static_cast<size_t>(e)]), lane, static_cast<float>(c + sum));
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
    const std::string shape = "mma.sync.aligned.m16n8k16.row.col.f32.";
    if (s.mnemonic == shape + "f16.f16.f32") {
      i->execute = &Multiply<&HalfToFloat>;
    } else if (s.mnemonic == shape + "bf16.bf16.f32") {
      i->execute = &Multiply<&BFloat16ToFloat>;
    } else {
      throw BadProgram("this mma is not known");
    }
    ExpectOperands(s, 4, 4);
    constexpr size_t kRegisters[] = {4, 4, 2, 4};
    for (size_t n = 0; n < 4; ++n) {
      const Words registers = InBraces(s.operands[n]);
      if (registers.size() != kRegisters[n]) throw BadProgram("operands of another shape");
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

// wgmma: products of four warps that run while the warps do other work.
//
// A product reads its operands as late as possible, when the warp waits for it. Operands that were
// overwritten meanwhile change the result and are a race. Until then the accumulators belong to the
// product, and any other access to them is reported.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "tests/gpu/ptx/access.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/half.h"

namespace dragoman::ptx {
namespace {

constexpr int kRowsOfWarp = 16;
constexpr int kColumns = 256;
constexpr int kWarpsOfGroup = 4;
template <class Element>
constexpr int kDepth = 32 / Element::kBytes;

// A matrix in shared memory, given by its descriptor, with rows of one-byte or two-byte elements:
// the canonical layout with the 128-byte swizzle, in which the summed dimension is contiguous. A
// row has 128 bytes, 8 rows are a pattern, and patterns are the descriptor's stride apart.
class Operand {
 public:
  Operand(Warp& warp, uint64_t descriptor)
      : start_(static_cast<uint32_t>(descriptor & 0x3fff) << 4),
        stride_(static_cast<uint32_t>(descriptor >> 32 & 0x3fff) << 4) {
    const auto layout = static_cast<uint32_t>(descriptor >> 62);
    const auto base = static_cast<uint32_t>(descriptor >> 49 & 7);
    if (layout != 1 || base != 0) {
      Raise(warp, FindingKind::kUndefinedValue, warp.live,
            "a descriptor of layout " + std::to_string(layout) + " and base offset " +
                std::to_string(base) + "; this device knows the 128-byte swizzle with base 0");
    }
  }

  // Reads the elements in the first 32 bytes of a row, counted from the start address.
  template <class Element>
  void Read(Warp& warp, int row, double (&out)[kDepth<Element>]) const {
    constexpr int kBytes = Element::kBytes;
    constexpr int kPiece = 16 / kBytes;
    for (int k = 0; k < kDepth<Element>; k += kPiece) {
      const auto r = static_cast<uint32_t>(row);
      const uint32_t straight =
          start_ + r / 8 * stride_ + r % 8 * 128 + static_cast<uint32_t>(kBytes * k);
      const uint32_t address = straight ^ ((straight >> 7 & 7U) << 4);
      const uint8_t* const bytes = ResolveShared(warp, address, kBytes * kPiece, AccessKind::kRead,
                                                 warp.clock, Moment::kSeveralLanes);
      for (int e = 0; e < kPiece; ++e) {
        uint16_t value = 0;
        std::memcpy(&value, bytes + kBytes * e, kBytes);
        out[k + e] = Element::Widen(value);
      }
    }
  }

 private:
  const uint32_t start_;
  const uint32_t stride_;
};

// Computes the warp's 16 rows of the product.
template <class Element>
void Multiply(Warp& warp, const PendingProduct& product) {
  constexpr int kK = kDepth<Element>;
  using Sum = typename Element::Sum;
  const Operand a(warp, product.a);
  const Operand b(warp, product.b);
  static thread_local double rows[kRowsOfWarp][kK];
  static thread_local double columns[kK][kColumns];
  for (int row = 0; row < kRowsOfWarp; ++row) {
    a.Read<Element>(warp, warp.index % kWarpsOfGroup * kRowsOfWarp + row, rows[row]);
  }
  for (int column = 0; column < kColumns; ++column) {
    double elements[kK];
    b.Read<Element>(warp, column, elements);
    for (int k = 0; k < kK; ++k) columns[k][column] = elements[k];
  }
  for (int row = 0; row < kRowsOfWarp; ++row) {
    double sums[kColumns] = {};
    for (int k = 0; k < kK; ++k) {
      const double x = rows[row][k];
      for (int column = 0; column < kColumns; ++column) sums[column] += x * columns[k][column];
    }
    // Lane 4 g + t holds, of rows g and g + 8, the columns 8 n + 2 t and 8 n + 2 t + 1.
    for (int column = 0; column < kColumns; ++column) {
      const int lane = row % 8 * 4 + column % 8 / 2;
      const int which = column / 8 * 4 + row / 8 * 2 + column % 2;
      uint32_t* const d = warp.At(product.instruction->list[static_cast<size_t>(which)]);
      const double before = product.accumulates ? static_cast<double>(Get<Sum>(d, lane)) : 0.0;
      Put<Sum>(d, lane, Accumulated<Sum>(before + sums[column]));
    }
  }
}

// Values of Instruction::mode: the element types of a product.
enum : int { kHalf, kBFloat16, kFloat8, kInt8 };

void Perform(Warp& warp, const PendingProduct& product) {
  const Instruction* const now = warp.now;
  warp.now = product.instruction;
  switch (product.instruction->mode) {
    case kHalf:
      Multiply<HalfElement>(warp, product);
      break;
    case kBFloat16:
      Multiply<BFloat16Element>(warp, product);
      break;
    case kFloat8:
      Multiply<Float8Element>(warp, product);
      break;
    case kInt8:
      Multiply<Int8Element>(warp, product);
      break;
  }
  warp.now = now;
}

// Operands: accumulators (list), descriptors (a, b), whether to add to the accumulators (c). mode:
// the element type.
void StartProduct(Warp& warp, const Instruction& i, uint32_t lanes) {
  const size_t first = static_cast<size_t>(warp.index / kWarpsOfGroup * kWarpsOfGroup);
  if (first + kWarpsOfGroup > warp.block->warps.size()) {
    Raise(warp, FindingKind::kMissingLanes, lanes,
          "wgmma by a warp whose group of four is not complete");
  }
  // The first product also needs a fence before it.
  const bool unfenced =
      warp.product_fences == 0 || std::ranges::any_of(i.list, [&](Place accumulator) {
        return warp.accessed_after_fences[accumulator] > warp.product_fences;
      });
  if (unfenced) {
    Raise(warp, FindingKind::kUndefinedValue, lanes,
          "wgmma after registers of its accumulator were accessed, without a wgmma.fence between "
          "them");
  }
  PendingProduct product;
  product.instruction = &i;
  product.a = Get<uint64_t>(warp.At(i.a), 0);
  product.b = Get<uint64_t>(warp.At(i.b), 0);
  const uint32_t add = warp.Predicate(i.c);
  product.accumulates = (add & 1U) != 0;
  bool same = add == 0 || add == kAllLanes;
  for (int lane = 1; lane < kLanes; ++lane) {
    same = same && Get<uint64_t>(warp.At(i.a), lane) == product.a &&
           Get<uint64_t>(warp.At(i.b), lane) == product.b;
  }
  if (!same) {
    Raise(warp, FindingKind::kUndefinedValue, lanes,
          "operands of wgmma differ between the lanes of a warp");
  }
  warp.products.push_back(product);
}

void Fence(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) { ++warp.product_fences; }

void Commit(Warp& warp, const Instruction& /*i*/, uint32_t /*lanes*/) {
  warp.product_groups.push_back(std::move(warp.products));
  warp.products.clear();
}

// Waits until at most `mode` groups are pending.
void Wait(Warp& warp, const Instruction& i, uint32_t /*lanes*/) {
  while (warp.product_groups.size() > static_cast<size_t>(i.mode)) {
    const std::vector<PendingProduct> group = std::move(warp.product_groups.front());
    warp.product_groups.erase(warp.product_groups.begin());
    for (const PendingProduct& product : group) Perform(warp, product);
  }
}

}  // namespace

bool DecodeWarpgroup(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] != "wgmma") return false;
  i->flow = Flow::kAligned;
  // `rest` is what follows the operands: no negation, and, if the type has the choice, the summed
  // dimension of both matrices contiguous.
  struct Product {
    const char* types;
    int mode;
    Words rest;
  };
  const Product products[] = {{"k16.f32.f16.f16", kHalf, {"1", "1", "0", "0"}},
                              {"k16.f32.bf16.bf16", kBFloat16, {"1", "1", "0", "0"}},
                              {"k32.f32.e4m3.e4m3", kFloat8, {"1", "1"}},
                              {"k32.s32.s8.s8", kInt8, {}}};
  const auto* const product = std::ranges::find_if(products, [&](const Product& p) {
    return s.mnemonic == std::string("wgmma.mma_async.sync.aligned.m64n256") + p.types;
  });
  if (s.mnemonic == "wgmma.fence.sync.aligned") {
    i->execute = &Fence;
  } else if (s.mnemonic == "wgmma.commit_group.sync.aligned") {
    i->execute = &Commit;
  } else if (s.mnemonic == "wgmma.wait_group.sync.aligned") {
    ExpectOperands(s, 1, 1);
    i->mode = static_cast<int>(Literal(s.operands[0]));
    i->execute = &Wait;
  } else if (product != std::end(products)) {
    const size_t operands = 4 + product->rest.size();
    ExpectOperands(s, operands, operands);
    i->mode = product->mode;
    for (const std::string& text : InBraces(s.operands[0])) {
      i->list.push_back(RegisterOf(text, Width::k32, names));
    }
    constexpr size_t kAccumulators = kRowsOfWarp * kColumns / kLanes;
    if (i->list.size() != kAccumulators) throw BadProgram("expected 128 accumulators");
    i->a = RegisterOf(s.operands[1], Width::k64, names);
    i->b = RegisterOf(s.operands[2], Width::k64, names);
    i->c = names.Operand(s.operands[3], Width::kPredicate);
    if (Words(s.operands.begin() + 4, s.operands.end()) != product->rest) {
      throw BadProgram("expected other operands at the end");
    }
    i->execute = &StartProduct;
  } else {
    throw BadProgram("this instruction of warpgroups is not known");
  }
  return true;
}

}  // namespace dragoman::ptx

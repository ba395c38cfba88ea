#include "tests/kernels/cuda_emulation/hopper.h"

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace dragoman::emulation {
namespace {

constexpr int kWarp = 32;
constexpr int kGroupWarps = 4;
// The address of dynamic shared memory in the shared window. It is not a multiple of 1024, so a
// kernel must align it.
constexpr uint32_t kSharedStart = 0x450;

// The fields in the 8 bytes of a barrier.
struct BarrierWord {
  uint32_t phase : 1;
  uint32_t arrivals : 15;  // per phase; kNever in memory that was never written
  uint32_t missing : 16;   // arrivals that this phase still needs
  int32_t bytes;           // expected and not yet copied

  static constexpr uint32_t kNever = 0x7fff;
};
static_assert(sizeof(BarrierWord) == 8);

struct Copy {
  CUtensorMap map;
  uint32_t to;
  int x, y;
  uint32_t barrier;
};

struct Issue {
  ProductType type;
  uint64_t a, b;
  bool add;

  bool operator==(const Issue&) const = default;
};

struct WarpProducts {
  std::vector<Issue> issues;           // of the warp, the same for all lanes
  std::array<size_t, kWarp> issued{};  // how many each lane has issued
  std::array<void*, kWarp> d{};
  std::vector<size_t> groups;  // the end of each committed group in `issues`
  size_t done = 0;             // how many of `issues` have been performed
};

std::mt19937 chance(1);
bool Chance() { return chance() % 2 == 0; }

std::vector<Copy> copies;  // in flight
std::vector<WarpProducts> products;
std::vector<std::vector<Issue>> group_issues;  // of each warpgroup, as its first warp issued them

unsigned char* Shared(uint32_t address, uint32_t bytes) {
  if (address < kSharedStart || address + bytes > kSharedStart + dynamic_shared_bytes) {
    Fail("an address outside of the block's shared memory");
  }
  return dynamic_shared + (address - kSharedStart);
}

BarrierWord& BarrierAt(uint32_t address) {
  if (address % 8 != 0) Fail("a barrier that is not aligned");
  auto& barrier = *reinterpret_cast<BarrierWord*>(Shared(address, sizeof(BarrierWord)));
  if (barrier.arrivals == BarrierWord::kNever) Fail("a barrier that was not initialised");
  return barrier;
}

void EndPhaseIfComplete(BarrierWord& barrier) {
  if (barrier.missing > 0 || barrier.bytes > 0) return;
  barrier.phase ^= 1U;
  barrier.missing = barrier.arrivals;
}

void ArriveAt(BarrierWord& barrier) {
  if (barrier.missing == 0) Fail("more arrivals than a phase of the barrier has");
  --barrier.missing;
  EndPhaseIfComplete(barrier);
}

// Bits 4-6 of an address ^= bits 7-9: the 128-byte swizzle.
uint32_t Swizzled(uint32_t address) { return address ^ (address >> 3 & 0x70U); }

void Perform(const Copy& copy) {
  const CUtensorMap& map = copy.map;
  constexpr uint32_t kPiece = 16;
  const uint32_t bytes = map.element_bytes;
  const uint32_t line = map.box_width * bytes;  // bytes of a row of the box
  for (uint32_t row = 0; row < map.box_height; ++row) {
    for (uint32_t at = 0; at < line; at += kPiece) {
      unsigned char* to = Shared(Swizzled(copy.to + row * line + at), kPiece);
      for (uint32_t i = 0; i < kPiece; i += bytes) {
        const int64_t x = int64_t{copy.x} + (at + i) / bytes;
        const int64_t y = int64_t{copy.y} + row;
        const bool inside = x >= 0 && x < static_cast<int64_t>(map.width) && y >= 0 &&
                            y < static_cast<int64_t>(map.height);
        uint16_t element = 0;
        if (inside) {
          const auto from =
              static_cast<uint64_t>(y) * map.row_bytes + static_cast<uint64_t>(x) * bytes;
          std::memcpy(&element, map.data + from, bytes);
        }
        std::memcpy(to + i, &element, bytes);
      }
    }
  }
  BarrierWord& barrier = BarrierAt(copy.barrier);
  barrier.bytes -= static_cast<int32_t>(line * map.box_height);
  if (barrier.bytes < 0) Fail("a copy brings bytes that its barrier does not expect");
  EndPhaseIfComplete(barrier);
}

// A table of all half-precision values, because the compiler would call a function per conversion.
const std::vector<float>& Halves() {
  static const std::vector<float> halves = [] {
    std::vector<float> x;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      x.push_back(__half2float(__ushort_as_half(static_cast<uint16_t>(bits))));
    }
    return x;
  }();
  return halves;
}

constexpr uint32_t kOperandBytes = 32;  // of one row of an operand

int DepthOf(ProductType type) {
  return type == ProductType::kHalf || type == ProductType::kBFloat16 ? 16 : 32;
}

float ElementOf(ProductType type, const unsigned char* at) {
  uint16_t bits = 0;
  switch (type) {
    case ProductType::kHalf:
      std::memcpy(&bits, at, sizeof(bits));
      return Halves()[bits];
    case ProductType::kBFloat16:
      std::memcpy(&bits, at, sizeof(bits));
      return __bfloat162float(__nv_bfloat16{bits});
    case ProductType::kFloat8:
      return kernels::FromFloat8(*at);
    case ProductType::kInt8:
      break;
  }
  return static_cast<int8_t>(*at);
}

// Reads rows first .. first + count - 1 of an operand into out[element * count + row]. Returns
// whether all elements are finite.
bool ReadOperand(ProductType type, uint64_t descriptor, int first, int count, float* out) {
  if (descriptor >> 62 != 1) Fail("an operand that is not swizzled by 128 bytes");
  if ((descriptor >> 49 & 7U) != 0) Fail("an operand with a base offset");
  const auto start = static_cast<uint32_t>(descriptor & 0x3fffU) << 4;
  const auto stride = static_cast<uint32_t>(descriptor >> 32 & 0x3fffU) << 4;  // bytes per 8 rows
  const int depth = DepthOf(type);
  const uint32_t bytes = kOperandBytes / static_cast<uint32_t>(depth);
  bool finite = true;
  for (int row = 0; row < count; ++row) {
    const auto r = static_cast<uint32_t>(first + row);
    for (int k = 0; k < depth; ++k) {
      const uint32_t address =
          start + r / 8 * stride + r % 8 * 128 + bytes * static_cast<uint32_t>(k);
      const float x = ElementOf(type, Shared(Swizzled(address), bytes));
      finite = finite && std::isfinite(x);
      out[k * count + row] = x;
    }
  }
  return finite;
}

// Performs this warp's part of a product: 16 rows of a, 256 rows of b.
template <class Sum>
void Multiply(const WarpProducts& warp, int number, const Issue& issue) {
  constexpr int kRows = 16;
  constexpr int kColumns = 256;
  constexpr int kMostDepth = 32;
  const int depth = DepthOf(issue.type);
  float a[kMostDepth * kRows];
  float b[kMostDepth * kColumns];
  ReadOperand(issue.type, issue.a, number % kGroupWarps * kRows, kRows, a);
  const bool finite = ReadOperand(issue.type, issue.b, 0, kColumns, b);
  for (int row = 0; row < kRows; ++row) {
    Sum sum[kColumns] = {};
    // Lane q of the quad of row % 8 holds columns 2 q and 2 q + 1 of every 8.
    const auto place = [&](int column) -> Sum& {
      const int lane = row % 8 * 4 + column % 8 / 2;
      auto* const d = static_cast<Sum*>(warp.d[static_cast<size_t>(lane)]);
      return d[column / 8 * 4 + row / 8 * 2 + column % 2];
    };
    if (issue.add) {
      for (int c = 0; c < kColumns; ++c) sum[c] = place(c);
    }
    for (int k = 0; k < depth; ++k) {
      const float x = a[k * kRows + row];
      if (x == 0.0F && finite) continue;  // adds nothing; rows beyond the matrix are 0
      // A product of two int8 is exact in f32.
      for (int c = 0; c < kColumns; ++c) sum[c] += static_cast<Sum>(x * b[k * kColumns + c]);
    }
    for (int c = 0; c < kColumns; ++c) place(c) = sum[c];
  }
}

int WarpNumber() { return static_cast<int>(current.thread.x) / kWarp; }

WarpProducts& MyProducts() {
  const auto warp = static_cast<size_t>(WarpNumber());
  if (products.size() <= warp) products.resize(warp + 1);
  return products[warp];
}

// Performs this warp's products up to number `end`.
void MultiplyUntil(WarpProducts& warp, size_t end) {
  const int number = WarpNumber();
  const auto group = static_cast<size_t>(number / kGroupWarps);
  if (group_issues.size() <= group) group_issues.resize(group + 1);
  std::vector<Issue>& all = group_issues[group];
  for (; warp.done < end; ++warp.done) {
    const Issue& issue = warp.issues[warp.done];
    if (all.size() == warp.done) all.push_back(issue);
    if (!(all[warp.done] == issue)) Fail("the warps of a group multiply different operands");
    if (issue.type == ProductType::kInt8) {
      Multiply<int32_t>(warp, number, issue);
    } else {
      Multiply<float>(warp, number, issue);
    }
  }
}

// Calls `act` once, when all lanes of the warp have arrived.
void ForWarp(const std::function<void()>& act) {
  WarpBarrier();
  if (current.lane == 0) act();
  WarpBarrier();
}

void EndBlock() {
  if (!copies.empty()) Fail("the block has ended with a copy under way");
  for (const WarpProducts& warp : products) {
    if (warp.done < warp.issues.size()) Fail("the block has ended with a product under way");
  }
  products.clear();
  group_issues.clear();
}

}  // namespace

void IssueProduct(ProductType type, void* d, uint64_t a, uint64_t b, bool add) {
  WarpProducts& warp = MyProducts();
  const auto lane = static_cast<size_t>(current.lane);
  const Issue issue{type, a, b, add};
  size_t& issued = warp.issued[lane];
  if (warp.issues.size() == issued) warp.issues.push_back(issue);
  if (!(warp.issues[issued] == issue)) Fail("the lanes of a warp multiply different operands");
  if (warp.done < issued && warp.d[lane] != d) Fail("two accumulators at a time");
  warp.d[lane] = d;
  ++issued;
}

void AwaitProducts(int pending) {
  ForWarp([pending] {
    WarpProducts& warp = MyProducts();
    const size_t groups = warp.groups.size();
    const auto left = static_cast<size_t>(pending);
    if (groups > left) MultiplyUntil(warp, warp.groups[groups - 1 - left]);
  });
}

}  // namespace dragoman::emulation

namespace dragoman::kernels::cuda {

using namespace emulation;  // NOLINT(google-build-using-namespace)

uint32_t SharedAddress(const void* pointer) {
  const auto at = static_cast<const unsigned char*>(pointer) - emulation::dynamic_shared;
  if (at < 0 || at > static_cast<int64_t>(emulation::dynamic_shared_bytes)) {
    emulation::Fail("the shared address of what is not in dynamic shared memory");
  }
  return kSharedStart + static_cast<uint32_t>(at);
}

void InitBarrier(uint32_t barrier, uint32_t arrivals) {
  emulation::end_of_block = &EndBlock;
  if (barrier % 8 != 0) emulation::Fail("a barrier that is not aligned");
  if (arrivals == 0 || arrivals >= BarrierWord::kNever)
    emulation::Fail("a barrier of so many arrivals");
  const BarrierWord word{.phase = 0, .arrivals = arrivals, .missing = arrivals, .bytes = 0};
  std::memcpy(Shared(barrier, sizeof(word)), &word, sizeof(word));
}

void Arrive(uint32_t barrier) { ArriveAt(BarrierAt(barrier)); }

void ArriveExpecting(uint32_t barrier, uint32_t bytes) {
  BarrierWord& word = BarrierAt(barrier);
  word.bytes += static_cast<int32_t>(bytes);
  if (word.bytes >= 1 << 20) emulation::Fail("a barrier expects more bytes than it can count");
  ArriveAt(word);
}

void WaitForPhase(uint32_t barrier, uint32_t parity) {
  emulation::WaitUntil([=] {
    if (BarrierAt(barrier).phase != parity) return true;
    if (copies.empty()) return false;
    std::swap(copies[chance() % copies.size()], copies.back());
    const Copy copy = copies.back();
    copies.pop_back();
    Perform(copy);
    return false;
  });
}

void CopyBox(uint32_t to, const CUtensorMap& map, int x, int y, uint32_t barrier) {
  if (to % 1024 != 0) emulation::Fail("a swizzled box that is not aligned to 1024 bytes");
  const Copy copy{map, to, x, y, barrier};
  if (Chance()) {
    Perform(copy);
  } else {
    copies.push_back(copy);
  }
}

void CommitProducts() {
  const bool now = Chance();
  ForWarp([now] {
    WarpProducts& warp = MyProducts();
    warp.groups.push_back(warp.issues.size());
    if (now) MultiplyUntil(warp, warp.groups.back());
  });
}

}  // namespace dragoman::kernels::cuda

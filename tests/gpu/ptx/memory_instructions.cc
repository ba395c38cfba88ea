// The instructions ld, st, atom and red.
#include <cstring>
#include <string>

#include "tests/gpu/ptx/access.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

// Bits of Instruction::mode.
constexpr int kAcquires = 1;
constexpr int kReleases = 2;
constexpr int kOperationShift = 2;

// The maximum number of bytes of one access.
constexpr uint32_t kMostBytes = 16;

enum AtomicOperation { kAdd, kAnd, kOr, kXor, kExchange, kCompareAndSwap, kMin, kMax };

// Returns the address. Operands of all accesses: address (a, offset, widths[0]), values (list;
// widths[1] is their width).
uint64_t AddressOf(const Warp& warp, const Instruction& i, int lane) {
  const uint32_t* const base = warp.At(i.a);
  if (i.widths[0] == Width::k64) {
    return Get<uint64_t>(base, lane) + static_cast<uint64_t>(i.offset);
  }
  return Get<uint32_t>(base, lane) + static_cast<uint32_t>(i.offset);
}

// Returns the clock of an address. For shared memory, each block has its own.
VectorClock& Released(Warp& warp, const Instruction& i, uint64_t address) {
  const bool shared = i.space == Space::kShared || address - kSharedWindow < kWindowBytes;
  const uint32_t block = shared ? warp.clock.agent() - static_cast<uint32_t>(warp.index) : 0;
  return warp.block->launch->released[{block, address}];
}

// A strong write publishes what its warp knew at its last fence, or, with .release, all that it
// knows now.
void Release(Warp& warp, const Instruction& i, uint64_t address) {
  Released(warp, i, address).Join((i.mode & kReleases) != 0 ? warp.clock : warp.fenced);
}

// Records what a strong read saw, which becomes known at the next fence, or, with .acquire, at
// once.
void Acquire(Warp& warp, const Instruction& i, uint64_t address) {
  const VectorClock& released = Released(warp, i, address);
  if ((i.mode & kAcquires) != 0) {
    warp.clock.Join(released);
  } else {
    // A loop that polls an address which was never released learns nothing.
    if (!released.KnowsNothing()) warp.acquired.push_back(released);
  }
}

uint64_t Extended(uint64_t bits, uint32_t bytes, bool sign_extends) {
  if (!sign_extends || bytes == 8) return bits;
  const uint32_t shift = 64 - 8 * bytes;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
}

void Load(Warp& warp, const Instruction& i, uint32_t lanes) {
  const auto bytes = static_cast<uint32_t>(i.bytes);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = AddressOf(warp, i, lane);
    const uint8_t* const from = Resolve(
        warp, {i.space, address, bytes * i.elements, AccessKind::kRead, i.strong, nullptr}, lane);
    if (i.strong) Acquire(warp, i, address);
    for (uint32_t e = 0; e < i.elements; ++e) {
      uint64_t bits = 0;
      std::memcpy(&bits, from + size_t{e} * bytes, bytes);
      PutBits(warp.At(i.list[e]), i.widths[1], lane, Extended(bits, bytes, i.sign_extends));
    }
  }
}

void Store(Warp& warp, const Instruction& i, uint32_t lanes) {
  const auto bytes = static_cast<uint32_t>(i.bytes);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = AddressOf(warp, i, lane);
    uint8_t value[kMostBytes];
    for (uint32_t e = 0; e < i.elements; ++e) {
      const uint64_t bits = GetBits(warp.At(i.list[e]), i.widths[1], lane);
      std::memcpy(value + size_t{e} * bytes, &bits, bytes);
    }
    const uint32_t all = bytes * i.elements;
    uint8_t* const to =
        Resolve(warp, {i.space, address, all, AccessKind::kWrite, i.strong, value}, lane);
    if (i.strong) Release(warp, i, address);
    std::memcpy(to, value, all);
  }
  ++warp.block->launch->progress;
  if (i.strong && (i.mode & kReleases) != 0) warp.clock.Advance();
}

uint64_t Combined(const Instruction& i, int operation, uint64_t old, uint64_t b, uint64_t c) {
  const bool is_signed = i.sign_extends;
  const auto less = [&](uint64_t x, uint64_t y) {
    return is_signed ? static_cast<int64_t>(Extended(x, i.bytes, true)) <
                           static_cast<int64_t>(Extended(y, i.bytes, true))
                     : x < y;
  };
  switch (operation) {
    case kAdd:
      return old + b;
    case kAnd:
      return old & b;
    case kOr:
      return old | b;
    case kXor:
      return old ^ b;
    case kExchange:
      return b;
    case kCompareAndSwap:
      return old == b ? c : old;
    case kMin:
      return less(b, old) ? b : old;
    default:
      return less(old, b) ? b : old;
  }
}

// Operands: b is the value. With .cas, b is the value to compare with, and c the new value. d is
// kNowhere for red.
void Atomic(Warp& warp, const Instruction& i, uint32_t lanes) {
  const auto bytes = static_cast<uint32_t>(i.bytes);
  const uint64_t mask = bytes == 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1;
  const Width width = i.widths[1];
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = AddressOf(warp, i, lane);
    uint8_t* const at =
        Resolve(warp, {i.space, address, bytes, AccessKind::kReadWrite, true, nullptr}, lane);
    Acquire(warp, i, address);
    Release(warp, i, address);
    uint64_t old = 0;
    std::memcpy(&old, at, bytes);
    const uint64_t b = GetBits(warp.At(i.b), width, lane);
    const uint64_t c = i.c == kNowhere ? 0 : GetBits(warp.At(i.c), width, lane);
    const uint64_t next = Combined(i, i.mode >> kOperationShift, old, b, c) & mask;
    if (next != old) ++warp.block->launch->progress;
    std::memcpy(at, &next, bytes);
    if (i.d != kNowhere) PutBits(warp.At(i.d), width, lane, old);
  }
  if ((i.mode & kReleases) != 0) warp.clock.Advance();
}

Space SpaceOf(const Words& q) {
  if (Has(q, "global")) return Space::kGlobal;
  if (Has(q, "shared") || Has(q, "shared::cta")) return Space::kShared;
  if (Has(q, "local")) return Space::kLocal;
  if (Has(q, "param")) return Space::kParameter;
  if (Has(q, "const")) throw BadProgram("constant memory is not known");
  return Space::kGeneric;
}

void DecodeAccess(const Statement& s, const Words& q, const std::string& address, Names& names,
                  Instruction* i) {
  i->space = SpaceOf(q);
  const std::string& type = q.back();
  i->bytes = static_cast<uint8_t>(TypeBytes(type));
  i->sign_extends = type[0] == 's';
  i->elements = Has(q, "v2") ? 2 : Has(q, "v4") ? 4 : 1;
  i->strong = Has(q, "volatile") || Has(q, "relaxed") || Has(q, "acquire") || Has(q, "release") ||
              Has(q, "acq_rel");
  if (Has(q, "acquire") || Has(q, "acq_rel")) i->mode |= kAcquires;
  if (Has(q, "release") || Has(q, "acq_rel")) i->mode |= kReleases;
  if (i->bytes * i->elements > kMostBytes)
    throw BadProgram("more than 16 bytes at once: " + s.mnemonic);
  const Names::Address at = names.At(address, i->space == Space::kShared ? Width::k32 : Width::k64);
  i->a = at.base;
  i->offset = at.offset;
  i->widths = {at.width};
}

void DecodeAtomic(const Statement& s, const Words& q, Names& names, Instruction* i) {
  static const std::unordered_map<std::string, int> kOperations = {
      {"add", kAdd}, {"and", kAnd},       {"or", kOr},
      {"xor", kXor}, {"exch", kExchange}, {"cas", kCompareAndSwap},
      {"min", kMin}, {"max", kMax}};
  const bool returns = q[0] == "atom";
  const size_t first = returns ? 1 : 0;
  ExpectOperands(s, first + 2, first + 3);
  DecodeAccess(s, q, s.operands[first], names, i);
  if (q.back()[0] == 'f' || i->bytes < 4) throw BadProgram("atomics of this type are not known");
  int operation = -1;
  for (const std::string& word : q) {
    const auto found = kOperations.find(word);
    if (found != kOperations.end()) operation = found->second;
  }
  if (operation < 0) throw BadProgram("this atomic operation is not known");
  i->mode |= operation << kOperationShift;
  const Width width = i->bytes == 8 ? Width::k64 : Width::k32;
  i->widths.push_back(width);
  if (returns && s.operands[0] != "_") i->d = RegisterOf(s.operands[0], width, names);
  i->b = names.Operand(s.operands[first + 1], width);
  if (operation == kCompareAndSwap) {
    ExpectOperands(s, first + 3, first + 3);
    i->c = names.Operand(s.operands[first + 2], width);
  }
  i->execute = &Atomic;
}

}  // namespace

bool DecodeMemory(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] == "atom" || q[0] == "red") {
    DecodeAtomic(s, q, names, i);
    return true;
  }
  if (q[0] != "ld" && q[0] != "st") return false;
  ExpectOperands(s, 2, 2);
  const bool loads = q[0] == "ld";
  DecodeAccess(s, q, s.operands[loads ? 1 : 0], names, i);
  i->execute = loads ? &Load : &Store;
  const Width own = i->bytes == 8 ? Width::k64 : i->bytes == 4 ? Width::k32 : Width::k16;
  for (const std::string& text : InBraces(s.operands[loads ? 0 : 1])) {
    Width found = own;
    i->list.push_back(loads ? names.Register(text, &found) : names.Operand(text, own, &found));
    // Registers may be wider than the elements that are loaded or stored.
    if (found == Width::kPredicate || found < own)
      throw BadProgram("register " + text + " is too narrow");
    if (i->widths.size() == 1) i->widths.push_back(found);
    if (i->widths[1] != found) throw BadProgram("registers of different widths");
  }
  if (i->list.size() != i->elements) throw BadProgram("the vector has another length");
  return true;
}

}  // namespace dragoman::ptx

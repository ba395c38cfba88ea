// mbarrier: barriers in shared memory that count arrivals and bytes.
#include <string>

#include "tests/gpu/ptx/access.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

// The ISA's limits on the count of arrivals and on pending bytes.
constexpr int64_t kMostArrivals = (1 << 20) - 1;
constexpr int64_t kMostBytes = (1 << 20) - 1;
constexpr uint32_t kBarrierBytes = 8;

uint32_t AddressOf(const Warp& warp, const Instruction& i, int lane) {
  return warp.At(i.a)[lane] + static_cast<uint32_t>(i.offset);
}

MemoryBarrier& Find(Warp& warp, uint32_t address, int lane) {
  const auto found = warp.block->memory_barriers.find(address);
  if (found == warp.block->memory_barriers.end()) {
    Raise(warp, FindingKind::kBarrierMisuse, 1U << lane,
          "no mbarrier was initialised at shared offset " +
              std::to_string(static_cast<int32_t>(address - kSharedBegin)));
  }
  return found->second;
}

// b: the count.
void Initialise(Warp& warp, const Instruction& i, uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t address = AddressOf(warp, i, lane);
    ResolveShared(warp, address, kBarrierBytes, AccessKind::kWrite, warp.clock, lane);
    const uint32_t count = warp.At(i.b)[lane];
    if (count == 0 || count > kMostArrivals) {
      Raise(warp, FindingKind::kBarrierMisuse, 1U << lane,
            "a count of " + std::to_string(count) + ", expected 1 to 2^20 - 1");
    }
    MemoryBarrier barrier;
    barrier.count = barrier.pending = count;
    warp.block->memory_barriers[address] = barrier;
    warp.block->shared->Mark(address - kSharedBegin, kBarrierBytes, ByteState::kBarrier);
  }
  ++warp.block->launch->progress;
}

// b: the number of bytes to expect; kNowhere for an arrival without bytes.
void Arrive(Warp& warp, const Instruction& i, uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    MemoryBarrier& barrier = Find(warp, AddressOf(warp, i, lane), lane);
    if (i.b != kNowhere) {
      barrier.bytes += warp.At(i.b)[lane];
      if (barrier.bytes > kMostBytes) {
        Raise(warp, FindingKind::kBarrierMisuse, 1U << lane,
              std::to_string(barrier.bytes) + " bytes expected at once, at most 2^20 - 1 can be");
      }
    }
    if (barrier.pending == 0) {
      Raise(warp, FindingKind::kBarrierMisuse, 1U << lane,
            "more arrivals in a phase than the mbarrier's " + std::to_string(barrier.count));
    }
    barrier.arriving.push_back(warp.clock);
    --barrier.pending;
    EndPhaseIfComplete(barrier);
  }
  warp.clock.Advance();
  ++warp.block->launch->progress;
}

// d: whether the phase with parity b is complete.
void TryWait(Warp& warp, const Instruction& i, uint32_t lanes) {
  uint32_t over = 0;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t address = AddressOf(warp, i, lane);
    const MemoryBarrier& barrier = Find(warp, address, lane);
    const uint32_t parity = warp.At(i.b)[lane];
    if ((barrier.phase & 1) != (parity & 1)) {
      over |= 1U << lane;
      for (const VectorClock& clock : barrier.completed) warp.clock.Join(clock);
    } else {
      warp.polled = "the mbarrier at shared offset " + std::to_string(address - kSharedBegin) +
                    ", parity " + std::to_string(parity) + ", which has " +
                    std::to_string(barrier.pending) + " arrivals and " +
                    std::to_string(barrier.bytes) + " bytes to come in its phase " +
                    std::to_string(barrier.phase);
    }
  }
  uint32_t& d = warp.Predicate(i.d);
  d = (d & ~lanes) | over;
  if (over != 0) {
    warp.polled.clear();
  } else {
    warp.turn = Turn::kPolls;
    const uint64_t progress = warp.block->launch->progress;
    warp.polls_in_vain = warp.polled_at == progress ? warp.polls_in_vain + 1 : 1;
    warp.polled_at = progress;
  }
}

}  // namespace

void EndPhaseIfComplete(MemoryBarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving.clear();
}

bool DecodeMemoryBarrier(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] != "mbarrier") return false;
  const auto address = [&](const std::string& text) {
    const Names::Address at = names.At(text, Width::k32);
    if (at.width != Width::k32) throw BadProgram("expected an address of the shared window");
    i->a = at.base;
    i->offset = at.offset;
  };
  if (s.mnemonic == "mbarrier.init.shared::cta.b64" || s.mnemonic == "mbarrier.init.shared.b64") {
    ExpectOperands(s, 2, 2);
    address(s.operands[0]);
    i->b = names.Operand(s.operands[1], Width::k32);
    i->execute = &Initialise;
  } else if (s.mnemonic == "mbarrier.arrive.shared::cta.b64" ||
             s.mnemonic == "mbarrier.arrive.expect_tx.shared::cta.b64") {
    const bool expects = Has(q, "expect_tx");
    ExpectOperands(s, expects ? 3 : 2, expects ? 3 : 2);
    if (s.operands[0] != "_") throw BadProgram("states of mbarriers are not known, expected '_'");
    address(s.operands[1]);
    if (expects) i->b = names.Operand(s.operands[2], Width::k32);
    i->execute = &Arrive;
  } else if (s.mnemonic == "mbarrier.try_wait.parity.shared::cta.b64" ||
             s.mnemonic == "mbarrier.test_wait.parity.shared::cta.b64") {
    ExpectOperands(s, 3, 3);
    i->d = RegisterOf(s.operands[0], Width::kPredicate, names);
    address(s.operands[1]);
    i->b = names.Operand(s.operands[2], Width::k32);
    i->execute = &TryWait;
  } else {
    throw BadProgram("this instruction of mbarriers is not known");
  }
  return true;
}

}  // namespace dragoman::ptx

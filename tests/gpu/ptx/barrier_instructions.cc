// The barriers of a block: bar.sync, bar.arrive, bar.red. block.cc releases the waiting warps.
#include <string>

#include "tests/gpu/ptx/block.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

// Values of Instruction::mode.
enum BarrierMode { kSync, kArrive, kReduceOr, kReduceAnd, kReduceCount };

uint32_t Uniform(const Warp& warp, Place place, uint32_t lanes, const char* what) {
  const uint32_t* const values = warp.At(place);
  const uint32_t value = values[std::countr_zero(lanes)];
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    if (values[std::countr_zero(rest)] == value) continue;
    Raise(warp, FindingKind::kBarrierMisuse, rest & -rest,
          std::string(what) + " differs between the lanes of a warp");
  }
  return value;
}

// Operands: a is the barrier, b the number of threads (kNowhere: all), c the predicate of bar.red.
void Arrive(Warp& warp, const Instruction& i, uint32_t lanes) {
  Block& block = *warp.block;
  const uint32_t which = Uniform(warp, i.a, lanes, "the barrier's number");
  if (which >= kBarriers) {
    Raise(warp, FindingKind::kBarrierMisuse, lanes,
          "barrier " + std::to_string(which) + ", expected 0 to 15");
  }
  const uint32_t expected =
      i.b == kNowhere ? 0 : Uniform(warp, i.b, lanes, "the barrier's number of threads");
  if (i.b != kNowhere && (expected == 0 || expected % kLanes != 0)) {
    Raise(warp, FindingKind::kBarrierMisuse, lanes,
          std::to_string(expected) + " threads, expected a multiple of the warp's 32");
  }
  BlockBarrier& barrier = block.barriers[which];
  if (!barrier.clocks.empty() && barrier.expected != expected) {
    Raise(warp, FindingKind::kBarrierMisuse, lanes,
          "barrier " + std::to_string(which) + " is waited at with " +
              std::to_string(barrier.expected) + " and " + std::to_string(expected) +
              " threads at once (0: all)");
  }
  barrier.expected = expected;
  // With a given number of threads, a warp counts as 32 threads, no matter how many lanes are
  // active.
  barrier.arrived += expected != 0 ? kLanes : static_cast<uint32_t>(std::popcount(lanes));
  barrier.clocks.push_back(warp.clock);
  if (expected != 0 && barrier.arrived > expected) {
    Raise(warp, FindingKind::kBarrierMisuse, lanes,
          "more threads come to barrier " + std::to_string(which) + " than the " +
              std::to_string(expected) + " that it is for");
  }
  if (i.mode == kArrive) {
    warp.clock.Advance();
  } else {
    warp.turn = Turn::kWaits;
    warp.barrier = which;
    warp.barrier_votes = i.c == kNowhere ? 0 : warp.Predicate(i.c) & lanes;
    barrier.waiting.push_back(&warp);
  }
  ++block.launch->progress;
  block.OpenBarriers();
}

}  // namespace

void FinishReduction(const Instruction& i, const std::vector<Warp*>& warps) {
  if (i.mode < kReduceOr) return;
  uint32_t votes = 0;
  uint32_t threads = 0;
  for (const Warp* const warp : warps) {
    votes += static_cast<uint32_t>(std::popcount(warp->barrier_votes));
    threads += static_cast<uint32_t>(std::popcount(warp->live));
  }
  for (Warp* const warp : warps) {
    if (i.mode == kReduceCount) {
      ForLanes(warp->live, [d = warp->At(warp->now->d), votes](int l) { d[l] = votes; });
    } else {
      const bool holds = i.mode == kReduceOr ? votes != 0 : votes == threads;
      uint32_t& d = warp->Predicate(warp->now->d);
      d = holds ? d | warp->live : d & ~warp->live;
    }
  }
}

bool DecodeBarrier(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if ((q[0] != "bar" && q[0] != "barrier") || Has(q, "warp")) return false;
  if (Has(q, "cluster")) throw BadProgram("barriers of clusters are not known");
  if (q[0] == "barrier" && !Has(q, "aligned"))
    throw BadProgram("barriers that are not .aligned are not known");
  i->flow = Flow::kBarrier;
  i->execute = &Arrive;
  size_t at = 0;
  if (Has(q, "red")) {
    const bool count = Has(q, "popc");
    i->mode = count ? kReduceCount : Has(q, "and") ? kReduceAnd : kReduceOr;
    ExpectOperands(s, 3, 4);
    i->d = RegisterOf(s.operands[at++], count ? Width::k32 : Width::kPredicate, names);
    i->c = names.Operand(s.operands.back(), Width::kPredicate);
  } else {
    i->mode = Has(q, "arrive") ? kArrive : kSync;
    ExpectOperands(s, i->mode == kArrive ? 2 : 1, 2);
  }
  const size_t sources = s.operands.size() - (i->mode >= kReduceOr ? 1 : 0);
  i->a = names.Operand(s.operands[at++], Width::k32);
  if (at < sources) i->b = names.Operand(s.operands[at], Width::k32);
  return true;
}

}  // namespace dragoman::ptx

#include "tests/gpu/ptx/block.h"

#include <algorithm>
#include <bit>
#include <string>

#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

// Returns a finding about something unfinished at a block's end, at the instruction that started
// it.
Finding Left(const Block& block, const Instruction* instruction, std::string what) {
  Finding finding;
  finding.kind = FindingKind::kUnfinished;
  finding.kernel = block.kernel->readable;
  if (instruction != nullptr) {
    finding.line = instruction->line;
    finding.instruction = instruction->text;
  }
  finding.block = block.index;
  finding.what = std::move(what);
  return finding;
}

}  // namespace

uint32_t Block::LiveThreads() const {
  uint32_t threads = 0;
  for (const auto& warp : warps) threads += static_cast<uint32_t>(std::popcount(warp->live));
  return threads;
}

void Block::OpenBarriers() {
  for (BlockBarrier& barrier : barriers) {
    if (barrier.clocks.empty()) continue;
    const uint32_t expected = barrier.expected != 0 ? barrier.expected : LiveThreads();
    if (barrier.arrived < expected) continue;
    if (!barrier.waiting.empty()) FinishReduction(*barrier.waiting[0]->now, barrier.waiting);
    for (Warp* const warp : barrier.waiting) {
      for (const VectorClock& clock : barrier.clocks) warp->clock.Join(clock);
      warp->clock.Advance();
      warp->turn = Turn::kGoesOn;
    }
    barrier = BlockBarrier{};
    ++launch->progress;
  }
}

void Block::Finish() {
  Report& report = *launch->report;
  if (!bulk_copies.empty()) {
    report.Add(Left(*this, bulk_copies[0].instruction,
                    "the block ends while " + std::to_string(bulk_copies.size()) +
                        " bulk copies are under way"));
  }
  for (const auto& [address, barrier] : memory_barriers) {
    if (barrier.bytes == 0) continue;
    report.Add(Left(*this, nullptr,
                    "the block ends while the mbarrier at shared offset " +
                        std::to_string(address - kSharedBegin) + " still expects " +
                        std::to_string(barrier.bytes) + " bytes"));
  }
  for (const auto& warp : warps) {
    if (warp->HasProducts()) {
      report.Add(Left(
          *this, warp->now,
          "warp " + std::to_string(warp->index) + " ends while products of wgmma are under way"));
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      // A group without a copy is complete as soon as it is committed.
      const auto& groups = warp->copy_groups[lane];
      if (warp->copies[lane].empty() &&
          std::all_of(groups.begin(), groups.end(), [](const auto& g) { return g.empty(); })) {
        continue;
      }
      Finding finding = warp->At(FindingKind::kUnfinished, lane,
                                 "the thread ends while copies of cp.async are under way");
      report.Add(finding);
      break;
    }
  }
  for (size_t which = 0; which < barriers.size(); ++which) {
    if (barriers[which].clocks.empty()) continue;
    report.Add(Left(*this, nullptr,
                    "the block ends while barrier " + std::to_string(which) +
                        " has threads that arrived and others that never came"));
  }
}

}  // namespace dragoman::ptx

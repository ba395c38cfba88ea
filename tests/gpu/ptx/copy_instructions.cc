// Asynchronous copies: cp.async, for which the thread itself waits, and bulk copies of boxes of
// tensors, which report to an mbarrier.
//
// A copy's source is read as late as possible: when the thread waits for the copy (cp.async), or
// when the engine performs the copy at a random time (bulk). Until then, the destination behaves as
// if another agent were writing it: an early access reads the pattern of unwritten memory and is a
// race.
#include <algorithm>
#include <cstring>
#include <string>

#include "tests/gpu/ptx/access.h"
#include "tests/gpu/ptx/decode.h"
#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

constexpr int kInFlight = 0xff;

// Returns a clock that no agent ever knows: a write at this time races with every access.
VectorClock NobodysClock(const Block& block) {
  VectorClock clock = block.engine;
  // A tick that is later than every tick of the engine.
  clock.SetTick(VectorClock::kNeverKnown);
  return clock;
}

// Operands: to (a), from (b), bytes of the source (c; kNowhere: all). Instruction::bytes is the
// size of the destination.
void StartCopy(Warp& warp, const Instruction& i, uint32_t lanes) {
  const uint32_t bytes = i.bytes;
  const VectorClock nobody = NobodysClock(*warp.block);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    LaneCopy copy;
    copy.bytes = bytes;
    copy.to = warp.At(i.a)[lane] + static_cast<uint32_t>(i.offset);
    copy.from_bytes = i.c == kNowhere ? bytes : warp.At(i.c)[lane];
    if (copy.from_bytes > bytes) {
      Raise(warp, FindingKind::kUndefinedValue, 1U << lane,
            "cp.async of " + std::to_string(copy.from_bytes) + " bytes, expected at most " +
                std::to_string(bytes));
    }
    const uint64_t from =
        Get<uint64_t>(warp.At(i.b), lane) + static_cast<uint64_t>(i.second_offset);
    if (copy.from_bytes != 0) {
      copy.from =
          Resolve(warp, {Space::kGlobal, from, bytes, AccessKind::kRead, false, nullptr}, lane);
      std::memcpy(copy.source.data(), copy.from, std::min(copy.from_bytes, bytes));
    } else if (from % bytes != 0) {
      Raise(warp, FindingKind::kMisaligned, 1U << lane, "cp.async from a misaligned address");
    }
    // First the write belongs to this thread and must not race with earlier reads. Then it belongs
    // to no agent until the copy is complete.
    uint8_t* const to = ResolveShared(warp, copy.to, bytes, AccessKind::kWrite, warp.clock, lane);
    std::memset(to, kInFlight, bytes);
    warp.block->shared->history().Replace(copy.to - kSharedBegin, bytes, nobody, lane);
    warp.copies[lane].push_back(copy);
  }
}

void FinishCopies(Warp& warp, std::vector<LaneCopy>& copies, int lane) {
  for (const LaneCopy& copy : copies) {
    if (copy.from_bytes != 0 && std::memcmp(copy.source.data(), copy.from, copy.from_bytes) != 0) {
      Raise(warp, FindingKind::kRace, 1U << lane,
            "the source of a cp.async was written while the copy was under way");
    }
    Piece& shared = *warp.block->shared;
    const size_t offset = copy.to - kSharedBegin;
    // The copy is complete: from here on the write belongs to this thread.
    shared.history().Replace(offset, copy.bytes, warp.clock, lane);
    std::memset(shared.bytes() + offset, 0, copy.bytes);
    if (copy.from_bytes != 0) {
      std::memcpy(shared.bytes() + offset, copy.from, copy.from_bytes);
    }
  }
  copies.clear();
}

void CommitGroup(Warp& warp, const Instruction& /*i*/, uint32_t lanes) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    warp.copy_groups[lane].push_back(std::move(warp.copies[lane]));
    warp.copies[lane].clear();
  }
}

// Waits until at most `mode` groups are pending; -1: until none is.
void WaitForCopies(Warp& warp, const Instruction& i, uint32_t lanes) {
  const size_t pending = i.mode < 0 ? 0 : static_cast<size_t>(i.mode);
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    auto& groups = warp.copy_groups[lane];
    while (groups.size() > pending) {
      FinishCopies(warp, groups.front(), lane);
      groups.erase(groups.begin());
    }
    if (i.mode < 0) FinishCopies(warp, warp.copies[lane], lane);
  }
}

// Operands: to (a), the map (b), the coordinates x and y (list), the mbarrier (c).
void StartBulkCopy(Warp& warp, const Instruction& i, uint32_t lanes) {
  constexpr uint64_t kMapAlignment = 64;
  constexpr uint32_t kSwizzleAlignment = 1024;
  Block& block = *warp.block;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const auto address = Get<uint64_t>(warp.At(i.b), lane);
    Piece* const holder = block.launch->memory->Find(address);
    const uint64_t offset = holder == nullptr ? 0 : address - holder->address();
    const bool readable = holder != nullptr && holder->Holds(offset, sizeof(TensorMap));
    const auto* const map =
        readable ? reinterpret_cast<const TensorMap*>(holder->bytes() + offset) : nullptr;
    if (!readable || address % kMapAlignment != 0 || map->magic != TensorMap::kMagic) {
      Raise(warp, FindingKind::kUndefinedValue, 1U << lane,
            "the address of the tensor map is not that of one, aligned to 64 bytes");
    }
    BulkCopy copy;
    copy.map = map;
    copy.to = warp.At(i.a)[lane];
    copy.x = static_cast<int>(warp.At(i.list[0])[lane]);
    copy.y = static_cast<int>(warp.At(i.list[1])[lane]);
    copy.barrier = warp.At(i.c)[lane];
    copy.instruction = &i;
    if (copy.to % kSwizzleAlignment != 0) {
      Raise(warp, FindingKind::kMisaligned, 1U << lane,
            "bulk copy to shared address " + std::to_string(copy.to) +
                ", expected a multiple of 1024 for the swizzle of 128 bytes");
    }
    if (!block.memory_barriers.contains(copy.barrier)) {
      Raise(warp, FindingKind::kBarrierMisuse, 1U << lane,
            "a bulk copy is to tell an mbarrier that was not initialised");
    }
    copy.clock = warp.clock;
    block.bulk_copies.push_back(copy);
  }
  warp.clock.Advance();
  ++block.launch->progress;
}

}  // namespace

void PerformBulkCopy(Block& block, size_t which) {
  constexpr uint32_t kPieceBytes = 16;
  const BulkCopy copy = block.bulk_copies[which];
  block.bulk_copies.erase(block.bulk_copies.begin() + static_cast<std::ptrdiff_t>(which));
  const TensorMap& map = *copy.map;
  const uint32_t element_bytes = map.element_bytes;
  const uint32_t elements = kPieceBytes / element_bytes;
  block.engine.Advance();
  VectorClock clock = block.engine;
  clock.Join(copy.clock);
  // Findings name the warp that started the copy.
  Warp& warp = *block.warps[copy.clock.agent() - block.engine.first()];
  const Instruction* const now = warp.now;
  warp.now = copy.instruction;
  for (uint32_t row = 0; row < map.box_rows; ++row) {
    for (uint32_t column = 0; column < map.box_columns; column += elements) {
      const uint32_t straight = copy.to + (row * map.box_columns + column) * element_bytes;
      const uint32_t to = straight ^ ((straight >> 7 & 7U) << 4);
      uint8_t* const bytes =
          ResolveShared(warp, to, kPieceBytes, AccessKind::kWrite, clock, Moment::kSeveralLanes);
      for (uint32_t e = 0; e < elements; ++e) {
        const int64_t x = int64_t{copy.x} + column + e;
        const int64_t y = int64_t{copy.y} + row;
        uint8_t* const element = bytes + size_t{e} * element_bytes;
        std::memset(element, 0, element_bytes);
        if (x < 0 || y < 0 || x >= static_cast<int64_t>(map.columns) ||
            y >= static_cast<int64_t>(map.rows)) {
          continue;
        }
        const uint64_t from = reinterpret_cast<uint64_t>(map.data) +
                              static_cast<uint64_t>(y) * map.row_stride +
                              static_cast<uint64_t>(x) * element_bytes;
        std::memcpy(
            element,
            Resolve(warp, {Space::kGlobal, from, element_bytes, AccessKind::kRead, false, nullptr},
                    0),
            element_bytes);
      }
    }
  }
  warp.now = now;
  MemoryBarrier& barrier = block.memory_barriers.at(copy.barrier);
  barrier.bytes -= int64_t{map.box_columns} * map.box_rows * element_bytes;
  barrier.arriving.push_back(clock);
  EndPhaseIfComplete(barrier);
  ++block.launch->progress;
}

bool DecodeCopy(const Statement& s, const Words& q, Names& names, Instruction* i) {
  if (q[0] != "cp") return false;
  if (s.mnemonic == "cp.async.wait_all") {
    i->mode = -1;
    i->execute = &WaitForCopies;
  } else if (s.mnemonic == "cp.async.wait_group") {
    ExpectOperands(s, 1, 1);
    i->mode = static_cast<int>(Literal(s.operands[0]));
    i->execute = &WaitForCopies;
  } else if (s.mnemonic == "cp.async.commit_group") {
    i->execute = &CommitGroup;
  } else if (s.mnemonic == "cp.async.cg.shared.global" ||
             s.mnemonic == "cp.async.ca.shared.global") {
    ExpectOperands(s, 3, 4);
    const Names::Address to = names.At(s.operands[0], Width::k32);
    const Names::Address from = names.At(s.operands[1], Width::k64);
    if (to.width != Width::k32 || from.width != Width::k64)
      throw BadProgram("expected [shared], [global]");
    i->a = to.base;
    i->offset = to.offset;
    i->b = from.base;
    i->second_offset = from.offset;
    i->bytes = static_cast<uint8_t>(Literal(s.operands[2]));
    const bool size_fits = i->bytes == 16 || (Has(q, "ca") && (i->bytes == 4 || i->bytes == 8));
    if (!size_fits) throw BadProgram("cp.async of " + s.operands[2] + " bytes");
    if (s.operands.size() == 4) i->c = names.Operand(s.operands[3], Width::k32);
    i->execute = &StartCopy;
  } else if (s.mnemonic ==
             "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes") {
    ExpectOperands(s, 3, 3);
    const Names::Address to = names.At(s.operands[0], Width::k32);
    const Words source = CutAt(s.operands[1].substr(1, s.operands[1].size() - 2), ',');
    const Names::Address barrier = names.At(s.operands[2], Width::k32);
    if (source.size() != 2 || to.offset != 0 || barrier.offset != 0) {
      throw BadProgram("expected [to], [map, {x, y}], [mbarrier]");
    }
    i->a = to.base;
    i->b = RegisterOf(source[0], Width::k64, names);
    for (const std::string& text : InBraces(source[1]))
      i->list.push_back(names.Operand(text, Width::k32));
    if (i->list.size() != 2) throw BadProgram("expected two coordinates");
    i->c = barrier.base;
    i->execute = &StartBulkCopy;
  } else {
    throw BadProgram("this copy is not known");
  }
  return true;
}

}  // namespace dragoman::ptx

#include "tests/gpu/ptx/access.h"

#include <cstring>
#include <optional>
#include <string>

#include "tests/gpu/ptx/launch_state.h"

namespace dragoman::ptx {
namespace {

std::string Hex(uint64_t x) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[x % 16]);
    x /= 16;
  } while (x != 0);
  return "0x" + text;
}

// Returns the lane that findings name. Copies and products have no lane of their own
// (Moment::kSeveralLanes); their findings name the first lane of the warp.
int Named(int lane) { return lane < kLanes ? lane : 0; }

std::string Verb(AccessKind kind) { return kind == AccessKind::kRead ? "read" : "write"; }

// Returns "thread 37 of block 2" for an agent of this launch, or the name of another operation.
std::string Who(const Warp& warp, const Moment& moment) {
  const LaunchState& launch = *warp.block->launch;
  if (launch.others.IsOther(moment.agent)) return launch.name_other(moment.agent);
  const uint32_t agents = static_cast<uint32_t>(warp.block->warps.size()) + 1;
  const uint32_t block = (moment.agent - launch.others.first) / agents;
  const uint32_t index = (moment.agent - launch.others.first) % agents;
  const std::string of_block = " of block number " + std::to_string(block);
  if (index + 1 == agents) return "a bulk copy" + of_block;
  std::string who = "warp " + std::to_string(index);
  if (moment.lane < kLanes) who += " lane " + std::to_string(moment.lane);
  return who + of_block;
}

void ReportRace(const Warp& warp, const std::string& where, AccessKind kind, const Race& race,
                int lane) {
  warp.block->launch->report->Add(
      warp.At(FindingKind::kRace, Named(lane),
              Verb(kind) + " of " + where + " after a " + (race.earlier_wrote ? "write" : "read") +
                  " by " + Who(warp, race.earlier) + " that nothing orders before it"));
}

// Records the access in the piece. REQUIRES: the access is within the piece's bounds.
uint8_t* Touch(Warp& warp, Piece& piece, size_t offset, const Access& access,
               const VectorClock& clock, int lane, const char* space) {
  const auto where = [&] {
    return std::to_string(access.bytes) + " bytes of " + space + " memory at offset " +
           std::to_string(offset);
  };
  bool same_bits = access.value != nullptr && access.kind == AccessKind::kWrite &&
                   std::memcmp(piece.bytes() + offset, access.value, access.bytes) == 0;
  if (!piece.Is(offset, access.bytes, ByteState::kData)) {
    same_bits = false;
    if (piece.At(offset) == ByteState::kBarrier ||
        piece.At(offset + access.bytes - 1) == ByteState::kBarrier) {
      Raise(warp, FindingKind::kBarrierMisuse, 1U << Named(lane),
            Verb(access.kind) + " of " + where() + ", where an mbarrier is");
    }
    if (access.kind != AccessKind::kWrite) {
      warp.block->launch->report->Add(warp.At(FindingKind::kUninitialised, Named(lane),
                                              "read of " + where() + " that nothing has written"));
    }
    // So that the same read is not reported again.
    piece.Mark(offset, access.bytes, ByteState::kData);
  }
  const std::optional<Race> race =
      access.kind == AccessKind::kRead
          ? piece.history().Read(offset, access.bytes, clock, lane, access.strong)
          : piece.history().Write(offset, access.bytes, clock, lane, access.strong, same_bits);
  if (race.has_value()) ReportRace(warp, where(), access.kind, *race, lane);
  return piece.bytes() + offset;
}

[[noreturn]] void OutOfBounds(const Warp& warp, const Access& access, int lane,
                              const std::string& where) {
  Raise(warp, FindingKind::kOutOfBounds, 1U << Named(lane),
        Verb(access.kind) + " of " + std::to_string(access.bytes) + " bytes at " + where);
}

void CheckAligned(const Warp& warp, const Access& access, uint64_t address, int lane) {
  if ((address & (access.bytes - 1)) == 0) return;
  Raise(warp, FindingKind::kMisaligned, 1U << Named(lane),
        Verb(access.kind) + " of " + std::to_string(access.bytes) + " bytes at address " +
            Hex(address) + ", which is not a multiple of that");
}

}  // namespace

uint8_t* ResolveShared(Warp& warp, uint32_t address, uint32_t bytes, AccessKind kind,
                       const VectorClock& clock, int lane) {
  const Access access{Space::kShared, address, bytes, kind, false, nullptr};
  CheckAligned(warp, access, address, lane);
  Piece& shared = *warp.block->shared;
  const uint32_t offset = address - kSharedBegin;
  if (address < kSharedBegin || !shared.Holds(offset, bytes)) {
    OutOfBounds(warp, access, lane,
                "offset " + std::to_string(static_cast<int32_t>(offset)) + " of shared memory of " +
                    std::to_string(shared.size()) + " bytes");
  }
  return Touch(warp, shared, offset, access, clock, lane, "shared");
}

uint8_t* Resolve(Warp& warp, const Access& access, int lane) {
  Space space = access.space;
  uint64_t address = access.address;
  if (space == Space::kGeneric && address - kSharedWindow < kWindowBytes) {
    space = Space::kShared;
    address -= kSharedWindow;
  } else if (space == Space::kGeneric && address - kLocalWindow < kWindowBytes) {
    space = Space::kLocal;
    address -= kLocalWindow;
  }
  CheckAligned(warp, access, address, lane);
  Piece* piece = nullptr;
  uint64_t offset = 0;
  const char* name = "global";
  if (space == Space::kShared) {
    piece = warp.block->shared.get();
    offset = static_cast<uint32_t>(address) - uint64_t{kSharedBegin};
    name = "shared";
  } else if (space == Space::kLocal) {
    piece = warp.block->local.empty()
                ? nullptr
                : warp.block->local[static_cast<size_t>(warp.index * kLanes + lane)].get();
    offset = address;
    name = "local";
  } else {
    piece = space == Space::kParameter ? warp.block->launch->parameter_piece
                                       : warp.block->launch->memory->Find(address);
    if (piece != nullptr) offset = address - piece->address();
  }
  if (piece == nullptr || !piece->Holds(offset, access.bytes)) {
    const bool windowed = space == Space::kShared || space == Space::kLocal;
    const std::string where =
        windowed
            ? "offset " + std::to_string(static_cast<int64_t>(offset)) + " of " + name +
                  " memory of " + std::to_string(piece == nullptr ? 0 : piece->size()) + " bytes"
            : "address " + Hex(address) + ", " + warp.block->launch->memory->Nearest(address);
    OutOfBounds(warp, access, lane, where);
  }
  if (!piece->writable) {
    if (access.kind == AccessKind::kRead) return piece->bytes() + offset;
    Raise(warp, FindingKind::kOutOfBounds, 1U << Named(lane),
          "write to the parameters of the kernel");
  }
  return Touch(warp, *piece, offset, access, warp.clock, lane, name);
}

}  // namespace dragoman::ptx

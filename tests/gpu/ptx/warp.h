// A running warp: its registers, the positions of its lanes in the code, and its pending
// operations.
//
// Lanes that took different branches are paths. The path that is furthest behind runs first, so
// that paths meet again where they can. A path that reaches a .sync instruction before the other
// lanes it needs is parked there. A card may order paths differently. Code that depends on the
// order is a race, and is reported as one.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/gpu/ptx/program.h"
#include "tests/gpu/ptx/report.h"
#include "tests/gpu/ptx/vector_clock.h"

namespace dragoman::ptx {

struct Block;

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = 0xffffffffU;

struct Path {
  int pc = 0;
  uint32_t lanes = 0;
  bool parked = false;
};

// A copy by cp.async for which the thread has not waited.
struct LaneCopy {
  uint32_t to = 0;  // shared address
  const uint8_t* from = nullptr;
  uint32_t from_bytes = 0;  // the rest of the destination becomes zeros
  uint32_t bytes = 0;
  std::array<uint8_t, 16> source = {};  // bytes at the copy's start, which must not change
};

// A product by wgmma for which the warp has not waited.
struct PendingProduct {
  const Instruction* instruction = nullptr;
  uint64_t a = 0;
  uint64_t b = 0;
  bool accumulates = false;
};

// The reason for the end of a warp's turn.
enum class Turn : uint8_t {
  kGoesOn,
  kWaits,  // at a barrier of the block
  kPolls,  // it asked for something that has not happened yet
};

struct Warp {
  Block* block = nullptr;
  const Kernel* kernel = nullptr;
  int index = 0;  // in the block
  std::vector<uint32_t> file;

  std::vector<Path> paths;
  uint32_t live = 0;      // lanes that have not ended
  uint32_t existing = 0;  // lanes that existed at the start
  Turn turn = Turn::kGoesOn;
  const Instruction* now = nullptr;

  VectorClock clock;
  // The clock of the warp at its last fence, which its strong writes publish. And the clocks that
  // its strong reads have read, which the next fence makes known to the warp.
  VectorClock fenced;
  std::vector<VectorClock> acquired;

  // State while the warp waits at a barrier of the block.
  uint32_t barrier = 0;
  uint32_t barrier_votes = 0;  // of bar.red: lanes whose predicate holds

  // The thing that the warp last asked for in vain, the launch's progress at that time, and how
  // often it has asked since.
  std::string polled;
  uint64_t polled_at = 0;
  int polls_in_vain = 0;

  std::vector<LaneCopy> copies[kLanes];                    // not in a group yet
  std::vector<std::vector<LaneCopy>> copy_groups[kLanes];  // oldest first

  std::vector<PendingProduct> products;                     // not in a group yet
  std::vector<std::vector<PendingProduct>> product_groups;  // oldest first
  // The number of wgmma.fence so far. And for each register: one more than that number when an
  // instruction other than wgmma last accessed the register. Empty in kernels without wgmma.
  uint32_t product_fences = 0;
  std::vector<uint32_t> accessed_after_fences;

  uint32_t* At(Place place) { return file.data() + place; }
  const uint32_t* At(Place place) const { return file.data() + place; }
  uint32_t& Predicate(Place place) { return file[place]; }

  bool HasProducts() const { return !products.empty() || !product_groups.empty(); }
  // Whether a pending product accumulates in the register.
  bool IsUnderWay(Place accumulator) const;

  // Returns a finding for a lane of this warp at its current instruction.
  Finding At(FindingKind kind, int lane, std::string what) const;
};

// Throws a finding for one of the lanes of a mask.
[[noreturn]] void Raise(const Warp& warp, FindingKind kind, uint32_t lanes, std::string what);

// Returns lane l of a register. T has 2, 4 or 8 bytes; a 16-bit register takes 32 bits for each
// lane.
template <class T>
inline T Get(const uint32_t* place, int lane) {
  if constexpr (sizeof(T) == 8) {
    T value;
    std::memcpy(&value, place + 2 * lane, sizeof(T));
    return value;
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(place[lane]);
  } else {
    return static_cast<T>(place[lane]);
  }
}

template <class T>
inline void Put(uint32_t* place, int lane, T value) {
  if constexpr (sizeof(T) == 8) {
    std::memcpy(place + 2 * lane, &value, sizeof(T));
  } else if constexpr (sizeof(T) == 4) {
    place[lane] = std::bit_cast<uint32_t>(value);
  } else {
    place[lane] = static_cast<uint16_t>(value);
  }
}

// Reads a lane of a register of any width, with upper bits zero, or writes it truncated to the
// width.
inline uint64_t GetBits(const uint32_t* place, Width width, int lane) {
  return width == Width::k64          ? Get<uint64_t>(place, lane)
         : width == Width::kPredicate ? (*place >> lane & 1U)
                                      : uint64_t{place[lane]};
}

inline void PutBits(uint32_t* place, Width width, int lane, uint64_t bits) {
  if (width == Width::k64) {
    Put<uint64_t>(place, lane, bits);
  } else if (width == Width::k16) {
    place[lane] = static_cast<uint16_t>(bits);
  } else {
    place[lane] = static_cast<uint32_t>(bits);
  }
}

// Calls f(lane) for each lane of a mask. For all 32 lanes, the compiler can vectorise the loop.
template <class F>
inline void ForLanes(uint32_t lanes, F f) {
  if (lanes == kAllLanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
  }
}

}  // namespace dragoman::ptx

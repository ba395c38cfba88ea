// A warp while it runs: its registers, where its lanes are in the code, and what it has under way.
//
// Lanes that have gone different ways are paths. The path that is furthest back runs first, so that
// paths meet again where they can; a path that reaches a .sync instruction before lanes that it needs
// is parked there. A card may order paths otherwise: what depends on it is a race, and reported as one.
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

// A copy of cp.async that has not been waited for.
struct LaneCopy {
  uint32_t to = 0;  // shared address
  const uint8_t* from = nullptr;
  uint32_t from_bytes = 0;  // the rest of the piece becomes zeros
  uint32_t bytes = 0;
  std::array<uint8_t, 16> source = {};  // its bytes when the copy began, which nobody may change
};

// A product of wgmma that has not been waited for.
struct PendingProduct {
  const Instruction* instruction = nullptr;
  uint64_t a = 0;
  uint64_t b = 0;
  bool accumulates = false;
};

// Ends the turn of a warp.
enum class Turn : uint8_t {
  kGoesOn,
  kWaits,  // at a barrier of the block
  kPolls,  // it asked for something that has not happened
};

struct Warp {
  Block* block = nullptr;
  const Kernel* kernel = nullptr;
  int index = 0;  // in the block
  std::vector<uint32_t> file;

  std::vector<Path> paths;
  uint32_t live = 0;      // lanes that have not ended
  uint32_t existing = 0;  // lanes that there were
  Turn turn = Turn::kGoesOn;
  const Instruction* now = nullptr;

  VectorClock clock;
  // The clock of the warp at its last fence, which its strong writes pass on; and what it has read by
  // strong reads, which the next fence makes known to it.
  VectorClock fenced;
  std::vector<VectorClock> acquired;

  // At a barrier of the block.
  uint32_t barrier = 0;
  uint32_t barrier_votes = 0;  // of bar.red: lanes whose predicate holds

  // The thing that was asked for in vain last, the launch's progress then, and how often since it.
  std::string polled;
  uint64_t polled_at = 0;
  int polls_in_vain = 0;

  std::vector<LaneCopy> copies[kLanes];                    // not in a group yet
  std::vector<std::vector<LaneCopy>> copy_groups[kLanes];  // oldest first

  std::vector<PendingProduct> products;                     // not in a group yet
  std::vector<std::vector<PendingProduct>> product_groups;  // oldest first
  // wgmma.fence so far, and at the place of each register one more than there had been when an instruction
  // other than wgmma accessed it last. Empty in kernels without products.
  uint32_t product_fences = 0;
  std::vector<uint32_t> accessed_after_fences;

  uint32_t* At(Place place) { return file.data() + place; }
  const uint32_t* At(Place place) const { return file.data() + place; }
  uint32_t& Predicate(Place place) { return file[place]; }

  bool HasProducts() const { return !products.empty() || !product_groups.empty(); }
  // Whether a product that has not been waited for accumulates in the register.
  bool IsUnderWay(Place accumulator) const;

  // The finding for a lane of this warp at the instruction that it is at.
  Finding At(FindingKind kind, int lane, std::string what) const;
};

// Raises a finding for one of the lanes of a mask.
[[noreturn]] void Raise(const Warp& warp, FindingKind kind, uint32_t lanes, std::string what);

// Lane l of a register. T has 2, 4 or 8 bytes; a register of 16 bits has 32 a lane.
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

// The bits of a lane of a register of any width, the upper ones zero; and back, cut to the width.
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

// Calls f(lane) for the lanes of a mask; all 32 are a loop that the compiler can make vectors of.
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

// One lane's access to memory: checked, noted, and resolved to a pointer of the host.
#pragma once

#include <cstdint>

#include "tests/gpu/ptx/block.h"

namespace dragoman::ptx {

enum class AccessKind : uint8_t { kRead, kWrite, kReadWrite };

struct Access {
  Space space = Space::kGeneric;
  uint64_t address = 0;
  uint32_t bytes = 0;  // 1, 2, 4, 8 or 16: what it must be aligned to
  AccessKind kind = AccessKind::kRead;
  bool strong = false;          // may race with others that are strong
  const void* value = nullptr;  // what a write is going to write, if that is known
};

// Raises a fault where the access is misaligned, out of bounds, or would touch an mbarrier. Reads of
// unwritten memory and races go to the report, and the launch goes on.
uint8_t* Resolve(Warp& warp, const Access& access, int lane);

// The same for shared memory alone, by an agent and at a time of its own: copies that happen later than
// their instruction. `check_written` is for reads.
uint8_t* ResolveShared(Warp& warp, uint32_t address, uint32_t bytes, AccessKind kind,
                       const VectorClock& clock, int lane);

}  // namespace dragoman::ptx

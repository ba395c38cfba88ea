// Checks and records one lane's access to memory, and resolves the address to a pointer of the
// host.
#pragma once

#include <cstdint>

#include "tests/gpu/ptx/block.h"

namespace dragoman::ptx {

enum class AccessKind : uint8_t { kRead, kWrite, kReadWrite };

struct Access {
  Space space = Space::kGeneric;
  uint64_t address = 0;
  uint32_t bytes = 0;  // 1, 2, 4, 8 or 16; also the required alignment
  AccessKind kind = AccessKind::kRead;
  bool strong = false;          // does not race with other strong accesses
  const void* value = nullptr;  // what a write is going to write, if known
};

// Returns the host's pointer. Raises a fault if the access is misaligned, out of bounds, or would
// touch an mbarrier. Reads of unwritten memory and races are reported, and the launch goes on.
uint8_t* Resolve(Warp& warp, const Access& access, int lane);

// Does the same for shared memory only, with an explicit clock: for copies, which happen later than
// their instruction.
uint8_t* ResolveShared(Warp& warp, uint32_t address, uint32_t bytes, AccessKind kind,
                       const VectorClock& clock, int lane);

}  // namespace dragoman::ptx

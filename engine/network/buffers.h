// Places a stage's buffers in one block of memory. Buffers that are never in use together overlap.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

// Offsets are multiples of this many elements: 256 bytes of a 2-byte type, for any number of rows.
inline constexpr int64_t kBufferAlignment = 128;

struct BufferPlan {
  // Buffer b of a block for n rows begins at element n * offset[b].
  std::vector<int64_t> offset;
  int64_t width = 0;  // elements of the block for one row

  int64_t Bytes(int64_t rows, int64_t element_bytes) const { return rows * width * element_bytes; }
};

// REQUIRES: CheckProgram returned OK.
BufferPlan PlanBuffers(const OpSequence& stage);

}  // namespace dragoman::engine

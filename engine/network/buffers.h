// Places the activation buffers of a stage (encoder or decoder) in one block of memory. Buffers
// that are never in use at the same time may overlap. The function has no side effects.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/network/program.h"

namespace dragoman::engine {

// Offsets are multiples of this many elements. So with elements of 2 bytes every buffer is aligned
// to 256 bytes, for any number of rows.
inline constexpr int64_t kBufferAlignment = 128;

struct BufferPlan {
  // In a block for n rows, buffer b begins at element n * offset[b].
  std::vector<int64_t> offset;
  int64_t width = 0;  // the size of the block for one row, in elements

  int64_t Bytes(int64_t rows, int64_t element_bytes) const { return rows * width * element_bytes; }
};

// Returns the places of the stage's buffers. REQUIRES: CheckProgram returned OK for the program.
BufferPlan PlanBuffers(const OpSequence& stage);

}  // namespace dragoman::engine

// The state that the blocks of a launch have in common while it runs.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tests/gpu/ptx/launch.h"
#include "tests/gpu/ptx/vector_clock.h"

namespace dragoman::ptx {

struct LaunchState {
  const Kernel* kernel = nullptr;
  Grid grid;
  DeviceMemory* memory = nullptr;
  Report* report = nullptr;
  LaunchCounts* counts = nullptr;
  Piece* parameter_piece = nullptr;
  std::mt19937_64 random;

  // Grows whenever something happens that another warp could wait for.
  uint64_t progress = 0;
  // The clocks that strong writes made known, by address; of shared memory also by block, 0 for global memory.
  std::map<std::pair<uint32_t, uint64_t>, VectorClock> released;
};

}  // namespace dragoman::ptx

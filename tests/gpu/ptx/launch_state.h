// The state that the blocks of a launch have in common while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
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

  OtherOperations others;  // and the agents of this launch: others.first to others.end
  // Names an agent of another operation, for reports; empty: there is none.
  std::function<std::string(uint32_t agent)> name_other;

  // Whether it may begin early; then, whether the one before it has ended, so that griddepcontrol.wait returns.
  bool early = false;
  bool one_before_ended = true;
  bool waited = false;  // somebody has waited for it
  uint64_t let_go = 0;  // blocks that have let the next one begin, or have ended

  // Grows whenever something happens that another warp could wait for.
  uint64_t progress = 0;
  // The clocks that strong writes made known, by address; of shared memory also by block, 0 for global memory.
  std::map<std::pair<uint32_t, uint64_t>, VectorClock> released;
};

}  // namespace dragoman::ptx

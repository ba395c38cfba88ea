// The state that the blocks of a running launch share.
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
  // Names an agent of another operation, for reports. Empty if there are no other operations.
  std::function<std::string(uint32_t agent)> name_other;

  // Whether the launch may begin early. Then, whether the launch before has ended, so that
  // griddepcontrol.wait returns.
  bool early = false;
  bool one_before_ended = true;
  bool waited = false;  // a block has executed griddepcontrol.wait
  uint64_t let_go = 0;  // blocks that permit the next launch to begin, or have ended

  // Increases whenever something happens for which another warp could wait.
  uint64_t progress = 0;
  // The clocks that strong writes published, by block (0 for global memory) and address.
  std::map<std::pair<uint32_t, uint64_t>, VectorClock> released;
};

}  // namespace dragoman::ptx

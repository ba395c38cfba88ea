// Checks the shapes of a network against those that the GPU's operations support. A model with
// other shapes cannot be loaded.
#pragma once

#include "absl/status/status.h"
#include "engine/network/program.h"

namespace dragoman::engine {

// Checks that the GPU's operations support the shapes of the network. If not, returns UNIMPLEMENTED
// with the first operation that does not, the shape found and the shape expected.
absl::Status CheckDeviceShapes(const Program& program);

}  // namespace dragoman::engine

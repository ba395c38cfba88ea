// The shapes that the operations of a GPU take. A model with another shape is refused at load.
#pragma once

#include "absl/status/status.h"
#include "engine/network/program.h"

namespace dragoman::engine {

// Checks that the operations of a GPU take the network. Otherwise returns UNIMPLEMENTED, which
// names the first operation that does not, the shape found and the shape expected. Pure.
absl::Status CheckDeviceShapes(const Program& program);

}  // namespace dragoman::engine

// The shapes that the operations of a GPU take: the one place that knows them all. A model that is of
// another is refused at load, for a kernel would refuse every pass and step of it.
#pragma once

#include "absl/status/status.h"
#include "engine/network/program.h"

namespace dragoman::engine {

// Whether a GPU's operations take the network. UNIMPLEMENTED, naming the first operation that does
// not, what was found and what was expected. Pure.
absl::Status CheckDeviceShapes(const Program& program);

}  // namespace dragoman::engine

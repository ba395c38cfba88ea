// Turns the exceptions of failed allocations and failed thread starts into a Status. Only for the
// start of the server and of models, which allocates much at once.
#pragma once

#include <new>
#include <string>
#include <system_error>

#include "absl/status/status.h"

namespace dragoman::engine {

// The possible causes, for messages.
inline constexpr char kWhatLimits[] =
    "too little memory, or a limit on address space (ulimit -v), on processes (ulimit -u) or of "
    "the cgroup (pids.max)";

// Returns the Status or StatusOr of `make`. Returns RESOURCE_EXHAUSTED, which names `what`, if
// memory cannot be allocated or a thread cannot be started.
template <class Make>
auto OrOutOfMemory(const std::string& what, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory: " + what);
  } catch (const std::system_error& e) {
    return absl::ResourceExhaustedError("no thread could be started (" + std::string(e.what()) +
                                        "): " + what + ": " + kWhatLimits);
  }
}

}  // namespace dragoman::engine

// Turns exceptions for want of memory or of threads into a Status. Only for the start, where much
// is taken at once and a limit shows.
#pragma once

#include <new>
#include <string>
#include <system_error>

#include "absl/status/status.h"

namespace dragoman::engine {

// The limits that may be the cause when memory cannot be allocated or a thread cannot be started.
inline constexpr char kWhatLimits[] =
    "too little memory, or a limit on address space (ulimit -v), on processes (ulimit -u) or of "
    "the cgroup (pids.max)";

// Returns what `make` returns, a Status or a StatusOr; RESOURCE_EXHAUSTED, which names `what`, when
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

// Turns the exceptions of failed allocations and failed thread starts into a Status. Used only when
// the server starts or loads a model, because these allocate much memory at once.
#pragma once

#include <new>
#include <string>
#include <system_error>

#include "absl/status/status.h"

namespace dragoman::engine {

// The possible causes of a failed thread start, for messages.
inline constexpr char kWhatLimits[] =
    "too little memory, or a limit on address space (ulimit -v), on processes (ulimit -u) or of "
    "the cgroup (pids.max)";

// Returns the Status or StatusOr that `make` returns. If `make` cannot allocate memory or start a
// thread, returns RESOURCE_EXHAUSTED. `what` says in the message what `make` does: "making the
// tokenizer".
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

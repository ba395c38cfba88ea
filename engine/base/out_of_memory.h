// What throws for want of memory or of threads, as a Status: at start only, where much is taken at
// once and a limit shows. Private to engine/.
#pragma once

#include <new>
#include <string>
#include <system_error>

#include "absl/status/status.h"

namespace dragoman {

// What `make` returns, a Status or a StatusOr; RESOURCE_EXHAUSTED, which names `what`, when memory
// or a thread cannot be had.
template <class Make>
auto OrOutOfMemory(const std::string& what, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory: " + what);
  } catch (const std::system_error& e) {
    return absl::ResourceExhaustedError("no thread could be started (" + std::string(e.what()) +
                                        "): " + what);
  }
}

}  // namespace dragoman

// Runs work on chosen processors.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

// Calls `work` on a thread that may run only on `cpus`, and waits for its end. Threads that it
// starts are bound in the same way, so memory that they touch first is on the node of `cpus`.
// Throws what `work` throws. If `cpus` is empty, calls `work` on the caller's thread. Returns
// INVALID_ARGUMENT without a call if the process may not run on `cpus`.
absl::Status OnCpus(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace dragoman::engine

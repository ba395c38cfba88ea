// Runs work on chosen processors.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

// Calls `work` on a new thread that may run only on the processors `cpus`, and waits until `work`
// returns. Threads that `work` starts are bound to the same processors. So memory that these
// threads are the first to write to is on the NUMA node of `cpus`. Throws what `work` throws. If
// `cpus` is empty, calls `work` on the caller's thread. If the process may not run on `cpus`,
// returns INVALID_ARGUMENT and does not call `work`.
absl::Status OnCpus(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace dragoman::engine

// Work on chosen processors.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/status.h"

namespace dragoman::engine {

// Calls `work` on a thread that may run on these processors only, as may all threads that it
// starts; what they touch first is in these processors' memory. Waits for its end, and throws what
// it throws. No processors: calls it on the caller's thread. INVALID_ARGUMENT, and no call, if the
// process may not run there.
absl::Status OnCpus(const std::vector<int>& cpus, const std::function<void()>& work);

}  // namespace dragoman::engine

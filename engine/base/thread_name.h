// Names threads for top -H, perf, debuggers and /proc.
#pragma once

#include <pthread.h>

namespace dragoman::engine {

// Names the calling thread and threads that it starts later. `name` has at most 15 bytes.
inline void NameThisThread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace dragoman::engine

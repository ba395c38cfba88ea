// Names of threads, for whoever looks at a process from outside: top -H, perf, a debugger, /proc.
#pragma once

#include <pthread.h>

namespace dragoman::engine {

// Names the calling thread. `name` has at most 15 bytes, Linux's limit. Threads that this one starts
// have the name, too, until they take one of their own.
inline void NameThisThread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace dragoman::engine

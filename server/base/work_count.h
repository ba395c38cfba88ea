// Counts the work that a thread does on requests before their jobs start, so that a test can bound
// it.
//
// A parser counts the bytes of each of its passes. A lookup of languages counts each query to ICU
// and each name that it compares. Each thread has its own counts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dragoman::server {

struct WorkCount {
  int64_t names = 0;
  int64_t bytes = 0;
};

inline thread_local WorkCount this_threads_work;

inline void CountNames(size_t names) { this_threads_work.names += static_cast<int64_t>(names); }
inline void CountBytes(size_t bytes) { this_threads_work.bytes += static_cast<int64_t>(bytes); }

}  // namespace dragoman::server

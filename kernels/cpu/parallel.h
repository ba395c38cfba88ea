// Splits the work of an operation over the threads of its context.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "kernels/base/op_context.h"

namespace dragoman::cpu {

// Calls work(begin, end, thread) on contiguous parts of 0 .. tasks - 1, one part per thread, no
// more parts than there is work for. With one part it is a plain call. The results of the
// operations do not depend on the split.
template <typename Work>
void ParallelFor(const OpContext& context, int64_t tasks, int64_t work_per_task, const Work& work) {
  const int64_t worthwhile = tasks * work_per_task / context.work_per_thread();
  const int threads = static_cast<int>(
      std::min<int64_t>({context.threads(), tasks, std::max<int64_t>(worthwhile, 1)}));
  if (threads <= 1) {
    if (tasks > 0) work(int64_t{0}, tasks, 0);
    return;
  }
#pragma omp parallel num_threads(threads)
  {
    // The runtime may give fewer threads than were asked for.
    const int64_t count = omp_get_num_threads();
    const int64_t thread = omp_get_thread_num();
    const int64_t begin = tasks * thread / count;
    const int64_t end = tasks * (thread + 1) / count;
    if (begin < end) work(begin, end, static_cast<int>(thread));
  }
}

}  // namespace dragoman::cpu

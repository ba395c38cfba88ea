// Splits the work of an operation over the threads of its context.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/base/helper_threads.h"
#include "kernels/base/op_context.h"

namespace dragoman::kernels::cpu {

// Calls work(begin, end, thread) on contiguous ranges that together are the tasks 0 .. tasks - 1.
// Each range begins at a multiple of `multiple`. If the work is too small for another thread, calls
// `work` once, on this thread. Otherwise each of the context's threads takes several ranges.
// REQUIRES: results do not depend on the ranges.
template <typename Work>
void ParallelFor(const OpContext& context, int64_t tasks, int64_t work_per_task, const Work& work,
                 int64_t multiple = 1) {
  const int64_t worthwhile = tasks * work_per_task / context.work_per_thread();
  if (context.helped() == nullptr || worthwhile <= 1) {
    if (tasks > 0) work(int64_t{0}, tasks, 0);
    return;
  }
  context.helped()->Do(
      {.work = [](const void* data, int64_t begin, int64_t end,
                  int thread) { (*static_cast<const Work*>(data))(begin, end, thread); },
       .data = &work,
       .count = tasks,
       .multiple = multiple,
       .threads = static_cast<int>(std::min<int64_t>(context.threads(), worthwhile))});
}

}  // namespace dragoman::kernels::cpu

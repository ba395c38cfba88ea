#include "engine/base/on_cpus.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dragoman::engine {
namespace {

// Binds the calling thread to the processors `cpus`. Returns 0, or an errno if that fails.
int RunOnlyOn(const std::vector<int>& cpus) {
  const auto size = static_cast<size_t>(*std::max_element(cpus.begin(), cpus.end())) + 1;
  struct Free {
    void operator()(cpu_set_t* mask) const { CPU_FREE(mask); }
  };
  const std::unique_ptr<cpu_set_t, Free> mask(CPU_ALLOC(size));
  if (mask == nullptr) return ENOMEM;
  const size_t bytes = CPU_ALLOC_SIZE(size);
  CPU_ZERO_S(bytes, mask.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<size_t>(cpu), bytes, mask.get());
  return sched_setaffinity(0, bytes, mask.get()) == 0 ? 0 : errno;
}

}  // namespace

absl::Status OnCpus(const std::vector<int>& cpus, const std::function<void()>& work) {
  if (cpus.empty()) {
    work();
    return absl::OkStatus();
  }
  int error = 0;
  std::exception_ptr thrown;
  std::thread thread([&] {
    error = RunOnlyOn(cpus);
    if (error != 0) return;
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  thread.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
  if (error == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("placement: found the processors ", absl::StrJoin(cpus, ","),
                   ", expected some that the process may run on: ", std::strerror(error)));
}

}  // namespace dragoman::engine

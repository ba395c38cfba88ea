// Waiting for a device with a time limit, which CUDA's own waits do not have: by asking. Free of
// CUDA's headers.
#pragma once

#include <chrono>
#include <thread>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Asks `done`, an Error(bool* done), about once a millisecond until it says so, fails or `limit` is
// over. *done says whether it was in time. It is asked once at least.
template <class Ask>
Error PollAtMost(std::chrono::nanoseconds limit, const Ask& ask, bool* done) {
  const auto give_up = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const Error error = ask(done);
    if (error != Error::kNone || *done || std::chrono::steady_clock::now() >= give_up) return error;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace dragoman::kernels::cuda

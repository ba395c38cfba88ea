// Waits for a device with a time limit, by polling, because CUDA's own waits have no limit.
// Includes no CUDA header.
#pragma once

#include <chrono>
#include <thread>

#include "kernels/cuda/launch.h"

namespace dragoman::kernels::cuda {

// Calls `ask`, a function Error(bool* done), about once a millisecond and at least once, until it
// sets *done, returns an error or `limit` has passed. *done is then false if the time ran out.
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

// Ends search_bench with exit status 2 and a message when something that it needs fails.
#pragma once

#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dragoman::bench {

inline void OrEnd(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "search_bench: " << status << "\n";
  std::exit(2);
}

// Returns the value.
template <typename T>
T OrEnd(absl::StatusOr<T> value) {
  OrEnd(value.status());
  return *std::move(value);
}

}  // namespace dragoman::bench

// Shows the status of a StatusOr that has no value although the test needs one.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "absl/status/statusor.h"

namespace dragoman {

// Fails the test with the status of a result that is not OK. Returns the result. A test that then
// uses the missing value ends its process.
template <typename T>
absl::StatusOr<T> ExpectOk(absl::StatusOr<T> result) {
  EXPECT_TRUE(result.ok()) << result.status();
  return result;
}

}  // namespace dragoman

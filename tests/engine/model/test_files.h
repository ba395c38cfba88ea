// Files on disk for the tests of engine/model.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "tests/support/temp_directory.h"

namespace dragoman::engine {

inline std::string ReadTestFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace dragoman::engine

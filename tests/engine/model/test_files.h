// Files on disk for the tests of engine/model.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace dragoman {

inline std::string ReadTestFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// A directory that goes away with the object.
class TempDirectory {
 public:
  TempDirectory() {
    std::string pattern = ::testing::TempDir() + "/dragoman_model_XXXXXX";
    path_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
    EXPECT_FALSE(path_.empty());
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  void Write(const std::string& file, std::string_view text) const {
    std::ofstream(path_ + "/" + file, std::ios::binary) << text;
  }
  void Remove(const std::string& file) const { std::filesystem::remove(path_ + "/" + file); }

 private:
  std::string path_;
};

}  // namespace dragoman

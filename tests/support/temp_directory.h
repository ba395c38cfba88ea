#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dragoman {

// A directory that is this object's alone and goes away with it. ctest runs the tests of one suite
// beside each other, each in a process: two that named their files themselves would share them.
// To be made in the body or the fixture of a test.
class TempDirectory {
 public:
  TempDirectory() : path_(::testing::TempDir() + "dragoman_test_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  // Without a slash at its end.
  const std::string& path() const { return path_; }
  // `file` is relative; folders on its way are made. Returns the whole path.
  std::string Write(const std::string& file, std::string_view text) const {
    const std::filesystem::path at = std::filesystem::path(path_) / file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at, std::ios::binary) << text;
    return at.string();
  }
  void Remove(const std::string& file) const { std::filesystem::remove_all(path_ + "/" + file); }

 private:
  std::string path_;
};

}  // namespace dragoman

#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace dragoman {

// A directory that only this object uses and that its destructor removes. ctest runs a suite's
// tests in parallel processes, so fixed names would collide. Create it in a test's body or fixture.
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

  // The path without a trailing slash.
  const std::string& path() const { return path_; }
  // `file` is relative. Creates missing folders. Returns the full path.
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

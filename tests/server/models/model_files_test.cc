#include "server/models/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ModelFilesTest : public ::testing::Test {
 protected:
  ModelFilesTest()
      : root_(::testing::TempDir() + "/model_files_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    Write("config.json", "{}");
    Write("model.safetensors", std::string(3 << 20, 'w'));
  }
  ~ModelFilesTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  std::string Checksum() const {
    const auto checksum = ChecksumOfFiles(root_.string());
    EXPECT_TRUE(checksum.ok()) << checksum.status();
    return checksum.value_or("");
  }

  const fs::path root_;
};

TEST_F(ModelFilesTest, TheChecksumIsThatOfNamesSizesAndBytes) {
  fs::remove(root_ / "model.safetensors");
  // printf 'config.json\n2\n{}' | sha256sum
  EXPECT_EQ(Checksum(), "1a78ec46e45d6503f76a938adf6b637d8f614a94a63bde6c3a9342fa179e4c9a");
}

TEST_F(ModelFilesTest, EveryChangeShows) {
  const std::string before = Checksum();
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(Checksum(), before);
  Write("model.safetensors", std::string((3 << 20) - 1, 'w') + "x");
  const std::string changed = Checksum();
  EXPECT_NE(changed, before);
  fs::resize_file(root_ / "model.safetensors", 100);
  EXPECT_NE(Checksum(), changed);
  Write("model.safetensors", std::string(3 << 20, 'w'));
  EXPECT_EQ(Checksum(), before);
  fs::rename(root_ / "config.json", root_ / "configuration.json");
  EXPECT_NE(Checksum(), before);
}

TEST_F(ModelFilesTest, HiddenFilesAndFoldersDoNotCount) {
  const std::string before = Checksum();
  Write(".lock", "x");
  fs::create_directories(root_ / "onnx");
  EXPECT_EQ(Checksum(), before);
}

TEST_F(ModelFilesTest, TheStampTellsThatAFileWasReplaced) {
  const auto before = StampsOfFiles(root_.string());
  ASSERT_TRUE(before.ok());
  const auto changed = [&] { return FirstChanged(*before, *StampsOfFiles(root_.string())); };
  EXPECT_EQ(changed(), "");
  Write("new", "{}");
  EXPECT_EQ(changed(), "new");
  // The same name, size and bytes, but another file.
  fs::rename(root_ / "new", root_ / "config.json");
  EXPECT_EQ(changed(), "config.json");
  fs::remove(root_ / "config.json");
  EXPECT_EQ(changed(), "config.json");
}

TEST_F(ModelFilesTest, WhatIsNoModelDirectoryIsSaid) {
  const auto missing = ChecksumOfFiles((root_ / "none").string());
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("none: no such directory"));
  const auto file = ChecksumOfFiles((root_ / "config.json").string());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("found no directory"));
  fs::create_directories(root_ / "empty");
  const auto empty = StampsOfFiles((root_ / "empty").string());
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(empty.status().message()), HasSubstr("found no file"));
}

}  // namespace
}  // namespace dragoman

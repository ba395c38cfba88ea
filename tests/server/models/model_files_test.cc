#include "server/models/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ModelFilesTest : public ::testing::Test {
 protected:
  ModelFilesTest() {
    Write("config.json", "{}");
    Write("model.safetensors", std::string(3 << 20, 'w'));
  }

  void Write(const std::string& name, const std::string& text) const {
    directory_.Write(name, text);
  }
  std::string Checksum() const {
    const auto checksum = ChecksumOfFiles(root_.string());
    EXPECT_TRUE(checksum.ok()) << checksum.status();
    return checksum.value_or("");
  }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
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
  const std::vector<std::string> directories{root_.string()};
  const auto before = StampsOfFiles(directories);
  ASSERT_TRUE(before.ok());
  const auto changed = [&] { return FirstChanged(*before, *StampsOfFiles(directories)); };
  EXPECT_EQ(changed(), "");
  Write("new", "{}");
  EXPECT_EQ(changed(), root_ / "new");
  // The same name, size and bytes, but another file.
  fs::rename(root_ / "new", root_ / "config.json");
  EXPECT_EQ(changed(), root_ / "config.json");
  fs::remove(root_ / "config.json");
  EXPECT_EQ(changed(), root_ / "config.json");
}

TEST_F(ModelFilesTest, TheChecksumOfSeveralIsOfEachInItsPlace) {
  const std::string a = root_ / "a";
  const std::string b = root_ / "b";
  for (const std::string& directory : {a, b}) fs::create_directories(directory);
  std::ofstream(a + "/weights") << "1";
  std::ofstream(b + "/weights") << "2";
  const auto of = [](const std::vector<std::string>& directories) {
    return ChecksumOfFiles(directories).value_or("none");
  };
  EXPECT_EQ(of({a}), *ChecksumOfFiles(a));
  const std::string both = of({a, b});
  EXPECT_EQ(both.size(), 64U);
  EXPECT_NE(both, of({b, a}));
  std::ofstream(b + "/weights") << "3";
  EXPECT_NE(of({a, b}), both);
  EXPECT_EQ(of({a, (root_ / "none").string()}), "none");
}

TEST_F(ModelFilesTest, APackageIsAFile) {
  const std::string package = root_ / "de-en.argosmodel";
  Write("de-en.argosmodel", "1");
  const auto before = StampsOfFiles({package});
  ASSERT_TRUE(before.ok()) << before.status();
  const auto checksum = ChecksumOfFiles(package);
  ASSERT_TRUE(checksum.ok()) << checksum.status();
  EXPECT_EQ(checksum->size(), 64U);
  // Its name is none of a model's files.
  fs::copy_file(package, root_ / "other");
  EXPECT_EQ(*ChecksumOfFiles((root_ / "other").string()), *checksum);
  Write("de-en.argosmodel", "22");
  EXPECT_NE(*ChecksumOfFiles(package), *checksum);
  EXPECT_EQ(FirstChanged(*before, *StampsOfFiles({package})), package);
}

TEST_F(ModelFilesTest, OfAnUnpackedPackageTheModelCounts) {
  fs::create_directories(root_ / "model");
  Write("model/model.bin", "1");
  const std::string not_a_package = Checksum();
  Write("model/model.bin", "2");
  EXPECT_EQ(Checksum(), not_a_package);
  Write("metadata.json", "{}");
  const std::string before = Checksum();
  EXPECT_NE(before, not_a_package);
  const auto stamps = StampsOfFiles({root_.string()});
  Write("model/model.bin", "33");
  EXPECT_NE(Checksum(), before);
  EXPECT_EQ(FirstChanged(*stamps, *StampsOfFiles({root_.string()})), root_ / "model/model.bin");
}

TEST_F(ModelFilesTest, WhatIsNoModelDirectoryIsSaid) {
  const auto missing = ChecksumOfFiles((root_ / "none").string());
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("none: no such directory"));
  const auto device = ChecksumOfFiles("/dev/null");
  EXPECT_EQ(device.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(device.status().message()), HasSubstr("found no directory"));
  fs::create_directories(root_ / "empty");
  const std::vector<std::string> without_files{(root_ / "empty").string()};
  const auto empty = StampsOfFiles(without_files);
  EXPECT_EQ(empty.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(empty.status().message()), HasSubstr("found no file"));
}

}  // namespace
}  // namespace dragoman

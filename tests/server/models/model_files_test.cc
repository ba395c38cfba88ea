#include "server/models/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
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
  // Returns the record of a model that was read from these files. Reads them now.
  static engine::RecordedFiles Record(const fs::path& directory,
                                      const std::vector<std::string>& names) {
    engine::FileRecord record;
    for (const std::string& name : names) {
      record.Note(name.empty() ? directory.string() : (directory / name).string(), true);
    }
    return record.files();
  }
  std::string Checksum(const std::vector<std::string>& names) const {
    const auto checksum = ExpectOk(ChecksumOfModel(Record(root_, names), root_.string(), nullptr));
    return checksum.value_or("");
  }
  absl::Status ErrorOf(const engine::RecordedFiles& files) const {
    return ChecksumOfModel(files, root_.string(), nullptr).status();
  }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
  const std::vector<std::string> both_{"model.safetensors", "config.json"};
};

TEST_F(ModelFilesTest, TheChecksumIsThatOfNamesSizesAndBytes) {
  // The expected value comes from: printf 'config.json\n2\n{}' | sha256sum
  EXPECT_EQ(Checksum({"config.json"}),
            "1a78ec46e45d6503f76a938adf6b637d8f614a94a63bde6c3a9342fa179e4c9a");
}

TEST_F(ModelFilesTest, EveryChangeShows) {
  const std::string before = Checksum(both_);
  EXPECT_EQ(before.size(), 64U);
  EXPECT_EQ(Checksum(both_), before);
  Write("model.safetensors", std::string((3 << 20) - 1, 'w') + "x");
  const std::string changed = Checksum(both_);
  EXPECT_NE(changed, before);
  fs::resize_file(root_ / "model.safetensors", 100);
  EXPECT_NE(Checksum(both_), changed);
  Write("model.safetensors", std::string(3 << 20, 'w'));
  EXPECT_EQ(Checksum(both_), before);
  fs::rename(root_ / "config.json", root_ / "configuration.json");
  EXPECT_NE(Checksum({"model.safetensors", "configuration.json"}), before);
}

TEST_F(ModelFilesTest, OnlyWhatWasReadCounts) {
  engine::FileRecord record;
  for (const std::string& name : both_) record.Note(root_ / name, true);
  Write("giant", "x");
  fs::resize_file(root_ / "giant", uintmax_t{200} << 30);
  record.Note(root_ / "giant", false);
  record.Note(root_ / "generation_config.json", true);  // does not exist
  EXPECT_EQ(ChecksumOfModel(record.files(), root_.string(), nullptr).value_or(""), Checksum(both_));
}

TEST_F(ModelFilesTest, AFileOfAnotherSizeOrKindIsNotRead) {
  const engine::RecordedFiles files = Record(root_, both_);
  fs::resize_file(root_ / "model.safetensors", uintmax_t{200} << 30);
  const absl::Status grown = ErrorOf(files);
  EXPECT_EQ(grown.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(grown.message()),
              HasSubstr("found 214748364800 bytes, expected the 3145728"));
  fs::remove(root_ / "model.safetensors");
  ASSERT_EQ(mkfifo((root_ / "model.safetensors").c_str(), 0600), 0);
  EXPECT_EQ(ErrorOf(files).code(), absl::StatusCode::kAborted);
  fs::remove(root_ / "model.safetensors");
  fs::create_symlink("/dev/zero", root_ / "model.safetensors");
  EXPECT_EQ(ErrorOf(files).code(), absl::StatusCode::kAborted);
  fs::remove(root_ / "model.safetensors");
  EXPECT_EQ(ErrorOf(files).code(), absl::StatusCode::kUnavailable);
}

TEST_F(ModelFilesTest, IsGivenUpBetweenTwoPieces) {
  const std::atomic<bool> stop{true};
  const engine::LoadContext load(&stop);
  EXPECT_EQ(ChecksumOfModel(Record(root_, both_), root_.string(), &load).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(ModelFilesTest, TheChecksumOfSeveralIsOfEachInItsPlace) {
  const std::string a = root_ / "a";
  const std::string b = root_ / "b";
  Write("a/weights", "1");
  Write("b/weights", "2");
  const auto of = [&](const std::vector<std::string>& directories) {
    engine::FileRecord record;
    for (const std::string& directory : {a, b}) record.Note(directory + "/weights", true);
    return ChecksumOfModels(record.files(), directories, nullptr).value_or("none");
  };
  EXPECT_EQ(of({a}), *ChecksumOfModel(Record(a, {"weights"}), a, nullptr));
  EXPECT_EQ(of({a}), of({a + "/"}));
  const std::string both = of({a, b});
  EXPECT_EQ(both.size(), 64U);
  EXPECT_NE(both, of({b, a}));
  Write("b/weights", "3");
  EXPECT_NE(of({a, b}), both);
  EXPECT_NE(of({a, a}), both);
}

TEST_F(ModelFilesTest, APackageIsAFileWithoutAName) {
  const std::string package = root_ / "de-en.argosmodel";
  Write("de-en.argosmodel", "1");
  const auto of = [](const std::string& path) {
    return ChecksumOfModel(Record(path, {""}), path, nullptr).value_or("none");
  };
  const std::string checksum = of(package);
  EXPECT_EQ(checksum.size(), 64U);
  fs::copy_file(package, root_ / "other");
  EXPECT_EQ(of(root_ / "other"), checksum);
  Write("de-en.argosmodel", "22");
  EXPECT_NE(of(package), checksum);
}

TEST_F(ModelFilesTest, WhatIsNoModelDirectoryIsSaid) {
  const absl::Status missing = CheckModelPath((root_ / "none").string());
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("none: no such directory"));
  const absl::Status device = CheckModelPath("/dev/null");
  EXPECT_EQ(device.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(device.message()), HasSubstr("found no directory"));
  fs::create_directories(root_ / "empty");
  Write("empty/.hidden", "");
  const absl::Status empty = CheckModelPath((root_ / "empty").string());
  EXPECT_EQ(empty.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(empty.message()), HasSubstr("found no file"));
  EXPECT_TRUE(CheckModelPath(root_.string()).ok());
  EXPECT_TRUE(CheckModelPath((root_ / "config.json").string()).ok());
}

}  // namespace
}  // namespace dragoman::server

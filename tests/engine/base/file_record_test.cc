#include "engine/base/file_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_directory.h"

namespace dragoman::engine {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class FileRecordTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return root_ / name; }
  std::string Changed() const { return FirstChanged(record_.files()); }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
  FileRecord record_;
};

TEST_F(FileRecordTest, TellsWhatAReadWouldFindOtherwise) {
  directory_.Write("config.json", "{}");
  record_.Note(Path("config.json"), true);
  record_.Note(Path("generation_config.json"), false);
  EXPECT_EQ(Changed(), "");
  directory_.Write("README.md", "not looked for");
  EXPECT_EQ(Changed(), "");
  // A different file with the same name, size and bytes counts as a change.
  directory_.Write("new", "{}");
  fs::rename(Path("new"), Path("config.json"));
  EXPECT_EQ(Changed(), Path("config.json"));
  EXPECT_EQ(FirstAddedOrGone(record_.files()), "");
  directory_.Write("generation_config.json", "{}");
  EXPECT_EQ(FirstAddedOrGone(record_.files()), Path("generation_config.json"));
  fs::remove(Path("generation_config.json"));
  fs::remove(Path("config.json"));
  EXPECT_EQ(FirstAddedOrGone(record_.files()), Path("config.json"));
}

TEST_F(FileRecordTest, WhatWasOnlyLookedForMayBeWritten) {
  directory_.Write("tokenizer.json", "{}");
  record_.Note(Path("tokenizer.json"), false);
  directory_.Write("tokenizer.json", "{\"a\": 1}");
  EXPECT_EQ(Changed(), "");
  fs::remove(Path("tokenizer.json"));
  EXPECT_EQ(Changed(), Path("tokenizer.json"));
}

TEST_F(FileRecordTest, TheFirstStampStays) {
  directory_.Write("a", "1");
  record_.Note(Path("a"), false);
  directory_.Write("a", "22");
  record_.Note(Path("a"), true);
  EXPECT_EQ(record_.files().files.front().stamp.size, 1);
  EXPECT_EQ(Changed(), Path("a"));
}

TEST_F(FileRecordTest, AListingKnowsWhatIsNewInIt) {
  directory_.Write("model.npz", "");
  directory_.Write("vocab.spm", "");
  EXPECT_THAT(record_.List(root_, {".npz", ".bin"}), ElementsAre("model.npz"));
  EXPECT_EQ(Changed(), "");
  directory_.Write("other.spm", "");
  EXPECT_EQ(Changed(), "");
  directory_.Write("second.bin", "");
  EXPECT_EQ(Changed(), Path("second.bin"));
  EXPECT_EQ(FirstAddedOrGone(record_.files()), Path("second.bin"));
}

}  // namespace
}  // namespace dragoman::engine

#include "tests/engine/support/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// printf 'one\ntwo\n' | gzip -9n
constexpr std::string_view kTwoLines(
    "\x1F\x8B\x08\x00\x00\x00\x00\x00\x02\x03\xCB\xCF\x4B\xE5\x2A\x29\xCF\xE7\x02\x00"
    "\xE6\x0B\xBA\x12\x08\x00\x00\x00",
    28);

class GzipFile : public ::testing::Test {
 protected:
  absl::StatusOr<std::string> Read(std::string_view bytes) const {
    directory_.Write("file.gz", bytes);
    return ReadGzipFile(path_);
  }

  void ExpectDataLoss(std::string_view bytes, const std::string& why) const {
    const auto text = Read(bytes);
    EXPECT_EQ(text.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(text.status().message()), StartsWith(path_ + ": "));
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(why));
  }

  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/file.gz";
};

TEST_F(GzipFile, GivesTheTextBack) {
  const auto text = ExpectOk(Read(kTwoLines));
  EXPECT_EQ(*text, "one\ntwo\n");
}

// The last four bytes of gzip are the size of the text.
TEST_F(GzipFile, ReadsEveryFixtureToItsEnd) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(DRAGOMAN_SOURCE_DIR "/tests/parity/fixtures")) {
    if (entry.path().extension() != ".gz") continue;
    const auto text = ExpectOk(ReadGzipFile(entry.path()));
    const std::string bytes = ReadTestFile(entry.path());
    size_t size = 0;
    for (size_t i = 1; i <= 4; ++i)
      size = size << 8 | static_cast<uint8_t>(bytes[bytes.size() - i]);
    EXPECT_EQ(text->size(), size) << entry.path();
    EXPECT_EQ(text->back(), '\n') << entry.path();
    ++files;
  }
  EXPECT_GE(files, 19);
}

TEST_F(GzipFile, CutShortAnywhereIsAnError) {
  // Without its first two bytes nothing says that it is gzip.
  for (size_t size = 2; size < kTwoLines.size(); ++size) {
    SCOPED_TRACE(size);
    ExpectDataLoss(kTwoLines.substr(0, size), "unexpected end of file");
  }
}

TEST_F(GzipFile, DamageIsAnError) {
  std::string bytes(kTwoLines);
  bytes[20] ^= 1;  // of the checksum
  ExpectDataLoss(bytes, "incorrect data check");
}

TEST_F(GzipFile, WhatIsNotCompressedIsAnError) {
  ExpectDataLoss("", "not a gzip file");
  ExpectDataLoss("\x1F", "not a gzip file");
  ExpectDataLoss("{\"header\":true}\n", "not a gzip file");
}

TEST_F(GzipFile, WhatCannotBeReadIsAnError) {
  const auto missing = ReadGzipFile(path_);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.status().message(), path_ + ": cannot be opened: No such file or directory");
  const auto folder = ReadGzipFile(directory_.path());
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(folder.status().message(), directory_.path() + ": Is a directory");
}

}  // namespace
}  // namespace dragoman::engine

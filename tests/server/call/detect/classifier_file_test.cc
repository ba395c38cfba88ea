#include "server/call/detect/classifier_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The SHA-256 of the text "abc", the first example of FIPS 180-2.
constexpr char kOfAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(CheckClassifier, KnowsAFileByItsSha256) {
  EXPECT_TRUE(CheckClassifier("abc", kOfAbc).ok());
  const absl::Status other = CheckClassifier("abd", kOfAbc);
  EXPECT_EQ(other.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(other.message()),
              AllOf(HasSubstr("found the SHA-256 a52d159f262b2c6ddb724a61840befc36eb30c88877a403"),
                    HasSubstr(kOfAbc), HasSubstr("--language-model-sha256")));
}

TEST(CheckClassifier, TakesThePublishedFileByItself) {
  std::ifstream in(DRAGOMAN_SOURCE_DIR "/deploy/models/lid.176/lid.176.ftz", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_TRUE(CheckClassifier(bytes, "").ok());
  EXPECT_FALSE(CheckClassifier(bytes, kOfAbc).ok());
  bytes.back() ^= 1;
  EXPECT_THAT(std::string(CheckClassifier(bytes, "").message()),
              AllOf(HasSubstr("found the SHA-256 "), HasSubstr("lid.176.ftz or lid.176.bin"),
                    HasSubstr("--language-model-sha256 with the one that was found")));
}

TEST(ReadClassifierFile, TakesRegularFilesOfABoundedSize) {
  const TempDirectory directory;
  const std::string path = directory.Write("classifier", "abc");
  EXPECT_EQ(ReadClassifierFile(path, 3).value_or(""), "abc");
  const auto large = ReadClassifierFile(path, 2);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(large.status().message()),
              HasSubstr("found 3 bytes, expected at most 2"));
  EXPECT_THAT(std::string(ReadClassifierFile(directory.path(), 9).status().message()),
              HasSubstr("found a directory, expected a file"));
  EXPECT_THAT(std::string(ReadClassifierFile(path + "x", 9).status().message()),
              HasSubstr("No such file"));
  // The pipe has no writer, and reading it must not wait for one.
  const std::string pipe = std::string(directory.path()) + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(ReadClassifierFile(pipe, 9).status().message()),
              HasSubstr("found no regular file, expected one"));
}

}  // namespace
}  // namespace dragoman::server

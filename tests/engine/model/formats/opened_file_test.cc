#include "engine/model/formats/opened_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kAnySize = size_t{1} << 30;

absl::StatusOr<std::string> ReadWhole(const std::string& path, size_t max_bytes) {
  const absl::StatusOr<OpenedFile> file = OpenedFile::Open(path, max_bytes);
  if (!file.ok()) return file.status();
  return file->ReadWhole();
}

TEST(OpenedFile, ReadsAFileWhole) {
  const TempDirectory directory;
  const std::string path = directory.path() + "/file";
  for (const size_t size : {size_t{0}, size_t{1}, size_t{(8 << 20) + 3}}) {
    std::string text(size, 'x');
    if (size > 1) text[size - 2] = 'y';
    directory.Write("file", text);
    const auto file = ExpectOk(ReadWhole(path, kAnySize));
    EXPECT_TRUE(*file == text);
  }
  EXPECT_THAT(ReadWhole(path, 7).status().ToString(),
              HasSubstr("8388611 bytes, expected at most 7"));
}

// Files of sysfs report a size of one page but end earlier, like a file that is truncated between
// stat and read. Reading such a file through a mapping would end the process with SIGBUS.
TEST(OpenedFile, AFileShorterThanItSaysIsAnError) {
  const std::string path = "/sys/kernel/mm/transparent_hugepage/enabled";
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || info.st_size != 4096) {
    GTEST_SKIP() << path << " is not here, or says another size";
  }
  const auto file = ReadWhole(path, kAnySize);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(file.status().message()), StartsWith(path + ": ends at byte "));
  EXPECT_THAT(std::string(file.status().message()),
              HasSubstr("expected 4096 bytes: the file was cut short while it was read"));
}

TEST(OpenedFile, RefusesWhatIsNoFile) {
  const TempDirectory directory;
  EXPECT_EQ(ReadWhole(directory.path() + "/none", kAnySize).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(ReadWhole(directory.path(), kAnySize).status().ToString(),
              HasSubstr("not a regular file"));
  const std::string pipe = directory.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ReadWhole(pipe, kAnySize).status().ToString(), HasSubstr("not a regular file"));
}

TEST(OpenedFile, ABoundOnTheSizeComesBeforeTheMemory) {
  const TempDirectory directory;
  directory.Write("large", "x");
  std::filesystem::resize_file(directory.path() + "/large", size_t{1} << 40);  // sparse
  EXPECT_THAT(ReadWhole(directory.path() + "/large", kAnySize).status().ToString(),
              HasSubstr("1099511627776 bytes, expected at most"));
}

}  // namespace
}  // namespace dragoman::engine

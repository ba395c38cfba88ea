#include "engine/model/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr size_t kAny = size_t{1} << 30;
constexpr size_t kPage = 4096;

absl::StatusOr<MappedFile> Map(const TempDirectory& directory, const std::string& contents) {
  directory.Write("file", contents);
  return MappedFile::Open(directory.path() + "/file", kAny);
}

TEST(MappedFile, HasTheBytesAndHasThemAgainOnceTheyWereDropped) {
  const TempDirectory directory;
  const std::string contents = std::string(5 * kPage, 'a') + "end";
  auto file = ExpectOk(Map(directory, contents));
  const MappedFile moved = *std::move(file);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(
        std::equal(contents.begin(), contents.end(), moved.bytes().begin(), moved.bytes().end()));
    moved.Drop(moved.bytes().subspan(kPage + 17, 2 * kPage));
  }
  std::filesystem::remove(directory.path() + "/file");  // a mapping keeps a removed file
  EXPECT_EQ(moved.bytes()[5 * kPage + 2], 'd');
  EXPECT_TRUE(moved.Check().ok()) << moved.Check();
  EXPECT_TRUE(Map(directory, "")->bytes().empty());
}

TEST(MappedFile, OneThatIsCutShortIsZerosAndAnError) {
  const TempDirectory directory;
  const auto file = Map(directory, std::string(64 * kPage, 'a'));
  const auto other = MappedFile::Open(directory.path() + "/file", kAny);
  ASSERT_TRUE(file.ok() && other.ok());
  std::filesystem::resize_file(directory.path() + "/file", kPage);
  EXPECT_THAT(file->bytes().last(3 * kPage), Each(0));  // a SIGBUS without the handler
  EXPECT_THAT(file->Check().ToString(),
              HasSubstr("/file: ends at byte 4096, expected 262144 bytes: the file was cut short "
                        "while it was read"));
  EXPECT_EQ(other->bytes()[0], 'a');  // the remaining page, read through another mapping
  EXPECT_FALSE(other->Check().ok());
  // The file is longer than before, but the mapping has lost the pages that were replaced.
  directory.Write("file", std::string(65 * kPage, 'a'));
  EXPECT_THAT(file->Check().ToString(), HasSubstr("changed while it was read"));
  EXPECT_THAT(file->bytes().last(kPage), Each(0));
}

TEST(MappedFile, OneThatIsWrittenToIsAnError) {
  const TempDirectory directory;
  const auto file = Map(directory, std::string(kPage, 'a'));
  ASSERT_TRUE(file.ok());
  directory.Write("file", std::string(kPage, 'b'));
  EXPECT_THAT(file->Check().ToString(), HasSubstr("/file: the file was changed while it was read"));
}

TEST(MappedFile, RefusesWhatIsNoFileOrTooLarge) {
  const TempDirectory directory;
  EXPECT_EQ(MappedFile::Open(directory.path() + "/none", kAny).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(MappedFile::Open(directory.path(), kAny).status().ToString(),
              HasSubstr("not a regular file"));
  directory.Write("large", std::string(11, 'a'));
  EXPECT_THAT(MappedFile::Open(directory.path() + "/large", 10).status().ToString(),
              HasSubstr("11 bytes, expected at most 10"));
  EXPECT_THAT(Map(directory, "version https://git-lfs.github.com/spec/v1\n").status().ToString(),
              HasSubstr("a Git LFS pointer of 43 bytes"));
}

// The SIGBUS handler passes a fault in any other mapping to the previous handler.
TEST(MappedFileDeathTest, OtherFaultsEndTheProcessAsBefore) {
  const TempDirectory directory;
  const auto guarded = Map(directory, std::string(kPage, 'a'));
  ASSERT_TRUE(guarded.ok());
  const int fd = open((directory.path() + "/file").c_str(), O_RDONLY);
  const auto* const bytes =
      static_cast<const volatile char*>(mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, fd, 0));
  ASSERT_NE(bytes, MAP_FAILED);
  std::filesystem::resize_file(directory.path() + "/file", 0);
  EXPECT_DEATH(static_cast<void>(bytes[0]), "");
  munmap(const_cast<char*>(bytes), kPage);
  close(fd);
}

}  // namespace
}  // namespace dragoman::engine

#include "engine/text/terms/glossaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class GlossaryDirectoryTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& bytes) const {
    folder_.Write(name, bytes);
  }
  std::string LoadError(absl::StatusCode code = absl::StatusCode::kInvalidArgument) const {
    const auto loaded = LoadGlossaries(directory_);
    EXPECT_EQ(loaded.status().code(), code) << loaded.status();
    return std::string(loaded.status().message());
  }

  const TempDirectory folder_;
  fs::path directory_ = folder_.path();
};

TEST_F(GlossaryDirectoryTest, NamesAreFileNamesWithoutExtension) {
  Write("legal.tsv", "Haus\thouse\n");
  Write("parts.v2.CSV", "Rohr,pipe\nRohr 2,pipe 2\n");
  Write("README.md", "about\n");
  Write("legal.tvs", "Haus\thouse\n");
  Write(".hidden.tsv", "not\ta\tglossary\n");
  fs::create_directory(directory_ / "old.tsv");
  const auto loaded = ExpectOk(LoadGlossaries(directory_));
  ASSERT_EQ(loaded->glossaries.size(), 2);
  EXPECT_EQ(loaded->glossaries.at("legal")->size(), 1);
  EXPECT_EQ(loaded->glossaries.at("parts.v2")->size(), 2);
  EXPECT_EQ(loaded->glossaries.at("parts.v2")->PlaceOf(1), "parts.v2.CSV:2");
  EXPECT_THAT(loaded->ignored, ElementsAre("README.md", "legal.tvs", "old.tsv"));
}

// Kubernetes mounts a ConfigMap as links into a folder "..data", which is itself a link.
TEST_F(GlossaryDirectoryTest, FollowsLinks) {
  fs::create_directory(directory_ / "..2024");
  Write("..2024/a.tsv", "Haus\thouse\n");
  fs::create_directory_symlink("..2024", directory_ / "..data");
  fs::create_symlink("..data/a.tsv", directory_ / "a.tsv");
  const auto loaded = ExpectOk(LoadGlossaries(directory_));
  EXPECT_EQ(loaded->glossaries.size(), 1);
  EXPECT_TRUE(loaded->ignored.empty());
}

TEST_F(GlossaryDirectoryTest, AnEmptyDirectoryHasNone) {
  const auto loaded = LoadGlossaries(directory_);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->glossaries.empty());
}

TEST_F(GlossaryDirectoryTest, OneBadFileFailsTheLoad) {
  Write("a.tsv", "Haus\thouse\n");
  Write("b.tsv", "Haus\thouse\nBaum\n");
  EXPECT_EQ(LoadError(), "b.tsv:2: 1 cell, expected two with a tab between them");
}

TEST_F(GlossaryDirectoryTest, TwoFilesOfOneNameAreRefused) {
  Write("a.csv", "Haus,house\n");
  Write("a.tsv", "Haus\thouse\n");
  EXPECT_EQ(LoadError(),
            "a.tsv: a second file for the glossary 'a', which a.csv has; expected one");
}

TEST_F(GlossaryDirectoryTest, AnEmptyFileIsRefused) {
  Write("a.csv", "");
  EXPECT_EQ(LoadError(), "a.csv:1: no terms, expected at least one row of source and target");
}

TEST_F(GlossaryDirectoryTest, WhatIsMissingIsNotFound) {
  fs::create_symlink("nowhere.tsv", directory_ / "a.tsv");
  EXPECT_THAT(LoadError(absl::StatusCode::kNotFound), HasSubstr("a.tsv: No such file"));
  directory_ /= "missing";
  EXPECT_THAT(LoadError(absl::StatusCode::kNotFound), HasSubstr("missing: No such file"));
}

TEST_F(GlossaryDirectoryTest, AFileInsteadOfADirectoryIsNotFound) {
  Write("a.tsv", "Haus\thouse\n");
  EXPECT_EQ(LoadGlossaries(directory_ / "a.tsv").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(GlossaryDirectoryTest, WhatMayNotBeReadIsSaid) {
  Write("a.tsv", "Haus\thouse\n");
  ASSERT_EQ(chmod((directory_ / "a.tsv").c_str(), 0), 0);
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  EXPECT_THAT(LoadError(absl::StatusCode::kPermissionDenied), HasSubstr("a.tsv"));
}

TEST_F(GlossaryDirectoryTest, AReloadLeavesWhatIsInUse) {
  Write("a.tsv", "Haus\thouse\n");
  auto loaded = LoadGlossaries(directory_);
  ASSERT_TRUE(loaded.ok());
  const std::shared_ptr<const Glossary> in_use = loaded->glossaries.at("a");
  Write("a.tsv", "Haus\thome\n");
  loaded = LoadGlossaries(directory_);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(in_use->term(0).target, "house");
  EXPECT_EQ(loaded->glossaries.at("a")->term(0).target, "home");
}

}  // namespace
}  // namespace dragoman::engine

// Checks that a load counts the memory it takes, records the files it reads, and can be cancelled.
#include "engine/base/load_context.h"

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/model/formats/zip_folder.h"
#include "engine/model/layouts/marian/directory.h"
#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/model/zip_files.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMiB = int64_t{1} << 20;

// Returns the names of the files that a load read, relative to `directory`.
std::vector<std::string> ReadBy(LoadContext* load, const std::string& directory) {
  std::vector<std::string> names;
  for (const RecordedFile& file : load->files().files().files) {
    if (!file.was_read) continue;
    names.push_back(std::filesystem::path(file.path).lexically_relative(directory).string());
  }
  return names;
}

// Writes a package whose model.bin has `zeros` bytes. One byte in 64 is not zero, so that the
// package is not refused for its compression ratio.
std::string PackageOfZeros(const TempDirectory& directory, size_t zeros) {
  std::string bytes(zeros, '\0');
  for (size_t i = 0; i < bytes.size(); i += 64) bytes[i] = static_cast<char>(i * 2654435761U >> 13);
  return directory.Write(
      "de-en.argosmodel",
      ZipOf({ZipFile("p/metadata.json", R"({"from_code": "de", "to_code": "en"})"),
             ZipFile("p/model/model.bin", bytes), ZipFile("p/sentencepiece.model", "none")}));
}

TEST(LoadContext, APackageIsRefusedByItsDeclaredSizeBeforeItIsUnpacked) {
  const TempDirectory directory;
  const std::string package = PackageOfZeros(directory, 40 * kMiB);
  LoadContext load;
  load.memory().SetLimit(30 * kMiB, "the cgroup /pod has 64 MiB");
  const absl::Status status = LoadModel(package, {}, &load).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(package + "/p/model/model.bin, which is unpacked into memory"),
                    HasSubstr("takes 40 MiB"), HasSubstr("expected at most 30 MiB"),
                    HasSubstr("the cgroup /pod has 64 MiB")));
  EXPECT_LT(load.memory().peak(), kMiB);
  load.memory().SetLimit(50 * kMiB, "");
  // The package is now within the limit, but its model.bin is not a model of CTranslate2.
  EXPECT_EQ(LoadModel(package, {}, &load).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_GE(load.memory().peak(), 40 * kMiB);
  EXPECT_EQ(load.memory().held(), 0);
}

TEST(LoadContext, WhatIsUnpackedCountsForAsLongAsItIsMapped) {
  const TempDirectory directory;
  LoadContext load;
  const auto archive = ExpectOk(ZipArchive::Open(PackageOfZeros(directory, 8 * kMiB), &load));
  const ZipFolder folder(&*archive, "p/");
  {
    const auto mapped = ExpectOk(folder.Map("model/model.bin", 9 * kMiB));
    EXPECT_EQ(load.memory().held(), 8 * kMiB);
  }
  EXPECT_EQ(load.memory().held(), 0);
  EXPECT_TRUE(folder.Read("sentencepiece.model", 100).ok());
  EXPECT_EQ(load.memory().kept(), 4);
}

TEST(LoadContext, AVocabularyIsRefusedBeforeItIsParsed) {
  ModelDirectory directory("tiny-a");
  LoadContext counted;
  ASSERT_TRUE(LoadModel(directory.path(), {}, &counted).ok());
  EXPECT_GT(counted.memory().kept(), 0);
  std::string vocabulary = "{";
  for (int i = 0; i < 20'000; ++i) {
    vocabulary += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":" + std::to_string(i);
  }
  directory.Write("vocab.json", vocabulary + "}");
  LoadContext load;
  load.memory().SetLimit(2 * kMiB, "the cgroup /pod has 64 MiB");
  const absl::Status status = LoadModel(directory.path(), {}, &load).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("vocab.json: what it holds: takes 7 MiB"), HasSubstr("cgroup /pod")));
}

TEST(LoadContext, UnpackingIsGivenUp) {
  const TempDirectory directory;
  const std::string package = PackageOfZeros(directory, 8 * kMiB);
  const std::atomic<bool> stop{true};
  LoadContext load(&stop);
  EXPECT_EQ(LoadModel(package, {}, &load).status().code(), absl::StatusCode::kCancelled);
}

TEST(LoadContext, ReadingWeightsIsGivenUp) {
  std::atomic<bool> stop{false};
  LoadContext load(&stop);
  for (const char* name : {"tiny-a", "ct2-tiny-a-int8"}) {
    const ModelDirectory directory(name);
    stop = false;
    const auto model = ExpectOk(LoadModel(directory.path(), {}, &load));
    const Weight& first = model->program.weights.front();
    std::vector<float> row(static_cast<size_t>(first.cols));
    EXPECT_TRUE(model->weights->Read(0, 0, 1, row.data()).ok());
    stop = true;
    EXPECT_EQ(model->weights->Read(0, 0, 1, row.data()).code(), absl::StatusCode::kCancelled);
  }
}

TEST(LoadContext, RecordsTheModelsOwnFilesOfEveryLayout) {
  const ModelDirectory hugging_face("tiny-a");
  std::ofstream(hugging_face.path() + "/model.onnx") << "another program's";
  LoadContext load;
  ASSERT_TRUE(LoadModel(hugging_face.path(), {}, &load).ok());
  EXPECT_THAT(ReadBy(&load, hugging_face.path()),
              ElementsAre("config.json", "generation_config.json", "model.safetensors",
                          "source.spm", "target.spm", "tokenizer_config.json", "vocab.json"));

  const ModelDirectory marian("marian-firefox");
  LoadContext of_marian;
  const auto model = ExpectOk(LoadModel(marian.path(), {}, &of_marian));
  std::vector<std::string> files = ReadBy(&of_marian, marian.path());
  EXPECT_THAT(files, ::testing::Contains("model.deen.intgemm.alphas.bin"));
  EXPECT_THAT(files, ::testing::Contains("vocab.deen.spm"));
  EXPECT_THAT(files, ::testing::Not(::testing::Contains(HasSubstr("lex."))));
  ASSERT_TRUE(ReadMarianShortlist(marian.path(), *model, &of_marian).ok());
  EXPECT_THAT(ReadBy(&of_marian, marian.path()), ::testing::Contains(HasSubstr("lex.")));
}

// A change is whatever makes a later load find something else, including files that did not exist
// before.
TEST(LoadContext, WhatALaterLoadWouldFindIsAChange) {
  ModelDirectory directory("tiny-a");
  directory.Remove("generation_config.json");
  LoadContext load;
  ASSERT_TRUE(LoadModel(directory.path(), {}, &load).ok());
  EXPECT_EQ(FirstChanged(load.files().files()), "");
  directory.Write("README.md", "");
  EXPECT_EQ(FirstChanged(load.files().files()), "");
  directory.Write("generation_config.json", "{}");
  EXPECT_THAT(FirstChanged(load.files().files()), HasSubstr("/generation_config.json"));
  directory.Remove("generation_config.json");
  // With this file, the directory would be recognised as another layout.
  directory.Write("model.bin", "");
  EXPECT_THAT(FirstChanged(load.files().files()), HasSubstr("/model.bin"));

  ModelDirectory marian("marian-firefox");
  LoadContext of_marian;
  ASSERT_TRUE(LoadModel(marian.path(), {}, &of_marian).ok());
  EXPECT_EQ(FirstChanged(of_marian.files().files()), "");
  marian.Write("second.npz", "");
  EXPECT_THAT(FirstChanged(of_marian.files().files()), HasSubstr("/second.npz"));
}

// A pipe that has the name of a model's file must not block the load.
TEST(LoadContext, APipeBesideAModelIsNotOpenedToWait) {
  const ModelDirectory marian("marian-firefox");
  ASSERT_EQ(mkfifo((marian.path() + "/other.bin").c_str(), 0600), 0);
  EXPECT_TRUE(LoadModel(marian.path()).ok());
}

}  // namespace
}  // namespace dragoman::engine

// The detector with the model that comes with this repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "server/detect/open_detector.h"
#include "tests/server/detect/classifier_bytes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMostBytes = int64_t{64} << 20;

const char* ModelFile() { return DRAGOMAN_SOURCE_DIR "/deploy/models/lid.176/lid.176.ftz"; }

class FastTextDetectorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
    auto opened = OpenDetector(ModelFile(), kMostBytes);
    ASSERT_TRUE(opened.ok()) << opened.status();
    detector_ = std::move(opened->detector);
  }

  std::string Best(std::string_view text, const std::vector<std::string>& candidates) {
    const auto found = detector_->Detect(text, candidates);
    return found.empty() ? "unknown" : found.front().language;
  }

  std::unique_ptr<LanguageDetector> detector_;
};

TEST_F(FastTextDetectorTest, FindsTheCandidateAsItIsWritten) {
  EXPECT_EQ(Best("Das Wetter ist heute schön.", {"en", "deu_Latn"}), "deu_Latn");
  EXPECT_EQ(Best("The weather is fine today.", {"en_XX", "de_DE"}), "en_XX");
  EXPECT_EQ(Best("Il fait beau aujourd'hui.", {"de", "en", "fr"}), "fr");
  EXPECT_EQ(Best("今天天气很好。", {"en", "zh-Hans", "zh-Hant"}), "zh-Hans");
  EXPECT_EQ(Best("今天天氣很好。", {"en", "zh-Hans", "zh-Hant"}), "zh-Hant");
  EXPECT_EQ(Best("今日は天気がいいですね。", {"en", "zh", "jpn_Jpan"}), "jpn_Jpan");
}

TEST_F(FastTextDetectorTest, TextsInOtherLanguagesAreUnknown) {
  EXPECT_EQ(Best("Сегодня хорошая погода.", {"de", "en"}), "unknown");
  EXPECT_EQ(Best("Aujourd'hui il fait très beau à Paris.", {"de", "en"}), "unknown");
  EXPECT_EQ(Best("Das Wetter ist heute schön.", {}), "unknown");
  EXPECT_EQ(Best("Das Wetter ist heute schön.", {"tlh"}), "unknown");
}

TEST_F(FastTextDetectorTest, WhatHasNoLettersIsUnknown) {
  for (const char* text : {"", " ", "12.", "🎉🎉", "* * *", "\xFF\xFE"}) {
    EXPECT_EQ(Best(text, {"de", "en"}), "unknown") << text;
  }
}

TEST_F(FastTextDetectorTest, CapitalsAreRead) {
  EXPECT_EQ(Best("GUTEN MORGEN ALLE ZUSAMMEN", {"de", "en"}), "de");
  EXPECT_EQ(Best("Nein", {"de", "en"}), "de");  // known in lower case only
}

TEST_F(FastTextDetectorTest, ConfidencesFallAndSumToAtMostOne) {
  const std::vector<std::string> candidates = {"de", "nl", "en", "fr", "sv",
                                               "da", "no", "nb", "it"};
  for (const char* text : {"Das ist gut.", "Hotel", "in", "Ja", "Danke!", "Bonjour tout le monde",
                           "Det er en god dag"}) {
    double sum = 0;
    double last = 1;
    for (const DetectedLanguage& found : detector_->Detect(text, candidates)) {
      EXPECT_LE(found.confidence, last) << text;
      EXPECT_GT(found.confidence, 0) << text;
      EXPECT_NE(found.language, "nb") << "the same to the model as no, which comes first";
      last = found.confidence;
      sum += last;
    }
    EXPECT_LE(sum, 1 + 1e-9) << text;
  }
}

TEST_F(FastTextDetectorTest, AreTheSameWhateverLineEndsAndMarksATextHas) {
  const std::string text = "Das Wetter ist heute schön. Morgen soll es regnen.";
  const double plain = detector_->Detect(text, {"de", "en"}).front().confidence;
  EXPECT_EQ(
      plain,
      detector_->Detect("Das Wetter\nist heute\r\nschön. Morgen soll\tes regnen.", {"de", "en"})
          .front()
          .confidence);
  EXPECT_EQ(Best("Das ist </s> gut und schön", {"de", "en"}), "de");
  EXPECT_EQ(Best("__label__en Das ist gut und schön", {"de", "en"}), "de");
}

TEST_F(FastTextDetectorTest, AMegabyteCostsNoMoreThanItsBeginning) {
  std::string words;
  while (words.size() < (1 << 20)) words += "Das Wetter ist heute schön. ";
  EXPECT_EQ(detector_->Detect(words, {"de", "en"}).front().confidence,
            detector_->Detect(words.substr(0, 8192), {"de", "en"}).front().confidence);
  EXPECT_EQ(Best(std::string(1 << 20, 'a'), {"de", "en"}),
            Best(std::string(8192, 'a'), {"de", "en"}));
}

TEST_F(FastTextDetectorTest, ThreadsShareIt) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto choice = detector_->Among({"de", "en"});
      for (int i = 0; i < 500; ++i) {
        const bool german = (i + static_cast<int>(t)) % 2 == 0;
        const auto found =
            choice->Detect(german ? "Das Wetter ist heute schön." : "It is raining.");
        if (found.empty() || found.front().language != (german ? "de" : "en")) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_F(FastTextDetectorTest, KnowsItsLanguagesByBcp47) {
  EXPECT_THAT(detector_->languages(), ::testing::IsSupersetOf({"de", "en", "zh", "ja"}));
  EXPECT_GT(detector_->languages().size(), 170U);
}

TEST(OpenDetectorTest, AFileThatIsNoSuchModelIsRefusedByName) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const auto missing = OpenDetector("/nowhere/lid.176.ftz", kMostBytes);
  EXPECT_THAT(std::string(missing.status().message()),
              AllOf(HasSubstr("/nowhere/lid.176.ftz"), HasSubstr("No such file")));
  const auto other =
      OpenDetector(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en/source.spm", kMostBytes);
  EXPECT_THAT(std::string(other.status().message()), HasSubstr("found another kind of file"));
  // One that was cut off, anywhere.
  std::ifstream whole(ModelFile(), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  ASSERT_EQ(bytes.size(), 938013U);
  for (const size_t size : {size_t{0}, size_t{3}, size_t{9}, size_t{60}, size_t{5000},
                            bytes.size() / 2, bytes.size() - 1}) {
    std::string cut = ::testing::TempDir() + "/cut-off-XXXXXX";
    const int fd = mkstemp(cut.data());
    ASSERT_GE(fd, 0);
    close(fd);
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, size);
    EXPECT_EQ(OpenDetector(cut, kMostBytes).status().code(), absl::StatusCode::kInvalidArgument)
        << size;
    unlink(cut.c_str());
  }
  const auto directory = OpenDetector(DRAGOMAN_SOURCE_DIR "/deploy/models", kMostBytes);
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kInvalidArgument);
}

// Whatever the check takes, fastText loads, and answers with it.
TEST(OpenDetectorTest, ChangedFilesAreRefusedOrServe) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  ClassifierBytes quantized;
  quantized.input_quantized = 1;
  quantized.pruned = 3;
  quantized.kept = {{7, 0}, {2, 2}, {9, 1}};
  quantized.input_rows = 5;
  ClassifierBytes tree;
  tree.loss = 1;
  ClassifierBytes apart;  // a sigmoid for each label
  apart.loss = 4;
  apart.word_ngrams = 3;
  const std::string files[] = {ClassifierBytes().Build(), quantized.Build(), tree.Build(),
                               apart.Build()};
  const TempDirectory directory;
  std::mt19937 random(7);
  int taken = 0;
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string bytes = files[random() % 4];
    const int32_t values[] = {
        0, 1, -1, 2, 255, 1 << 20, INT32_MAX, INT32_MIN, static_cast<int32_t>(random())};
    for (size_t change = i < 4 ? 0 : 1 + random() % 2; change > 0; --change) {
      // Mostly where the lengths are.
      const size_t end = random() % 4 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 260);
      const size_t at = random() % (end - 4);
      const int32_t value = values[random() % 9];
      std::memcpy(bytes.data() + at, &value, random() % 2 == 0 ? 1 : 4);
    }
    const auto opened = OpenDetector(directory.Write("changed", bytes), kMostBytes);
    if (!opened.ok()) {
      ++refused;
      continue;
    }
    ++taken;
    for (const char* text : {"das the das", "Wo ist der Bahnhof, den wir sehen?", "x"}) {
      for (const DetectedLanguage& found : opened->detector->Detect(text, {"de", "en"})) {
        EXPECT_GE(found.confidence, 0);
        EXPECT_LE(found.confidence, 1 + 1e-6);
      }
    }
  }
  EXPECT_GT(taken, 60);
  EXPECT_GT(refused, 60);
}

TEST(OpenDetectorTest, OneThatIsLargerThanTheMemoryIsRefusedBeforeItIsLoaded) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const auto opened = OpenDetector(ModelFile(), kMostBytes);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const DetectorMemory memory = opened->memory;
  EXPECT_EQ(memory.loading, memory.held + 938013);
  EXPECT_TRUE(OpenDetector(ModelFile(), memory.loading).ok());
  // The model is too large for the first, and the file itself for the others.
  for (const int64_t most : {memory.loading - 1, int64_t{938012}, int64_t{0}}) {
    const auto refused = OpenDetector(ModelFile(), most);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_THAT(std::string(refused.status().message()),
                AllOf(HasSubstr("lid.176.ftz"), HasSubstr(std::to_string(most))));
  }
}

}  // namespace
}  // namespace dragoman

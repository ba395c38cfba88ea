// Tests the detector with the model that comes with this repository.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/call/detect/open_detector.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int64_t kMostBytes = int64_t{64} << 20;

const char* ModelFile() { return DRAGOMAN_SOURCE_DIR "/deploy/models/lid.176/lid.176.ftz"; }

class FastTextDetectorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
    auto opened = ExpectOk(OpenDetector(ModelFile(), "", kMostBytes));
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

std::string BytesOfModel() {
  std::ifstream in(ModelFile(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(OpenDetectorTest, AFileThatIsNotTheModelIsRefusedByName) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const auto missing = OpenDetector("/nowhere/lid.176.ftz", "", kMostBytes);
  EXPECT_THAT(std::string(missing.status().message()),
              AllOf(HasSubstr("/nowhere/lid.176.ftz"), HasSubstr("No such file")));
  const auto other =
      OpenDetector(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en/source.spm", "", kMostBytes);
  EXPECT_THAT(std::string(other.status().message()),
              AllOf(HasSubstr("source.spm"), HasSubstr("found the SHA-256 ")));
  const auto directory = OpenDetector(DRAGOMAN_SOURCE_DIR "/deploy/models", "", kMostBytes);
  EXPECT_EQ(directory.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(OpenDetectorTest, AnyChangeIsRefused) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const TempDirectory directory;
  const std::string whole = BytesOfModel();
  ASSERT_EQ(whole.size(), 938013U);
  const auto refused = [&directory](const std::string& bytes) {
    const auto opened = OpenDetector(directory.Write("changed", bytes), "", kMostBytes);
    return opened.status().code() == absl::StatusCode::kInvalidArgument;
  };
  for (const size_t size : {size_t{0}, size_t{60}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_TRUE(refused(whole.substr(0, size))) << size;
  }
  for (const size_t at : {size_t{0}, size_t{64}, size_t{5000}, whole.size() - 1}) {
    std::string bytes = whole;
    bytes[at] ^= 1;
    EXPECT_TRUE(refused(bytes)) << at;
  }
  EXPECT_TRUE(refused(whole + "x"));
}

// A model file whose last number is slightly larger than in the published file.
TEST(OpenDetectorTest, AnotherFileServesWithItsChecksum) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const TempDirectory directory;
  std::string bytes = BytesOfModel();
  bytes[bytes.size() - 4] ^= 1;
  const std::string file = directory.Write("other.ftz", bytes);
  const std::string message(OpenDetector(file, "", kMostBytes).status().message());
  const size_t at = message.find("SHA-256 ");
  ASSERT_NE(at, std::string::npos) << message;
  const auto opened = ExpectOk(OpenDetector(file, message.substr(at + 8, 64), kMostBytes));
  EXPECT_EQ(opened->detector->Detect("Das Wetter ist heute schön.", {"de", "en"})[0].language,
            "de");
  // A file that fastText itself refuses.
  const std::string text = directory.Write("text", "abc");
  const auto none = OpenDetector(
      text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", kMostBytes);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(OpenDetectorTest, OneThatIsLargerThanTheMemoryIsRefused) {
  if (*DetectionLibrary() == '\0') GTEST_SKIP() << "this build has no detector of languages";
  const auto opened = ExpectOk(OpenDetector(ModelFile(), "", kMostBytes));
  const DetectorMemory memory = opened->memory;
  EXPECT_GE(memory.held, 938013);
  EXPECT_EQ(memory.loading, memory.held + 938013);
  // How much memory the allocator hands out differs slightly from run to run.
  EXPECT_TRUE(OpenDetector(ModelFile(), "", memory.loading + memory.loading / 8).ok());
  // The first limit is too small for loading the model, the others even for holding the file.
  for (const int64_t most : {memory.loading * 7 / 8, int64_t{938013}, int64_t{0}}) {
    const auto refused = OpenDetector(ModelFile(), "", most);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted) << most;
    EXPECT_THAT(std::string(refused.status().message()),
                AllOf(HasSubstr("lid.176.ftz"), HasSubstr("which is the memory that is left")));
  }
}

}  // namespace
}  // namespace dragoman::server

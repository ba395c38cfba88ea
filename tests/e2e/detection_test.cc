// Tests language detection from end to end: a real daemon with the bundled classifier, the bundled
// model and two test models.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "dragoman/v1/translation.grpc.pb.h"
#include "server/call/detect/open_detector.h"
#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRoot = DRAGOMAN_SOURCE_DIR;
const std::string kClassifier = kRoot + "/deploy/models/lid.176/lid.176.ftz";

const char kGerman[] = "Ich habe heute leider gar keine Zeit.";
const char kGermanToo[] = "Wo ist der nächste Bahnhof, bitte?";
const char kEnglish[] = "Where is the nearest railway station, please?";
const char kFrench[] = "Je n'ai malheureusement pas le temps aujourd'hui.";
const char kRussian[] = "К сожалению, у меня сегодня совсем нет времени.";
const char kEmojis[] = "🎉🎉 👍🏽 🇫🇷";

// de-en is the bundled model. fr-en is a copy of it that claims to read French. en-fr is a small
// model with random weights. A translation from German to French therefore uses de-en and en-fr as
// a pivot.
class DetectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (*server::DetectionLibrary() == '\0')
      GTEST_SKIP() << "this build has no detector of languages";
    MakeModel("deploy/models/de-en", "fr-en", "fr");
    MakeModel("tests/data/models/tiny-multi", "en-fr", "en");
  }

  void MakeModel(const std::string& from, const std::string& name, const std::string& source) {
    const fs::path to = fs::path(directory_.path()) / name;
    fs::copy(fs::path(kRoot) / from, to, fs::copy_options::recursive);
    std::ifstream in(to / "tokenizer_config.json");
    json config = json::parse(in);
    config["source_lang"] = source;
    std::ofstream(to / "tokenizer_config.json") << config.dump();
    flags_.insert(flags_.end(), {"--model", name + "=" + to.string()});
  }

  std::vector<std::string> Flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> flags = flags_;
    flags.insert(flags.end(), {"--pivot", "de-fr=de-en+en-fr", "--language-model", kClassifier});
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  static std::unique_ptr<v1::TranslationService::Stub> StubFor(const Daemon& daemon) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return v1::TranslationService::NewStub(
        grpc::CreateCustomChannel(daemon.grpc(), grpc::InsecureChannelCredentials(), arguments));
  }

  // Returns the answers to one call, one for each text.
  static std::vector<v1::Translation> Translate(v1::TranslationService::Stub* stub,
                                                const std::vector<std::string>& texts,
                                                const std::string& from, const std::string& to) {
    v1::TranslateRequest request;
    for (const std::string& text : texts) request.add_contents(text);
    request.set_source_language_code(from);
    request.set_target_language_code(to);
    request.mutable_decoding()->set_beam_size(4);
    request.mutable_decoding()->set_num_alternatives(3);
    request.mutable_segmentation()->set_split(v1::Segmentation::NONE);
    request.mutable_return_options()->set_scores(true);
    request.mutable_return_options()->set_tokens(true);
    request.mutable_return_options()->set_token_scores(true);
    grpc::ClientContext context;
    v1::TranslateResponse response;
    const grpc::Status status = stub->Translate(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return {response.translations().begin(), response.translations().end()};
  }

  // Returns the serialized translation without its index and the fields of detection.
  static std::string Bits(v1::Translation translation) {
    translation.clear_index();
    translation.clear_detected_language_code();
    translation.clear_detection_confidence();
    return translation.SerializeAsString();
  }

  static void ExpectUnchanged(const v1::Translation& item, const std::string& text,
                              const std::string& language) {
    EXPECT_EQ(item.translated_text(), text);
    EXPECT_EQ(item.model(), "") << text;
    EXPECT_EQ(item.detected_language_code(), language) << text;
    EXPECT_TRUE(item.has_detection_confidence()) << text;
    EXPECT_EQ(item.detection_confidence() > 0, !language.empty()) << text;
  }

  const TempDirectory directory_;
  std::vector<std::string> flags_;
};

// An item whose language is detected gets a translation with the same bits as in a call that names
// the language, both alone in its call and together with other items.
TEST_F(DetectionTest, AnItemHasTheBitsOfACallWithItsLanguageAloneAndInCompany) {
  Daemon daemon(Flags());
  const auto stub = StubFor(daemon);
  struct Item {
    const char* text;
    const char* language;
    const char* model;
  };
  const std::vector<Item> items = {{kGerman, "de", "de-en"},
                                   {kFrench, "fr", "fr-en"},
                                   {kGermanToo, "de", "de-en"},
                                   {"Bonjour à tous, et bienvenue à Paris !", "fr", "fr-en"}};
  // The other items of the call: some of them need no model.
  std::vector<std::string> texts = {kEnglish, kRussian, "12:30", kEmojis, ""};
  for (const Item& item : items) texts.emplace_back(item.text);
  for (int i = 0; i < 40; ++i) texts.emplace_back(i % 3 == 0 ? kFrench : kGermanToo);
  const auto together = Translate(stub.get(), texts, "auto", "en");
  ASSERT_EQ(together.size(), texts.size());
  ExpectUnchanged(together[0], kEnglish, "en");
  for (const size_t i : {1U, 2U, 3U, 4U}) ExpectUnchanged(together[i], texts[i], "");
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    const auto given = Translate(stub.get(), {item.text}, item.language, "en");
    const auto alone = Translate(stub.get(), {item.text}, "auto", "en");
    ASSERT_EQ(given.size(), 1U);
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_EQ(given[0].model(), item.model) << item.text;
    // In bfloat16, a search may end with fewer hypotheses than the request asks for.
    EXPECT_GT(given[0].alternatives_size(), 0) << item.text;
    EXPECT_FALSE(given[0].has_detection_confidence());
    EXPECT_EQ(Bits(alone[0]), Bits(given[0])) << item.text;
    const v1::Translation& among = together[5 + i];
    EXPECT_EQ(Bits(among), Bits(given[0])) << item.text;
    EXPECT_EQ(among.detected_language_code(), item.language) << item.text;
    EXPECT_GT(among.detection_confidence(), 0.5) << item.text;
    EXPECT_EQ(among.detection_confidence(), alone[0].detection_confidence()) << item.text;
    EXPECT_EQ(among.index(), static_cast<int>(5 + i));
  }
  daemon.Stop();
}

TEST_F(DetectionTest, AnItemGoesOverAPivotWhereItsLanguageNeedsOne) {
  Daemon daemon(Flags());
  const auto stub = StubFor(daemon);
  const auto found = Translate(stub.get(), {kEnglish, kGerman, kFrench, kRussian}, "auto", "fr");
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].model(), "en-fr");
  EXPECT_EQ(found[0].detected_language_code(), "en");
  EXPECT_FALSE(found[0].has_pivot());
  EXPECT_EQ(found[1].model(), "de-fr");
  EXPECT_EQ(found[1].detected_language_code(), "de");
  EXPECT_EQ(found[1].pivot().first_model(), "de-en");
  ExpectUnchanged(found[2], kFrench, "fr");
  ExpectUnchanged(found[3], kRussian, "");
  EXPECT_EQ(Bits(found[0]), Bits(Translate(stub.get(), {kEnglish}, "en", "fr")[0]));
  EXPECT_EQ(Bits(found[1]), Bits(Translate(stub.get(), {kGerman}, "de", "fr")[0]));
}

TEST_F(DetectionTest, TheClientDetectsAndTranslatesByLine) {
  Daemon daemon(Flags());
  std::string input;
  for (const char* line : {kGerman, kFrench, kEnglish, kRussian, "12:30", "", kEmojis}) {
    input += std::string(line) + "\n";
  }
  const std::string file = directory_.Write("lines.txt", input);
  int status = -1;
  const std::string detected =
      testing::RunClient({"detect", "--server", daemon.grpc(), file}, &status);
  EXPECT_EQ(status, 0);
  std::vector<std::string> languages;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(detected, '\n', absl::SkipEmpty()))) {
    languages.push_back(line.substr(0, line.find('\t')));
  }
  EXPECT_THAT(languages, ElementsAre("de", "fr", "en", "und", "und", "und", "und"));

  ChildProcess translate(testing::ClientCommand(
      {"translate", "--server", daemon.grpc(), "--from", "auto", "--to", "en", file}));
  const std::string output = translate.ReadAll();
  EXPECT_EQ(translate.Wait(), 0) << translate.Errors();
  const std::vector<std::string> lines = absl::StrSplit(output, '\n');
  ASSERT_EQ(lines.size(), 8U) << output;
  const std::string german = directory_.Write("german.txt", std::string(kGerman) + "\n");
  EXPECT_EQ(lines[0] + "\n", testing::RunClient({"translate", "--server", daemon.grpc(), "--from",
                                                 "de", "--to", "en", german}));
  EXPECT_NE(lines[1], kFrench);
  EXPECT_THAT((std::vector<std::string>{lines.begin() + 2, lines.end()}),
              ElementsAre(kEnglish, kRussian, "12:30", "", kEmojis, ""));
  // The client lists the lines in which no language was found, and the source languages of the
  // server.
  EXPECT_THAT(translate.Errors(),
              HasSubstr("note: 2 lines (4, 7) were left untranslated: found no language that this "
                        "server translates from, expected one of de, fr"));
}

// The memory bound in the log includes the classifier, and the resident memory stays below the
// bound.
TEST_F(DetectionTest, TheMemoryBoundHasTheClassifier) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator does not say what is in use";
#endif
  Daemon daemon({"--language-model", kClassifier});
  json bound;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(daemon.process().Errors(), '\n'))) {
    json logged = json::parse(line, nullptr, false);
    if (logged.is_object() && logged.value("msg", "") == "memory bound") bound = logged;
  }
  ASSERT_TRUE(bound.is_object());
  EXPECT_GT(bound["language_model_bytes"].get<int64_t>(), 938013);
  EXPECT_LT(daemon.process().ResidentBytes(), bound["sum_bytes"].get<int64_t>());
  Daemon without({"--language-model", "off"});
  EXPECT_THAT(without.process().Errors(), HasSubstr(R"("language_model_bytes":0)"));
}

}  // namespace
}  // namespace dragoman

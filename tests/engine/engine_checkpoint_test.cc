// Tests settings of a checkpoint's own files in a complete engine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/engine/model/test_files.h"
#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A fixture with a copy of the bundled model whose JSON fields a test changes; null removes a
// field.
class EngineCheckpoint : public testing::BundledEngine {
 protected:
  absl::Status Start(const json& generation, const json& config = json::object()) {
    for (const auto& entry : std::filesystem::directory_iterator(testing::kBundledModel)) {
      std::filesystem::copy_file(entry.path(),
                                 directory_.path() + "/" + entry.path().filename().string(),
                                 std::filesystem::copy_options::overwrite_existing);
    }
    Change("generation_config.json", generation);
    Change("config.json", config);
    EngineConfig settings;
    settings.max_rows = 8;
    auto engine = CreateEngine(directory_.path(), settings, &clock_, &observer_);
    if (!engine.ok()) return engine.status();
    engine_ = std::move(*engine);
    return absl::OkStatus();
  }

  void Change(const std::string& name, const json& changes) {
    json fields = json::parse(ReadTestFile(directory_.path() + "/" + name));
    for (const auto& [key, value] : changes.items()) {
      if (value.is_null()) {
        fields.erase(key);
      } else {
        fields[key] = value;
      }
    }
    directory_.Write(name, fields.dump());
  }

  static TranslationJob Tokens(const std::string& text) {
    TranslationJob job = Job({text});
    job.returns.tokens = true;
    return job;
  }

  TempDirectory directory_;
};

TEST_F(EngineCheckpoint, TellsTheLongestOutput) {
  ASSERT_TRUE(Start(json::object()).ok());
  EXPECT_EQ(engine_->info().max_target_tokens, 510);
  EXPECT_THAT(engine_->info().notes, ElementsAre(HasSubstr("a demonstration")));
  ASSERT_TRUE(Start(json::object(), {{"dragoman_note", nullptr}}).ok());
  EXPECT_THAT(engine_->info().notes, IsEmpty());
  ASSERT_TRUE(Start({{"forced_eos_token_id", nullptr}}).ok());
  EXPECT_EQ(engine_->info().max_target_tokens, 511);
  ASSERT_TRUE(Start({{"max_length", 100000}}).ok());  // limited by the positions
  EXPECT_EQ(engine_->info().max_target_tokens, 511);
  // If no length is stated, the positions are the limit. The forced EOS takes one of them.
  ASSERT_TRUE(Start({{"max_length", nullptr}}).ok());
  EXPECT_EQ(engine_->info().max_target_tokens, 511);
  ASSERT_TRUE(Start({{"max_length", 20}, {"forced_eos_token_id", nullptr}}).ok());
  EXPECT_EQ(engine_->info().max_target_tokens, 20);
}

TEST_F(EngineCheckpoint, ATokenIsForcedToTheBeginning) {
  ASSERT_TRUE(Start(json::object()).ok());
  const std::string plain = Text("Das ist gut.");
  const json vocabulary =
      json::parse(ReadTestFile(std::string(testing::kBundledModel) + "/vocab.json"));
  const std::string piece = "▁The";
  ASSERT_TRUE(vocabulary.contains(piece));
  ASSERT_TRUE(
      Start({{"forced_bos_token_id", vocabulary[piece]}}, {{"normalize_before", true}}).ok());
  EXPECT_THAT(engine_->info().notes, Contains(HasSubstr("'normalize_before' is true")));
  const ItemResult result = TranslateOne(Tokens("Das ist gut."));
  EXPECT_THAT(result.hypotheses[0].text, StartsWith("The"));
  EXPECT_EQ(result.hypotheses[0].tokens.at(0), piece);
  EXPECT_THAT(plain, ::testing::Not(StartsWith("The")));
  // The forced token begins every segment, unless the request has a prefix.
  const std::string two = Text("Das ist gut. Das ist schlecht.");
  EXPECT_NE(two.find("The", 3), std::string::npos) << two;
  TranslationJob prefixed = Job({"Das ist gut."});
  prefixed.target_prefixes = {"This"};
  EXPECT_THAT(TextOf(prefixed), StartsWith("This"));
}

TEST_F(EngineCheckpoint, AFurtherEndStaysInTheText) {
  ASSERT_TRUE(Start({{"num_beams", 1}}).ok());
  const std::vector<std::string> plain =
      TranslateOne(Tokens("Das Haus ist alt, aber schön.")).hypotheses[0].tokens;
  ASSERT_GT(plain.size(), 4U);
  const json vocabulary =
      json::parse(ReadTestFile(std::string(testing::kBundledModel) + "/vocab.json"));
  ASSERT_TRUE(Start({{"eos_token_id", {0, vocabulary[plain[2]]}}, {"num_beams", 1}}).ok());
  const ItemResult result = TranslateOne(Tokens("Das Haus ist alt, aber schön."));
  const std::vector<std::string>& tokens = result.hypotheses[0].tokens;
  EXPECT_EQ(tokens, std::vector<std::string>(plain.begin(), plain.begin() + 3));
  EXPECT_EQ(result.hypotheses[0].finish_reason, kernels::FinishReason::kEos);
}

TEST_F(EngineCheckpoint, ASentencePieceModelOfAnUnknownKindIsRefusedByPath) {
  ASSERT_TRUE(Start(json::object()).ok());
  const std::string path = directory_.path() + "/target.spm";
  // The last trainer_spec in the file counts.
  directory_.Write("target.spm", ReadTestFile(path) + "\x12\x02\x18\x07");
  const auto engine = CreateEngine(directory_.path(), EngineConfig(), &clock_, &observer_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(engine.status().message()),
              HasSubstr(path + ": trainer_spec.model_type is 7"));
}

}  // namespace
}  // namespace dragoman::engine

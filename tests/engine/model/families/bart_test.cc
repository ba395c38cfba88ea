// Tests directories of BART: which fields and files are optional, what they set, and what is
// refused.
#include <string>

#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Directory = ModelDirectory;

constexpr char kBartConfig[] = "tokenizer_config.json";

TEST(Bart, HasItsDefaultsAndItsTokenizer) {
  Directory directory("tiny-bart");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Change(kBartConfig, {{"tokenizer_class", nullptr}});
    const auto model = ExpectOk(directory.Load());
    EXPECT_EQ(model->tokenizer.source_bos, 0);
    EXPECT_EQ(model->spec.tokens.decoder_start, 2);
    EXPECT_EQ(model->spec.generation.forced_bos, 0);
    EXPECT_EQ(model->spec.generation.forced_eos, 2);
    EXPECT_EQ(model->spec.generation.no_repeat_ngram, 3);
    EXPECT_EQ(model->tokenizer.special.size(), 2U);  // <s>, <mask>
    EXPECT_TRUE(model->notes.empty());
    EXPECT_TRUE(model->languages.Resolve("", "").ok());
  }
}

TEST(Bart, ReadsAForcedBeginningAsItWasOnceCalled) {
  Directory directory("tiny-bart");
  directory.Remove("generation_config.json");
  auto model = ExpectOk(directory.Load());
  EXPECT_EQ(model->spec.generation.forced_bos, std::nullopt);
  EXPECT_EQ(model->spec.generation.forced_eos, 2);  // the default of BartConfig
  directory.Change("config.json", {{"force_bos_token_to_be_generated", true}});
  model = directory.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.generation.forced_bos, 0);
}

// The embedding table of facebook/bart-large-cnn has no row for <mask>.
TEST(Bart, MayHaveNoRowForTheMask) {
  Directory directory("tiny-bart");
  json vocabulary = json::parse(ReadTestFile(directory.path() + "/vocab.json"));
  const int rows = vocabulary["<mask>"].get<int>() + 2 + 1;
  for (const char* piece : {"zzz1", "zzz2", "zzz3"}) {
    vocabulary[piece] = vocabulary["<mask>"];
    vocabulary["<mask>"] = vocabulary["<mask>"].get<int>() + 1;
  }
  directory.Change("vocab.json", vocabulary);
  const auto model = ExpectOk(directory.Load());
  EXPECT_EQ(model->source_vocabulary.size(), rows);
  EXPECT_EQ(model->source_vocabulary.IdOf("<mask>"), std::nullopt);
  vocabulary["zzz4"] = vocabulary["<mask>"].get<int>() + 1;
  EXPECT_THAT(
      directory.Change("vocab.json", vocabulary).Refusal(),
      HasSubstr(std::to_string(rows + 2) + " pieces, expected at most " + std::to_string(rows)));
}

// The search forces the tokenizer's end of sentence. Forcing another token would need a new option.
TEST(Bart, RefusesAForcedEndThatIsNotTheTokenizers) {
  const json ends = {{"eos_token_id", {2, 5}}, {"forced_eos_token_id", 2}};
  Directory directory("tiny-bart");
  EXPECT_TRUE(directory.Change("generation_config.json", ends).Load().ok());
  EXPECT_THAT(
      directory.Change("generation_config.json", {{"forced_eos_token_id", 5}}).Refusal(),
      HasSubstr("forced_eos_token_id is 5, which is not supported; supported: null or 2, the id "
                "of '</s>'"));
}

TEST(Bart, RefusesWhatItIsNot) {
  const auto refusal = [](const std::string& file, const json& changes) {
    return Directory("tiny-bart").Change(file, changes).Refusal();
  };
  EXPECT_THAT(
      refusal("config.json", {{"architectures", {"BartForSequenceClassification"}}}),
      AllOf(HasSubstr("config.json: field 'architectures' is [\"BartForSequenceClassification\"]"),
            HasSubstr("supported: a list with BartForConditionalGeneration")));
  EXPECT_THAT(refusal("config.json", {{"architectures", {"BartForQuestionAnswering"}}}),
              HasSubstr("BartForQuestionAnswering"));
  EXPECT_THAT(refusal(kBartConfig, {{"tokenizer_class", "GPT2Tokenizer"}}),
              HasSubstr("\"GPT2Tokenizer\", which is not supported; supported: BartTok"));
  EXPECT_THAT(Directory("tiny-bart").Remove("merges.txt").Refusal(), HasSubstr("merges.txt"));
  EXPECT_THAT(refusal(kBartConfig, {{"additional_special_tokens", {"<sep>"}}}),
              HasSubstr("has '<sep>'"));
  EXPECT_THAT(refusal(kBartConfig, {{"added_tokens_decoder", {{"7", {{"content", "<sep>"}}}}}}),
              HasSubstr("has '<sep>' with id 7"));
  EXPECT_THAT(refusal("vocab.json", {{"Ġ", nullptr}, {"Ģ", 5000}}), HasSubstr("id"));
}

}  // namespace
}  // namespace dragoman::engine

// Tests directories of Pegasus: which fields and files are optional, what they set, and what is
// refused.
#include <nlohmann/json.hpp>
#include <string>

#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/model_directory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Directory = ModelDirectory;

constexpr char kPegasusConfig[] = "tokenizer_config.json";

TEST(Pegasus, HasItsDefaultsAndItsTokenizer) {
  Directory directory("tiny-pegasus");
  directory.Remove("generation_config.json")
      .Change(kPegasusConfig, {{"tokenizer_class", nullptr}})
      .Change("config.json", {{"pad_token_id", nullptr},
                              {"eos_token_id", nullptr},
                              {"forced_eos_token_id", nullptr},
                              {"decoder_start_token_id", nullptr}});
  const auto model = ExpectOk(directory.Load());
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.tokens.pad, 0);
  EXPECT_EQ(spec.tokens.eos, 1);
  EXPECT_EQ(spec.tokens.decoder_start, 0);
  EXPECT_EQ(spec.tokens.unk, 105);
  EXPECT_EQ(spec.generation.forced_eos, 1);
  const Vocabulary& pieces = model->source_vocabulary;
  EXPECT_EQ(pieces.size(), 503);
  EXPECT_EQ(pieces.PieceOf(2), "<mask_1>");
  EXPECT_EQ(pieces.PieceOf(3), "<mask_2>");
  EXPECT_EQ(pieces.PieceOf(4), "<unk_2>");
  EXPECT_EQ(pieces.PieceOf(104), "<unk_102>");
  EXPECT_EQ(model->tokenizer.special.size(), 103U);
  EXPECT_TRUE(model->languages.Resolve("", "").ok());
  EXPECT_TRUE(model->notes.empty());
}

TEST(Pegasus, TakesTheTokensThatItsClassHas) {
  json listed = {"<mask_1>"};
  for (int i = 2; i < 103; ++i) listed.push_back("<unk_" + std::to_string(i) + ">");
  Directory directory("tiny-pegasus");
  directory.Change(kPegasusConfig, {{"offset", 103},
                                    {"mask_token_sent", "<mask_1>"},
                                    {"additional_special_tokens", listed},
                                    {"added_tokens_decoder",
                                     {{"0", {{"content", "<pad>"}}},
                                      {"3", {{"content", "<mask_2>"}}},
                                      {"104", {{"content", "<unk_102>"}}},
                                      {"105", {{"content", "<unk>"}}}}}});
  EXPECT_TRUE(directory.Load().ok()) << directory.Load().status();
}

TEST(Pegasus, RefusesWhatItIsNot) {
  const auto refusal = [](const std::string& file, const json& changes) {
    return Directory("tiny-pegasus").Change(file, changes).Refusal();
  };
  EXPECT_THAT(refusal("config.json", {{"model_type", "bigbird_pegasus"}}),
              HasSubstr("field 'model_type' is \"bigbird_pegasus\""));
  EXPECT_THAT(refusal(kPegasusConfig, {{"offset", 0}}), HasSubstr("field 'offset' is 0"));
  EXPECT_THAT(refusal(kPegasusConfig, {{"mask_token_sent", "<m>"}}),
              HasSubstr("field 'mask_token_sent' is \"<m>\""));
  EXPECT_THAT(refusal(kPegasusConfig, {{"tokenizer_class", "BartTokenizer"}}),
              HasSubstr("supported: PegasusTokenizer, PegasusTokenizerFast"));
  EXPECT_THAT(refusal(kPegasusConfig, {{"additional_special_tokens", {"<new>"}}}),
              HasSubstr("field 'additional_special_tokens' has '<new>'"));
  EXPECT_THAT(refusal(kPegasusConfig, {{"added_tokens_decoder", {{"4", {{"content", "<x>"}}}}}}),
              HasSubstr("field 'added_tokens_decoder' has '<x>'"));
  EXPECT_THAT(refusal("config.json", {{"vocab_size", 400}}),
              HasSubstr("field 'vocab_size' is 400, expected at least 503"));
  EXPECT_THAT(Directory("tiny-pegasus").Remove("spiece.model").Refusal(),
              HasSubstr("spiece.model: cannot be opened"));
}

}  // namespace
}  // namespace dragoman::engine

// Tests directories of M2M-100, NLLB and mBART: which fields and files are optional, what they set,
// and what is refused.
#include <nlohmann/json.hpp>
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
using ::testing::HasSubstr;

using Directory = ModelDirectory;

constexpr char kConfig[] = "tokenizer_config.json";
constexpr int kFirstLanguage = 401;  // 400 pieces, and <pad>

// Returns the id of the token that marks a source language.
int TokenOf(const LoadedModel& model, const std::string& language) {
  const auto pair = ExpectOk(model.languages.Resolve(language, "de"));
  return pair.ok() ? pair->tag.value_or(-1) : -1;
}

TEST(NllbTokenizer, HasItsIdsFromSentencePiece) {
  const auto model = ExpectOk(Directory("tiny-nllb").Load());
  const Vocabulary& vocabulary = model->source_vocabulary;
  EXPECT_EQ(vocabulary.IdOf("<s>"), 0);
  EXPECT_EQ(vocabulary.IdOf("<pad>"), 1);
  EXPECT_EQ(vocabulary.IdOf("</s>"), 2);
  EXPECT_EQ(vocabulary.IdOf("<unk>"), 3);
  EXPECT_EQ(vocabulary.IdOf("ace_Arab"), kFirstLanguage);
  EXPECT_EQ(vocabulary.IdOf("<mask>"), kFirstLanguage + 9);
  EXPECT_EQ(vocabulary.PieceOf(kFirstLanguage + 10), "");  // a row without a piece
  EXPECT_EQ(vocabulary.size(), kFirstLanguage + 12);
  EXPECT_EQ(model->spec.tokens.decoder_start, 2);
  EXPECT_EQ(model->spec.tokens.unk, 3);
  EXPECT_EQ(TokenOf(*model, "eng_Latn"), kFirstLanguage + 3);
  EXPECT_EQ(model->languages.Pairs().size(), 9 * 8);
  EXPECT_EQ(model->tokenizer.special.size(), 11);  // <s>, the languages, <mask>
  EXPECT_EQ(model->spec.generation.forced_bos, std::nullopt);
}

// The directories published in 2022 list the languages in special_tokens_map.json, without ids.
TEST(NllbTokenizer, FindsItsLanguagesInOtherFiles) {
  Directory listed("tiny-nllb");
  listed.Change(kConfig, {{"added_tokens_decoder", nullptr}});
  auto model = ExpectOk(listed.Load());
  EXPECT_EQ(TokenOf(*model, "en"), kFirstLanguage + 3);

  Directory known("tiny-nllb");
  known.Change(kConfig, {{"added_tokens_decoder", nullptr},
                         {"additional_special_tokens", nullptr},
                         {"tokenizer_class", nullptr}});
  // Without a list the languages are NLLB-200's 202, for which this small vocabulary has no room.
  EXPECT_THAT(known.Refusal(), HasSubstr("'vocab_size' is 413, expected more than 413, the id of"));
}

TEST(NllbTokenizer, LegacyBehaviourHasTheSourcesLanguageBehindItsEnd) {
  Directory directory("tiny-nllb");
  directory.Change(kConfig, {{"legacy_behaviour", true}});
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Change(kConfig, {{"tokenizer_class", nullptr}});
    const auto model = ExpectOk(directory.Load());
    const auto pair = ExpectOk(model->languages.Resolve("en", "de"));
    EXPECT_EQ(pair->tag, std::nullopt);
    EXPECT_EQ(pair->last_tag, kFirstLanguage + 3);
    EXPECT_EQ(pair->first, kFirstLanguage + 2);
    EXPECT_EQ(pair->start, std::nullopt);
    EXPECT_THAT(model->languages.Resolve("", "de").status().ToString(),
                HasSubstr("the model has 9 source languages"));
  }
  EXPECT_THAT(directory.Change(kConfig, {{"legacy_behaviour", 1}}).Refusal(),
              HasSubstr("field 'legacy_behaviour' is 1"));
  // mBART's tokenizer class does not have this field.
  const auto other =
      ExpectOk(Directory("tiny-mbart").Change(kConfig, {{"legacy_behaviour", true}}).Load());
  EXPECT_EQ(other->languages.Resolve("en", "de")->last_tag, std::nullopt);
}

TEST(NllbTokenizer, AForcedTokenOfTheCheckpointGivesWayToTheTarget) {
  const auto model = ExpectOk(Directory("tiny-nllb")
                                  .Change("generation_config.json", {{"forced_bos_token_id", 404}})
                                  .Load());
  EXPECT_EQ(model->spec.generation.forced_bos, std::nullopt);
}

TEST(NllbTokenizer, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const std::string& file, const json& changes) {
    return Directory("tiny-nllb").Change(file, changes).Refusal();
  };
  EXPECT_THAT(Directory("tiny-nllb").Remove("sentencepiece.bpe.model").Refusal(),
              HasSubstr("sentencepiece.bpe.model"));
  EXPECT_THAT(refusal("config.json", {{"vocab_size", 300}}),
              HasSubstr("401 pieces, expected at most 300, the vocab_size of config.json"));
  EXPECT_THAT(refusal(kConfig, {{"added_tokens_decoder", nullptr},
                                {"additional_special_tokens", {"deu_Latn", "<user>"}}}),
              HasSubstr("tokenizer_config.json: field 'additional_special_tokens' has '<user>'; "
                        "supported: the model's languages"));
  json added = json::parse(
      ReadTestFile(DRAGOMAN_SOURCE_DIR
                   "/tests/data/models/tiny-nllb/tokenizer_config.json"))["added_tokens_decoder"];
  added["5000"] = {{"content", "<user>"}};
  EXPECT_THAT(refusal(kConfig, {{"added_tokens_decoder", added}}),
              HasSubstr("expected more than 5000, the id of '<user>'"));
  added.erase("5000");
  added["10"] = {{"content", "eng_Latn"}};
  EXPECT_THAT(refusal(kConfig, {{"added_tokens_decoder", added}}),
              HasSubstr("has 'eng_Latn' with id 10, which is the id of '"));
  EXPECT_THAT(refusal("generation_config.json", {{"eos_token_id", 3}}),
              HasSubstr("'</s>' has id 2"));
  EXPECT_THAT(refusal("config.json", {{"model_type", "nllb-moe"}}),
              HasSubstr("\"nllb-moe\", which is not supported; supported: marian, m2m_100, mbart"));
  EXPECT_THAT(refusal(kConfig, {{"model_max_length", 2}}),
              HasSubstr("'model_max_length' is 2, expected at least 3"));
}

TEST(Mbart50Tokenizer, HasItsIdsFromSentencePieceAndAListOfItsOwn) {
  Directory directory("tiny-mbart");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Change(kConfig, {{"tokenizer_class", nullptr}});
    const auto model = ExpectOk(directory.Load());
    EXPECT_EQ(model->source_vocabulary.IdOf("ar_AR"), kFirstLanguage);
    EXPECT_EQ(TokenOf(*model, "sl"), kFirstLanguage + 51);
    EXPECT_EQ(model->languages.Pairs().size(), 52 * 51);
    // No two tags differ only in their region, so another region selects the same tag.
    EXPECT_EQ(TokenOf(*model, "de_DE"), kFirstLanguage + 2);
    EXPECT_EQ(TokenOf(*model, "de-AT"), kFirstLanguage + 2);
    EXPECT_EQ(TokenOf(*model, "en-GB"), kFirstLanguage + 3);
    EXPECT_EQ(TokenOf(*model, "zh-Hans"), TokenOf(*model, "zh_CN"));
    EXPECT_THAT(model->languages.Resolve("zh-TW", "de").status().ToString(), HasSubstr("'zh-TW'"));
  }
}

// Without a tokenizer class, the number of rows identifies an mBART-25.
TEST(Mbart25Tokenizer, HasTheSourceBehindItsEndAndTheTargetAsTheStart) {
  Directory directory("tiny-mbart25");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Change(kConfig, {{"tokenizer_class", nullptr}});
    const auto model = ExpectOk(directory.Load());
    EXPECT_EQ(model->languages.Pairs().size(), 25 * 24);
    EXPECT_EQ(model->source_vocabulary.IdOf("<mask>"), kFirstLanguage + 25);
    const auto pair = ExpectOk(model->languages.Resolve("en-GB", "ro"));
    EXPECT_EQ(pair->tag, std::nullopt);
    EXPECT_EQ(pair->last_tag, kFirstLanguage + 3);
    EXPECT_EQ(pair->first, std::nullopt);
    EXPECT_EQ(pair->start, kFirstLanguage + 19);
    EXPECT_THAT(model->languages.Resolve("", "ro").status().ToString(),
                HasSubstr("the model has 25 source languages"));
    EXPECT_THAT(model->languages.Resolve("en", "").status().ToString(),
                HasSubstr("the model has 25 target languages"));
    EXPECT_THAT(model->languages.Resolve("en", "pl").status().ToString(), HasSubstr("'pl'"));
  }
  // The request's target language is the start token, whatever the checkpoint's start token is.
  const auto model = ExpectOk(
      Directory("tiny-mbart25").Change("config.json", {{"decoder_start_token_id", 404}}).Load());
  EXPECT_EQ(model->languages.Resolve("en", "ro")->start, kFirstLanguage + 19);
}

TEST(Mbart25Tokenizer, RefusesAnotherClassAndOtherLanguages) {
  EXPECT_THAT(
      Directory("tiny-mbart25")
          .Change(kConfig, {{"tokenizer_class", "XLMRobertaTokenizer"}})
          .Refusal(),
      HasSubstr("\"XLMRobertaTokenizer\", which is not supported; supported: MBart50Tokenizer"));
  EXPECT_THAT(Directory("tiny-mbart25")
                  .Change(kConfig, {{"additional_special_tokens", {"de_DE", "pl_PL"}}})
                  .Refusal(),
              HasSubstr("tokenizer_config.json: field 'additional_special_tokens' has 'pl_PL'"));
}

TEST(M2m100Tokenizer, HasItsLanguagesBehindTheVocabulary) {
  Directory directory("tiny-m2m");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Change(kConfig, {{"tokenizer_class", nullptr}});
    const auto model = ExpectOk(directory.Load());
    const int first = *model->source_vocabulary.IdOf("__af__");
    EXPECT_EQ(first, 398 - 1);
    EXPECT_EQ(TokenOf(*model, "de"), *model->source_vocabulary.IdOf("__de__"));
    EXPECT_EQ(TokenOf(*model, "zu"), first + 99);
    EXPECT_EQ(model->source_vocabulary.size(), first + 108);
    EXPECT_EQ(model->languages.Pairs().size(), 100 * 99);
  }
}

// SMALL-100 has the files of M2M-100, but the target's token is in the source and none is in the
// output.
TEST(M2m100Tokenizer, OfSmall100MarksTheTargetInTheSource) {
  const auto model = ExpectOk(
      Directory("tiny-m2m").Change(kConfig, {{"tokenizer_class", "SMALL100Tokenizer"}}).Load());
  const auto pair = ExpectOk(model->languages.Resolve("", "fr"));
  EXPECT_EQ(pair->tag, model->source_vocabulary.IdOf("__fr__"));
  EXPECT_EQ(pair->first, std::nullopt);
}

TEST(M2m100Tokenizer, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(Directory("tiny-m2m")
                  .Change("special_tokens_map.json", {{"additional_special_tokens", {"__xx__"}}})
                  .Refusal(),
              HasSubstr("special_tokens_map.json: field 'additional_special_tokens' has "
                        "'__xx__'; supported: the model's languages"));
  EXPECT_THAT(Directory("tiny-m2m").Change("vocab.json", {{"<pad>", nullptr}}).Refusal(),
              HasSubstr("vocab.json: "));
  EXPECT_THAT(Directory("tiny-m2m").Change(kConfig, {{"language_codes", "m2m"}}).Refusal(),
              HasSubstr("supported: m2m100, wmt21"));
}

TEST(M2m100Tokenizer, Wmt21HasLanguagesOfItsOwn) {
  const auto model = ExpectOk(Directory("tiny-m2m")
                                  .Change(kConfig, {{"language_codes", "wmt21"}})
                                  .Remove("special_tokens_map.json")
                                  .Load());
  EXPECT_EQ(model->languages.Pairs().size(), 8 * 7);
  EXPECT_EQ(TokenOf(*model, "de"), 397 + 7);
}

}  // namespace
}  // namespace dragoman::engine

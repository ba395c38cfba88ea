// Tests directories of FSMT: which fields and files are optional, what they set, and what is
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
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Directory = ModelDirectory;

constexpr char kFsmtModel[] = "tiny-fsmt";
constexpr char kFsmtConfig[] = "config.json";
constexpr char kFsmtTokenizer[] = "tokenizer_config.json";

std::string RefusalOf(const std::string& file, const json& changes) {
  return Directory(kFsmtModel).Change(file, changes).Refusal();
}

TEST(Fsmt, HasItsDefaultsAndTwoVocabularies) {
  const auto model = ExpectOk(Directory(kFsmtModel)
                                  .Change(kFsmtConfig, {{"pad_token_id", nullptr},
                                                        {"eos_token_id", nullptr},
                                                        {"decoder_start_token_id", nullptr},
                                                        {"forced_eos_token_id", nullptr},
                                                        {"scale_embedding", nullptr},
                                                        {"activation_function", nullptr},
                                                        {"num_beams", nullptr},
                                                        {"max_length", nullptr}})
                                  .Load());
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.tokens.pad, 1);
  EXPECT_EQ(spec.tokens.eos, 2);
  EXPECT_EQ(spec.tokens.unk, 3);
  EXPECT_EQ(spec.tokens.decoder_start, 2);
  EXPECT_EQ(spec.generation.forced_eos, 2);
  EXPECT_EQ(spec.generation.num_beams, 5);
  EXPECT_EQ(spec.generation.max_length, 97);  // the default is 200, but positions limit it
  EXPECT_EQ(spec.activation, kernels::Activation::kRelu);
  EXPECT_GT(spec.embedding_scale, 1.0F);
  EXPECT_NE(model->source_vocabulary.size(), model->TargetVocabulary().size());
  EXPECT_THAT(model->tokenizer.special, ElementsAre(0, 1));
  EXPECT_THAT(model->tokenizer.source_special, ElementsAre(0, 1));
  const auto pair = ExpectOk(model->languages.Resolve("de", "en"));
  EXPECT_FALSE(model->languages.Resolve("de", "fr").ok());
  EXPECT_TRUE(model->notes.empty());
}

// In files of transformers, the output layer and the target embedding are the same matrix under two
// names.
TEST(Fsmt, OutputLayerIsTheEmbeddingOfTheTarget) {
  const auto model = ExpectOk(Directory(kFsmtModel).Load());
  EXPECT_TRUE(model->spec.tie_output);
  EXPECT_FALSE(model->spec.share_embeddings);
  EXPECT_THAT(
      RefusalOf(kFsmtConfig, {{"tie_word_embeddings", true}}),
      HasSubstr("config.json: field 'tie_word_embeddings' is true, which is not supported"));
}

TEST(Fsmt, LanguagesAreThoseOfItsRules) {
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"langs", {"de", "fi"}}}),
              AllOf(HasSubstr("tokenizer_config.json: field 'langs': "),
                    HasSubstr("language 'fi' is not supported; expected one of de, en, ru")));
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"langs", nullptr}}), HasSubstr("'langs' is missing"));
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"langs", {"de"}}}),
              HasSubstr("field 'langs' is [\"de\"], expected a list of two languages"));
  EXPECT_TRUE(Directory(kFsmtModel).Change(kFsmtTokenizer, {{"langs", {"ru", "de"}}}).Load().ok());
}

TEST(Fsmt, RefusesWhatItsTokenizerDoesNotDo) {
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"do_lower_case", true}}),
              HasSubstr("field 'do_lower_case' is true, which is not supported; supported: false"));
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"tokenizer_class", "XLMTokenizer"}}),
              HasSubstr("supported: FSMTTokenizer"));
  EXPECT_THAT(RefusalOf(kFsmtTokenizer, {{"added_tokens_decoder", {{"7", {{"content", "<x>"}}}}}}),
              HasSubstr("has '<x>'; supported: special tokens in their places in vocab-src.json"));
  EXPECT_THAT(RefusalOf(kFsmtConfig, {{"encoder_no_repeat_ngram_size", 2}}),
              HasSubstr("is not supported with two vocabularies"));
  EXPECT_TRUE(
      Directory(kFsmtModel)
          .Change(kFsmtTokenizer, {{"added_tokens_decoder", {{"1", {{"content", "<pad>"}}}}}})
          .Load()
          .ok());
}

TEST(Fsmt, FilesMustBeThere) {
  for (const char* file : {"vocab-src.json", "vocab-tgt.json", "merges.txt"}) {
    EXPECT_THAT(Directory(kFsmtModel).Remove(file).Refusal(), HasSubstr(file));
  }
  EXPECT_THAT(RefusalOf(kFsmtConfig, {{"src_vocab_size", 40}}), HasSubstr("vocab-src.json: "));
  EXPECT_THAT(RefusalOf(kFsmtConfig, {{"tgt_vocab_size", 40}}), HasSubstr("vocab-tgt.json: "));
}

}  // namespace
}  // namespace dragoman::engine

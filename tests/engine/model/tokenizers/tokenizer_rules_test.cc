// Tests which tokenizer is followed, slow or fast, in directories that have the files of both, of
// one or of neither.
#include "engine/model/tokenizers/tokenizer_rules.h"

#include <string>
#include <vector>

#include "engine/request/model_tokenizer.h"
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
using ::testing::IsEmpty;

constexpr TokenizerChoice kSlow = TokenizerChoice::kSlow;
constexpr TokenizerChoice kFast = TokenizerChoice::kFast;

// Returns a tokenizer.json with the pieces of a model, without the scores of its spiece.model.
std::string TokenizerJsonOf(const std::string& model) {
  const auto loaded = ExpectOk(ModelDirectory(model).Load());
  json vocab = json::array();
  for (int id = 0; id < 400; ++id) {
    vocab.push_back({loaded->source_vocabulary.PieceOf(id), id < 3 ? 0.0 : -5.0});
  }
  json added = json::array();
  for (int id = 0; id < 3; ++id) {
    added.push_back({{"id", id}, {"content", vocab[id][0]}, {"special", true}});
  }
  return json{{"added_tokens", added},
              {"normalizer", nullptr},
              {"pre_tokenizer", {{"type", "Metaspace"}, {"replacement", "▁"}}},
              {"decoder", {{"type", "Metaspace"}, {"replacement", "▁"}}},
              {"post_processor",
               {{"type", "TemplateProcessing"},
                {"single", {{{"Sequence", {{"id", "A"}}}}, {{"SpecialToken", {{"id", "</s>"}}}}}}}},
              {"model", {{"type", "Unigram"}, {"unk_id", 2}, {"vocab", vocab}}}}
      .dump();
}

TEST(TokenizerChoice, IsOfTheFilesThatAreThere) {
  ModelDirectory both("tiny-flan");
  both.Write("tokenizer.json", TokenizerJsonOf("tiny-flan"));
  auto model = ExpectOk(LoadModel(both.path()));
  EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/spiece.model"));
  EXPECT_THAT(model->notes, ElementsAre(AllOf(HasSubstr("texts are cut by spiece.model"),
                                              HasSubstr("tokenizer.json"))));
  model = LoadModel(both.path(), kSlow);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/spiece.model"));
  EXPECT_THAT(model->notes, IsEmpty());
  model = LoadModel(both.path(), kFast);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/tokenizer.json"));
  both.Remove("spiece.model");
  model = LoadModel(both.path());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/tokenizer.json"));
  EXPECT_THAT(model->notes, IsEmpty());
}

TEST(TokenizerChoice, WithoutItsFileIsRefused) {
  for (const std::string name : {"tiny-flan", "ct2-tiny-flan-int8"}) {
    ModelDirectory directory(name);
    EXPECT_THAT(
        LoadModel(directory.path(), kFast).status().ToString(),
        AllOf(HasSubstr("NOT_FOUND"), HasSubstr(directory.path()),
              HasSubstr("tokenizer.json: no such file"), HasSubstr("setting tokenizer = fast")));
    directory.Remove("spiece.model").Write("tokenizer.json", TokenizerJsonOf("tiny-flan"));
    EXPECT_THAT(LoadModel(directory.path(), kSlow).status().ToString(),
                AllOf(HasSubstr("NOT_FOUND"), HasSubstr(": no such file"),
                      HasSubstr("setting tokenizer = slow")));
    EXPECT_TRUE(LoadModel(directory.path()).ok());
  }
  EXPECT_THAT(std::string(LoadModel(ModelDirectory("tiny-bart").path(), kFast).status().message()),
              HasSubstr("tokenizer.json: no such file"));
  EXPECT_TRUE(LoadModel(ModelDirectory("tiny-bart").path(), kSlow).ok());
}

TEST(TokenizerChoice, IsRefusedWhereThereIsNoSuchTokenizer) {
  const std::string models = DRAGOMAN_SOURCE_DIR "/tests/data/models/";
  for (const auto& [name, what] :
       {std::pair("tiny-a", "a MarianTokenizer"), std::pair("tiny-m2m", "an M2M100Tokenizer"),
        std::pair("marian-npz", "Marian's own files"),
        std::pair("argos-de-en.argosmodel", "an Argos package")}) {
    EXPECT_THAT(LoadModel(models + name, kFast).status().ToString(),
                AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("setting tokenizer: found fast"),
                      HasSubstr(what), HasSubstr("supported: auto, slow")));
    EXPECT_TRUE(LoadModel(models + name, kSlow).ok()) << name;
  }
  ModelDirectory backend("tiny-flan");
  backend.Change("tokenizer_config.json", {{"tokenizer_class", "TokenizersBackend"}})
      .Write("tokenizer.json", TokenizerJsonOf("tiny-flan"));
  EXPECT_THAT(LoadModel(backend.path(), kSlow).status().ToString(),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("setting tokenizer: found slow"),
                    HasSubstr("TokenizersBackend")));
  const auto model = ExpectOk(LoadModel(backend.path()));
  EXPECT_EQ(model->tokenizer.rules, TokenizerRules::kFast);
}

// A MADLAD-400 that transformers saved again. The tag is an added token, which is cut out of the
// prompt first, so no space mark precedes it.
TEST(AddedTokens, OfAPromptAreCutOutFirst) {
  json added = json::object();
  ModelDirectory directory("tiny-madlad");
  const auto plain = ExpectOk(directory.Load());
  const int tag = *plain->source_vocabulary.IdOf("<2de>");
  const int mark = *plain->source_vocabulary.IdOf("▁");
  added[std::to_string(tag)] = {{"content", "<2de>"}, {"special", true}, {"normalized", false}};
  directory.Change("tokenizer_config.json",
                   {{"added_tokens_decoder", added}, {"additional_special_tokens", {"<2de>"}}});
  const auto saved = ExpectOk(directory.Load());
  for (const LoadedModel* model : {&*plain, &*saved}) {
    const auto tokenizer = ExpectOk(MakeTokenizer(*model));
    const std::vector<int> ids = (*tokenizer)->EncodePrompt("<2de> ");
    if (model == &*plain) {
      EXPECT_THAT(ids, ElementsAre(mark, tag));
    } else {
      EXPECT_THAT(ids, ElementsAre(tag));
    }
    // In a text, the tag is ordinary text.
    const std::vector<int> text = (*tokenizer)->EncodeSource("a <2de>").ids;
    EXPECT_EQ(std::count(text.begin(), text.end(), tag), 0);
  }
}

TEST(AddedTokens, CountBesideACtranslate2ModelToo) {
  ModelDirectory directory("ct2-tiny-madlad-int8");
  const int tag = *directory.Load()->source_vocabulary.IdOf("<2de>");
  directory.Write("tokenizer_config.json",
                  json{{"added_tokens_decoder",
                        {{std::to_string(tag), {{"content", "<2de>"}, {"special", true}}}}}}
                      .dump());
  auto model = ExpectOk(directory.Load());
  const auto ids_of = [&model](std::string_view prompt, std::string_view text) {
    const auto tokenizer = ExpectOk(MakeTokenizer(*model));
    std::vector<int> ids = (*tokenizer)->EncodePrompt(prompt);
    for (const int id : (*tokenizer)->EncodeSource(text).ids) ids.push_back(id);
    return ids;
  };
  EXPECT_EQ(ids_of("<2de> ", "").front(), tag);
  // An added token that is not special is cut from texts.
  const int piece = *model->source_vocabulary.IdOf("er");
  directory.Write("added_tokens.json", json{{"er", piece}}.dump()).Remove("tokenizer_config.json");
  model = directory.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->tokenizer.added.size(), 1U);
  EXPECT_EQ(ids_of("", "er").front(), piece);  // without a mark before it
}

TEST(AddedTokens, ThatAreSpecialAreNotedAndNoText) {
  ModelDirectory directory("tiny-added");
  const auto model = ExpectOk(directory.Load());
  const int id = *model->source_vocabulary.IdOf("<trenner>");
  EXPECT_THAT(model->tokenizer.special, ElementsAre(id));
  EXPECT_THAT(model->notes,
              ::testing::Contains(AllOf(HasSubstr("1 special token"), HasSubstr("<trenner>"))));
  EXPECT_THAT(directory.Change("tokenizer_config.json", {{"additional_special_tokens", {"<neu>"}}})
                  .Refusal(),
              HasSubstr("field 'additional_special_tokens' has '<neu>', which has no id"));
}

}  // namespace
}  // namespace dragoman::engine

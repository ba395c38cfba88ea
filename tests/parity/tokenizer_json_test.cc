// Compares with the tokenizers library: every text of fixtures/tokenizer-json.jsonl.gz through its
// tokenizer.json. Also tests directories that have such a file instead of SentencePiece's.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/request/model_tokenizer.h"
#include "tests/engine/model/model_directory.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

struct Tokenizers {
  std::map<std::string, json> files;
  std::vector<json> cases;
};

Tokenizers ReadTokenizers() {
  Fixture fixture;
  ReadFixture("tokenizer-json", &fixture);
  Tokenizers read;
  for (json& row : fixture.cases) {
    if (row.contains("text")) {
      read.cases.push_back(std::move(row));
      continue;
    }
    json file = row.contains("json") ? row["json"] : read.files[row["like"]];
    if (row.contains("changes")) file.merge_patch(row["changes"]);
    read.files[row["tokenizer"]] = std::move(file);
  }
  return read;
}

TEST(TokenizerJson, IdsAreThoseOfTheLibrary) {
  const Tokenizers read = ReadTokenizers();
  std::map<std::string, engine::TokenizerJson> tokenizers;
  std::map<std::string, std::map<std::string, int>> ids;
  for (const auto& [name, file] : read.files) {
    absl::StatusOr<engine::TokenizerJson> parsed = engine::ParseTokenizerJson(file.dump(), name);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    for (size_t id = 0; id < parsed->pieces.size(); ++id) {
      ids[name][parsed->pieces[id]] = static_cast<int>(id);
    }
    tokenizers.emplace(name, *std::move(parsed));
  }
  ASSERT_GE(tokenizers.size(), 20U);
  std::map<std::string, int> wrong;
  for (const json& one : read.cases) {
    const std::string name = one["tokenizer"];
    const auto text = one["text"].get<std::string>();
    const json& model = read.files.at(name)["model"];
    const int unk = model.contains("unk_id") ? model["unk_id"].get<int>() : ids[name]["<unk>"];
    std::vector<int> found;
    int64_t end = 0;
    const engine::TokenizerJson& parsed = tokenizers.at(name);
    std::vector<engine::AddedToken> added;
    for (const engine::TokenizerJson::Added& token : parsed.added) added.push_back(token.token);
    const engine::AddedTokenModel cutter(parsed.model, added, engine::TokenizerRules::kFast);
    for (const engine::SubwordToken& token : cutter.Encode(text, engine::TextStart::kBegin)) {
      found.push_back(token.piece.empty() ? unk : ids[name].at(token.piece));
      EXPECT_GE(token.range.begin, end) << name << ": " << text;
      EXPECT_GE(token.range.end, token.range.begin);
      end = token.range.end;
    }
    EXPECT_LE(end, static_cast<int64_t>(text.size()));
    if (json(found) == one["ids"]) continue;
    if (++wrong[name] <= 5)
      ADD_FAILURE() << name << ": '" << text << "': " << json(found) << ", expected " << one["ids"];
  }
  for (const auto& [name, count] : wrong) ADD_FAILURE() << name << ": " << count << " texts differ";
}

// In Hugging Face's and CTranslate2's directories, tokenizer.json must give what the SentencePiece
// file gives, except for the segmentation of unusual texts.
TEST(TokenizerJson, StandsForSentencePieceInADirectory) {
  const Tokenizers read = ReadTokenizers();
  std::vector<std::pair<std::string, std::string>> directories = {
      {"ct2-tiny-mbart25-int8", "tiny-mbart25"}, {"ct2-tiny-mbart-int8", "tiny-mbart"},
      {"ct2-tiny-nllb-int8", "tiny-nllb"},       {"ct2-tiny-t5-float32", "tiny-t5"},
      {"ct2-tiny-flan-int8", "tiny-flan"},       {"ct2-tiny-mt5-bfloat16", "tiny-mt5"},
      {"ct2-tiny-madlad-int8", "tiny-madlad"}};
  for (const char* name : {"tiny-mbart25", "tiny-mbart", "tiny-nllb", "tiny-t5", "tiny-flan",
                           "tiny-mt5", "tiny-madlad"}) {
    directories.emplace_back(name, name);
  }
  for (const auto& [name, file] : directories) {
    engine::ModelDirectory directory(name);
    const auto usual = ExpectOk(directory.Load());
    const bool is_t5 = usual->tokenizer.source_path.ends_with("spiece.model");
    directory.Remove(is_t5 ? "spiece.model" : "sentencepiece.bpe.model");
    directory.Write("tokenizer.json", read.files.at(file).dump());
    const auto model = ExpectOk(directory.Load());
    ASSERT_NE(model->tokenizer.model, nullptr);
    const engine::Vocabulary& vocabulary = model->source_vocabulary;
    ASSERT_EQ(vocabulary.size(), usual->source_vocabulary.size());
    for (int id = 0; id < vocabulary.size(); ++id) {
      EXPECT_EQ(vocabulary.PieceOf(id), usual->source_vocabulary.PieceOf(id)) << name << " " << id;
    }
    EXPECT_EQ(model->tokenizer.special, usual->tokenizer.special) << name;
    EXPECT_EQ(model->tokenizer.source_eos, usual->tokenizer.source_eos);
    EXPECT_EQ(model->spec.tokens.unk, usual->spec.tokens.unk);
    ASSERT_EQ(model->languages.Pairs().size(), usual->languages.Pairs().size());
    const auto tokenizer_of = [&](const engine::LoadedModel& of) {
      auto made = ExpectOk(engine::MakeTokenizer(of));
      return std::move(made).value();
    };
    const auto as_json = tokenizer_of(*model);
    const auto as_spm = tokenizer_of(*usual);
    for (const std::string text :
         {"Guten Morgen, wie geht es dir?", "Das ist  ein Test. ", "3. Mai 2024"}) {
      const std::vector<int> ids = as_json->EncodeSource(text).ids;
      EXPECT_EQ(ids, as_spm->EncodeSource(text).ids) << name;
      EXPECT_EQ(as_json->Decode(ids), as_spm->Decode(ids));
      EXPECT_EQ(as_json->EncodePhrase("morgen", false).ids,
                as_spm->EncodePhrase("morgen", false).ids)
          << name;
    }
  }
}

TEST(TokenizerJson, MayHaveItsLanguagesAmongThePiecesAlone) {
  json file = ReadTokenizers().files.at("tiny-mbart25");
  json& added = file["added_tokens"];
  const size_t all = added.size();
  added.erase(std::remove_if(added.begin(), added.end(),
                             [](const json& token) {
                               return token["content"].get<std::string>().find('_') !=
                                      std::string::npos;
                             }),
              added.end());
  ASSERT_EQ(added.size(), all - 25);
  engine::ModelDirectory directory("tiny-mbart25");
  const auto usual = ExpectOk(directory.Load());
  directory.Remove("sentencepiece.bpe.model");
  std::ofstream(directory.path() + "/tokenizer.json") << file.dump();
  const auto model = ExpectOk(directory.Load());
  EXPECT_EQ(model->languages.Resolve("de", "ro")->start,
            usual->languages.Resolve("de", "ro")->start);
  EXPECT_EQ(model->languages.Pairs().size(), usual->languages.Pairs().size());
  EXPECT_EQ(model->tokenizer.special, usual->tokenizer.special);
}

}  // namespace
}  // namespace dragoman::parity

// Tests which fields of tokenizer.json are accepted and which are refused. tests/parity/
// tokenizer_json_test.cc compares the tokens of texts with those of the tokenizers library.
#include "engine/model/tokenizers/tokenizer_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/text/pipeline/added_tokens.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json Unigram() {
  return json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 0, "content": "<unk>", "special": true, "normalized": false},
                     {"id": 1, "content": "</s>", "special": true, "normalized": false},
                     {"id": 6, "content": "xyz", "special": false, "normalized": false}],
    "normalizer": null,
    "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
    "post_processor": {"type": "TemplateProcessing", "single": [
        {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}]},
    "decoder": {"type": "Metaspace", "replacement": "▁"},
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [
        ["<unk>", 0.0], ["</s>", 0.0], ["▁", -2.0], ["a", -1.0], ["b", -1.5], ["ab", -1.25]]}})");
}

json Bpe() {
  json file = Unigram();
  file["model"] = json::parse(R"({
    "type": "BPE", "unk_token": "<unk>", "fuse_unk": true,
    "vocab": {"<unk>": 0, "</s>": 1, "▁": 2, "a": 3, "b": 4, "ab": 5},
    "merges": [["a", "b"]]})");
  return file;
}

std::vector<std::string> Cut(const json& file, std::string_view text,
                             TextStart start = TextStart::kBegin) {
  const auto parsed = ExpectOk(ParseTokenizerJson(file.dump(), kTokenizerJsonFile));
  std::vector<std::string> pieces;
  if (!parsed.ok()) return pieces;
  std::vector<AddedToken> added;
  for (const TokenizerJson::Added& one : parsed->added) added.push_back(one.token);
  const AddedTokenModel model(parsed->model, added, TokenizerRules::kFast);
  for (const SubwordToken& token : model.Encode(text, start)) pieces.push_back(token.piece);
  return pieces;
}

std::string Refusal(const json& file, const json& changes) {
  json changed = file;
  changed.merge_patch(changes);
  const auto parsed = ParseTokenizerJson(changed.dump(), kTokenizerJsonFile);
  EXPECT_FALSE(parsed.ok());
  return std::string(parsed.status().message());
}

TEST(TokenizerJson, IsReadAndCutsTexts) {
  for (const json& file : {Unigram(), Bpe()}) {
    const auto parsed = ExpectOk(ParseTokenizerJson(file.dump(), kTokenizerJsonFile));
    EXPECT_THAT(parsed->pieces, ElementsAre("<unk>", "</s>", "▁", "a", "b", "ab", "xyz"));
    EXPECT_THAT(parsed->layout, ElementsAre("$A", "</s>"));
    EXPECT_EQ(parsed->added.size(), 3U);
    EXPECT_THAT(Cut(file, "ab"), ElementsAre("▁", "ab"));
    EXPECT_THAT(Cut(file, "ab", TextStart::kInside), ElementsAre("ab"));
    // The text after an added token is tokenized like a new text.
    EXPECT_THAT(Cut(file, "axyzb"), ElementsAre("▁", "a", "xyz", "▁", "b"));
    EXPECT_THAT(Cut(file, "a漢字b"), ElementsAre("▁", "a", "", "b"));
    // The text of a special token is ordinary text.
    EXPECT_THAT(Cut(file, "</s>"), ElementsAre("▁", ""));
    EXPECT_THAT(Cut(file, ""), ElementsAre());
  }
}

// The normalizer replaces marks by spaces, like the NFKC tables of SentencePiece. The expected
// tokens are those of tokenizers 0.22 for "<2de> " followed by the text.
TEST(TokenizerJson, ATextAfterAPromptIsNormalizedWithTheSpaceBeforeIt) {
  json file = Unigram();
  file["normalizer"] = json::parse(R"({"type": "Sequence", "normalizers": [
      {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
      {"type": "Strip", "strip_left": false, "strip_right": true},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"}]})");
  const auto cut = [&](std::string_view text) { return Cut(file, text, TextStart::kWord); };
  for (const char* text : {"a", " a", "▁a", "▁ a", "▁▁a"}) {
    EXPECT_THAT(cut(text), ElementsAre("▁", "a")) << text;
  }
  EXPECT_THAT(cut("ba"), ElementsAre("▁", "b", "a"));
  EXPECT_THAT(cut("▁"), ElementsAre());
}

// The normalizers that transformers 5.0 writes for mBART-50, NLLB and Pegasus.
TEST(TokenizerJson, ExpressionsOfWhiteSpaceAndNfkcAreRead) {
  json file = Unigram();
  file["normalizer"] = json::parse(R"({"type": "Sequence", "normalizers": [
      {"type": "Replace", "pattern": {"Regex": "[\\n\\r\\t]"}, "content": " "},
      {"type": "NFKC"},
      {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}]})");
  EXPECT_THAT(Cut(file, "a\nb\r\tａ"), ElementsAre("▁", "a", "▁", "b", "▁", "a"));
  file["normalizer"] =
      json::parse(R"({"type": "Replace", "pattern": {"Regex": "\\n"}, "content": " "})");
  EXPECT_THAT(Cut(file, "a\nb\tb"), ElementsAre("▁", "a", "▁", "b", "", "b"));
  file["normalizer"]["content"] = "-";
  EXPECT_THAT(Refusal(file, json::object()), HasSubstr("'normalizer.pattern' is \"\\\\n\""));
}

TEST(TokenizerJson, NfkcKeepsThePlacesOfTheText) {
  json file = Unigram();
  file["normalizer"] = {{"type", "NFKC"}};
  const auto parsed = ExpectOk(ParseTokenizerJson(file.dump(), kTokenizerJsonFile));
  std::vector<TextRange> ranges;
  for (const SubwordToken& token : parsed->model->Encode("ａｂa", TextStart::kBegin)) {
    ranges.push_back(token.range);
  }
  EXPECT_THAT(ranges, ElementsAre(TextRange{0, 0}, TextRange{0, 6}, TextRange{6, 7}));
}

// transformers 5 writes unk_id 2 for every T5. In MADLAD-400, 2 is the end of sentence.
TEST(TokenizerJson, TheUnknownPieceIsTheOneOfThatName) {
  json file = Unigram();
  file["model"]["unk_id"] = 1;
  EXPECT_THAT(Cut(file, "a漢"), ElementsAre("▁", "a", ""));
  EXPECT_THAT(Cut(file, "</s>"), ElementsAre("▁", ""));
}

TEST(TokenizerJson, JoinsPiecesAndTheirPlaces) {
  const auto parsed = ParseTokenizerJson(Unigram().dump(), kTokenizerJsonFile);
  ASSERT_TRUE(parsed.ok());
  const std::vector<std::string_view> pieces = {"▁", "a", "▁", "ab"};
  const PieceText whole = parsed->model->Decode(pieces, false, false);
  EXPECT_EQ(whole.text, "a ab");
  EXPECT_THAT(whole.ranges,
              ElementsAre(TextRange{0, 0}, TextRange{0, 1}, TextRange{1, 2}, TextRange{2, 4}));
  EXPECT_EQ(parsed->model->Decode(pieces, true, false).text, " a ab");
  EXPECT_EQ(parsed->model->Decode(pieces, false, true).text, "a ab");
}

TEST(TokenizerJson, RefusesByNameWhatItDoesNotDo) {
  const json file = Unigram();
  const auto type = [](const char* name) { return json{{"type", name}}; };
  EXPECT_THAT(Refusal(file, {{"model", {{"type", "WordPiece"}}}}),
              AllOf(StartsWith("tokenizer.json: field 'model.type' is 'WordPiece', which is not"),
                    HasSubstr("supported: Unigram, BPE")));
  EXPECT_THAT(Refusal(file, {{"normalizer", type("NFD")}}),
              HasSubstr("'normalizer.type' is 'NFD', which is not supported; supported: Pre"));
  EXPECT_THAT(
      Refusal(file, {{"normalizer", {{"type", "Sequence"}, {"normalizers", {type("Lowercase")}}}}}),
      HasSubstr("'normalizer.type' is 'Lowercase'"));
  EXPECT_THAT(
      Refusal(file, {{"normalizer",
                      {{"type", "Replace"}, {"pattern", {{"Regex", "a+"}}}, {"content", "b"}}}}),
      HasSubstr("'normalizer.pattern' is \"a+\""));
  EXPECT_THAT(Refusal(file, {{"pre_tokenizer", type("ByteLevel")}}),
              HasSubstr("'model' is a Unigram, which is not supported; supported: a BPE"));
  const json bytes = {{"pre_tokenizer", type("ByteLevel")}, {"decoder", type("ByteLevel")}};
  json without_regex = bytes;
  without_regex["pre_tokenizer"]["use_regex"] = false;
  EXPECT_THAT(Refusal(Bpe(), without_regex), HasSubstr("'pre_tokenizer.use_regex' is false"));
  EXPECT_THAT(Refusal(Bpe(), {{"pre_tokenizer", type("ByteLevel")}}),
              HasSubstr("'decoder.type' is 'Metaspace', which is not supported; supported: ByteL"));
  json normalized = bytes;
  normalized["normalizer"] = type("Strip");
  EXPECT_THAT(Refusal(Bpe(), normalized), HasSubstr("'normalizer' is not null"));
  EXPECT_THAT(Refusal(file, {{"pre_tokenizer", nullptr}}), HasSubstr("'pre_tokenizer' is null"));
  EXPECT_THAT(
      Refusal(file,
              {{"pre_tokenizer",
                {{"type", "Sequence"}, {"pretokenizers", {type("Digits"), type("Metaspace")}}}}}),
      HasSubstr("a Sequence of 'Digits, Metaspace'"));
  EXPECT_THAT(Refusal(file, {{"pre_tokenizer", {{"replacement", "_"}}}}),
              HasSubstr("'pre_tokenizer.replacement' is \"_\""));
  EXPECT_THAT(Refusal(file, {{"pre_tokenizer", {{"prepend_scheme", "often"}}}}),
              HasSubstr("'pre_tokenizer.prepend_scheme' is \"often\""));
  EXPECT_THAT(Refusal(file, {{"decoder", type("WordPiece")}}),
              HasSubstr("'decoder.type' is 'WordPiece'"));
  EXPECT_THAT(Refusal(file, {{"post_processor", type("BertProcessing")}}),
              HasSubstr("'post_processor.type' is 'BertProcessing'"));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"dropout", 0.1}}}}), HasSubstr("'model.dropout' is 0.1"));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"end_of_word_suffix", "</w>"}}}}),
              HasSubstr("'model.end_of_word_suffix' is \"</w>\""));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"ignore_merges", true}}}}),
              HasSubstr("'model.ignore_merges' is true"));
}

TEST(TokenizerJson, RefusesWhatIsMalformed) {
  const json file = Unigram();
  EXPECT_THAT(std::string(ParseTokenizerJson("[]", "tokenizer.json").status().message()),
              StartsWith("tokenizer.json: is "));
  EXPECT_THAT(Refusal(file, {{"model", nullptr}}), HasSubstr("'model' is missing"));
  EXPECT_THAT(Refusal(file, {{"model", {{"unk_id", 6}}}}),
              HasSubstr("'model.unk_id' is 6, expected an id from 0 to 5"));
  EXPECT_THAT(Refusal(file, {{"model", {{"vocab", json::array({json::array({"a", "b"})})}}}}),
              HasSubstr("expected [piece, score]"));
  json twice = file;
  twice["model"]["vocab"].push_back({"a", -1.0});
  EXPECT_THAT(Refusal(twice, json::object()), HasSubstr("has 'a' twice"));
  json added = file;
  added["added_tokens"][2]["id"] = 5;
  EXPECT_THAT(Refusal(added, json::object()),
              HasSubstr("gives 'xyz' the id 5, expected one that no piece has"));
  added["added_tokens"][2]["id"] = 5000;
  EXPECT_THAT(Refusal(added, json::object()), HasSubstr("'id' below 9"));
  added["added_tokens"][2] = {{"id", 4}, {"content", "a"}, {"special", true}};
  EXPECT_THAT(Refusal(added, json::object()),
              HasSubstr("gives 'a' the id 4, expected that of the same piece"));
  EXPECT_THAT(
      Refusal(file, {{"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "!"}}}}),
      HasSubstr("is no base64"));
  EXPECT_THAT(
      Refusal(file, {{"normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}}}}),
      HasSubstr("precompiled_charsmap has 3 bytes"));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"merges", {"a  b"}}}}}),
              HasSubstr("'model.merges' has \"a  b\""));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"merges", json::array({json::array({"b", "a"})})}}}}),
              HasSubstr("that make a third"));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"vocab", {{"a", 7}}}}}}),
              HasSubstr("gives 'a' the id 7"));
  EXPECT_THAT(Refusal(Bpe(), {{"model", {{"unk_token", "?"}}}}),
              HasSubstr("'model.unk_token' is \"?\""));
}

}  // namespace
}  // namespace dragoman::engine

#include "engine/model/tokenizers/vocabulary.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& json, int size) {
  const auto vocabulary = Vocabulary::Parse(json, "vocab.json", size);
  EXPECT_FALSE(vocabulary.ok());
  return std::string(vocabulary.status().message());
}

TEST(Vocabulary, FindsPiecesAndIds) {
  auto parsed = ExpectOk(Vocabulary::Parse(R"({"</s>": 0, "▁a": 2, "": 1})", "vocab.json", 3));
  const Vocabulary vocabulary = *std::move(parsed);  // the index survives a move
  EXPECT_EQ(vocabulary.size(), 3);
  EXPECT_EQ(vocabulary.IdOf("▁a"), 2);
  EXPECT_EQ(vocabulary.IdOf(""), 1);
  EXPECT_EQ(vocabulary.IdOf("b"), std::nullopt);
  EXPECT_EQ(vocabulary.PieceOf(0), "</s>");
  EXPECT_EQ(vocabulary.PieceOf(3), "");
  EXPECT_EQ(vocabulary.PieceOf(-1), "");
}

TEST(Vocabulary, OfPiecesMayHaveIdsWithoutAny) {
  const auto vocabulary = ExpectOk(Vocabulary::FromPieces({"<s>", "", "a", ""}, "x.model"));
  EXPECT_EQ(vocabulary->size(), 4);
  EXPECT_EQ(vocabulary->IdOf("a"), 2);
  EXPECT_EQ(vocabulary->IdOf(""), std::nullopt);
  EXPECT_EQ(vocabulary->PieceOf(3), "");
  EXPECT_EQ(Vocabulary::FromPieces({"a", "b", "a"}, "x.model").status().message(),
            "x.model: piece 'a' is there twice");
  // Without a given size, any number of pieces is accepted.
  EXPECT_EQ(Vocabulary::Parse(R"({"a": 1, "b": 0})", "vocab.json", std::nullopt)->size(), 2);
}

// resize_token_embeddings pads the matrix, so the last ids have no piece.
TEST(Vocabulary, TheLastIdsMayHaveNoPiece) {
  const auto vocabulary = ExpectOk(Vocabulary::Parse(R"({"a": 1, "": 0})", "vocab.json", 4));
  EXPECT_EQ(vocabulary->size(), 4);
  EXPECT_EQ(vocabulary->IdOf(""), 0);
  EXPECT_EQ(vocabulary->IdOf("a"), 1);
  EXPECT_EQ(vocabulary->PieceOf(3), "");
}

TEST(Vocabulary, RefusesGapsAndDuplicates) {
  EXPECT_THAT(ErrorOf(R"({"a": 0, "b": 2})", 2),
              HasSubstr("piece 'b' has id 2, expected one from 0 to 1"));
  EXPECT_THAT(ErrorOf(R"({"a": 0, "b": 0})", 2), HasSubstr("id 0 belongs to both 'a' and 'b'"));
  EXPECT_THAT(ErrorOf(R"({"a": 0, "a": 1})", 2), HasSubstr("key \"a\" appears twice"));
  EXPECT_THAT(ErrorOf(R"({"a": 0, "b": 1})", 1),
              HasSubstr("vocab.json: 2 pieces, expected at most the 1"));
  EXPECT_THAT(ErrorOf(R"({"a": 0, "b": 2})", 4), HasSubstr("the ids leave a gap"));
}

TEST(Vocabulary, RefusesWrongTypes) {
  EXPECT_THAT(ErrorOf(R"(["a"])", 1), HasSubstr("is [\"a\"], expected an object"));
  EXPECT_THAT(ErrorOf(R"({"a": "0"})", 1), HasSubstr("piece 'a' has id \"0\""));
  EXPECT_THAT(ErrorOf(R"({"a": -1})", 1), HasSubstr("piece 'a' has id -1"));
  EXPECT_THAT(ErrorOf(R"({"a": 0.0})", 1), HasSubstr("piece 'a' has id 0.0"));
  EXPECT_THAT(ErrorOf(R"({"a": {"b": {"c": 1}}})", 1), HasSubstr("nested deeper"));
  EXPECT_THAT(ErrorOf("{\"" + std::string(2000, 'x') + "\": 0}", 1), HasSubstr("has 2000 bytes"));
  EXPECT_THAT(ErrorOf("{\"a\": 0", 1), HasSubstr("not valid JSON"));
}

}  // namespace
}  // namespace dragoman::engine

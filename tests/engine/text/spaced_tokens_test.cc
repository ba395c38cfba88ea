// Tests texts of tokens that spaces separate (engine/text/spaced_tokens.h), alone and in a
// tokenizer.
#include "engine/text/spaced_tokens.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/tokenizer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;

class Letters : public PieceTable {
 public:
  std::optional<int> IdOf(std::string_view piece) const override {
    const auto found = ids_.find(std::string(piece));
    return found == ids_.end() ? std::nullopt : std::optional<int>(found->second);
  }
  std::string_view PieceOf(int id) const override {
    for (const auto& [piece, own] : ids_) {
      if (own == id) return piece;
    }
    return "";
  }

 private:
  const std::map<std::string, int> ids_ = {
      {"</s>", 0}, {"<unk>", 1}, {"a", 2}, {"b", 3}, {"\u2581", 4}};
};

std::vector<std::string> Pieces(std::string_view text) {
  std::vector<std::string> pieces;
  for (const SubwordToken& token : SpacedTokens().Encode(text, TextStart::kBegin)) {
    EXPECT_EQ(token.range.In(text), token.piece);
    pieces.push_back(token.piece);
  }
  return pieces;
}

TEST(SpacedTokens, AreWhatWhiteSpaceSeparates) {
  EXPECT_THAT(Pieces(""), ElementsAre());
  EXPECT_THAT(Pieces(" \t\n"), ElementsAre());
  EXPECT_THAT(Pieces("a"), ElementsAre("a"));
  EXPECT_THAT(Pieces("  ab \t c\r\n d "), ElementsAre("ab", "c", "d"));
  // A space that is not an ASCII character may be part of a piece.
  EXPECT_THAT(Pieces("\u00a0 x"), ElementsAre("\u00a0", "x"));
}

TEST(SpacedTokens, AreJoinedBySpaces) {
  const SpacedTokens model;
  const std::vector<std::string_view> pieces = {"a", "bc", "\u2581"};
  const PieceText joined = model.Decode(pieces, false, false);
  EXPECT_EQ(joined.text, "a bc \u2581");
  EXPECT_EQ(joined.ranges[1].In(joined.text), " bc");
  EXPECT_EQ(model.Decode(pieces, true, false).text, " a bc \u2581");
  EXPECT_EQ(model.Decode({pieces.data(), 2}, false, true).text, "a bc");
}

TEST(SpacedTokens, MakeATokenizer) {
  const Letters table;
  TokenizerFiles files;
  files.model = std::make_shared<SpacedTokens>();
  SpecialTokens special{.eos = 0, .unk = 1};
  special.ends_source = false;
  const auto tokenizer = ExpectOk(Tokenizer::Create(files, &table, &table, special));
  EXPECT_THAT((*tokenizer)->EncodeSource("a x \u2581  b </s>").ids, ElementsAre(2, 1, 4, 3, 1));
  EXPECT_EQ((*tokenizer)->Decode(std::vector<int>{2, 1, 4, 3, 0}), "a \u2581 b");
  EXPECT_FALSE((*tokenizer)->MarksWordBegin());
  const EncodedPhrase phrase = (*tokenizer)->EncodePhrase("b a", true);
  EXPECT_THAT(phrase.ids, ElementsAre(3, 2));
  EXPECT_TRUE(phrase.space_before);
  // Verbatim text that replaces tokens has one space on each side.
  const VerbatimTokens given{.begin = 1,
                             .end = 2,
                             .text = "X",
                             .space_before = phrase.space_before,
                             .space_after = phrase.space_after};
  EXPECT_EQ((*tokenizer)->DecodeWithRanges(std::vector<int>{2, 3, 3}, {&given, 1}).text, "a X b");
}

}  // namespace
}  // namespace dragoman::engine

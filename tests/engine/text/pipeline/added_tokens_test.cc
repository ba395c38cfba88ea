#include "engine/text/pipeline/added_tokens.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;

// A subword model whose pieces are words. The first piece of a text begins with "|", and the first
// after an added token with "+". Normalize lowercases letters and removes dots.
class Words : public SubwordModel {
 public:
  NormalizedText Normalize(std::string_view part) const override {
    NormalizedText changed;
    for (size_t i = 0; i < part.size(); ++i) {
      if (part[i] == '.') continue;
      changed.text += part[i] >= 'A' && part[i] <= 'Z' ? static_cast<char>(part[i] + 32) : part[i];
      changed.origin.push_back(static_cast<int32_t>(i));
    }
    changed.origin.push_back(static_cast<int32_t>(part.size()));
    return changed;
  }
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override {
    std::vector<SubwordToken> tokens;
    for (size_t begin = 0; begin < part.size();) {
      const size_t end = std::min(part.find(' ', begin + 1), part.size());
      std::string piece(part.substr(begin, end - begin));
      if (begin == 0) piece = (start == TextStart::kAfterToken ? "+" : "|") + piece;
      tokens.push_back({piece, {static_cast<int64_t>(begin), static_cast<int64_t>(end)}});
      begin = end;
    }
    return tokens;
  }
  PieceText Decode(std::span<const std::string_view> pieces, bool, bool) const override {
    PieceText joined;
    for (const std::string_view piece : pieces) {
      const auto begin = static_cast<int64_t>(joined.text.size());
      joined.text += piece;
      joined.ranges.push_back({begin, static_cast<int64_t>(joined.text.size())});
    }
    return joined;
  }
};

AddedTokenModel With(std::vector<AddedToken> tokens, TokenizerRules rules) {
  return {std::make_shared<Words>(), std::move(tokens), rules};
}

std::vector<std::string> Pieces(const std::vector<SubwordToken>& tokens) {
  std::vector<std::string> pieces;
  for (const SubwordToken& token : tokens) pieces.push_back(token.piece);
  return pieces;
}

std::vector<std::string> Cut(const AddedTokenModel& model, std::string_view text) {
  return Pieces(model.Encode(text, TextStart::kBegin));
}

constexpr TokenizerRules kSlow = TokenizerRules::kSlow;
constexpr TokenizerRules kFast = TokenizerRules::kFast;

TEST(AddedTokens, AreCutOutOfATextWithTheirPlaces) {
  for (const TokenizerRules rules : {kSlow, kFast}) {
    const AddedTokenModel model = With({{.text = "xyz"}, {.text = "xy"}}, rules);
    EXPECT_THAT(Cut(model, "a xyzb xy"), ElementsAre("|a", " ", "xyz", "+b", " ", "xy"));
    const auto tokens = model.Encode("a xyzb", TextStart::kBegin);
    ASSERT_EQ(tokens.size(), 4U);
    EXPECT_EQ(tokens[2].range, (TextRange{2, 5}));
    EXPECT_EQ(tokens[3].range, (TextRange{5, 6}));
    EXPECT_THAT(Cut(model, "xy"), ElementsAre("xy"));
    EXPECT_THAT(Cut(model, ""), ElementsAre());
  }
}

TEST(AddedTokens, SpecialOnesAreOfPromptsAlone) {
  for (const TokenizerRules rules : {kSlow, kFast}) {
    const AddedTokenModel model = With({{.text = "<de>", .special = true}, {.text = "b"}}, rules);
    EXPECT_THAT(Cut(model, "a<de>b"), ElementsAre("|a<de>", "b"));
    EXPECT_THAT(Pieces(model.EncodePrompt("<de> b")), ElementsAre("<de>", "+ ", "b"));
  }
}

TEST(AddedTokens, TakeWhiteSpaceOrStandAlone) {
  for (const TokenizerRules rules : {kSlow, kFast}) {
    const AddedTokenModel strips =
        With({{.text = "<l>", .lstrip = true}, {.text = "<r>", .rstrip = true}}, rules);
    EXPECT_THAT(Cut(strips, "a  <l> b"), ElementsAre("|a", "<l>", "+ b"));
    EXPECT_THAT(Cut(strips, "a <r>  b"), ElementsAre("|a", " ", "<r>", "+b"));
  }
  const std::vector<AddedToken> word = {{.text = "an", .single_word = true}};
  // A match that is not a complete word has split the text nevertheless.
  EXPECT_THAT(Cut(With(word, kSlow), "wann an"), ElementsAre("|wan", "+n", " ", "an"));
  // In the slow tokenizer only spaces separate words. In the fast one anything but letters does.
  EXPECT_THAT(Cut(With(word, kSlow), "an."), ElementsAre("|an."));
  EXPECT_THAT(Cut(With(word, kFast), "an."), ElementsAre("an"));
  EXPECT_THAT(Cut(With(word, kFast), "wann"), ElementsAre("|wann"));
}

TEST(AddedTokens, OfTheLibraryMayBeFoundInTheNormalizedText) {
  const std::vector<AddedToken> tokens = {{.text = "Ab", .normalized = true}, {.text = "Xy"}};
  const AddedTokenModel fast = With(tokens, kFast);
  EXPECT_THAT(Cut(fast, "c A.B Xy XY"), ElementsAre("|c", " ", "Ab", "+ ", "Xy", "+ xy"));
  EXPECT_EQ(fast.Encode("c A.B", TextStart::kBegin)[2].range, (TextRange{2, 5}));
  EXPECT_THAT(Cut(With(tokens, kSlow), "ab Ab"), ElementsAre("|ab", " ", "Ab"));
}

// Overlapping matches are resolved like in Trie.split of transformers.
TEST(AddedTokens, AreFoundAsTheTrieFindsThem) {
  const AddedTokenModel model = With({{.text = "abcd"}, {.text = "bc"}, {.text = "b"}}, kSlow);
  EXPECT_THAT(Cut(model, "abcd"), ElementsAre("abcd"));
  EXPECT_THAT(Cut(model, "abcx"), ElementsAre("|a", "bc", "+x"));
  EXPECT_THAT(Cut(model, "bcd"), ElementsAre("bc", "+d"));
  EXPECT_THAT(Cut(model, "xb"), ElementsAre("|x", "b"));
}

TEST(AddedTokens, OfTheSlowTokenizerHaveSpacesAroundThemInATranslation) {
  const std::vector<std::string_view> pieces = {"Ha", "us", "<x>", "<x>", "Tor"};
  const AddedTokenModel slow = With({{.text = "<x>"}}, kSlow);
  const PieceText whole = slow.Decode(pieces, false, false);
  EXPECT_EQ(whole.text, "Haus <x> <x> Tor");
  EXPECT_THAT(whole.ranges, ElementsAre(TextRange{0, 2}, TextRange{2, 4}, TextRange{5, 8},
                                        TextRange{9, 12}, TextRange{13, 16}));
  EXPECT_EQ(slow.Decode(std::span(pieces).first(3), false, true).text, "Haus <x>");
  EXPECT_EQ(slow.Decode(pieces, true, false).text, "Haus <x> <x> Tor");
  EXPECT_EQ(slow.Decode(std::span(pieces).last(2), true, false).text, " <x> Tor");
  EXPECT_EQ(With({{.text = "<x>"}}, kFast).Decode(pieces, false, false).text, "Haus<x><x>Tor");
}

}  // namespace
}  // namespace dragoman::engine

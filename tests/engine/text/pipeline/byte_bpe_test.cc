#include "engine/text/pipeline/byte_bpe.h"

#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  size_t begin = 0;
  for (const size_t end : ByteBpeWordEnds(text)) {
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  EXPECT_EQ(begin, text.size());
  return words;
}

TEST(ByteBpeWords, AreThoseOfTheExpression) {
  EXPECT_THAT(Words("I'm here, aren't I?"),
              ElementsAre("I", "'m", " here", ",", " aren", "'t", " I", "?"));
  EXPECT_THAT(Words("'sa ''s 'S"), ElementsAre("'s", "a", " ''", "s", " '", "S"));
  EXPECT_THAT(Words("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(Words("a \n b"), ElementsAre("a", " \n", " b"));
  EXPECT_THAT(Words("a\n\nb"), ElementsAre("a", "\n", "\n", "b"));
  EXPECT_THAT(Words("a  "), ElementsAre("a", "  "));
  EXPECT_THAT(Words(" "), ElementsAre(" "));
  EXPECT_THAT(Words("x1½y_2"), ElementsAre("x", "1½", "y", "_", "2"));
  EXPECT_THAT(Words("a\u00a0\u3000 b"), ElementsAre("a", "\u00a0\u3000", " b"));
  EXPECT_THAT(Words(""), ElementsAre());
}

// A model with one piece for each byte, at the index of the byte, and a few longer pieces.
class ByteBpeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      pieces_.emplace_back();
      AppendUtf8(printable ? static_cast<char32_t>(byte) : next++, pieces_.back());
    }
    for (const char* piece : {"ab", "Ġa", "Ġab"}) pieces_.emplace_back(piece);
    auto made = ExpectOk(
        ByteBpe::Create(pieces_, "#version: 0.2\na b\nĠ ab\n", "merges.txt", ByteBpe::kNone));
    model_ = *std::move(made);
  }
  std::vector<std::string> Cut(std::string_view text, TextStart start) const {
    std::vector<std::string> cut;
    for (const SubwordToken& token : model_->Encode(text, start)) cut.push_back(token.piece);
    return cut;
  }

  std::vector<std::string> pieces_;
  std::unique_ptr<ByteBpe> model_;
};

TEST_F(ByteBpeTest, MergesWithinWords) {
  EXPECT_THAT(Cut("ab ab", TextStart::kBegin), ElementsAre("ab", "Ġab"));
  EXPECT_THAT(Cut("ab", TextStart::kWord), ElementsAre("Ġab"));
  EXPECT_THAT(Cut("ab", TextStart::kInside), ElementsAre("ab"));
  const auto tokens = model_->Encode("ä ab", TextStart::kWord);
  ASSERT_EQ(tokens.size(), 4U);
  EXPECT_EQ(tokens[0].range, (TextRange{0, 0}));  // the added space is not part of the text
  EXPECT_EQ(tokens[1].range, (TextRange{0, 0}));
  EXPECT_EQ(tokens[2].range, (TextRange{0, 2}));
  EXPECT_EQ(tokens[3].range, (TextRange{2, 5}));
}

TEST_F(ByteBpeTest, WritesBytesAsTextAndHoldsBackWhatMayGrow) {
  const auto all = [&](std::string_view bytes) {
    std::vector<std::string_view> views;
    for (const char byte : bytes) views.push_back(pieces_[static_cast<unsigned char>(byte)]);
    return views;
  };
  const PieceText text = model_->Decode(all("a\xC3\xA4 b"), false, false);
  EXPECT_EQ(text.text, "aä b");
  EXPECT_THAT(text.ranges, ElementsAre(TextRange{0, 1}, TextRange{1, 1}, TextRange{1, 3},
                                       TextRange{3, 4}, TextRange{4, 5}));
  EXPECT_EQ(model_->Decode(all("a\xE2\x96"), false, true).text, "a");
  // The decoders of Python and Rust also return a single U+FFFD for an incomplete character.
  EXPECT_EQ(model_->Decode(all("a\xE2\x96"), false, false).text, "a\uFFFD");
  EXPECT_EQ(model_->Decode(all("\x80\xF0\x9F\x98z\xED\xA0\x80"), false, false).text,
            "\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD");
}

TEST_F(ByteBpeTest, RefusesMergesOfWhatAreNoPieces) {
  EXPECT_THAT(
      std::string(
          ByteBpe::Create(pieces_, "a b\nb a\n", "merges.txt", ByteBpe::kNone).status().message()),
      HasSubstr("merges.txt: line 2 is 'b a', expected two pieces"));
  pieces_[0x41] = "";
  EXPECT_THAT(
      std::string(ByteBpe::Create(pieces_, "", "merges.txt", ByteBpe::kNone).status().message()),
      HasSubstr("no piece 'A', which stands for byte 65"));
}

}  // namespace
}  // namespace dragoman::engine

// Compares Moses tokenization with sacremoses (tests/parity/fixtures/moses.jsonl.gz), and tests BPE
// on its words.
#include "engine/text/moses/moses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/moses/moses_bpe.h"
#include "tests/engine/support/gzip_file.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<json> Cases(std::string_view member) {
  const auto fixture =
      ExpectOk(ReadGzipFile(DRAGOMAN_SOURCE_DIR "/tests/parity/fixtures/moses.jsonl.gz"));
  std::vector<json> cases;
  std::istringstream lines(fixture.ok() ? *fixture : "");
  for (std::string line; std::getline(lines, line);) {
    json one = json::parse(line);
    if (one.contains(member)) cases.push_back(std::move(one));
  }
  return cases;
}

TEST(Moses, WordsAreThoseOfSacremoses) {
  std::map<std::string, std::unique_ptr<MosesTokenizer>> tokenizers;
  const std::vector<json> cases = Cases("text");
  ASSERT_EQ(cases.size(), 1800U);
  int wrong = 0;
  for (const json& one : cases) {
    auto& tokenizer = tokenizers[one["language"]];
    if (tokenizer == nullptr) {
      auto made = ExpectOk(MosesTokenizer::Create(one["language"].get<std::string>()));
      tokenizer = *std::move(made);
    }
    const auto text = one["text"].get<std::string>();
    json words = json::array();
    for (const MosesWord& word : tokenizer->Words(text)) {
      words.push_back(word.text);
      ASSERT_EQ(word.origin.size(), word.text.size()) << one;
      for (const TextRange& range : word.origin) {
        ASSERT_LE(range.begin, range.end) << one;
        ASSERT_LE(range.end, static_cast<int64_t>(text.size())) << one;
      }
    }
    if (words != one["words"] && ++wrong <= 5) ADD_FAILURE() << one << "\nfound " << words;
  }
  EXPECT_EQ(wrong, 0);
}

OwnedText Spaced(const std::vector<std::string>& words) {
  OwnedText joined;
  for (size_t i = 0; i < words.size(); ++i) {
    joined.text += words[i] + ' ';
    joined.owner.resize(joined.text.size(), static_cast<int>(i));
  }
  return joined;
}

TEST(Moses, TextsAreThoseOfSacremosesAndGrowWordByWord) {
  const std::vector<json> cases = Cases("joined");
  ASSERT_EQ(cases.size(), 1800U);
  for (const json& one : cases) {
    const bool is_english = one["language"] == "en";
    const auto words = one["words"].get<std::vector<std::string>>();
    const auto whole = one["joined"].get<std::string>();
    ASSERT_EQ(JoinMosesWords(Spaced(words), is_english, false, false).text, whole) << one;
    std::string before;
    for (size_t count = 0; count <= words.size(); ++count) {
      const std::vector<std::string> some(words.begin(),
                                          words.begin() + static_cast<std::ptrdiff_t>(count));
      const std::string now = JoinMosesWords(Spaced(some), is_english, false, true).text;
      ASSERT_TRUE(now.starts_with(before)) << one << "\n" << before << "\n" << now;
      ASSERT_TRUE(whole.starts_with(now)) << one << "\n" << now;
      before = now;
    }
  }
}

TEST(Moses, OtherLanguagesAreRefusedByName) {
  EXPECT_THAT(MosesTokenizer::Create("fi").status().message(),
              HasSubstr("language 'fi' is not supported; expected one of de, en, ru"));
}

// A rule that scanned a run again from each of its characters would take minutes.
TEST(Moses, LongRunsTakeLinearTime) {
  const auto tokenizer = MosesTokenizer::Create("de");
  ASSERT_TRUE(tokenizer.ok());
  const std::string dots(300000, '.');
  EXPECT_EQ((*tokenizer)->Words(dots + "x").size(), 2U);
  EXPECT_EQ((*tokenizer)->Words(dots + "\"").size(), 2U);
  std::string marks;
  for (int i = 0; i < 100000; ++i) marks += "DOT";
  EXPECT_EQ((*tokenizer)->Words(marks).size(), 1U);
}

struct Pieces {
  std::vector<std::string> text;
  std::vector<TextRange> ranges;
};

Pieces Cut(const MosesBpe& model, std::string_view text) {
  Pieces pieces;
  for (const SubwordToken& token : model.Encode(text, TextStart::kBegin)) {
    pieces.text.push_back(token.piece);
    pieces.ranges.push_back(token.range);
  }
  return pieces;
}

constexpr std::string_view kMerges =
    "a b 9\nab c</w> 7\nl o\nlo w</w>\n& a\np o\n&a po\ns ;</w>\nlast one without an end";

TEST(MosesBpe, MergesInTheOrderOfTheList) {
  const auto model = ExpectOk(MosesBpe::Create(kMerges, "en"));
  EXPECT_THAT(Cut(**model, "abc abcd low lower").text,
              ElementsAre("abc</w>", "ab", "c", "d</w>", "low</w>", "lo", "w", "e", "r</w>"));
}

TEST(MosesBpe, RangesTouchAndCoverWhatAnEntityStandsFor) {
  const auto model = ExpectOk(MosesBpe::Create(kMerges, "de"));
  const Pieces pieces = Cut(**model, "  a 'b");
  EXPECT_THAT(pieces.text, ElementsAre("a</w>", "&apo", "s;</w>", "b</w>"));
  EXPECT_THAT(pieces.ranges,
              ElementsAre(TextRange{2, 3}, TextRange{3, 5}, TextRange{5, 5}, TextRange{5, 6}));
}

TEST(MosesBpe, TextOfPiecesHasTheirRanges) {
  const auto model = ExpectOk(MosesBpe::Create(kMerges, "en"));
  const std::vector<std::string_view> pieces = {"ab",      "c</w>", "&ap",  "os;s</w>",
                                                "@-@</w>", "x</w>", ".</w>"};
  const PieceText whole = (*model)->Decode(pieces, false, false);
  EXPECT_EQ(whole.text, "abc's-x.");
  EXPECT_THAT(whole.ranges,
              ElementsAre(TextRange{0, 2}, TextRange{2, 3}, TextRange{3, 4}, TextRange{4, 5},
                          TextRange{5, 6}, TextRange{6, 7}, TextRange{7, 8}));
  EXPECT_EQ((*model)->Decode(pieces, true, false).text, " abc's-x.");
  // The hyphen joins its neighbours, so the text from the hyphen on may still change.
  EXPECT_EQ((*model)->Decode(std::span(pieces).first(5), false, true).text, "abc");
}

TEST(MosesBpe, AnEmptyTextHasNoPieces) {
  const auto model = MosesBpe::Create(kMerges, "ru");
  ASSERT_TRUE(model.ok());
  EXPECT_THAT(Cut(**model, " \t\xE2\x80\x8B").text, ElementsAre());
  EXPECT_EQ((*model)->Decode({}, true, false).text, "");
}

}  // namespace
}  // namespace dragoman::engine

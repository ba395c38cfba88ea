#include "engine/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

#include "engine/base/utf8.h"
#include "engine/text/sentencepiece/spm_normalizer.h"
#include "tests/engine/support/gzip_file.h"
#include "tests/engine/text/json_pieces.h"
#include "tests/engine/text/text_test_data.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBundled[] = "deploy/models/de-en";

// A tokenizer with the tables that it borrows.
struct Loaded {
  std::unique_ptr<JsonPieces> source;
  std::unique_ptr<JsonPieces> target;
  std::unique_ptr<Tokenizer> tokenizer;
};

Loaded Load(const std::string& directory, bool ends_source = true) {
  Loaded loaded;
  loaded.source = std::make_unique<JsonPieces>(ReadSourceFile(directory + "/vocab.json"));
  const std::string target = directory + "/target_vocab.json";
  const bool separate = std::filesystem::exists(DRAGOMAN_SOURCE_DIR "/" + target);
  loaded.target =
      std::make_unique<JsonPieces>(ReadSourceFile(separate ? target : directory + "/vocab.json"));
  TokenizerFiles files;
  files.source_spm = ReadSourceFile(directory + "/source.spm");
  files.target_spm = ReadSourceFile(directory + "/target.spm");
  auto tokenizer = ExpectOk(Tokenizer::Create(files, loaded.source.get(), loaded.target.get(),
                                              {.eos = *loaded.target->IdOf("</s>"),
                                               .unk = *loaded.target->IdOf("<unk>"),
                                               .pad = *loaded.target->IdOf("<pad>"),
                                               .ends_source = ends_source}));
  loaded.tokenizer = *std::move(tokenizer);
  return loaded;
}

// Checks every case that tests/parity/make_fixtures.py recorded with transformers' MarianTokenizer.
TEST(TokenizerParity, EqualsHuggingFace) {
  const auto fixture =
      ExpectOk(ReadGzipFile(DRAGOMAN_SOURCE_DIR "/tests/parity/fixtures/tokenizer.jsonl.gz"));
  std::istringstream lines(*fixture);
  std::map<std::string, Loaded> models;
  nlohmann::json directories;
  int encoded = 0;
  int decoded = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    if (row.contains("header")) {
      directories = row["models"];
      continue;
    }
    const std::string name = row["model"];
    if (!models.contains(name)) models.emplace(name, Load(directories[name]));
    const Loaded& model = models.at(name);
    const std::string text = row["text"];
    if (row.contains("decode")) {
      const auto ids = row["decode"].get<std::vector<int>>();
      EXPECT_EQ(model.tokenizer->Decode(ids), text) << name << " " << row["decode"];
      ++decoded;
    } else {
      std::optional<int> tag;
      if (row.contains("target_lang")) {
        tag = model.source->IdOf(">>" + row["target_lang"].get<std::string>() + "<<");
        ASSERT_TRUE(tag.has_value()) << line;
      }
      EXPECT_EQ(model.tokenizer->EncodeSource(text, {tag, {}}).ids,
                row["ids"].get<std::vector<int>>())
          << name << " " << text;
      ++encoded;
    }
  }
  EXPECT_GE(encoded, 100);
  EXPECT_GE(decoded, 100);
}

TEST(Tokenizer, RangesAreInOrderAndPutTheTextTogether) {
  const Loaded model = Load(kBundled);
  std::vector<std::string> texts = GermanLines();
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) texts.push_back(RandomText(random, 25));
  for (const std::string& text : texts) {
    const EncodedText encoded = model.tokenizer->EncodeSource(text);
    ASSERT_EQ(encoded.ids.size(), encoded.ranges.size());
    int64_t end = encoded.ranges.front().begin;
    // Normalisation drops the text before the first token.
    const std::string dropped = text.substr(0, static_cast<size_t>(end));
    EXPECT_EQ(model.tokenizer->EncodeSource(dropped).ids.size(), 1U) << text;
    for (size_t i = 0; i + 1 < encoded.ranges.size(); ++i) {
      ASSERT_EQ(encoded.ranges[i].begin, end) << text;
      ASSERT_FALSE(FirstInvalidUtf8(encoded.ranges[i].In(text))) << text;
      end = encoded.ranges[i].end;
    }
    EXPECT_EQ(encoded.ids.back(), model.tokenizer->special().eos);
    EXPECT_EQ(encoded.ranges.back(),
              (TextRange{static_cast<int64_t>(text.size()), static_cast<int64_t>(text.size())}));
  }
}

TEST(Tokenizer, RangesCountBytesBeforeNormalisation) {
  const Loaded model = Load(kBundled);
  const std::string text = " Ｈａｌｌｏ  ﬁn 漢字 ½ ";
  std::vector<std::string> surfaces;
  const EncodedText encoded = model.tokenizer->EncodeSource(text);
  for (const TextRange& range : encoded.ranges) surfaces.emplace_back(range.In(text));
  EXPECT_THAT(surfaces, ElementsAre("Ｈａｌｌｏ", "  ", "ﬁn", " ", "漢字", " ", "", "", "½", ""));
}

TEST(Tokenizer, NamesOfTokensInTheTextAreText) {
  const Loaded model = Load("tests/data/models/tiny-multi");
  int tag = -1;
  std::string name;
  for (int id = 0; id < model.source->size(); ++id) {
    const std::string_view piece = model.source->PieceOf(id);
    if (piece.starts_with(">>")) {
      tag = id;
      name = piece;
    }
  }
  ASSERT_GE(tag, 0);
  const SpecialTokens special = model.tokenizer->special();
  for (const std::string& text : {name, name + " Hallo", std::string("</s>"),
                                  std::string("a <pad> b"), std::string("<unk> </s><s>")}) {
    const EncodedText plain = model.tokenizer->EncodeSource(text);
    for (size_t i = 0; i + 1 < plain.ids.size(); ++i) {
      EXPECT_NE(plain.ids[i], tag) << text;
      EXPECT_NE(plain.ids[i], special.eos) << text;
      EXPECT_NE(plain.ids[i], special.pad) << text;
    }
    const EncodedText tagged = model.tokenizer->EncodeSource(text, {tag, {}});
    ASSERT_EQ(tagged.ids.size(), plain.ids.size() + 1);
    EXPECT_EQ(tagged.ids.front(), tag);
    EXPECT_EQ(tagged.ranges.front(), (TextRange{0, 0}));
    EXPECT_EQ(tagged.text_begin, 1U);
    EXPECT_EQ(tagged.text_end, plain.ids.size());
    const EncodedText behind = model.tokenizer->EncodeSource(text, {{}, tag});
    ASSERT_EQ(behind.ids.size(), plain.ids.size() + 1);
    EXPECT_EQ(behind.ids.back(), tag);
    EXPECT_EQ(behind.ids[plain.ids.size() - 1], special.eos);
    EXPECT_EQ(behind.text_begin, 0U);
    EXPECT_EQ(behind.text_end, plain.ids.size() - 1);
  }
}

TEST(Tokenizer, EmptyTextIsEosAlone) {
  const Loaded model = Load(kBundled);
  EXPECT_THAT(model.tokenizer->EncodeSource("").ids, ElementsAre(model.tokenizer->special().eos));
  EXPECT_THAT(model.tokenizer->EncodeSource(" \t\n").ids,
              ElementsAre(model.tokenizer->special().eos));
  EXPECT_TRUE(model.tokenizer->EncodeTarget("").ids.empty());
}

TEST(Tokenizer, ASourceWithoutAnEndIsItsPieces) {
  const Loaded model = Load(kBundled);
  const Loaded endless = Load(kBundled, /*ends_source=*/false);
  EncodedText expected = model.tokenizer->EncodeSource("Guten Morgen!");
  expected.ids.pop_back();
  expected.ranges.pop_back();
  const EncodedText encoded = endless.tokenizer->EncodeSource("Guten Morgen!");
  EXPECT_EQ(encoded.ids, expected.ids);
  EXPECT_EQ(encoded.ranges, expected.ranges);
  EXPECT_TRUE(endless.tokenizer->EncodeSource(" ").ids.empty());
}

TEST(Tokenizer, DecodeDropsSpecialTokensAndIdsOutsideOfTheVocabulary) {
  const Loaded model = Load(kBundled);
  const SpecialTokens special = model.tokenizer->special();
  std::vector<int> ids = model.tokenizer->EncodeTarget("Good morning, Tom.").ids;
  EXPECT_EQ(model.tokenizer->Decode(ids), "Good morning, Tom.");
  ids.insert(ids.begin() + 1, {special.unk, special.eos, *special.pad, -1, 1 << 30});
  ids.push_back(special.eos);
  EXPECT_EQ(model.tokenizer->Decode(ids), "Good morning, Tom.");
  EXPECT_TRUE(model.tokenizer->IsSpecial(*special.pad));
  EXPECT_FALSE(model.tokenizer->IsSpecial(2));
  EXPECT_EQ(model.tokenizer->Decode({}), "");
}

// Returns random ids, many of them unusual: special tokens, byte pieces and space marks.
std::vector<int> RandomIds(const Loaded& model, std::mt19937& random, size_t size) {
  std::vector<int> odd = {model.tokenizer->special().eos, model.tokenizer->special().unk, -1};
  for (int id = 0; id < model.target->size(); ++id) {
    const std::string_view piece = model.target->PieceOf(id);
    if (piece.starts_with("<") || piece == "▁" || piece.starts_with("▁▁")) odd.push_back(id);
  }
  std::vector<int> ids;
  while (ids.size() < size) {
    ids.push_back(random() % 2 == 0 ? odd[random() % odd.size()]
                                    : static_cast<int>(random() % model.target->size()));
  }
  return ids;
}

class DecodedRanges : public ::testing::TestWithParam<const char*> {};

// Checks that the ranges are in order, begin and end with visible text unless they are empty, and
// leave out only white space.
void ExpectSoundRanges(const DecodedText& decoded, size_t ids) {
  ASSERT_EQ(decoded.ranges.size(), ids);
  int64_t end = 0;
  for (const TextRange& range : decoded.ranges) {
    ASSERT_LE(end, range.begin) << decoded.text;
    ASSERT_LE(range.begin, range.end);
    ASSERT_EQ(StripWhiteSpace(TextRange{end, range.begin}.In(decoded.text)), "");
    ASSERT_EQ(StripWhiteSpace(range.In(decoded.text)), range.In(decoded.text));
    ASSERT_FALSE(FirstInvalidUtf8(range.In(decoded.text)));
    end = range.end;
  }
  ASSERT_EQ(end, static_cast<int64_t>(decoded.text.size()));
}

TEST_P(DecodedRanges, CoverWhatIsNotWhiteSpace) {
  const Loaded model = Load(GetParam());
  std::mt19937 random(21);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<int> ids = RandomIds(model, random, random() % 20);
    const DecodedText decoded = model.tokenizer->DecodeWithRanges(ids);
    ASSERT_EQ(decoded.text, model.tokenizer->Decode(ids));
    ASSERT_NO_FATAL_FAILURE(ExpectSoundRanges(decoded, ids.size()));
    for (size_t k = 0; k < ids.size(); ++k) {
      std::string piece(model.target->PieceOf(ids[k]));
      if (model.tokenizer->IsSpecial(ids[k]) || piece.empty()) {
        ASSERT_EQ(decoded.ranges[k].size(), 0);
      } else if (!piece.starts_with('<')) {
        ReplaceSpaceMarks(piece);
        ASSERT_EQ(decoded.ranges[k].In(decoded.text), StripWhiteSpace(piece));
      }
    }
  }
}

TEST_P(DecodedRanges, OfRealTextToo) {
  const Loaded model = Load(GetParam());
  for (const std::string& line : GermanLines()) {
    const std::vector<int> ids = model.tokenizer->EncodeTarget(line).ids;
    const DecodedText decoded = model.tokenizer->DecodeWithRanges(ids);
    ASSERT_EQ(decoded.text, model.tokenizer->Decode(ids));
    ASSERT_NO_FATAL_FAILURE(ExpectSoundRanges(decoded, ids.size()));
  }
}

TEST_P(DecodedRanges, VerbatimTextsStandInPlaceOfTheirTokens) {
  const Loaded model = Load(GetParam());
  std::mt19937 random(22);
  const std::string literals[] = {"😀", "漢字", "a▁b", "x  y", "</s>", "e\u0301"};
  for (int i = 0; i < 2000; ++i) {
    const std::vector<int> ids = RandomIds(model, random, 1 + random() % 16);
    std::vector<VerbatimTokens> verbatim;
    for (size_t at = 0; at < ids.size();) {
      const size_t end = std::min(ids.size(), at + 1 + random() % 3);
      if (random() % 3 == 0) {
        verbatim.push_back({at, end, literals[random() % std::size(literals)], random() % 2 == 0,
                            random() % 4 == 0});
      }
      at = end;
    }
    const DecodedText decoded = model.tokenizer->DecodeWithRanges(ids, verbatim);
    ASSERT_EQ(decoded.ranges.size(), ids.size());
    for (const VerbatimTokens& given : verbatim) {
      const TextRange range = decoded.ranges[given.begin];
      ASSERT_EQ(range.In(decoded.text), given.text);
      ASSERT_TRUE(!given.space_before || range.begin == 0 ||
                  decoded.text[static_cast<size_t>(range.begin) - 1] == ' ');
      for (size_t k = given.begin + 1; k < given.end; ++k) {
        ASSERT_EQ(decoded.ranges[k], (TextRange{range.end, range.end}));
      }
    }
    // Prefixes that do not cut a verbatim text only grow, and each is a prefix of the complete
    // text.
    std::string last;
    for (size_t n = 0; n <= ids.size(); ++n) {
      std::vector<VerbatimTokens> known;
      bool cut = false;
      for (const VerbatimTokens& given : verbatim) {
        if (given.end <= n) known.push_back(given);
        cut = cut || (given.begin < n && n < given.end);
      }
      if (cut) continue;
      const std::string prefix = model.tokenizer->DecodePrefix(std::span(ids).first(n), known);
      ASSERT_TRUE(prefix.starts_with(last));
      ASSERT_TRUE(decoded.text.starts_with(prefix));
      last = prefix;
    }
  }
}

TEST_P(DecodedRanges, AVerbatimTextThatTheTokensSpellChangesNothing) {
  const Loaded model = Load(GetParam());
  std::mt19937 random(23);
  int checked = 0;
  for (const std::string& line : GermanLines()) {
    std::vector<int> ids = model.tokenizer->EncodeTarget(line).ids;
    const bool word_start = random() % 2 == 0;
    const EncodedPhrase phrase = model.tokenizer->EncodePhrase("und so", word_start);
    ASSERT_EQ(phrase.space_before, word_start);
    if (std::ranges::find(phrase.ids, model.tokenizer->special().unk) != phrase.ids.end()) continue;
    const size_t at = random() % (ids.size() + 1);
    ids.insert(ids.begin() + static_cast<ptrdiff_t>(at), phrase.ids.begin(), phrase.ids.end());
    const VerbatimTokens verbatim[] = {
        {at, at + phrase.ids.size(), "und so", phrase.space_before, phrase.space_after}};
    ASSERT_EQ(model.tokenizer->DecodeWithRanges(ids, verbatim).text, model.tokenizer->Decode(ids));
    ++checked;
  }
  EXPECT_TRUE(checked > 100 || std::string(GetParam()) != kBundled);
}

INSTANTIATE_TEST_SUITE_P(Models, DecodedRanges,
                         ::testing::Values(kBundled, "tests/data/models/tiny-a",
                                           "tests/data/models/tiny-b",
                                           "tests/data/models/tiny-multi"));

TEST(Tokenizer, APhraseInsideOfAWordHasNoMark) {
  const Loaded model = Load(kBundled);
  const EncodedPhrase word = model.tokenizer->EncodePhrase("house", true);
  EXPECT_TRUE(word.space_before);
  EXPECT_FALSE(word.space_after);
  EXPECT_EQ(word.ids, model.tokenizer->EncodeTarget("house").ids);
  const EncodedPhrase inside = model.tokenizer->EncodePhrase("house", false);
  EXPECT_FALSE(inside.space_before);
  std::vector<int> ids = model.tokenizer->EncodeTarget("a").ids;
  ids.insert(ids.end(), inside.ids.begin(), inside.ids.end());
  EXPECT_EQ(model.tokenizer->Decode(ids), "ahouse");
  EXPECT_TRUE(model.tokenizer->EncodePhrase(" \n", true).ids.empty());
}

TEST(Tokenizer, BadFilesAreNamed) {
  const JsonPieces table(R"({"</s>": 0, "<unk>": 1})");
  TokenizerFiles files;
  files.source_spm = ReadSourceFile(std::string(kBundled) + "/source.spm");
  files.target_spm = "no model";
  files.target_path = "target.spm";
  const auto tokenizer = Tokenizer::Create(files, &table, &table, {});
  ASSERT_EQ(tokenizer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tokenizer.status().message()), HasSubstr("target.spm"));
}

class PartialText : public ::testing::TestWithParam<const char*> {};

TEST_P(PartialText, IsAPrefixOfEveryLaterOneAndOfTheWhole) {
  const Loaded model = Load(GetParam());
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<int> ids = RandomIds(model, random, random() % 20);
    const std::string whole = model.tokenizer->Decode(ids);
    std::string last;
    for (size_t n = 0; n <= ids.size(); ++n) {
      const std::string prefix = model.tokenizer->DecodePrefix(std::span(ids).first(n));
      ASSERT_TRUE(prefix.starts_with(last)) << ::testing::PrintToString(ids);
      ASSERT_TRUE(whole.starts_with(prefix)) << ::testing::PrintToString(ids);
      ASSERT_FALSE(FirstInvalidUtf8(prefix));
      last = prefix;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, PartialText,
                         ::testing::Values(kBundled, "tests/data/models/tiny-a",
                                           "tests/data/models/tiny-b",
                                           "tests/data/models/tiny-multi"));

TEST(Tokenizer, APrefixShowsWordsAsTheyBecomeFinal) {
  const Loaded model = Load(kBundled);
  const std::vector<int> ids = model.tokenizer->EncodeTarget("I like it.").ids;
  EXPECT_EQ(model.tokenizer->DecodePrefix({}), "");
  EXPECT_EQ(model.tokenizer->DecodePrefix(std::span(ids).first(1)), "I");
  EXPECT_EQ(model.tokenizer->DecodePrefix(ids), "I like it.");
}

TEST(Tokenizer, SeveralThreadsAtOnce) {
  const Loaded model = Load(kBundled);
  const std::vector<std::string> lines = GermanLines();
  const auto encode_all = [&] {
    std::vector<int> ids;
    for (const std::string& line : lines) {
      const auto encoded = model.tokenizer->EncodeSource(line).ids;
      ids.insert(ids.end(), encoded.begin(), encoded.end());
    }
    return ids;
  };
  const std::vector<int> want = encode_all();
  std::vector<std::vector<int>> got(3);
  {
    std::vector<std::jthread> threads;
    threads.reserve(got.size());
    for (auto& ids : got) threads.emplace_back([&] { ids = encode_all(); });
  }
  EXPECT_THAT(got, Each(want));
}

}  // namespace
}  // namespace dragoman::engine

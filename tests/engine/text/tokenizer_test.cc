#include "engine/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

#include "engine/text/partial_text.h"
#include "engine/text/utf8.h"
#include "tests/engine/text/json_pieces.h"
#include "tests/engine/text/text_test_data.h"

namespace dragoman {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBundled[] = "deploy/models/de-en";

// A tokenizer with the tables it borrows.
struct Loaded {
  std::unique_ptr<JsonPieces> source;
  std::unique_ptr<JsonPieces> target;
  std::unique_ptr<Tokenizer> tokenizer;
};

Loaded Load(const std::string& directory) {
  Loaded loaded;
  loaded.source = std::make_unique<JsonPieces>(ReadSourceFile(directory + "/vocab.json"));
  const std::string target = directory + "/target_vocab.json";
  const bool separate = std::filesystem::exists(DRAGOMAN_SOURCE_DIR "/" + target);
  loaded.target =
      std::make_unique<JsonPieces>(ReadSourceFile(separate ? target : directory + "/vocab.json"));
  TokenizerFiles files;
  files.source_spm = ReadSourceFile(directory + "/source.spm");
  files.target_spm = ReadSourceFile(directory + "/target.spm");
  auto tokenizer = Tokenizer::Create(
      files, loaded.source.get(), loaded.target.get(),
      {*loaded.target->IdOf("</s>"), *loaded.target->IdOf("<unk>"), *loaded.target->IdOf("<pad>")});
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  loaded.tokenizer = *std::move(tokenizer);
  return loaded;
}

// Every case that tests/parity/make_fixtures.py wrote with transformers' MarianTokenizer.
TEST(TokenizerParity, EqualsHuggingFace) {
  std::istringstream lines(ReadSourceFile("tests/parity/fixtures/tokenizer.jsonl"));
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
      EXPECT_EQ(model.tokenizer->EncodeSource(text, tag).ids, row["ids"].get<std::vector<int>>())
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
    // What comes before the first token is what the normalisation drops.
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
    const EncodedText tagged = model.tokenizer->EncodeSource(text, tag);
    ASSERT_EQ(tagged.ids.size(), plain.ids.size() + 1);
    EXPECT_EQ(tagged.ids.front(), tag);
    EXPECT_EQ(tagged.ranges.front(), (TextRange{0, 0}));
  }
}

TEST(Tokenizer, EmptyTextIsEosAlone) {
  const Loaded model = Load(kBundled);
  EXPECT_THAT(model.tokenizer->EncodeSource("").ids, ElementsAre(model.tokenizer->special().eos));
  EXPECT_THAT(model.tokenizer->EncodeSource(" \t\n").ids,
              ElementsAre(model.tokenizer->special().eos));
  EXPECT_TRUE(model.tokenizer->EncodeTarget("").ids.empty());
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

TEST(Tokenizer, BadFilesAreNamed) {
  const JsonPieces table(R"({"</s>": 0, "<unk>": 1})");
  TokenizerFiles files;
  files.source_spm = ReadSourceFile(std::string(kBundled) + "/source.spm");
  files.target_spm = "no model";
  const auto tokenizer = Tokenizer::Create(files, &table, &table, {});
  ASSERT_EQ(tokenizer.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tokenizer.status().message()), HasSubstr("target.spm"));
}

class PartialText : public ::testing::TestWithParam<const char*> {};

TEST_P(PartialText, IsAPrefixOfEveryLaterOneAndOfTheWhole) {
  const Loaded model = Load(GetParam());
  std::vector<int> odd = {model.tokenizer->special().eos, model.tokenizer->special().unk};
  for (int id = 0; id < model.target->size(); ++id) {
    const std::string_view piece = model.target->PieceOf(id);
    if (piece.starts_with("<") || piece == "▁" || piece.starts_with("▁▁")) odd.push_back(id);
  }
  std::mt19937 random(11);
  for (int i = 0; i < 3000; ++i) {
    std::vector<int> ids;
    const size_t size = random() % 20;
    while (ids.size() < size) {
      ids.push_back(random() % 2 == 0 ? odd[random() % odd.size()]
                                      : static_cast<int>(random() % model.target->size()));
    }
    const std::string whole = model.tokenizer->Decode(ids);
    StreamingDetokenizer stream(model.tokenizer.get());
    std::string last;
    for (size_t n = 0; n <= ids.size(); ++n) {
      const bool grew = stream.Update(std::span(ids).first(n));
      ASSERT_EQ(grew, stream.text().size() > last.size());
      ASSERT_TRUE(stream.text().starts_with(last)) << ::testing::PrintToString(ids);
      ASSERT_TRUE(whole.starts_with(stream.text())) << ::testing::PrintToString(ids);
      ASSERT_FALSE(FirstInvalidUtf8(stream.text()));
      last = stream.text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, PartialText,
                         ::testing::Values(kBundled, "tests/data/models/tiny-a",
                                           "tests/data/models/tiny-b",
                                           "tests/data/models/tiny-multi"));

TEST(StreamingDetokenizer, ShowsWordsAsTheyBecomeFinal) {
  const Loaded model = Load(kBundled);
  const std::vector<int> ids = model.tokenizer->EncodeTarget("I like it.").ids;
  StreamingDetokenizer stream(model.tokenizer.get());
  EXPECT_FALSE(stream.Update({}));
  EXPECT_TRUE(stream.Update(std::span(ids).first(1)));
  EXPECT_EQ(stream.text(), "I");
  EXPECT_FALSE(stream.Update(std::span(ids).first(1)));
  EXPECT_TRUE(stream.Update(ids));
  EXPECT_EQ(stream.text(), "I like it.");
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
}  // namespace dragoman

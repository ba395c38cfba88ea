#include "engine/model/formats/lexical_shortlist.h"
#include "engine/model/layouts/model_source.h"

#include <cstring>
#include <string>
#include <vector>

#include "engine/model/layouts/marian/directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::StartsWith;

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/tests/data/models/marian-firefox";

// A shortlist of five source words. The third and the last have no list.
struct TinyShortlist {
  std::string Bytes() const {
    std::string bytes = Raw(magic) + Raw(uint64_t{0}) + Raw(first) + Raw(uint64_t{3}) +
                        Raw(uint64_t{offset_count}) + Raw(uint64_t{word_count});
    for (const uint64_t offset : offsets) bytes += Raw(offset);
    for (const uint32_t word : words) bytes += Raw(word);
    const uint64_t checksum = ShortlistChecksum(dragoman::engine::Bytes(bytes));
    std::memcpy(bytes.data() + sizeof(uint64_t), &checksum, sizeof(checksum));
    return bytes;
  }
  absl::StatusOr<LexicalShortlist> Parse() const {
    const std::string bytes = Bytes();
    return LexicalShortlist::Parse(dragoman::engine::Bytes(bytes), "lex.bin", vocabularies);
  }
  std::string Fault() const {
    const absl::Status status = Parse().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), StartsWith("lex.bin: "));
    return std::string(status.message());
  }

  uint64_t magic = 0xF11A48D5013417F5;
  uint64_t first = 2;
  std::vector<uint64_t> offsets = {0, 2, 5, 5, 7, 7};
  std::vector<uint32_t> words = {7, 30, 5, 7, 20, 1, 31};
  uint64_t offset_count = 6;
  uint64_t word_count = 7;
  LexicalShortlist::Vocabularies vocabularies{5, 40, false};
};

TEST(LexicalShortlist, WordsAreTheFirstAndTheListsOfTheSource) {
  TinyShortlist tiny;
  // 0, 1 and 7, 30 are four words. Marian adds the lowest words until there are eight.
  EXPECT_THAT(tiny.Parse()->WordsFor({{0}}, {}), ElementsAre(0, 1, 2, 3, 4, 5, 7, 30));
  EXPECT_THAT(tiny.Parse()->WordsFor({{0, 1, 0, 1}}, {}), ElementsAre(0, 1, 2, 3, 5, 7, 20, 30));
  EXPECT_THAT(tiny.Parse()->WordsFor({{2, 4}}, {}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  tiny.first = 8;
  EXPECT_THAT(tiny.Parse()->WordsFor({{2}}, {}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(tiny.Parse()->WordsFor({{3}}, {}).size(), 16U);
}

TEST(LexicalShortlist, OfASharedVocabularyTheSourceMayStay) {
  TinyShortlist tiny;
  tiny.vocabularies.shared = true;
  EXPECT_THAT(tiny.Parse()->WordsFor({{0, 4}}, {}), ElementsAre(0, 1, 2, 3, 4, 5, 7, 30));
  EXPECT_THAT(tiny.Parse()->WordsFor({{2}}, {}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

// The words that a request asks for are added to the complete list. Nothing else changes.
TEST(LexicalShortlist, WhatARequestWantsIsAdded) {
  const TinyShortlist tiny;
  EXPECT_THAT(tiny.Parse()->WordsFor({{0}}, {{39, 7, 40, 39}}),
              ElementsAre(0, 1, 2, 3, 4, 5, 7, 30, 39, 40));
}

TEST(LexicalShortlist, MoreFirstWordsThanThereAreAreAll) {
  TinyShortlist tiny;
  tiny.first = uint64_t{1} << 60;
  EXPECT_EQ(tiny.Parse()->WordsFor({{0}}, {}).size(), 40U);
  tiny.vocabularies.target_words = 35;  // not a multiple of eight
  EXPECT_EQ(tiny.Parse()->WordsFor({{0}}, {}).size(), 35U);
}

TEST(LexicalShortlist, WhatIsWrongIsNamed) {
  TinyShortlist tiny;
  tiny.magic = 1;
  EXPECT_THAT(tiny.Fault(), HasSubstr("no binary shortlist of Marian's"));
  tiny = {};
  tiny.vocabularies.source_words = 6;
  EXPECT_THAT(tiny.Fault(), HasSubstr("lists of 5 source words, expected 6"));
  tiny = {};
  tiny.offset_count = 0;
  EXPECT_THAT(tiny.Fault(), HasSubstr("lists of 0 source words, expected 5"));
  for (const uint64_t count : {uint64_t{6}, uint64_t{8}, uint64_t{1} << 62}) {
    tiny = {};
    tiny.word_count = count;
    EXPECT_THAT(tiny.Fault(), HasSubstr("has 124 bytes, and not those of 6 offsets and"));
  }
  tiny = {};
  tiny.offsets[2] = 1;
  EXPECT_THAT(tiny.Fault(), HasSubstr("offset 2 is 1, expected 2 to 7"));
  tiny.offsets[2] = 8;
  EXPECT_THAT(tiny.Fault(), HasSubstr("offset 2 is 8, expected 2 to 7"));
  tiny = {};
  tiny.offsets[0] = 1;
  EXPECT_THAT(tiny.Fault(), HasSubstr("offset 0 is 1, expected 0"));
  tiny = {};
  tiny.offsets.back() = 6;
  tiny.offsets[4] = 6;
  EXPECT_THAT(tiny.Fault(), HasSubstr("the last offset is 6, expected 7"));
  tiny = {};
  tiny.words[3] = 40;
  EXPECT_THAT(tiny.Fault(), HasSubstr("word 3 of its lists is 40, expected 0 to 39"));
}

TEST(LexicalShortlist, DamagedBytesAreNotTaken) {
  const TinyShortlist tiny;
  const std::string whole = tiny.Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(
        LexicalShortlist::Parse(Bytes(whole.substr(0, size)), "lex.bin", tiny.vocabularies).ok())
        << size;
  }
  std::string damaged = whole;
  damaged[whole.size() - 8] = 3;
  const auto status =
      LexicalShortlist::Parse(Bytes(damaged), "lex.bin", tiny.vocabularies).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("the file is damaged"));
}

// The file was written by tests/parity/make_marian_directories.py. Marian accepts its checksum.
TEST(LexicalShortlist, IsReadFromBesideTheModel) {
  const auto model = ExpectOk(LoadModel(kModel));
  EXPECT_FALSE(model->names_shortlist);
  const auto shortlist = ExpectOk(ReadMarianShortlist(kModel, *model));
  const std::vector<int32_t> words = shortlist->WordsFor({{100, 0}}, {});
  EXPECT_THAT(words, IsSupersetOf({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100}));
  EXPECT_LT(words.size(), 30U);
}

TEST(LexicalShortlist, FilesAreFoundByNameOrByTheConfiguration) {
  const TempDirectory directory;
  for (const char* file : {"model.deen.intgemm.alphas.bin", "vocab.deen.spm"}) {
    directory.Write(file, ReadTestFile(std::string(kModel) + "/" + file));
  }
  const std::string list = ReadTestFile(std::string(kModel) + "/lex.12.3.deen.s2t.bin");
  auto model = ExpectOk(LoadModel(directory.path()));
  const auto message = [&](absl::StatusCode code) {
    const absl::Status status = ReadMarianShortlist(directory.path(), *model).status();
    EXPECT_EQ(status.code(), code) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(message(absl::StatusCode::kNotFound),
              HasSubstr("found no shortlist, expected lex.*"));
  directory.Write("lex.s2t.bin", list);
  EXPECT_TRUE(ReadMarianShortlist(directory.path(), *model).ok());
  directory.Write("lex.t2s.bin", "");
  EXPECT_THAT(message(absl::StatusCode::kInvalidArgument),
              HasSubstr("found the shortlists lex.s2t.bin and lex.t2s.bin, expected one"));
  directory.Write("decoder.yml", "shortlist:\n  - /data/lex.s2t.bin\n  - false\n");
  model = LoadModel(directory.path());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(model->names_shortlist);
  EXPECT_TRUE(ReadMarianShortlist(directory.path(), *model).ok());
  directory.Write("decoder.yml", "shortlist: [none.bin]\n");
  EXPECT_THAT(message(absl::StatusCode::kNotFound), HasSubstr("field 'shortlist' names none.bin"));
  directory.Write("decoder.yml", "shortlist: [lex.t2s.bin]\n");
  EXPECT_THAT(message(absl::StatusCode::kInvalidArgument), HasSubstr("lex.t2s.bin: found 0 bytes"));
}

}  // namespace
}  // namespace dragoman::engine

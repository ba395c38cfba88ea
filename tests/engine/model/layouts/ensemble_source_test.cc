#include "engine/model/layouts/ensemble_source.h"

#include <filesystem>
#include <string>
#include <vector>

#include "tests/engine/model/model_directory.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kFirst = DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-a";

std::string Refusal(const std::string& directory) {
  const auto loaded = LoadEnsemble({kFirst, directory});
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(loaded.status().message());
}

TEST(EnsembleSource, TakesNetworksOfOtherShapes) {
  const auto loaded = ExpectOk(LoadEnsemble({kFirst, kFirst + "2", kFirst + "3"}));
  EXPECT_EQ(loaded->name, "tiny-a");
  EXPECT_TRUE(loaded->spec.is_ensemble);
  ASSERT_EQ(loaded->others.size(), 2U);
  EXPECT_EQ(loaded->others[0].program.kv.layers, 3);
  EXPECT_EQ(ParametersOf(*loaded), ParameterCount(loaded->program) +
                                       ParameterCount(loaded->others[0].program) +
                                       ParameterCount(loaded->others[1].program));
}

TEST(EnsembleSource, TheShortestTableOfPositionsBoundsAll) {
  ModelDirectory changed("tiny-a2");
  changed.Change("config.json", {{"max_position_embeddings", 64}})
      .Change("generation_config.json", {{"max_length", 40}});
  const auto loaded = ExpectOk(LoadEnsemble({kFirst, changed.path()}));
  EXPECT_EQ(loaded->spec.shape.max_positions, 64);
  EXPECT_LE(loaded->tokenizer.max_source_tokens, 64);
}

TEST(EnsembleSource, NamesTheFirstDifference) {
  EXPECT_THAT(Refusal(ModelDirectory("tiny-a2")
                          .Change("config.json", {{"decoder_start_token_id", 5}})
                          .Change("generation_config.json", {{"decoder_start_token_id", 5}})
                          .path()),
              HasSubstr("start token: found 5, expected 379 as in"));
  EXPECT_THAT(Refusal(ModelDirectory("tiny-a2")
                          .Change("tokenizer_config.json", {{"target_lang", "fr"}})
                          .path()),
              HasSubstr("languages: found de-fr, expected de-en"));
  // Two pieces exchange their ids. The sizes still agree, but the vocabularies differ.
  ModelDirectory swapped("tiny-a2");
  json vocab = json::parse(ReadTestFile(swapped.path() + "/vocab.json"));
  std::string two, three;
  for (const auto& [piece, id] : vocab.items()) {
    if (id == 2) two = piece;
    if (id == 3) three = piece;
  }
  EXPECT_THAT(Refusal(swapped.Change("vocab.json", {{two, 3}, {three, 2}}).path()),
              HasSubstr("target vocabulary: id 2: found \"" + three + "\", expected \"" + two));
  ModelDirectory other_pieces("tiny-a2");
  std::filesystem::copy_file(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-b/source.spm",
                             other_pieces.path() + "/source.spm",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(Refusal(other_pieces.path()), HasSubstr("tokenizer of the source: found "));
}

TEST(EnsembleSource, HasTwoToEightMembers) {
  for (const size_t members : {0, 1, 9}) {
    const auto loaded = LoadEnsemble(std::vector<std::string>(members, kFirst));
    EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("expected 2 to 8")) << members;
  }
}

}  // namespace
}  // namespace dragoman::engine

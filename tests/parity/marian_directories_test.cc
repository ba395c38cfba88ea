// Runs Marian's own files through production, from text to text. The best translation must equal
// that of Marian's engine, over all words and over those of a lexical shortlist.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/layouts/marian/directory.h"
#include "engine/request/model_tokenizer.h"
#include "engine/text/tokenizer.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// A model of this repository with its tokenizer.
class TextModel {
 public:
  TextModel(const std::string& directory, Place place) {
    LoadParityModel(directory, place, &model);
    if (!model.loaded) return;
    auto made = ExpectOk(engine::MakeTokenizer(*model.loaded));
    if (made.ok()) tokenizer = *std::move(made);
  }

  // Reads the shortlist that WordsFor uses.
  void ReadShortlist(const std::string& directory) {
    auto read =
        ExpectOk(engine::ReadMarianShortlist(DRAGOMAN_SOURCE_DIR "/" + directory, *model.loaded));
    model.loaded->shortlist = std::make_shared<const engine::LexicalShortlist>(*std::move(read));
  }
  std::vector<int32_t> WordsFor(const std::vector<int32_t>& source) const {
    return model.loaded->shortlist->WordsFor(source, {{model.spec().tokens.eos}});
  }

  ParityModel model;
  std::unique_ptr<engine::Tokenizer> tokenizer;
};

class MarianDirectories : public OnPlace {};

TEST_P(MarianDirectories, BestTranslationEqualsMarians) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("marian-directories", &fixture));
  const auto directory = fixture.header["models"][GetParam().fixture].get<std::string>();
  TextModel text(directory, GetParam().place);
  ASSERT_NE(text.tokenizer, nullptr);
  const engine::ModelSpec& spec = text.model.spec();
  EXPECT_EQ(text.model.loaded->layout, "marian");
  std::vector<std::unique_ptr<engine::Segment>> segments;
  std::vector<const json*> cases;
  size_t shortlisted = 0;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().fixture) continue;
    const bool has_shortlist = one.value("shortlist", false);
    if (has_shortlist && shortlisted++ == 0) {
      ASSERT_NO_FATAL_FAILURE(text.ReadShortlist(directory));
    }
    engine::DecodingOptions request = WideOptions(engine::Profile::kMarian);
    request.beam_size = one["beam"].get<int>();
    request.length_penalty = 1.0F;
    const std::vector<int> source =
        text.tokenizer->EncodeSource(one["text"].get<std::string>()).ids;
    // At its limit Marian also accepts hypotheses that have not ended.
    request.max_output_tokens =
        fixture.header["max_length_factor"].get<int>() * static_cast<int>(source.size());
    engine::SearchContext context;
    context.max_rows = kernels::kMaxBeam;
    context.scores = true;
    const auto settings = ExpectOk(engine::ResolveSearch(request, spec, context));
    segments.push_back(MakeSegment(*settings, source));
    if (has_shortlist) segments.back()->words = text.WordsFor(source);
    cases.push_back(&one);
  }
  EXPECT_EQ(shortlisted, GetParam().fixture == std::string("marian-firefox") ? 120U : 0U);
  ASSERT_GE(cases.size(), 90U);
  const auto results = Decode(text.model, std::move(segments), spec.tokens.decoder_start);
  size_t wrong = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    ASSERT_FALSE(results[i].empty());
    const std::string found = text.tokenizer->Decode(results[i].front().tokens);
    const auto expected = (*cases[i])["expected"].get<std::string>();
    if (found == expected) continue;
    if (++wrong <= 5) ADD_FAILURE() << (*cases[i])["id"] << "\n  " << expected << "\n  " << found;
  }
  EXPECT_EQ(wrong, 0U);
  std::cout << GetParam().fixture << ": " << cases.size() << " cases, " << wrong << " differ\n";
}

class Shortlists : public ::testing::TestWithParam<kernels::ComputeType> {};

// A search over some words must give what the search with all other words excluded gives. The batch
// mixes segments that have their own words with segments that have none.
TEST_P(Shortlists, SearchAsIfAllOtherWordsWereExcluded) {
  const std::string directory = "tests/data/models/marian-firefox";
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("marian-directories", &fixture));
  TextModel text(directory, Place::kCpu);
  ASSERT_NO_FATAL_FAILURE(text.ReadShortlist(directory));
  text.model.type = GetParam();
  const engine::ModelSpec& spec = text.model.spec();
  std::vector<std::unique_ptr<engine::Segment>> segments;
  for (const json& one : fixture.cases) {
    if (!one.value("shortlist", false)) continue;
    engine::DecodingOptions request = WideOptions(engine::Profile::kMarian);
    request.beam_size = one["beam"].get<int>();
    request.num_alternatives = request.beam_size;
    request.max_output_tokens = 40;
    engine::SearchContext context;
    context.max_rows = kernels::kMaxBeam;
    context.scores = true;
    const auto settings = ExpectOk(engine::ResolveSearch(request, spec, context));
    const std::vector<int32_t> source =
        text.tokenizer->EncodeSource(one["text"].get<std::string>()).ids;
    const std::vector<int32_t> words = text.WordsFor(source);
    ASSERT_LT(words.size(), static_cast<size_t>(spec.shape.target_vocab) * 2 / 3);
    engine::SearchSettings excluding = *settings;
    excluding.excluded.clear();
    for (int32_t word = 0; word < spec.shape.target_vocab; ++word) {
      const bool is_in = std::binary_search(words.begin(), words.end(), word);
      if (!is_in || word == spec.tokens.pad) excluding.excluded.push_back(word);
    }
    segments.push_back(MakeSegment(*settings, source));
    segments.back()->words = words;
    segments.push_back(MakeSegment(excluding, source));
  }
  ASSERT_EQ(segments.size(), 240U);
  const auto results = Decode(text.model, std::move(segments), spec.tokens.decoder_start);
  size_t compared = 0;
  for (size_t i = 0; i + 1 < results.size(); i += 2) {
    ASSERT_EQ(results[i].size(), results[i + 1].size()) << i;
    for (size_t n = 0; n < results[i].size(); ++n, ++compared) {
      EXPECT_EQ(results[i][n].tokens, results[i + 1][n].tokens) << i;
      // Only the order of the sum of exp differs.
      EXPECT_NEAR(results[i][n].log_prob, results[i + 1][n].log_prob, 1e-4) << i;
    }
  }
  EXPECT_GE(compared, 250U);
}

INSTANTIATE_TEST_SUITE_P(Types, Shortlists,
                         ::testing::Values(kernels::ComputeType::kFloat32,
                                           kernels::ComputeType::kBFloat16,
                                           kernels::ComputeType::kInt8),
                         [](const auto& info) {
                           return std::string(kernels::ComputeTypeName(info.param));
                         });

INSTANTIATE_TEST_SUITE_P(Models, MarianDirectories,
                         ::testing::Values(ParityCase{"marian-npz"}, ParityCase{"marian-pre"},
                                           ParityCase{"marian-bin"}, ParityCase{"marian-ssru"},
                                           ParityCase{"marian-firefox"},
                                           ParityCase{"marian-npz", Place::kCuda},
                                           ParityCase{"marian-pre", Place::kCuda}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity

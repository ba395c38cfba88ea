// Marian's own files through production, text in and text out: the best translation equals that of
// Marian's engine.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/request/model_tokenizer.h"
#include "engine/request/vocabulary_pieces.h"
#include "engine/text/tokenizer.h"
#include "tests/parity/parity_batch.h"

namespace dragoman::parity {
namespace {

// Of a model of this repository.
class TextModel {
 public:
  TextModel(const std::string& directory, Place place) {
    LoadParityModel(directory, place, &model);
    if (!model.loaded) return;
    const LoadedModel& loaded = *model.loaded;
    source_.emplace(&loaded.source_vocabulary);
    target_.emplace(&loaded.TargetVocabulary());
    auto made = MakeTokenizer(loaded, &*source_, &*target_);
    EXPECT_TRUE(made.ok()) << made.status();
    if (made.ok()) tokenizer = *std::move(made);
  }

  ParityModel model;
  std::unique_ptr<Tokenizer> tokenizer;

 private:
  std::optional<VocabularyPieces> source_;
  std::optional<VocabularyPieces> target_;
};

class MarianDirectories : public OnPlace {};

TEST_P(MarianDirectories, BestTranslationEqualsMarians) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("marian-directories", &fixture));
  TextModel text(fixture.header["models"][GetParam().fixture].get<std::string>(), GetParam().place);
  ASSERT_NE(text.tokenizer, nullptr);
  const ModelSpec& spec = text.model.spec();
  EXPECT_EQ(text.model.loaded->layout, "marian");
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<const json*> cases;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().fixture) continue;
    DecodingOptions request = WideOptions(Profile::kMarian);
    request.beam_size = one["beam"].get<int>();
    request.length_penalty = 1.0F;
    const std::vector<int> source =
        text.tokenizer->EncodeSource(one["text"].get<std::string>()).ids;
    // At its limit Marian takes what has not ended as well.
    request.max_output_tokens =
        fixture.header["max_length_factor"].get<int>() * static_cast<int>(source.size());
    SearchContext context;
    context.max_rows = kMaxBeam;
    context.scores = true;
    const auto settings = ResolveSearch(request, spec, context);
    ASSERT_TRUE(settings.ok()) << settings.status();
    segments.push_back(MakeSegment(*settings, source));
    cases.push_back(&one);
  }
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

INSTANTIATE_TEST_SUITE_P(Models, MarianDirectories,
                         ::testing::Values(ParityCase{"marian-npz"}, ParityCase{"marian-pre"},
                                           ParityCase{"marian-bin"}, ParityCase{"marian-ssru"},
                                           ParityCase{"marian-firefox"},
                                           ParityCase{"marian-npz", Place::kCuda},
                                           ParityCase{"marian-pre", Place::kCuda}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity

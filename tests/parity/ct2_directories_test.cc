// Directories of CTranslate2 through production: for each type of its files the n-best in float32
// equals that of CTranslate2 itself in float32, which makes float32 of quantised weights as well.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/request/vocabulary_pieces.h"
#include "engine/text/tokenizer.h"
#include "tests/parity/parity_batch.h"

namespace dragoman::parity {
namespace {

// Lists with two scores nearer than this may be in another order.
constexpr double kDecided = 1e-4;
constexpr int kLimit = 48;

// Behind a target prefix CTranslate2 refuses EOS to all but the best beam (README.md, "ct2"): where
// the prefix alone is the best of several hypotheses, the lists are not the same.
bool EndsAtOnce(const DecodedHypothesis& hypothesis) { return hypothesis.tokens.size() == 1; }

class Ct2Directories : public OnPlace {};

TEST_P(Ct2Directories, NbestEqualsCTranslate2) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("ct2-directories", &fixture));
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadParityModel(
      fixture.header["models"][GetParam().fixture].get<std::string>(), GetParam().place, &model));
  EXPECT_EQ(model.loaded->layout, "ctranslate2");
  std::vector<std::unique_ptr<Segment>> segments;
  std::vector<const json*> cases;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().fixture) continue;
    DecodingOptions request = WideOptions(Profile::kCt2);
    request.beam_size = request.num_alternatives = one["beam"].get<int>();
    request.max_output_tokens = kLimit;
    SearchContext context;
    context.max_rows = kMaxBeam;
    context.scores = true;
    auto settings = ResolveSearch(request, model.spec(), context);
    ASSERT_TRUE(settings.ok()) << settings.status();
    if (!one["first_token"].is_null()) settings->forced_bos = one["first_token"].get<int32_t>();
    segments.push_back(MakeSegment(*settings, one["source_ids"].get<std::vector<int32_t>>()));
    cases.push_back(&one);
  }
  ASSERT_EQ(cases.size(), 60U);
  const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
  size_t wrong = 0;
  size_t ended_at_once = 0;
  Differences worst;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (Equal(*cases[i], results[i], 1.0, &worst)) continue;
    const bool is_close = (*cases[i])["gap"].get<double>() < kDecided;
    if (results[i].size() > 1 && EndsAtOnce(results[i].front())) {
      ++ended_at_once;
      continue;
    }
    std::string described = (*cases[i])["id"].dump() + "\nexpected " + (*cases[i])["nbest"].dump();
    for (const DecodedHypothesis& h : results[i]) {
      described += "\n  " + json(h.tokens).dump() + " " + std::to_string(h.score);
    }
    if (is_close) {
      std::cout << "close and different: " << described << "\n";
    } else if (++wrong <= 5) {
      ADD_FAILURE() << described;
    }
  }
  EXPECT_EQ(wrong, 0U);
  const bool has_prefix = !(*cases.front())["first_token"].is_null();
  EXPECT_LE(ended_at_once, has_prefix ? 3U : 0U);
  std::cout << GetParam().fixture << ": " << cases.size() << " cases, largest difference of scores "
            << worst.score << "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Models, Ct2Directories,
    ::testing::Values(ParityCase{"ct2-tiny-a-float32"}, ParityCase{"ct2-tiny-a-int8"},
                      ParityCase{"ct2-tiny-a-int16"}, ParityCase{"ct2-tiny-a-float16"},
                      ParityCase{"ct2-tiny-a-bfloat16"}, ParityCase{"ct2-tiny-a-int8_float16"},
                      ParityCase{"ct2-tiny-multi-int8"}, ParityCase{"ct2-tiny-m2m-float32"},
                      ParityCase{"ct2-tiny-a-int8", Place::kCuda},
                      ParityCase{"ct2-tiny-m2m-float32", Place::kCuda}),
    ParityCaseName);

// The same tokens as from the directory that was converted.
TEST(Ct2DirectoryTokens, AreThoseOfTheCheckpoint) {
  for (const auto& [converted, checkpoint] :
       {std::pair("ct2-tiny-a-int8", "tiny-a"), std::pair("ct2-tiny-multi-int8", "tiny-multi"),
        std::pair("ct2-tiny-m2m-float32", "tiny-m2m")}) {
    std::vector<std::vector<int>> ids;
    for (const char* name : {converted, checkpoint}) {
      ParityModel model;
      ASSERT_NO_FATAL_FAILURE(
          LoadParityModel(std::string("tests/data/models/") + name, Place::kCpu, &model));
      const LoadedModel& loaded = *model.loaded;
      const VocabularyPieces source(&loaded.source_vocabulary);
      const VocabularyPieces target(&loaded.TargetVocabulary());
      const SpecialIds& special = loaded.spec.tokens;
      const TokenizerFacts& facts = loaded.tokenizer;
      const auto tokenizer =
          Tokenizer::Create({facts.source_spm, facts.target_spm}, &source, &target,
                            {special.eos, special.unk, special.pad, facts.source_eos,
                             facts.source_unk, facts.special});
      ASSERT_TRUE(tokenizer.ok()) << tokenizer.status();
      const ModelLanguagePair& pair = loaded.languages.Pairs().back();
      const auto resolved = loaded.languages.Resolve(pair.source, pair.target);
      ASSERT_TRUE(resolved.ok()) << resolved.status();
      ids.push_back((*tokenizer)->EncodeSource("Guten Morgen, Österreich 漢!", resolved->tag).ids);
      EXPECT_EQ(resolved->first.has_value(), std::string(checkpoint) == "tiny-m2m");
      EXPECT_EQ((*tokenizer)->Decode(ids.back()).empty(), false);
    }
    EXPECT_EQ(ids[0], ids[1]) << converted;
  }
}

}  // namespace
}  // namespace dragoman::parity

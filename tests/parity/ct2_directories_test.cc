// Runs directories of CTranslate2 with production code. For each type of weights that model.bin can
// have, the n-best lists in float32 must equal those of CTranslate2 in float32. (CTranslate2
// converts quantized weights to float32 too.)
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/request/model_tokenizer.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

// Two hypotheses whose scores are nearer than this may swap places.
constexpr double kDecided = 1e-4;
constexpr int kLimit = 48;

// Returns for each case whether the lists are equal. A difference fails the test, unless two scores
// of the case are too near each other to decide their order.
std::vector<bool> CompareLists(const std::vector<const json*>& cases,
                               const std::vector<std::vector<engine::DecodedHypothesis>>& results,
                               double length_penalty) {
  constexpr size_t kShown = 5;
  std::vector<bool> is_equal;
  Differences worst;
  size_t wrong = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    is_equal.push_back(Equal(*cases[i], results[i], length_penalty, &worst));
    if (is_equal.back()) continue;
    if ((*cases[i])["gap"].get<double>() < kDecided) {
      std::cout << "close and different: " << Describe(*cases[i], results[i]) << "\n";
    } else if (++wrong <= kShown) {
      ADD_FAILURE() << Describe(*cases[i], results[i]);
    }
  }
  EXPECT_EQ(wrong, 0U);
  std::cout << cases.size() << " cases, largest difference of scores " << worst.score << "\n";
  return is_equal;
}

class Ct2Directories : public OnPlace {};

// Returns the name of a model's fixture.
std::string FixtureOf(std::string_view model) {
  return model.starts_with("ct2-aren") ? "ct2-transliteration" : "ct2-directories";
}

// Compares the source ids, the special tokens and the decoded translation of a case that has a
// text.
void ExpectTokens(const engine::LoadedModel& loaded, const engine::Tokenizer& tokenizer,
                  const json& one) {
  const auto pair = ExpectOk(
      loaded.languages.Resolve(one.value("source_lang", ""), one.value("target_lang", "")));
  const auto text = one["text"].get<std::string>();
  EXPECT_EQ(json(tokenizer.EncodeSource(text, {pair->tag, pair->last_tag}).ids), one["source_ids"])
      << text;
  if (one.contains("first_token")) {
    EXPECT_EQ(pair->first, one["first_token"].get<int>());
  }
  if (one.contains("start_token")) {
    EXPECT_EQ(pair->start, one["start_token"].get<int>());
  }
  EXPECT_EQ(tokenizer.Decode(one["nbest"][0]["tokens"].get<std::vector<int>>()), one["translation"])
      << one["id"];
}

TEST_P(Ct2Directories, NbestEqualsCTranslate2) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture(FixtureOf(GetParam().fixture), &fixture));
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadFixturesModel(fixture, GetParam(), &model));
  const auto tokenizer = ExpectOk(engine::MakeTokenizer(*model.loaded));
  EXPECT_EQ(model.loaded->layout, "ctranslate2");
  std::vector<std::unique_ptr<engine::Segment>> segments;
  std::vector<const json*> cases;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().fixture) continue;
    engine::DecodingOptions request = WideOptions(engine::Profile::kCt2);
    request.beam_size = request.num_alternatives = one["beam"].get<int>();
    request.max_output_tokens = kLimit;
    engine::SearchContext context;
    context.max_rows = kernels::kMaxBeam;
    context.scores = true;
    if (one.contains("text")) {
      ASSERT_NO_FATAL_FAILURE(ExpectTokens(*model.loaded, **tokenizer, one));
    }
    const bool has_prefix = one.contains("first_token") && !one["first_token"].is_null();
    if (has_prefix) request.min_output_tokens = 2;
    auto settings = ExpectOk(engine::ResolveSearch(request, model.spec(), context));
    if (has_prefix) settings->forced_bos = one["first_token"].get<int32_t>();
    if (one.contains("start_token")) {
      settings->search.start_token = one["start_token"].get<int32_t>();
    }
    segments.push_back(MakeSegment(*settings, one["source_ids"].get<std::vector<int32_t>>()));
    cases.push_back(&one);
  }
  ASSERT_GE(cases.size(), 30U);
  const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
  CompareLists(cases, results, 1.0);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Ct2Directories,
    ::testing::Values(ParityCase{"ct2-tiny-a-float32"}, ParityCase{"ct2-tiny-a-int8"},
                      ParityCase{"ct2-tiny-a-int16"}, ParityCase{"ct2-tiny-a-float16"},
                      ParityCase{"ct2-tiny-a-bfloat16"}, ParityCase{"ct2-tiny-a-int8_float16"},
                      ParityCase{"ct2-tiny-multi-int8"}, ParityCase{"ct2-tiny-m2m-float32"},
                      ParityCase{"ct2-tiny-nllb-int8"}, ParityCase{"ct2-tiny-mbart-int8"},
                      ParityCase{"ct2-tiny-t5-float32"}, ParityCase{"ct2-tiny-flan-int8"},
                      ParityCase{"ct2-tiny-mt5-bfloat16"}, ParityCase{"ct2-tiny-madlad-int8"},
                      ParityCase{"ct2-onmt-float32"}, ParityCase{"ct2-onmt-apart-int8"},
                      ParityCase{"ct2-tiny-nllb-json-int8"}, ParityCase{"ct2-tiny-nllb-legacy"},
                      ParityCase{"ct2-tiny-bart-float32"}, ParityCase{"ct2-tiny-mbart25-int8"},
                      ParityCase{"ct2-tiny-nllb-source-bos"}, ParityCase{"ct2-tiny-mbart25-start"},
                      ParityCase{"ct2-aren-v1"}, ParityCase{"ct2-aren-v1-i16"},
                      ParityCase{"ct2-aren-base"}, ParityCase{"ct2-aren-base-i8"},
                      ParityCase{"ct2-aren-big-i16"}, ParityCase{"ct2-tiny-a-int8", Place::kCuda},
                      ParityCase{"ct2-tiny-m2m-float32", Place::kCuda},
                      ParityCase{"ct2-tiny-flan-int8", Place::kCuda}),
    ParityCaseName);

// A converted directory must give the same tokens as the directory that it was converted from.
TEST(Ct2DirectoryTokens, AreThoseOfTheCheckpoint) {
  for (const auto& [converted, checkpoint] :
       {std::pair("ct2-tiny-a-int8", "tiny-a"), std::pair("ct2-tiny-multi-int8", "tiny-multi"),
        std::pair("ct2-tiny-m2m-float32", "tiny-m2m"), std::pair("ct2-tiny-nllb-int8", "tiny-nllb"),
        std::pair("ct2-tiny-mbart-int8", "tiny-mbart"),
        std::pair("ct2-tiny-mbart25-int8", "tiny-mbart25"),
        std::pair("ct2-tiny-bart-float32", "tiny-bart"),
        std::pair("ct2-tiny-t5-float32", "tiny-t5"), std::pair("ct2-tiny-flan-int8", "tiny-flan"),
        std::pair("ct2-tiny-mt5-bfloat16", "tiny-mt5"),
        std::pair("ct2-tiny-madlad-int8", "tiny-madlad")}) {
    // T5's directory of Hugging Face has languages (the tasks in its config.json), and the
    // converted one has none, so no pair is resolved for T5.
    std::vector<std::optional<int>> firsts;
    std::vector<std::string> prompts;
    std::vector<std::vector<int>> ids;
    for (const char* name : {converted, checkpoint}) {
      ParityModel model;
      ASSERT_NO_FATAL_FAILURE(
          LoadParityModel(std::string("tests/data/models/") + name, Place::kCpu, &model));
      const engine::LoadedModel& loaded = *model.loaded;
      const auto tokenizer = ExpectOk(engine::MakeTokenizer(loaded));
      engine::ResolvedPair resolved;
      if (!loaded.languages.Pairs().empty() && std::string(checkpoint) != "tiny-t5") {
        const engine::ModelLanguagePair& pair = loaded.languages.Pairs().back();
        auto found = ExpectOk(loaded.languages.Resolve(pair.source, pair.target));
        resolved = *std::move(found);
      }
      ids.push_back(
          (*tokenizer)
              ->EncodeSource("Guten Morgen, Österreich 漢!", {resolved.tag, resolved.last_tag})
              .ids);
      firsts.push_back(resolved.first);
      prompts.push_back(resolved.prompt);
      EXPECT_EQ((*tokenizer)->Decode(ids.back()).empty(), false);
      // Tokens like <extra_id_0> have no text.
      if (const auto extra = loaded.TargetVocabulary().IdOf("<extra_id_0>")) {
        EXPECT_EQ((*tokenizer)->Decode({{*extra}}), "");
      }
    }
    EXPECT_EQ(ids[0], ids[1]) << converted;
    EXPECT_EQ(firsts[0], firsts[1]) << converted;
    EXPECT_EQ(prompts[0], prompts[1]) << converted;
  }
}

// Packages of Argos Translate: the source ids, the order of the n-best list and its texts must be
// equal.
class ArgosPackages : public OnPlace {};

TEST_P(ArgosPackages, EqualWhatArgosTranslateCalls) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture("argos", &fixture));
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadParityModel(
      fixture.header["models"][GetParam().fixture].get<std::string>(), GetParam().place, &model));
  const engine::LoadedModel& loaded = *model.loaded;
  EXPECT_EQ(loaded.layout, "argos");
  const auto tokenizer = ExpectOk(engine::MakeTokenizer(loaded));
  const auto pair = ExpectOk(loaded.languages.Resolve("", ""));

  // Beam and length penalty are the package's, which a request without options gets.
  const engine::ModelSpec& spec = model.spec();
  engine::DecodingOptions request = WideOptions(engine::Profile::kCt2);
  request.beam_size = request.num_alternatives = spec.generation.num_beams;
  request.length_penalty = spec.generation.length_penalty;
  request.max_output_tokens = spec.generation.max_length - 1;
  // Neither program lets a translation end directly after a prefix.
  if (pair->first) request.min_output_tokens = 2;
  engine::SearchContext context;
  context.max_rows = kernels::kMaxBeam;
  context.scores = true;
  auto settings = ExpectOk(engine::ResolveSearch(request, spec, context));
  if (pair->first) settings->forced_bos = *pair->first;
  std::vector<std::unique_ptr<engine::Segment>> segments;
  std::vector<const json*> cases;
  for (const json& one : fixture.cases) {
    if (one["model"] != GetParam().fixture) continue;
    const auto encoded = (*tokenizer)->EncodeSource(one["text"].get<std::string>()).ids;
    EXPECT_EQ(encoded, one["source_ids"].get<std::vector<int>>()) << one["text"];
    segments.push_back(MakeSegment(*settings, {encoded.begin(), encoded.end()}));
    cases.push_back(&one);
  }
  ASSERT_GE(cases.size(), 30U);
  const auto results = Decode(model, std::move(segments), spec.tokens.decoder_start);
  const std::vector<bool> is_equal = CompareLists(cases, results, spec.generation.length_penalty);
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!is_equal[i]) continue;
    const json& one = *cases[i];
    for (size_t rank = 0; rank < results[i].size(); ++rank) {
      const auto& tokens = results[i][rank].tokens;
      const std::string text = (*tokenizer)->Decode({tokens.begin(), tokens.end()});
      const auto expected = one["texts"][rank].get<std::string>();
      EXPECT_EQ(text, engine::StripWhiteSpace(expected)) << one["id"] << " rank " << rank;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ArgosPackages,
                         ::testing::Values(ParityCase{"argos-de-en"}, ParityCase{"argos-zt-pb"}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity

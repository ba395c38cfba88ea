// Runs the profiles of other programs through production. ct2: the n-best must equal that of
// CTranslate2 itself with the same weights in float32, wherever the smallest margin of a decision
// is at least 1e-4. marian: the n-best must be that of SEARCH.md a.7, computed by
// tests/parity/reference_search.py on real logits. What the program leaves at its default is unset
// here, because the profile sets it.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/parity/parity_batch.h"

namespace dragoman::parity {
namespace {

constexpr double kDecided = 1e-4;

template <class T>
std::optional<T> Option(const json& options, const char* name) {
  if (!options.contains(name)) return std::nullopt;
  return options[name].get<T>();
}

// Returns a request with the arguments of CTranslate2's translate_batch.
engine::DecodingOptions Ct2Request(const json& o) {
  engine::DecodingOptions request = WideOptions(engine::Profile::kCt2);
  request.beam_size = Option<int>(o, "beam_size");
  request.num_alternatives = Option<int>(o, "num_hypotheses");
  request.length_penalty = Option<float>(o, "length_penalty");
  request.patience = Option<float>(o, "patience");
  request.max_output_tokens = Option<int>(o, "max_decoding_length");
  request.min_output_tokens = Option<int>(o, "min_decoding_length");
  request.no_repeat_ngram = Option<int>(o, "no_repeat_ngram_size");
  request.repetition_penalty = Option<float>(o, "repetition_penalty");
  return request;
}

engine::DecodingOptions MarianRequest(const json& o) {
  engine::DecodingOptions request = WideOptions(engine::Profile::kMarian);
  request.beam_size = Option<int>(o, "beam_size");
  request.num_alternatives = request.beam_size.value_or(12);
  request.length_penalty = Option<float>(o, "length_penalty");
  request.max_output_tokens = Option<int>(o, "max_output_tokens");
  request.min_output_tokens = Option<int>(o, "min_output_tokens");
  return request;
}

std::unique_ptr<engine::Segment> SegmentOf(const json& fixture_case,
                                           const engine::DecodingOptions& request,
                                           const engine::ModelSpec& spec) {
  engine::SearchContext context;
  context.max_rows = kernels::kMaxBeam;
  context.scores = true;
  const auto settings = engine::ResolveSearch(request, spec, context);
  if (!settings.ok()) {
    ADD_FAILURE() << fixture_case["id"] << ": " << settings.status();
    return nullptr;
  }
  return MakeSegment(
      *settings, fixture_case["source_ids"].get<std::vector<int32_t>>(), 0,
      fixture_case["options"].value("suppress_sequences", std::vector<std::vector<int32_t>>{}));
}

// Decodes every case and compares. Cases with a margin below `decided` may differ; they are listed.
void ExpectEqual(const std::string& name, Place place,
                 const std::function<engine::DecodingOptions(const json&)>& ask,
                 double default_penalty, double decided) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture(name, &fixture));
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadParityModel(fixture.header["directory"], place, &model));
  std::vector<std::unique_ptr<engine::Segment>> segments;
  for (const json& c : fixture.cases) {
    segments.push_back(SegmentOf(c, ask(c["options"]), model.spec()));
    ASSERT_NE(segments.back(), nullptr);
  }
  const auto results = Decode(model, std::move(segments), model.spec().tokens.decoder_start);
  size_t wrong = 0;
  size_t close = 0;
  Differences worst;
  std::map<std::string, int> kinds;
  for (size_t i = 0; i < fixture.cases.size(); ++i) {
    const json& expected = fixture.cases[i];
    const double penalty = expected["options"].value("length_penalty", default_penalty);
    const bool is_close = expected["gap"].get<double>() < decided;
    close += is_close ? 1 : 0;
    if (Equal(expected, results[i], penalty, &worst)) continue;
    if (is_close) {
      std::cout << "close and different (margin " << expected["gap"] << ", " << expected["gap_kind"]
                << "): " << Describe(expected, results[i]) << "\n";
      continue;
    }
    ++kinds[expected.value("kind", "")];
    if (++wrong <= 5) ADD_FAILURE() << Describe(expected, results[i]);
  }
  EXPECT_EQ(wrong, 0U) << "of " << fixture.cases.size() << ": " << json(kinds);
  std::cout << name << ": " << fixture.cases.size() << " cases, " << close
            << " with a margin below " << decided << ", largest difference of scores "
            << worst.score << "\n";
}

class Profiles : public OnPlace {};

TEST_P(Profiles, Ct2EqualsCTranslate2) {
  ExpectEqual("ct2-" + fixture(), GetParam().place, Ct2Request, 1.0, kDecided);
}

TEST_P(Profiles, MarianIsWhatIsSaidOfIt) {
  ExpectEqual("marian-" + fixture(), GetParam().place, MarianRequest, 0.0, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Models, Profiles,
                         ::testing::Values(ParityCase{"tiny-a"}, ParityCase{"de-en"},
                                           ParityCase{"tiny-a", Place::kCuda},
                                           ParityCase{"de-en", Place::kCuda}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity

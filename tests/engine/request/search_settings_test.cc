#include "engine/request/search_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/engine/support/search_fields.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

ModelSpec Spec() {
  ModelSpec spec;
  spec.shape.max_positions = 512;
  spec.shape.decoder_layers = 6;
  spec.shape.decoder_heads = 8;
  spec.tokens.eos = 3;
  spec.generation.num_beams = 6;
  spec.generation.max_length = 100;
  spec.generation.min_length = 5;
  spec.generation.length_penalty = 0.8F;
  spec.generation.early_stopping = EarlyStopping::kTrue;
  spec.generation.forced_eos = 3;
  spec.generation.renormalize_logits = true;
  return spec;
}

absl::StatusOr<SearchSettings> Resolve(const DecodingOptions& asked, const ModelSpec& spec,
                                       int max_rows = 64, bool scores = false) {
  SearchContext context;
  context.max_rows = max_rows;
  context.scores = scores;
  return ResolveSearch(asked, spec, context);
}

TEST(SearchSettings, WhatIsUnsetComesFromTheCheckpoint) {
  const auto settings = ExpectOk(Resolve({}, Spec()));
  const kernels::SearchOptions& o = settings->search;
  EXPECT_EQ(o.beam, 6);
  EXPECT_EQ(o.num_alternatives, 1);
  EXPECT_EQ(o.length_penalty, 0.8F);
  EXPECT_EQ(o.stop_rule, kernels::StopRule::kFirstK);
  EXPECT_EQ(o.forced_eos, kernels::ForcedEos::kZero);
  EXPECT_EQ(o.max_tokens, 98);  // minus the start token and EOS
  EXPECT_EQ(o.min_tokens, 4);   // minus the start token
  EXPECT_EQ(o.eos, 3);
  EXPECT_TRUE(o.renormalize);
  EXPECT_TRUE(o.need_log_probs);
}

// The default number of hypotheses is the checkpoint's num_return_sequences. A request may override
// it.
TEST(SearchSettings, HowManyHypothesesIsTheCheckpointsWhereItIsNotAsked) {
  ModelSpec spec = Spec();
  spec.generation.num_return_sequences = 4;
  EXPECT_EQ(Resolve({}, spec)->search.num_alternatives, 4);
  EXPECT_FALSE(Resolve({}, spec)->alternatives_asked);
  EXPECT_EQ(Resolve({}, spec, /*max_rows=*/3)->search.num_alternatives, 3);
  DecodingOptions asked;
  asked.beam_size = 2;
  EXPECT_EQ(Resolve(asked, spec)->search.num_alternatives, 2);  // at most the beam
  asked.num_alternatives = 1;
  EXPECT_EQ(Resolve(asked, spec)->search.num_alternatives, 1);
  EXPECT_TRUE(Resolve(asked, spec)->alternatives_asked);
  asked = {};
  asked.profile = Profile::kCt2;
  EXPECT_EQ(Resolve(asked, spec)->search.num_alternatives, 1);
  asked = {};
  asked.sampling.emplace();
  kernels::SearchOptions draws = Resolve(asked, spec)->search;
  EXPECT_EQ(draws.beam, 4);
  WantOneHypothesis(&draws);
  EXPECT_EQ(draws.beam, 1);
  EXPECT_EQ(draws.num_alternatives, 1);
  kernels::SearchOptions beam = Resolve({}, spec)->search;
  WantOneHypothesis(&beam);
  EXPECT_EQ(beam.beam, 6);
  EXPECT_EQ(beam.num_alternatives, 1);
}

// A request for more alternatives than the model's default beam widens the beam, unless the request
// sets the beam itself.
TEST(SearchSettings, AlternativesWidenTheModelsOwnBeam) {
  DecodingOptions asked;
  asked.num_alternatives = 8;
  EXPECT_EQ(Resolve(asked, Spec())->search.beam, 8);
  EXPECT_EQ(Resolve(asked, Spec())->search.num_alternatives, 8);
  asked.num_alternatives = 2;
  EXPECT_EQ(Resolve(asked, Spec())->search.beam, 6);
}

TEST(SearchSettings, RulesOfTheSourceAreOfProfileHf) {
  ModelSpec spec = Spec();
  spec.generation.encoder_no_repeat_ngram = 3;
  spec.generation.encoder_repetition_penalty = 1.5F;
  const auto hf = Resolve({}, spec);
  EXPECT_EQ(hf->encoder_no_repeat_ngram, 3);
  EXPECT_EQ(hf->search.encoder_repetition_penalty, 1.5F);
  EXPECT_TRUE(hf->search.materialized_logits());
  DecodingOptions asked;
  asked.profile = Profile::kMarian;
  const auto marian = Resolve(asked, spec);
  EXPECT_EQ(marian->encoder_no_repeat_ngram, 0);
  EXPECT_EQ(marian->search.encoder_repetition_penalty, 1.0F);
}

TEST(SearchSettings, WithoutAForcedEosItsPlaceIsATokensPlace) {
  ModelSpec spec = Spec();
  spec.generation.forced_eos.reset();
  EXPECT_EQ(Resolve({}, spec)->search.max_tokens, 99);
  spec.generation.max_length = 9999;
  EXPECT_EQ(Resolve({}, spec)->search.max_tokens, 512);
  DecodingOptions asked;
  asked.forced_eos = kernels::ForcedEos::kModel;  // needs a position for EOS
  EXPECT_EQ(Resolve(asked, spec)->search.max_tokens, 511);
}

TEST(SearchSettings, TheBatchBoundsTheCheckpointsBeamAndRefusesTheRequests) {
  EXPECT_EQ(Resolve({}, Spec(), 4)->search.beam, 4);
  DecodingOptions asked;
  asked.beam_size = 5;
  EXPECT_THAT(std::string(Resolve(asked, Spec(), 4).status().message()),
              HasSubstr("decoding.beam_size: found 5, expected 1..4"));
}

TEST(SearchSettings, GreedySearchNeedsNoNormaliserUnlessScoresAreAskedFor) {
  DecodingOptions asked;
  asked.beam_size = 1;
  EXPECT_FALSE(Resolve(asked, Spec())->search.need_log_probs);
  EXPECT_TRUE(Resolve(asked, Spec(), 64, true)->search.need_log_probs);
}

TEST(SearchSettings, ASegmentsLimitIsTheLeastOfAll) {
  DecodingOptions asked;
  const auto settings = *Resolve(asked, Spec());
  EXPECT_EQ(SearchForSegment(settings, 10, false, 0).max_tokens, 50);  // 3 * 10 + 20
  EXPECT_EQ(SearchForSegment(settings, 100, false, 0).max_tokens, 98);
  asked.max_output_tokens = 7;
  EXPECT_EQ(SearchForSegment(*Resolve(asked, Spec()), 10, false, 0).max_tokens, 7);
  asked.max_output_tokens = 1000;  // does not raise the model's limit
  EXPECT_EQ(SearchForSegment(*Resolve(asked, Spec()), 100, false, 0).max_tokens, 98);
  asked.max_length_ratio = 1.5F;
  asked.max_length_extra = 2;
  EXPECT_EQ(SearchForSegment(*Resolve(asked, Spec()), 10, false, 0).max_tokens, 17);
  asked.max_length_ratio = 0.0F;
  asked.max_length_extra = 2;
  const kernels::SearchOptions least = SearchForSegment(*Resolve(asked, Spec()), 10, false, 0);
  EXPECT_EQ(least.max_tokens, 2);
  EXPECT_EQ(least.min_tokens, 2);  // the minimum is lowered to the limit
}

// Patience is checked with the effective beam: the checkpoint's 6 or the profile's 2.
TEST(SearchSettings, PatienceLeavesAHypothesisToWaitFor) {
  DecodingOptions asked;
  asked.patience = 0.1F;
  EXPECT_TRUE(Resolve(asked, Spec()).ok());
  asked.patience = 0.05F;
  EXPECT_THAT(std::string(Resolve(asked, Spec()).status().message()),
              HasSubstr("patience: found 0.05 with the beam size in effect, 6, expected a product "
                        "that rounds to at least 1"));
  asked.profile = Profile::kCt2;
  asked.patience = 0.2F;
  EXPECT_THAT(std::string(Resolve(asked, Spec()).status().message()),
              HasSubstr("found 0.2 with the beam size in effect, 2"));
  asked.patience = 0.25F;
  EXPECT_TRUE(Resolve(asked, Spec()).ok());
}

// decoding_options_test.cc tests the range of every number.
TEST(SearchSettings, WhatIsOutOfRangeOrAboveWhatIsInEffectIsNamed) {
  const auto message = [](const std::function<void(DecodingOptions&)>& set) {
    DecodingOptions asked;
    set(asked);
    const auto settings = Resolve(asked, Spec());
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(settings.status().message());
  };
  EXPECT_THAT(message([](auto& o) { o.beam_size = 0; }), HasSubstr("beam_size: found 0"));
  EXPECT_THAT(message([](auto& o) {
                o.beam_size = 6;
                o.num_alternatives = 7;
              }),
              HasSubstr("num_alternatives: found 7"));
  EXPECT_THAT(message([](auto& o) { o.min_output_tokens = 99; }),
              HasSubstr("min_output_tokens: found 99, expected 0..98, the output limit"));
}

// Checks the table of SEARCH.md a.7, row by row.
TEST(SearchSettings, ProfilesSetWhatTheRequestLeavesUnset) {
  ModelSpec spec = Spec();
  spec.tokens.pad = 8;
  spec.tokens.unk = 1;
  spec.generation.bad_words = {{8}};
  const auto with = [&](Profile profile) {
    DecodingOptions asked;
    asked.profile = profile;
    return *Resolve(asked, spec);
  };
  const SearchSettings hf = with(Profile::kHf);
  EXPECT_EQ(hf.search.finalisation, kernels::Finalisation::kImmediate);
  EXPECT_EQ(hf.search.stop_rule, kernels::StopRule::kFirstK);
  EXPECT_EQ(hf.search.forced_eos, kernels::ForcedEos::kZero);
  EXPECT_TRUE(hf.search.counts_start);
  EXPECT_TRUE(hf.excluded.empty());  // pad stays in the normaliser
  EXPECT_EQ(hf.forbidden, (std::vector<std::vector<int32_t>>{{8}}));

  const SearchSettings ct2 = with(Profile::kCt2);
  EXPECT_EQ(ct2.search.finalisation, kernels::Finalisation::kImmediate);
  EXPECT_EQ(ct2.search.stop_rule, kernels::StopRule::kFirstK);
  EXPECT_EQ(ct2.search.patience, 1.0F);
  EXPECT_EQ(ct2.search.forced_eos, kernels::ForcedEos::kNone);
  EXPECT_EQ(ct2.search.beam, 2);
  EXPECT_EQ(ct2.search.min_tokens, 1);
  EXPECT_EQ(ct2.search.length_penalty, 1.0F);
  EXPECT_EQ(ct2.excluded, std::vector<int32_t>{8});
  EXPECT_TRUE(ct2.forbidden.empty());
  EXPECT_TRUE(ct2.search.renormalize);  // masks come before the softmax
  spec.generation.max_length = 400;
  EXPECT_EQ(with(Profile::kCt2).search.max_tokens, 256);

  const SearchSettings marian = with(Profile::kMarian);
  EXPECT_EQ(marian.search.stop_rule, kernels::StopRule::kAllBeams);
  EXPECT_EQ(marian.search.beam, 12);
  EXPECT_EQ(marian.search.length_penalty, 0.0F);
  EXPECT_EQ(marian.search.forced_eos, kernels::ForcedEos::kNone);
  EXPECT_EQ(marian.forbidden, (std::vector<std::vector<int32_t>>{{1}}));

  const SearchSettings paper = with(Profile::kPaper);
  EXPECT_EQ(paper.search.finalisation, kernels::Finalisation::kOnBeam);
  EXPECT_EQ(paper.search.forced_eos, kernels::ForcedEos::kModel);
  EXPECT_EQ(paper.search.length_penalty, 1.0F);
  EXPECT_EQ(paper.search.min_tokens, 0);

  const SearchSettings article = with(Profile::kArticle);
  EXPECT_EQ(article.search.finalisation, kernels::Finalisation::kKeep);
  EXPECT_EQ(article.search.penalty, kernels::LengthPenalty::kGnmt);
  EXPECT_EQ(article.search.length_penalty, 0.0F);
  EXPECT_EQ(article.search.forced_eos, kernels::ForcedEos::kNone);
  EXPECT_FALSE(article.search.counts_start);
}

// option_rules_test.cc tests every rule. This test checks that the rules see the settings in
// effect.
TEST(SearchSettings, OptionsThatDoNotGoTogetherAreNamedBoth) {
  const auto expect = [](const DecodingOptions& asked, const SearchContext& context,
                         const char* field, const char* other) {
    const auto settings = ResolveSearch(asked, Spec(), context);
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(settings.status().message()),
                ::testing::AllOf(HasSubstr(field), HasSubstr(other)));
  };
  SearchContext context;
  context.max_rows = 64;
  context.constraints = "decoding.required_phrases";
  DecodingOptions pruned;
  pruned.pruning.max_candidates = 3;
  expect(pruned, context, "decoding.pruning", "decoding.required_phrases");

  context.constraints = nullptr;
  context.default_profile = Profile::kPaper;
  DecodingOptions stopped;
  stopped.stop_rule = kernels::StopRule::kFirstK;
  expect(stopped, context, "decoding.stop_rule", "the server's decoding.profile");

  context.partials = true;
  DecodingOptions drawn;
  drawn.sampling = Sampling{};
  expect(drawn, context, "decoding.sampling", "return_options.partials");
}

TEST(SearchSettings, ConstrainedSegmentsHaveTheirOwnFinishing) {
  DecodingOptions asked;
  asked.profile = Profile::kCt2;
  SearchContext context;
  context.max_rows = 64;
  context.constraints = "decoding.required_phrases";
  const SearchSettings settings = *ResolveSearch(asked, Spec(), context);
  const kernels::SearchOptions constrained = SearchForSegment(settings, 200, true, 4);
  EXPECT_EQ(constrained.finalisation, kernels::Finalisation::kKeep);
  EXPECT_EQ(constrained.stop_rule, kernels::StopRule::kAllBeams);
  EXPECT_EQ(constrained.forced_eos, kernels::ForcedEos::kModel);
  EXPECT_EQ(constrained.constraint_prune, 20.0F);
  EXPECT_EQ(constrained.sampling.ordinal, 4);
  EXPECT_EQ(constrained.max_tokens, 98);  // EOS takes one position
  // Segments without phrases have the same settings as in a request without phrases.
  const kernels::SearchOptions plain = SearchForSegment(settings, 200, false, 4);
  const kernels::SearchOptions same = SearchForSegment(*Resolve(asked, Spec()), 200, false, 4);
  EXPECT_EQ(plain.finalisation, same.finalisation);
  EXPECT_EQ(plain.stop_rule, same.stop_rule);
  EXPECT_EQ(plain.forced_eos, same.forced_eos);
  EXPECT_EQ(plain.max_tokens, same.max_tokens);
  EXPECT_EQ(plain.max_tokens, 99);
  // The only stop rule that a request may set is early stopping.
  asked.stop_rule = kernels::StopRule::kFirstK;
  asked.patience = 0.5F;  // times the beam of 2: one hypothesis
  const auto early = ExpectOk(ResolveSearch(asked, Spec(), context));
  EXPECT_EQ(SearchForSegment(*early, 9, true, 0).stop_rule, kernels::StopRule::kFirstK);
}

TEST(SearchSettings, SamplingHasALaneForEachDraw) {
  DecodingOptions asked;
  asked.sampling = Sampling{.top_k = 5, .top_p = 0.5F, .seed = 9};
  asked.num_alternatives = 7;
  const kernels::SearchOptions o = Resolve(asked, Spec())->search;
  EXPECT_TRUE(o.sampling.enabled);
  EXPECT_EQ(o.beam, 7);
  EXPECT_EQ(o.num_alternatives, 7);
  EXPECT_EQ(o.sampling.top_k, 5);
  EXPECT_EQ(o.sampling.top_p, 0.5F);
  EXPECT_EQ(o.sampling.seed, 9U);
  EXPECT_TRUE(o.need_log_probs);
  EXPECT_TRUE(o.penalise_logits);  // like greedy search in this profile
  asked.sampling.reset();
  asked.num_alternatives.reset();
  EXPECT_FALSE(Resolve(asked, Spec())->search.penalise_logits);
  asked.beam_size = 1;
  EXPECT_TRUE(Resolve(asked, Spec())->search.penalise_logits);
  asked.profile = Profile::kCt2;  // with any beam
  EXPECT_TRUE(Resolve(asked, Spec())->search.penalise_logits);
  asked.beam_size = 4;
  EXPECT_TRUE(Resolve(asked, Spec())->search.penalise_logits);
  EXPECT_FALSE(Resolve(asked, Spec())->search.counts_start);
}

TEST(SearchSettings, TheNarrowerThresholdPrunes) {
  DecodingOptions asked;
  asked.pruning.relative = 0.5F;
  EXPECT_FLOAT_EQ(Resolve(asked, Spec())->search.prune, std::log(2.0F));
  asked.pruning.absolute_delta = 0.25F;
  EXPECT_EQ(Resolve(asked, Spec())->search.prune, 0.25F);
  asked.pruning.absolute_delta = 3.0F;
  EXPECT_FLOAT_EQ(Resolve(asked, Spec())->search.prune, std::log(2.0F));
  asked.pruning = {};
  asked.pruning.max_candidates = 3;
  EXPECT_EQ(Resolve(asked, Spec())->search.max_candidates, 3);
  EXPECT_EQ(Resolve(asked, Spec())->search.prune, std::numeric_limits<float>::infinity());
}

TEST(SearchSettings, AlignmentIsOfTheLastLayerAndAllHeadsUnlessChosen) {
  DecodingOptions asked;
  SearchContext context;
  context.max_rows = 64;
  EXPECT_FALSE(ResolveSearch(asked, Spec(), context)->search.align);
  context.align = true;
  const kernels::SearchOptions o = ResolveSearch(asked, Spec(), context)->search;
  EXPECT_TRUE(o.align);
  EXPECT_EQ(o.alignment_layer, 5);
  EXPECT_EQ(o.alignment_heads, ~uint64_t{0});
  asked.alignment_layer = 2;
  asked.alignment_heads = {0, 3};
  const kernels::SearchOptions chosen = ResolveSearch(asked, Spec(), context)->search;
  EXPECT_EQ(chosen.alignment_layer, 2);
  EXPECT_EQ(chosen.alignment_heads, 9U);
  asked.alignment_heads = {8};
  EXPECT_THAT(std::string(ResolveSearch(asked, Spec(), context).status().message()),
              HasSubstr("decoding.alignment_heads: found 8, expected 0..7"));
  asked.alignment_layer = 6;
  EXPECT_THAT(std::string(ResolveSearch(asked, Spec(), context).status().message()),
              HasSubstr("decoding.alignment_layer: found 6, expected 0..5"));
}

TEST(SearchSettings, AlignmentHasTheModelsHeadsInItsLastLayer) {
  ModelSpec spec = Spec();
  spec.alignment_heads = 1;
  SearchContext context;
  context.max_rows = 64;
  DecodingOptions asked;
  EXPECT_EQ(ResolveSearch(asked, spec, context)->search.alignment_heads, 1U);
  asked.alignment_layer = 2;
  EXPECT_EQ(ResolveSearch(asked, spec, context)->search.alignment_heads, ~uint64_t{0});
  asked.alignment_heads = {3};
  EXPECT_EQ(ResolveSearch(asked, spec, context)->search.alignment_heads, 8U);
}

TEST(SearchSettings, TermsAreAlignedByTheModelsDefaultUnlessThereArePartials) {
  ModelSpec spec = Spec();
  SearchContext context;
  context.max_rows = 64;
  DecodingOptions asked;
  EXPECT_FALSE(ResolveSearch(asked, spec, context)->aligns_terms);
  asked.term_placement = TermPlacement::kAligned;
  EXPECT_TRUE(ResolveSearch(asked, spec, context)->aligns_terms);
  asked.term_placement.reset();
  spec.aligns_terms = true;
  EXPECT_TRUE(ResolveSearch(asked, spec, context)->aligns_terms);
  context.partials = true;
  EXPECT_FALSE(ResolveSearch(asked, spec, context)->aligns_terms);
  context.partials = false;
  asked.term_placement = TermPlacement::kAnywhere;
  EXPECT_FALSE(ResolveSearch(asked, spec, context)->aligns_terms);
}

// Returns the fields that an option may change.
std::map<std::string, double> FieldsOf(const SearchSettings& settings) {
  std::map<std::string, double> fields = testing::FieldsOf(settings.search);
  fields["max_length_ratio"] = settings.max_length_ratio;
  fields["max_length_extra"] = settings.max_length_extra;
  fields["aligns_terms"] = settings.aligns_terms;
  return fields;
}

// Sets an option of any type. Values that are out of range or conflict with another option are
// refused later.
template <typename T>
void Put(double value, std::optional<T>* option) {
  if constexpr (std::is_enum_v<T>) {
    *option = static_cast<T>(value < 1 ? 0 : 1);
  } else if constexpr (std::is_arithmetic_v<T>) {
    *option = static_cast<T>(value);
  } else {
    option->emplace();
  }
}
void Put(double value, std::vector<int>* list) { list->push_back(static_cast<int>(value)); }
template <typename T>
void Put(double /*value*/, std::vector<T>* /*phrases*/) {}

// An option that the parser reads but that has no effect would fail this test.
TEST(SearchSettings, EveryOptionOfTheTableChangesTheSearch) {
  for (const DecodingOption& row : kDecodingOptions) {
    // Phrases become automata for each segment (segment_phrases_test.cc).
    if (row.name == "required_phrases" || row.name == "forbidden_phrases") continue;
    bool changes = false;
    for (const double value : {0.0, 0.5, 1.0, 2.0, 3.0}) {
      DecodingOptions asked;
      if (row.name.starts_with("sampling.")) asked.sampling.emplace();
      const auto without = Resolve(asked, Spec());
      VisitOptions(asked, [&](const DecodingOption& option, auto& member) {
        if (option.name == row.name) Put(value, &member);
      });
      const auto with = Resolve(asked, Spec());
      ASSERT_TRUE(without.ok()) << row.name << ": " << without.status();
      changes = changes || (with.ok() && FieldsOf(*with) != FieldsOf(*without));
    }
    EXPECT_TRUE(changes) << row.name;
  }
}

}  // namespace
}  // namespace dragoman::engine

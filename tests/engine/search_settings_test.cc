#include "engine/search_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

namespace dragoman {
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
  const auto settings = Resolve({}, Spec());
  ASSERT_TRUE(settings.ok()) << settings.status();
  const SearchOptions& o = settings->search;
  EXPECT_EQ(o.beam, 6);
  EXPECT_EQ(o.num_hypotheses, 1);
  EXPECT_EQ(o.length_penalty, 0.8F);
  EXPECT_EQ(o.stop_rule, StopRule::kFirstK);
  EXPECT_EQ(o.forced_eos, ForcedEos::kZero);
  EXPECT_EQ(o.max_tokens, 98);  // less the start token and EOS
  EXPECT_EQ(o.min_tokens, 4);   // less the start token
  EXPECT_EQ(o.eos, 3);
  EXPECT_TRUE(o.renormalize);
  EXPECT_TRUE(o.need_log_probs);
}

TEST(SearchSettings, WithoutAForcedEosItsPlaceIsATokensPlace) {
  ModelSpec spec = Spec();
  spec.generation.forced_eos.reset();
  EXPECT_EQ(Resolve({}, spec)->search.max_tokens, 99);
  spec.generation.max_length = 9999;
  EXPECT_EQ(Resolve({}, spec)->search.max_tokens, 512);
  DecodingOptions asked;
  asked.forced_eos = ForcedEos::kModel;  // needs a position for EOS
  EXPECT_EQ(Resolve(asked, spec)->search.max_tokens, 511);
}

TEST(SearchSettings, TheBatchBoundsTheCheckpointsBeamAndRefusesTheRequests) {
  EXPECT_EQ(Resolve({}, Spec(), 4)->search.beam, 4);
  DecodingOptions asked;
  asked.beam_size = 5;
  EXPECT_THAT(std::string(Resolve(asked, Spec(), 4).status().message()),
              HasSubstr("decoding.beam_size is 5, expected 1 to 4"));
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
  asked.max_output_tokens = 1000;  // not above the model's
  EXPECT_EQ(SearchForSegment(*Resolve(asked, Spec()), 100, false, 0).max_tokens, 98);
  asked.max_length_ratio = 1.5F;
  asked.max_length_extra = 2;
  EXPECT_EQ(SearchForSegment(*Resolve(asked, Spec()), 10, false, 0).max_tokens, 17);
  asked.max_length_ratio = 0.0F;
  asked.max_length_extra = 2;
  const SearchOptions least = SearchForSegment(*Resolve(asked, Spec()), 10, false, 0);
  EXPECT_EQ(least.max_tokens, 2);
  EXPECT_EQ(least.min_tokens, 2);  // the minimum yields to the limit
}

TEST(SearchSettings, EveryOptionOutOfRangeIsNamed) {
  const auto message = [](const std::function<void(DecodingOptions&)>& set) {
    DecodingOptions asked;
    set(asked);
    const auto settings = Resolve(asked, Spec());
    EXPECT_EQ(settings.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(settings.status().message());
  };
  EXPECT_THAT(message([](auto& o) { o.beam_size = 0; }), HasSubstr("beam_size is 0"));
  EXPECT_THAT(message([](auto& o) { o.beam_size = 65; }), HasSubstr("beam_size is 65"));
  EXPECT_THAT(message([](auto& o) { o.num_alternatives = 7; }), HasSubstr("num_alternatives is 7"));
  EXPECT_THAT(message([](auto& o) { o.num_alternatives = 0; }), HasSubstr("num_alternatives is 0"));
  EXPECT_THAT(message([](auto& o) { o.length_penalty = std::numeric_limits<float>::infinity(); }),
              HasSubstr("length_penalty"));
  EXPECT_THAT(message([](auto& o) { o.length_penalty = 11; }), HasSubstr("length_penalty is 11"));
  EXPECT_THAT(message([](auto& o) { o.patience = 0.0F; }), HasSubstr("patience is 0"));
  EXPECT_THAT(message([](auto& o) {
                o.patience = 2.0F;
                o.stop_rule = StopRule::kNever;
              }),
              HasSubstr("FIRST_K"));
  EXPECT_THAT(message([](auto& o) { o.max_output_tokens = 0; }),
              HasSubstr("max_output_tokens is 0"));
  EXPECT_THAT(message([](auto& o) { o.max_length_ratio = -1.0F; }), HasSubstr("max_length_ratio"));
  EXPECT_THAT(message([](auto& o) { o.max_length_extra = -1; }),
              HasSubstr("max_length_extra is -1"));
  EXPECT_THAT(message([](auto& o) { o.min_output_tokens = -1; }),
              HasSubstr("min_output_tokens is -1"));
  EXPECT_THAT(message([](auto& o) { o.min_output_tokens = 99; }),
              HasSubstr("min_output_tokens is 99, expected at most the output limit, which is 98"));
}

}  // namespace
}  // namespace dragoman

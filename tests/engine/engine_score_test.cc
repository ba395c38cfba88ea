// Scores of given translations, through the whole engine with the bundled model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kTexts = {
    "Der Hund schläft.", "Ich habe heute leider keine Zeit.",
    "Wir fahren am Wochenende mit dem Zug nach Hamburg, weil das Wetter schön ist.",
    "Wo ist der Bahnhof?",
    "Das Haus steht seit vielen Jahren am Rand der Stadt, und niemand weiß, wem es gehört."};

class EngineScore : public testing::BundledEngine {
 protected:
  void SetUp() override { Start(); }

  static TranslationJob Scoring(std::vector<std::string> sources,
                                std::vector<std::string> targets) {
    TranslationJob job = Job(std::move(sources));
    job.targets = std::move(targets);
    job.returns.tokens = job.returns.token_scores = true;
    return job;
  }
};

// The search may have segmented a translation otherwise than the tokenizer does. Such a translation
// has another score.
TEST_F(EngineScore, ATranslationHasTheBitsThatTheSearchGaveIt) {
  int compared = 0;
  for (const Profile profile :
       {Profile::kHf, Profile::kMarian, Profile::kPaper, Profile::kArticle}) {
    for (const int beam : {1, 4}) {
      TranslationJob job = Job(kTexts);
      job.decoding.profile = profile;
      job.decoding.beam_size = job.decoding.num_alternatives = beam;
      job.returns.scores = job.returns.tokens = job.returns.token_scores = true;
      const std::vector<ItemResult> found = Translate(job);
      std::vector<std::string> sources;
      std::vector<std::string> targets;
      std::vector<const Hypothesis*> expected;
      for (const ItemResult& item : found) {
        for (const Hypothesis& h : item.hypotheses) {
          sources.push_back(kTexts[static_cast<size_t>(item.index)]);
          targets.push_back(h.text);
          expected.push_back(&h);
        }
      }
      TranslationJob scoring = Scoring(sources, targets);
      scoring.decoding.profile = profile;
      const std::vector<ItemResult> scored = Translate(scoring);
      ASSERT_EQ(scored.size(), expected.size());
      for (size_t i = 0; i < scored.size(); ++i) {
        ASSERT_EQ(scored[i].hypotheses.size(), 1U) << scored[i].status;
        const Hypothesis& h = scored[i].hypotheses[0];
        EXPECT_EQ(h.text, targets[i]);
        if (h.tokens != expected[i]->tokens) continue;
        EXPECT_EQ(h.token_scores, expected[i]->token_scores) << h.text;
        EXPECT_EQ(h.log_prob, expected[i]->log_prob) << h.text;
        EXPECT_EQ(h.score, expected[i]->score) << h.text;
        EXPECT_EQ(h.finish_reason, kernels::FinishReason::kEos);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 90);
}

TEST_F(EngineScore, CompanyChangesNoBit) {
  const std::vector<std::string> targets = {"The dog is asleep.", "A cat.", "", "Where is it?",
                                            std::string(200, 'a')};
  const std::vector<ItemResult> together = Translate(Scoring(kTexts, targets));
  for (size_t i = 0; i < kTexts.size(); ++i) {
    const ItemResult alone = TranslateOne(Scoring({kTexts[i]}, {targets[i]}));
    const Hypothesis& h = together.at(i).hypotheses.at(0);
    EXPECT_EQ(h.token_scores, alone.hypotheses[0].token_scores);
    EXPECT_EQ(h.token_scores.size(), h.tokens.size() + 1);
    float sum = 0;
    for (const float log_prob : h.token_scores) sum += log_prob;
    EXPECT_FLOAT_EQ(h.log_prob, sum);
    EXPECT_EQ(h.log_prob, alone.hypotheses[0].log_prob);
  }
}

TEST_F(EngineScore, LengthPenaltyAndPenaltyDivideTheLogProb) {
  TranslationJob job = Scoring({"Wo ist der Bahnhof?"}, {"Where is the station?"});
  job.decoding.length_penalty = 0.5F;
  const Hypothesis power = TranslateOne(job).hypotheses[0];
  const auto length = static_cast<float>(power.token_scores.size());
  EXPECT_FLOAT_EQ(power.score, power.log_prob / std::sqrt(length));
  job.decoding.penalty = kernels::LengthPenalty::kGnmt;
  const Hypothesis gnmt = TranslateOne(job).hypotheses[0];
  EXPECT_EQ(gnmt.log_prob, power.log_prob);
  EXPECT_FLOAT_EQ(gnmt.score, gnmt.log_prob / std::sqrt((5 + length) / 6));
}

// A translation would leave such a text as it is, lower its case or keep its placeholders.
TEST_F(EngineScore, NothingIsRepaired) {
  TranslationJob job = Scoring({"$5.00", "", "DAS HAUS STEHT AM RAND DER STADT.", "Nimm {0} mit."},
                               {"$5.00", "", "THE HOUSE IS AT THE EDGE OF TOWN.", "Take {0}."});
  job.preserve = true;
  job.format = TextFormat::kHtml;  // neither has an effect, nor have the next two
  job.returns.alignment = job.returns.partials = true;
  job.terms = {{"Haus", "home", false}};
  for (const ItemResult& item : Translate(job)) {
    ASSERT_TRUE(item.status.ok()) << item.status;
    EXPECT_TRUE(std::isfinite(item.hypotheses.at(0).log_prob));
    EXPECT_LT(item.hypotheses[0].log_prob, 0);
    EXPECT_TRUE(item.warnings.empty());
  }
}

TEST_F(EngineScore, APairThatIsTooLongFailsAlone) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "Haus ";
  const std::vector<ItemResult> items =
      Translate(Scoring({text, "Wo ist der Bahnhof?", "Wo?"}, {"House", text, "Where?"}));
  EXPECT_EQ(items.at(0).status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(items.at(1).status.message(), HasSubstr("pairs[1].target"));
  EXPECT_TRUE(items.at(2).status.ok());
}

TEST_F(EngineScore, EachItemNeedsATarget) {
  EXPECT_THAT(Refused(Scoring({"Eins.", "Zwei."}, {"One."})).message(), HasSubstr("targets"));
}

}  // namespace
}  // namespace dragoman::engine

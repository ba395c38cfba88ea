// Tests required phrases, forbidden phrases and prefixes in the complete engine with the bundled
// model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "tests/engine/support/bundled_engine.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class EnginePhrases : public testing::BundledEngine {
 protected:
  void SetUp() override { Start(); }

  static TranslationJob Requiring(const std::string& text, const std::string& phrase,
                                  bool at_end = false) {
    TranslationJob job = Job({text});
    job.decoding.required_phrases.push_back({phrase, at_end});
    return job;
  }
  static TranslationJob Forbidding(const std::string& text, const std::string& phrase) {
    TranslationJob job = Job({text});
    job.decoding.forbidden_phrases.push_back(phrase);
    return job;
  }
  // Returns the error of the only item of a job that is accepted.
  std::string ItemError(const TranslationJob& job) {
    const std::vector<ItemResult> items = Translate(job);
    if (items.size() != 1) return absl::StrCat(items.size(), " items");
    EXPECT_EQ(items[0].status.code(), absl::StatusCode::kInvalidArgument) << items[0].status;
    EXPECT_TRUE(items[0].hypotheses.empty());
    return std::string(items[0].status.message());
  }
};

TEST_F(EnginePhrases, ARequiredPhraseIsInTheTranslation) {
  const std::string plain = Text("Ich habe heute leider keine Zeit.");
  ASSERT_THAT(plain, Not(HasSubstr("at the moment")));
  for (const kernels::Allocation allocation :
       {kernels::Allocation::kStripe, kernels::Allocation::kBanks}) {
    for (const int beam : {1, 2, 4, 8}) {
      TranslationJob job = Requiring("Ich habe heute leider keine Zeit.", "at the moment");
      job.decoding.beam_size = beam;
      job.decoding.constraint_allocation = allocation;
      const ItemResult item = TranslateOne(job);
      EXPECT_THAT(item.hypotheses[0].text, HasSubstr("at the moment")) << beam;
      EXPECT_LE(item.hypotheses[0].finish_reason, kernels::FinishReason::kLength);
    }
  }
}

TEST_F(EnginePhrases, ARequiredPhraseComesAsOftenAsItIsAskedFor) {
  TranslationJob job = Requiring("Ich habe Hunger.", "hungry");
  job.decoding.required_phrases.push_back({"hungry", false});
  const std::string text = TextOf(job);
  const size_t first = text.find("hungry");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_NE(text.find("hungry", first + 1), std::string::npos) << text;
}

class AlignedTerms : public EnginePhrases {
 protected:
  static TranslationJob WithTerms(const std::string& text, std::vector<TermRequest> terms) {
    TranslationJob job = Job({text});
    job.terms = std::move(terms);
    job.decoding.term_placement = TermPlacement::kAligned;
    job.returns.scores = true;
    return job;
  }
};

TEST_F(AlignedTerms, ATranslationThatHasThemIsTheOneWithoutTerms) {
  TranslationJob plain = WithTerms("Der Hund schläft.", {});
  for (const int beam : {1, 3}) {
    plain.decoding.beam_size = plain.decoding.num_alternatives = beam;
    TranslationJob job = plain;
    job.terms = {{"Hund", "dog", false}};
    if (beam > 1) job.terms[0] = {"Der", "The", false};  // all hypotheses contain it
    const ItemResult expected = TranslateOne(plain);
    const ItemResult found = TranslateOne(job);
    ASSERT_EQ(found.hypotheses.size(), expected.hypotheses.size());
    for (size_t i = 0; i < found.hypotheses.size(); ++i) {
      EXPECT_EQ(found.hypotheses[i].text, expected.hypotheses[i].text);
      EXPECT_EQ(found.hypotheses[i].score, expected.hypotheses[i].score);
    }
  }
  EXPECT_EQ(observer_.searched_again.load(), 0);
}

TEST_F(AlignedTerms, OneThatIsMissingStandsForItsSourceWordsAtEveryBeam) {
  for (const int beam : {1, 2, 4, 8}) {
    TranslationJob job = WithTerms("Der Hund schläft.", {{"Hund", "hound", false}});
    job.decoding.beam_size = beam;
    EXPECT_EQ(TextOf(job), "The hound is sleeping.") << beam;
  }
  EXPECT_GE(observer_.searched_again.load(), 4);
  EXPECT_EQ(observer_.encoded_segments.load(), 4);  // no second search encodes again
}

TEST_F(AlignedTerms, PlaceholdersBesideThemStay) {
  TranslationJob job = WithTerms("", {{"Hund", "hound", false}});
  job.preserve = true;
  job.contents.clear();
  for (int i = 0; i < 20; ++i) {
    job.contents.push_back(absl::StrCat("Ich habe den Hund von {", i, "} im Garten gesehen."));
  }
  const std::vector<ItemResult> items = Translate(job);
  for (size_t i = 0; i < items.size(); ++i) {
    const Hypothesis& best = items[i].hypotheses.at(0);
    EXPECT_THAT(best.text, HasSubstr("hound"));
    EXPECT_THAT(best.text, HasSubstr(absl::StrCat("{", i, "}")));
    EXPECT_LE(best.finish_reason, kernels::FinishReason::kLength) << best.text;
    EXPECT_TRUE(items[i].warnings.empty());
  }
}

TEST_F(AlignedTerms, EveryAlternativeHasThem) {
  TranslationJob job = WithTerms("Der Hund schläft.", {{"Hund", "dog", false}});
  job.decoding.num_alternatives = job.decoding.beam_size = 6;
  for (const Hypothesis& h : TranslateOne(job).hypotheses) EXPECT_THAT(h.text, HasSubstr("dog"));
}

// A target of six words that is unrelated to the source is never aligned with its source word, so
// its gate does not open. It must then be placed without regard to alignment.
TEST_F(AlignedTerms, OneWhoseGateNeverOpensIsPlacedAnywhere) {
  const std::string target = "seven green apples on a table";
  const ItemResult item =
      TranslateOne(WithTerms("Ich habe heute leider keine Zeit.", {{"leider", target, false}}));
  EXPECT_THAT(item.hypotheses[0].text, HasSubstr(target));
  EXPECT_LE(item.hypotheses[0].finish_reason, kernels::FinishReason::kLength);
}

TEST_F(AlignedTerms, PartialsCannotBeTakenBack) {
  TranslationJob job = WithTerms("Der Hund schläft.", {{"Hund", "hound", false}});
  job.returns.partials = true;
  EXPECT_THAT(std::string(Refused(job).message()), HasSubstr("decoding.term_placement ALIGNED"));
  job.decoding.term_placement.reset();
  EXPECT_THAT(TextOf(job), HasSubstr("hound"));
}

TEST_F(EnginePhrases, APhraseAtTheEndEndsTheTranslation) {
  const ItemResult item = TranslateOne(Requiring("Ich habe Hunger.", "very much.", true));
  EXPECT_TRUE(item.hypotheses[0].text.ends_with("very much.")) << item.hypotheses[0].text;
  EXPECT_EQ(item.hypotheses[0].finish_reason, kernels::FinishReason::kEos);
}

TEST_F(EnginePhrases, AForbiddenPhraseIsNot) {
  ASSERT_EQ(Text("Der Hund schläft."), "The dog is sleeping.");
  EXPECT_THAT(TextOf(Forbidding("Der Hund schläft.", "sleeping")), Not(HasSubstr("sleeping")));
  // The forbidden phrase has several tokens. Parts of it are allowed.
  const std::string text = TextOf(Forbidding("Der Hund schläft.", "dog is"));
  EXPECT_THAT(text, Not(HasSubstr("dog is")));
  EXPECT_THAT(text, HasSubstr("dog"));
  // A phrase that the vocabulary cannot write never occurs, so forbidding it has no effect.
  EXPECT_EQ(TextOf(Forbidding("Der Hund schläft.", "睡")), "The dog is sleeping.");
}

TEST_F(EnginePhrases, ARequiredPhraseThatIsForbiddenIsRequired) {
  TranslationJob job = Requiring("Der Hund schläft.", "cat");
  job.decoding.forbidden_phrases = {"cat", "dog"};
  const std::string text = TextOf(job);
  EXPECT_THAT(text, HasSubstr("cat"));
  EXPECT_THAT(text, Not(HasSubstr("dog")));
}

TEST_F(EnginePhrases, ARequiredPhraseThatContainsAForbiddenOneIsRefused) {
  TranslationJob job = Requiring("Der Hund schläft.", "the big cat");
  job.decoding.forbidden_phrases = {"moon", "big"};
  EXPECT_EQ(ItemError(job),
            "decoding.forbidden_phrases[1] is a part of decoding.required_phrases[0], expected one "
            "of them only");
}

TEST_F(EnginePhrases, PrefixesStartTheirItemsOnly) {
  TranslationJob job = Job({"Ich habe Hunger.", "Ich habe Hunger.", "Ich habe Hunger."});
  job.target_prefixes = {"We are", "", "Hunger"};
  const std::vector<ItemResult> items = Translate(job);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_THAT(items[0].hypotheses[0].text, StartsWith("We are"));
  EXPECT_EQ(items[1].hypotheses[0].text, "I'm hungry.");
  EXPECT_THAT(items[2].hypotheses[0].text, StartsWith("Hunger"));
}

TEST_F(EnginePhrases, RequiredPhrasesMayBeginInThePrefix) {
  TranslationJob job = Requiring("Ich habe Hunger.", "We are");
  job.target_prefixes = {"We are"};
  job.decoding.max_output_tokens = 6;
  EXPECT_THAT(TextOf(job), StartsWith("We are"));
  // A phrase that the prefix contains counts as met. Otherwise it would not fit into the output
  // limit.
  TranslationJob tight = Requiring("Ich habe Hunger.", "We");
  tight.target_prefixes = {"We"};
  tight.decoding.max_output_tokens = 2;
  EXPECT_THAT(TextOf(tight), StartsWith("We"));
}

TEST_F(EnginePhrases, WhatTheBytesShowFailsTheCall) {
  EXPECT_THAT(std::string(Refused(Requiring("Hallo.", " \n")).message()),
              HasSubstr("decoding.required_phrases[0] is empty"));
  EXPECT_THAT(std::string(Refused(Forbidding("Hallo.", "")).message()),
              HasSubstr("decoding.forbidden_phrases[0] is empty"));
  TranslationJob ends = Requiring("Hallo.", "one", true);
  ends.decoding.required_phrases.push_back({"two", true});
  EXPECT_THAT(std::string(Refused(ends).message()),
              HasSubstr("decoding.required_phrases[0] and [1] both have at_end"));
  TranslationJob prefixes = Job({"Hallo.", "Hallo."});
  prefixes.target_prefixes = {"one"};
  EXPECT_THAT(std::string(Refused(prefixes).message()),
              HasSubstr("target_prefixes has 1 elements, expected 2"));
}

TEST_F(EnginePhrases, WhatNeedsTokenisingFailsItsItems) {
  EXPECT_THAT(ItemError(Requiring("Hallo.", "漢字")),
              HasSubstr("decoding.required_phrases[0] has characters that the model's vocabulary "
                        "lacks"));
  EXPECT_THAT(ItemError(Requiring("Hallo.", "</s>")), HasSubstr("vocabulary lacks"));
  EXPECT_THAT(ItemError(Requiring("Hallo.", "\u200B")), HasSubstr("has no tokens"));
  EXPECT_THAT(ItemError(Forbidding("Hallo.", "\u200B")),
              HasSubstr("decoding.forbidden_phrases[0] has no tokens"));

  TranslationJob many = Job({"Hallo."});
  many.decoding.max_length_extra = 400;
  for (int i = 0; i < 129; ++i) many.decoding.required_phrases.push_back({"the", false});
  EXPECT_THAT(ItemError(many), HasSubstr("(129 in all) have 129 tokens, expected at most 128"));
  many.decoding.required_phrases.pop_back();
  EXPECT_THAT(TextOf(many), HasSubstr("the the"));
  many.decoding.max_output_tokens = 127;
  EXPECT_THAT(ItemError(many), HasSubstr("have 128 tokens, the segment's output limit is 127"));

  TranslationJob forbidden = Job({"Hallo."});
  for (int i = 0; i < 4000; ++i) {
    forbidden.decoding.forbidden_phrases.push_back(absl::StrCat("number ", i, " of them"));
  }
  EXPECT_THAT(ItemError(forbidden), HasSubstr("nodes of the automaton"));
  EXPECT_THAT(ItemError(forbidden), HasSubstr("expected at most 4096"));

  // A prefix that is too long or cannot be written fails only its own item.
  TranslationJob prefixes = Job({"Hallo.", "Ich habe Hunger.", "Hallo."});
  prefixes.target_prefixes = {"This is a prefix that is much too long for it", "", "漢字"};
  prefixes.decoding.max_output_tokens = 8;
  const std::vector<ItemResult> items = Translate(prefixes);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_THAT(std::string(items[0].status.message()), HasSubstr("target_prefixes[0] has "));
  EXPECT_THAT(std::string(items[0].status.message()), HasSubstr("expected at most 7"));
  EXPECT_EQ(items[1].hypotheses.at(0).text, "I'm hungry.");
  EXPECT_THAT(std::string(items[2].status.message()),
              HasSubstr("target_prefixes[2] has characters"));
}

TEST_F(EnginePhrases, APrefixThatContainsAForbiddenPhraseIsRefused) {
  TranslationJob job = Forbidding("Der Hund schläft.", "big");
  job.target_prefixes = {"The big"};
  EXPECT_EQ(ItemError(job),
            "decoding.forbidden_phrases[0] is a part of target_prefixes[0], expected one of them "
            "only");
}

TEST_F(EnginePhrases, WhatNeedsOneSegmentSaysSo) {
  const std::string two = "Ich habe Hunger. Ich bin hier.";
  const auto each = [&](const char* option, const std::function<void(TranslationJob&)>& set) {
    TranslationJob job = Job({two});
    set(job);
    EXPECT_EQ(TranslateOne(job).sentences.size(), 1U) << option;  // unset means NONE for such a job
    job.split = SplitMode::kSentences;
    EXPECT_THAT(
        ItemError(job),
        HasSubstr(absl::StrCat(option,
                               " needs an item of one segment, found 2: set segmentation.split "
                               "to NONE, or leave it unset")));
    job.contents = {"Ich habe Hunger."};
    EXPECT_TRUE(Translate(job).at(0).status.ok());
  };
  each("decoding.num_alternatives above 1", [](auto& j) { j.decoding.num_alternatives = 2; });
  each("decoding.required_phrases", [](auto& j) {
    j.decoding.required_phrases.push_back({"hungry", false});
  });
  each("target_prefixes[0]", [](auto& j) { j.target_prefixes = {"We"}; });
  each("return_options.alignment", [](auto& j) { j.returns.alignment = true; });
  // If the text is too long for one segment anyway, the error does not advise about splitting.
  std::string long_text = "Ich habe Hunger";
  for (int i = 0; i < 400; ++i) long_text += ", und ich bin hier";
  for (const SplitMode split : {SplitMode::kUnset, SplitMode::kNone, SplitMode::kSentences}) {
    TranslationJob job = Job({long_text + "."});
    job.split = split;
    job.decoding.num_alternatives = 2;
    EXPECT_THAT(ItemError(job), HasSubstr(": the text is longer than the "));
    EXPECT_THAT(ItemError(job), HasSubstr(" tokens that the model takes at once; shorten it"));
  }
  // Terms work with several segments. They apply to the segments that contain them.
  TranslationJob terms = Job({two});
  terms.terms = {{"Hunger", "appetite", false}};
  EXPECT_EQ(TranslateOne(terms).sentences.size(), 2U);
}

TEST_F(EnginePhrases, WhatCannotBeMetIsReported) {
  // This item has no text to translate, so the phrase cannot occur in it.
  TranslationJob job = Requiring("* * *", "hungry");
  job.contents.push_back("Ich habe Hunger.");
  const std::vector<ItemResult> items = Translate(job);
  EXPECT_EQ(items.at(0).hypotheses.at(0).text, "* * *");
  EXPECT_EQ(items.at(0).hypotheses.at(0).finish_reason, kernels::FinishReason::kConstraintsUnmet);
  EXPECT_EQ(items.at(1).hypotheses.at(0).finish_reason, kernels::FinishReason::kEos);
}

TEST_F(EnginePhrases, ConstrainedSearchRefusesSampling) {
  TranslationJob job = Requiring("Hallo.", "hello");
  job.decoding.sampling = Sampling{};
  EXPECT_THAT(std::string(Refused(job).message()), HasSubstr("sampling"));
}

TEST_F(EnginePhrases, PartialsOfConstrainedSegmentsArePrefixes) {
  TranslationJob job = Requiring(
      "Wenn es morgen nicht regnet, gehen wir mit den Kindern in den Park.", "at the lake");
  job.returns.partials = true;
  const auto sink = Run(job);
  ASSERT_GT(sink->updates().size(), 1U);
  std::string last;
  for (const SegmentUpdate& update : sink->updates()) {
    EXPECT_TRUE(update.text.starts_with(last));
    last = update.text;
  }
  EXPECT_THAT(last, HasSubstr("at the lake"));
  EXPECT_EQ(sink->items().at(0).hypotheses.at(0).text, last);
}

}  // namespace
}  // namespace dragoman::engine

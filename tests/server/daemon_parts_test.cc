// Tests the small parts: drain order, call tracker, ids, log lines, response messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/field_error.h"
#include "server/base/log.h"
#include "server/base/version.h"
#include "server/call/call_id.h"
#include "server/call/call_tracker.h"
#include "server/call/request_error.h"
#include "server/call/response_builder.h"
#include "server/call/rpc_status.h"
#include "server/process/drain.h"
#include "server/process/version_text.h"
#include "tests/server/fake_engine.h"
#include "tests/server/served_models.h"
#include "tests/server/unset_fields.h"

namespace dragoman::server {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class DrainTest : public ::testing::Test {
 protected:
  void SetUp() override { SetLogLevel(LogLevel::kOff); }
  void TearDown() override { SetLogLevel(LogLevel::kInfo); }

  DrainSteps Steps(bool idle) {
    DrainSteps steps;
    steps.leave = [this] { order_.emplace_back("leave"); };
    steps.linger = [this](std::chrono::nanoseconds time) {
      order_.push_back("linger " + std::to_string(time.count() / 1'000'000'000));
      return false;
    };
    steps.stop_taking = [this] { order_.emplace_back("stop_taking"); };
    steps.wait_idle = [this, idle](std::chrono::nanoseconds limit) {
      order_.push_back("wait " + std::to_string(limit.count() / 1'000'000'000));
      return idle;
    };
    steps.in_flight = [idle] { return idle ? 0 : 3; };
    steps.cancel_rest = [this] { order_.emplace_back("cancel_rest"); };
    steps.shutdown = [this] { order_.emplace_back("shutdown"); };
    return steps;
  }
  std::vector<std::string> order_;
};

TEST_F(DrainTest, WaitsForWhatWasAccepted) {
  const DrainResult result = Drain(Steps(true), {seconds(30)});
  EXPECT_TRUE(result.clean);
  EXPECT_EQ(result.cut_off, 0);
  EXPECT_THAT(order_, ElementsAre("leave", "stop_taking", "wait 30", "shutdown"));
}

TEST_F(DrainTest, TakesCallsForAWhileWhereItIsToBeALameDuck) {
  EXPECT_TRUE(Drain(Steps(true), {seconds(30), seconds(5)}).clean);
  EXPECT_THAT(order_, ElementsAre("leave", "linger 5", "stop_taking", "wait 30", "shutdown"));
}

TEST_F(DrainTest, CutsOffAtTheLimit) {
  const DrainResult result = Drain(Steps(false), {seconds(30)});
  EXPECT_FALSE(result.clean);
  EXPECT_EQ(result.cut_off, 3);
  EXPECT_THAT(order_,
              ElementsAre("leave", "stop_taking", "wait 30", "cancel_rest", "wait 2", "shutdown"));
}

TEST(CallTracker, WaitsForTheLastCall) {
  CallTracker tracker;
  EXPECT_TRUE(tracker.WaitIdle(seconds(0)));
  auto first = std::make_unique<CallTracker::Ticket>(&tracker);
  auto second = std::make_unique<CallTracker::Ticket>(&tracker);
  EXPECT_EQ(tracker.in_flight(), 2);
  EXPECT_FALSE(tracker.WaitIdle(seconds(0)));
  std::thread ending([&] {
    first.reset();
    second.reset();
  });
  EXPECT_TRUE(tracker.WaitIdle(seconds(60)));
  ending.join();
}

TEST(CallTracker, InterruptEndsTheWait) {
  CallTracker tracker;
  const CallTracker::Ticket ticket(&tracker);
  std::thread hurry([&] { tracker.Interrupt(); });
  EXPECT_FALSE(tracker.WaitIdle(seconds(60)));
  hurry.join();
  EXPECT_FALSE(tracker.WaitIdle(seconds(60)));  // later waits return at once, too
  EXPECT_TRUE(tracker.WaitInterrupted(seconds(60)));
}

TEST(CallTracker, AWaitForAnInterruptLastsItsTime) {
  CallTracker tracker;
  const auto begin = std::chrono::steady_clock::now();
  // The wait ignores whether the tracker is idle.
  EXPECT_FALSE(tracker.WaitInterrupted(std::chrono::milliseconds(30)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
  std::thread hurry([&] { tracker.Interrupt(); });
  EXPECT_TRUE(tracker.WaitInterrupted(seconds(60)));
  hurry.join();
}

// A timer that fired would end the test program; one that hung would block the destructor.
TEST(HardExitTimer, DoesNothingInTime) {
  const HardExitTimer never_armed;
  HardExitTimer timer;
  timer.Arm(seconds(3600));
}

TEST(HardExitTimerDeathTest, EndsAProcessThatHangs) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        HardExitTimer timer;
        timer.Arm(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(seconds(60));
      },
      ::testing::ExitedWithCode(3), "^$");
}

TEST(VersionText, SaysOneLineOrEverything) {
  engine::EngineBuild engine;
  engine.instruction_set = "avx2";
  engine.instruction_sets = {"baseline", "avx2"};
  const std::string brief = VersionText(false, engine);
  EXPECT_EQ(brief, "dragomand " + std::string(kVersion) + "\n");
  const std::string verbose = VersionText(true, engine);
  EXPECT_THAT(verbose, StartsWith(brief));
  EXPECT_THAT(verbose, HasSubstr("\ncompiler "));
  EXPECT_THAT(verbose, HasSubstr("\ninstruction set   avx2, of baseline avx2\n"));
  EXPECT_THAT(verbose, HasSubstr("\ndevices           CPU\n"));
  EXPECT_THAT(verbose, HasSubstr("libgrpc"));  // this program links it, too
  engine.cuda = true;
  EXPECT_THAT(VersionText(true, engine), HasSubstr("CPU, CUDA "));
}

TEST(CallId, RequestIdsDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(NewId());
  EXPECT_EQ(ids.size(), 1000U);
  EXPECT_EQ(ids.begin()->size(), 32U);
}

TEST(CallId, TheClientIsThePeerWithoutItsPort) {
  EXPECT_EQ(ClientOfPeer("ipv4:192.0.2.7:4711"), "ipv4:192.0.2.7");
  // All IPv6 addresses of a /64 network are one client.
  EXPECT_EQ(ClientOfPeer("ipv6:%5B2001:db8::1%5D:4711"), "ipv6:2001:db8::/64");
  EXPECT_EQ(ClientOfPeer("ipv6:[2001:db8::ffff:0:0:2]:12"), "ipv6:2001:db8::/64");
  EXPECT_EQ(ClientOfPeer("ipv6:[2001:db8:0:1::1]:12"), "ipv6:2001:db8:0:1::/64");
  EXPECT_EQ(ClientOfPeer("ipv6:[::1]:4711"), "ipv6:::/64");
  EXPECT_NE(ClientOfPeer("ipv6:[::ffff:192.0.2.7]:1"), ClientOfPeer("ipv6:[::ffff:192.0.2.8]:1"));
  EXPECT_EQ(ClientOfPeer("ipv6:[fe80::1%25eth0]:1"), "ipv6:[fe80::1%25eth0]");
  EXPECT_EQ(ClientOfPeer("unix:/run/dragoman.sock"), "unix:/run/dragoman.sock");
  EXPECT_EQ(ClientOfPeer(""), "");
}

TEST(LogLine, IsJsonInOrderAndHonoursTheLevel) {
  std::vector<std::string> lines;
  SetLogSink([&](std::string_view line) { lines.emplace_back(line); });
  SetLogLevel(LogLevel::kWarn);
  Log(LogLevel::kInfo, "quiet");
  Log(LogLevel::kError, "loud", {{"id", "a\"b\n"}, {"n", 3}, {"bad", "\xFF"}});
  SetLogLevel(LogLevel::kInfo);
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(lines[0]);
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("time", "level", "msg", "id", "n", "bad"));
  EXPECT_EQ(json["level"], "error");
  EXPECT_EQ(json["id"], "a\"b\n");
  EXPECT_THAT(json["time"].get<std::string>(),
              ::testing::MatchesRegex("....-..-..T..:..:..\\....Z"));
}

TEST(ResponseBuilder, GivesWhatWasAskedFor) {
  engine::TranslationJob job;
  job.contents = {"x"};
  job.decoding.num_alternatives = 2;
  const v1::Translation bare = BuildTranslation(FakeEngine::Answer(job, 0), {}, "m");
  EXPECT_EQ(bare.translated_text(), "[x]");
  EXPECT_EQ(bare.model(), "m");
  EXPECT_EQ(bare.finish_reason(), v1::EOS);
  EXPECT_FALSE(bare.has_score());
  EXPECT_FALSE(bare.has_log_prob());
  EXPECT_FALSE(bare.has_tokens());
  ASSERT_EQ(bare.alternatives_size(), 1);
  EXPECT_EQ(bare.alternatives(0).text(), "[x]!");
  EXPECT_FALSE(bare.alternatives(0).has_score());
  ASSERT_EQ(bare.sentences_size(), 1);
  EXPECT_EQ(bare.sentences(0).target_end(), 3);

  engine::ReturnOptions all;
  all.scores = all.tokens = all.token_scores = true;
  const v1::Translation full = BuildTranslation(FakeEngine::Answer(job, 0), all, "m");
  EXPECT_EQ(full.score(), -0.5F);
  EXPECT_EQ(full.log_prob(), -2.0F);
  EXPECT_THAT(full.tokens().source(), ElementsAre("s"));
  EXPECT_THAT(full.tokens().target(), ElementsAre("a", "b"));
  EXPECT_EQ(full.tokens().target_scores_size(), 3);
  EXPECT_EQ(full.alternatives(0).score(), -1.5F);
  EXPECT_EQ(full.alternatives(0).tokens().source_size(), 0);
  EXPECT_EQ(full.alternatives(0).tokens().target_size(), 2);

  engine::ReturnOptions only_scores;
  only_scores.token_scores = true;
  const v1::Translation some = BuildTranslation(FakeEngine::Answer(job, 0), only_scores, "m");
  EXPECT_EQ(some.tokens().target_size(), 0);
  EXPECT_EQ(some.tokens().target_scores_size(), 3);
}

TEST(ResponseBuilder, AlignsTheTranslationWhenAsked) {
  engine::TranslationJob job;
  job.contents = {"x"};
  job.decoding.num_alternatives = 2;
  EXPECT_FALSE(BuildTranslation(FakeEngine::Answer(job, 0), {}, "m").has_alignment());
  engine::ReturnOptions returns;
  returns.alignment = true;
  const v1::Translation aligned = BuildTranslation(FakeEngine::Answer(job, 0), returns, "m");
  ASSERT_EQ(aligned.alignment().links_size(), 2);
  const v1::Alignment::Link& link = aligned.alignment().links(1);
  EXPECT_EQ(link.source_begin(), 2);
  EXPECT_EQ(link.source_end(), 3);
  EXPECT_EQ(link.target_begin(), 0);
  EXPECT_EQ(link.target_end(), 1);
  // A hypothesis without tokens still gets an alignment, which is empty.
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.hypotheses[0].alignment.clear();
  EXPECT_TRUE(BuildTranslation(std::move(result), returns, "m").has_alignment());
}

TEST(ResponseBuilder, ReturnsTheSeedOfSampling) {
  engine::TranslationJob job;
  job.contents = {"x"};
  EXPECT_FALSE(BuildTranslation(FakeEngine::Answer(job, 0), {}, "m").has_seed());
  job.decoding.sampling.emplace().seed = 0;
  const v1::Translation drawn = BuildTranslation(FakeEngine::Answer(job, 0), {}, "m");
  ASSERT_TRUE(drawn.has_seed());
  EXPECT_EQ(drawn.seed(), 0U);
  job.decoding.sampling->seed = ~uint64_t{0};
  EXPECT_EQ(BuildTranslation(FakeEngine::Answer(job, 0), {}, "m").seed(), ~uint64_t{0});
}

TEST(ResponseBuilder, EveryRankHasItsFinishReason) {
  engine::TranslationJob job;
  job.contents = {"x"};
  job.decoding.num_alternatives = 4;
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.hypotheses[0].finish_reason = kernels::FinishReason::kConstraintsUnmet;
  result.hypotheses[1].finish_reason = kernels::FinishReason::kLength;
  result.hypotheses[2].finish_reason = kernels::FinishReason::kNoOutput;
  const v1::Translation translation = BuildTranslation(std::move(result), {}, "m");
  EXPECT_EQ(translation.finish_reason(), v1::CONSTRAINTS_UNMET);
  EXPECT_EQ(translation.alternatives(0).finish_reason(), v1::LENGTH);
  EXPECT_EQ(translation.alternatives(1).finish_reason(), v1::NO_OUTPUT);
  EXPECT_EQ(translation.alternatives(2).finish_reason(), v1::EOS);
}

TEST(ResponseBuilder, SaysEveryWarning) {
  engine::TranslationJob job;
  job.contents = {"x"};
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.warnings = {{engine::WarningCode::kOutputLimit, "a"},
                     {engine::WarningCode::kBeamTooNarrow, "b"},
                     {engine::WarningCode::kNotTranslated, "c"},
                     {engine::WarningCode::kUnknownCharacters, "d"},
                     {engine::WarningCode::kPlaceholderLost, "e"}};
  result.preserved = {"{0}", "%s"};
  const v1::Translation translation = BuildTranslation(std::move(result), {}, "m");
  ASSERT_EQ(translation.warnings_size(), 5);
  EXPECT_EQ(translation.warnings(4).code(), v1::Warning::PLACEHOLDER_LOST);
  EXPECT_EQ(translation.preserved_size(), 2);
  EXPECT_EQ(translation.warnings(3).code(), v1::Warning::UNKNOWN_CHARACTERS);
  EXPECT_EQ(translation.warnings(0).code(), v1::Warning::OUTPUT_LIMIT);
  EXPECT_EQ(translation.warnings(1).code(), v1::Warning::BEAM_TOO_NARROW);
  EXPECT_EQ(translation.warnings(1).text(), "b");
  EXPECT_EQ(translation.warnings(2).code(), v1::Warning::NOT_TRANSLATED);
}

// The test has as many languages as NLLB-200, with the longest codes.
TEST(ResponseBuilder, TheLanguagesOfALargeModelFitInAnAnswer) {
  constexpr int kLanguages = 202;
  constexpr int kPairs = kLanguages * (kLanguages - 1);
  FakeEngine engine;
  const auto code = [](int i) {
    return std::string{static_cast<char>('a' + i / 26), static_cast<char>('a' + i % 26), 'x'} +
           "-Latn";
  };
  engine.mutable_info()->pairs.clear();
  for (int from = 0; from < kLanguages; ++from) {
    for (int to = 0; to < kLanguages; ++to) {
      if (from != to) engine.mutable_info()->pairs.push_back({code(from), code(to)});
    }
  }
  const ServedModel served = Borrowed(&engine);
  const auto model = std::make_shared<const ServedModel>(served);
  // Twenty equal models have no more pairs than one.
  const v1::ListLanguagesResponse all = BuildLanguages(std::vector<ModelPtr>(20, model));
  EXPECT_EQ(all.pairs_size(), kPairs);
  EXPECT_EQ(all.languages_size(), kLanguages);
  EXPECT_LT(all.ByteSizeLong(), 1'000'000U);
  const v1::Model listed = BuildModel(served, false);
  EXPECT_EQ(listed.pairs_size(), 1000);
  EXPECT_EQ(listed.pair_count(), kPairs);
  EXPECT_LT(listed.ByteSizeLong(), 30'000U);
}

TEST(ResponseBuilder, DescribesTheModel) {
  FakeEngine engine;
  engine::ModelInfo& info = *engine.mutable_info();
  info.name = "m";
  info.decoder_layers = 6;
  info.decoder_heads = 8;
  info.default_beam = 4;
  info.glossaries = {"law", "names"};
  info.notes = {"a card is not used"};
  ServedModel served = Borrowed(&engine);
  served.version = 3;
  served.loaded_at = 1'700'000'000;
  served.load_duration = 1'500'000'000;
  const v1::Model model = BuildModel(served, true);
  EXPECT_EQ(model.decoder_layers(), 6);
  EXPECT_EQ(model.decoder_heads(), 8);
  EXPECT_THAT(model.glossaries(), ElementsAre("law", "names"));
  EXPECT_THAT(model.notes(), ElementsAre("a card is not used"));
  EXPECT_EQ(model.state(), v1::Model::SERVING);
  EXPECT_EQ(model.version(), 3);
  EXPECT_EQ(model.checksum(), "c0ffee");
  EXPECT_EQ(model.loaded_at().seconds(), 1'700'000'000);
  EXPECT_EQ(model.load_duration().nanos(), 500'000'000);
  ASSERT_EQ(model.memory_size(), 2);
  EXPECT_EQ(model.memory(1).device(), "cuda:1");
  EXPECT_EQ(model.memory(1).weights(), 11);
  EXPECT_EQ(model.memory(1).kv(), 21);
  EXPECT_EQ(model.memory(1).workspace(), 31);
  EXPECT_EQ(model.memory(1).kv_resident(), 19);
  EXPECT_EQ(model.pivot_size(), 0);
  using Wire = v1::DecodingOptions;
  for (const auto& [profile, wire] : std::vector<std::pair<engine::Profile, Wire::Profile>>{
           {engine::Profile::kHf, Wire::HF},
           {engine::Profile::kCt2, Wire::CT2},
           {engine::Profile::kMarian, Wire::MARIAN},
           {engine::Profile::kPaper, Wire::PAPER},
           {engine::Profile::kArticle, Wire::ARTICLE}}) {
    info.default_profile = profile;
    EXPECT_EQ(BuildModel(served, true).default_profile(), wire);
  }
}

TEST(ResponseBuilder, APivotSaysWhatTheFirstModelMade) {
  engine::TranslationJob job;
  job.contents = {"x"};
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.pivot = engine::PivotPart{
      "de-en", "en-fr", "en", "between", -0.25F, -3.0F, kernels::FinishReason::kLength,
      true,    false};
  engine::ReturnOptions scores;
  scores.scores = true;
  const v1::Translation with = BuildTranslation(result, scores, "de-fr");
  EXPECT_EQ(with.model(), "de-fr");
  EXPECT_EQ(with.pivot().first_model(), "de-en");
  EXPECT_EQ(with.pivot().second_model(), "en-fr");
  EXPECT_EQ(with.pivot().language_code(), "en");
  EXPECT_EQ(with.pivot().text(), "between");
  EXPECT_EQ(with.pivot().score(), -0.25F);
  EXPECT_EQ(with.pivot().log_prob(), -3.0F);
  EXPECT_EQ(with.pivot().finish_reason(), v1::LENGTH);
  EXPECT_FALSE(with.has_score());  // the translation has several segments in the second model
  EXPECT_EQ(with.log_prob(), -2.0F);
  result.pivot->first_one_segment = false;
  result.pivot->second_one_segment = true;
  EXPECT_FALSE(BuildTranslation(result, scores, "m").pivot().has_score());
  EXPECT_TRUE(BuildTranslation(result, scores, "m").has_score());
  EXPECT_FALSE(BuildTranslation(result, {}, "m").pivot().has_log_prob());
}

// The builder must fill every field of an answer. Fields that something else fills are listed here,
// so that a new field fails this test.
TEST(ResponseBuilder, FillsEveryFieldOfATranslation) {
  engine::TranslationJob job;
  job.contents = {"x"};
  job.decoding.num_alternatives = 2;
  job.decoding.sampling.emplace().seed = 7;
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.index = 1;
  result.pivot = engine::PivotPart{
      "de-en", "en-fr", "en", "between", -0.25F, -3.0F, kernels::FinishReason::kLength, true, true};
  result.sentences = {{{1, 2}, {3, 4}}};
  result.warnings = {{engine::WarningCode::kNotTranslated, "1 of 2 segments"}};
  result.preserved = {"{0}"};
  for (engine::Hypothesis& hypothesis : result.hypotheses) {
    hypothesis.alignment = {{{1, 2}, {3, 4}}};
  }
  engine::ReturnOptions all;
  all.scores = all.tokens = all.token_scores = all.alignment = true;
  v1::Translation translation = BuildTranslation(std::move(result), all, "m");
  engine::ItemResult failed;
  failed.status = InvalidField("contents[0]", "is wrong");
  translation.MergeFrom(BuildTranslation(std::move(failed), all, "m"));
  EXPECT_THAT(UnsetFields(translation),
              // Only the translation has the source tokens.
              ElementsAre("alternatives.tokens.source",
                          // The call sets these two if it detects the language.
                          "detected_language_code", "detection_confidence"));
}

TEST(RequestError, TheEnginesErrorsBecomeViolations) {
  const absl::Status engine = engine::InvalidRequest(
      {engine::FieldError{
           .field = "decoding.sampling.top_p", .found = "2", .expected = "at most 1"},
       engine::FieldError{.field = "terms[3]", .words = "a second target: of two"},
       engine::FieldError{.field = "do_not_translate[2]", .predicate = "is empty"},
       engine::FieldError{.words = "decoding.beam_size: is no field here"}});
  const absl::Status status = WithFieldViolation(engine);
  EXPECT_EQ(status.message(), engine.message());
  const std::vector<FieldViolation> found = ViolationsOf(status);
  ASSERT_EQ(found.size(), 4U);
  const auto expect = [&](size_t i, const char* field, const char* description) {
    EXPECT_EQ(found[i].field, field);
    EXPECT_EQ(found[i].description, description);
  };
  expect(0, "decoding.sampling.top_p", "found 2, expected at most 1");
  expect(1, "terms[3]", "a second target: of two");
  expect(2, "do_not_translate[2]", "is empty");
  // The text of a message does not matter: the field comes from the error itself.
  expect(3, "", "decoding.beam_size: is no field here");
  // Clients get google.rpc details only, not the internal payload.
  EXPECT_TRUE(engine::FieldErrorsOf(status).empty());
  EXPECT_EQ(ToRpcStatus(status).details_size(), 1);
}

TEST(RequestError, TheLogLearnsOfTextsByNameOnly) {
  const auto logged = [](const std::string& field, const std::string& found) {
    return LoggableMessage(WithFieldViolation(engine::InvalidRequest({field, found, "less"})));
  };
  for (const char* field : {"terms[3]", "do_not_translate[0]", "target_prefixes[0]",
                            "decoding.required_phrases[0].text", "decoding.forbidden_phrases[1]"}) {
    EXPECT_EQ(logged(field, "'Geheimnis'"), std::string("refused for ") + field);
  }
  EXPECT_EQ(LoggableMessage(InvalidFields({{"decoding.beam_size", "found 0"}, {"terms[0]", "x"}})),
            "refused for decoding.beam_size, terms[0]");
  EXPECT_EQ(logged("decoding.beam_size", "65"), "decoding.beam_size: found 65, expected less");
  EXPECT_EQ(LoggableMessage(absl::UnavailableError("draining")), "draining");
}

TEST(ResponseBuilder, SeveralSegmentsHaveNoScore) {
  engine::TranslationJob job;
  job.contents = {"x"};
  engine::ItemResult result = FakeEngine::Answer(job, 0);
  result.sentences.push_back(result.sentences[0]);
  engine::ReturnOptions returns;
  returns.scores = true;
  const v1::Translation translation = BuildTranslation(std::move(result), returns, "m");
  EXPECT_FALSE(translation.has_score());
  EXPECT_EQ(translation.log_prob(), -2.0F);
}

TEST(ItemOutcomes, FailTheCallOnlyIfAllFailAlike) {
  const absl::Status nan = absl::InternalError("nan");
  const absl::Status long_text = InvalidField("contents[0]", "too long");
  ItemOutcomes none;
  EXPECT_TRUE(none.CallStatus().ok());
  ItemOutcomes alike;
  alike.Add(long_text);
  alike.Add(InvalidField("contents[1]", "too long"));
  EXPECT_EQ(alike.CallStatus(), long_text);
  ItemOutcomes mixed;
  mixed.Add(nan);
  mixed.Add(long_text);
  EXPECT_TRUE(mixed.CallStatus().ok());
  ItemOutcomes neighbour;
  neighbour.Add(absl::OkStatus());
  neighbour.Add(nan);
  EXPECT_TRUE(neighbour.CallStatus().ok());
}

}  // namespace
}  // namespace dragoman::server

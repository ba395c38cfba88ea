#include "server/request_parser.h"

#include <gmock/gmock.h>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dragoman/v1/translation.pb.h"
#include "server/quoted.h"
#include "server/request_error.h"

namespace dragoman {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Assigning a literal this short trips a false -Wrestrict of g++ 12.
const std::string& Short() {
  static const auto* const kShort = new std::string("a");
  return *kShort;
}

v1::TranslateRequest Minimal() {
  v1::TranslateRequest request;
  request.add_contents("Guten Tag.");
  return request;
}

ParsedRequest Parse(const v1::TranslateRequest& request, CallKind kind = CallKind::kUnary) {
  return ParseTranslateRequest(request.SerializeAsString(), RequestLimits{}, kind);
}

// Bytes of a length-delimited field.
std::string Field(int number, const std::string& value) {
  std::string out;
  const auto varint = [&out](uint64_t v) {
    for (; v >= 0x80; v >>= 7U) out += static_cast<char>((v & 0x7FU) | 0x80U);
    out += static_cast<char>(v);
  };
  varint(static_cast<uint64_t>(number) << 3U | 2U);
  varint(value.size());
  return out + value;
}

std::vector<std::string> FieldsAtFault(const absl::Status& status) {
  std::vector<std::string> fields;
  for (const auto& violation : ViolationsOf(status)) fields.push_back(violation.field);
  return fields;
}

void ExpectInvalid(const absl::Status& status, const std::string& field) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(FieldsAtFault(status), Contains(field)) << status;
}

TEST(RequestParser, AcceptsTheLeastRequest) {
  const ParsedRequest parsed = Parse(Minimal());
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.job.items, ::testing::ElementsAre("Guten Tag."));
  EXPECT_EQ(parsed.code_points, 10);
  EXPECT_EQ(parsed.model, "");
  EXPECT_FALSE(parsed.job.decoding.beam_size.has_value());
  EXPECT_EQ(parsed.job.split, SplitMode::kUnset);
  EXPECT_EQ(parsed.job.on_too_long, OnTooLong::kSplit);
  EXPECT_EQ(parsed.job.priority, Priority::kNormal);
  EXPECT_FALSE(parsed.job.returns.segments);
}

TEST(RequestParser, CarriesEveryOptionIntoTheJob) {
  v1::TranslateRequest request = Minimal();
  request.set_mime_type("text/plain");
  request.set_source_language_code("de-DE");
  request.set_target_language_code("en");
  request.set_model("de-en");
  request.set_parent("projects/x");
  (*request.mutable_labels())["team"] = "blue";
  request.set_request_id("my id");
  request.set_priority(v1::BULK);
  request.mutable_segmentation()->set_split(v1::Segmentation::LINES);
  request.mutable_segmentation()->set_on_too_long(v1::Segmentation::REJECT);
  auto* decoding = request.mutable_decoding();
  decoding->set_beam_size(6);
  decoding->set_num_alternatives(3);
  decoding->set_length_penalty(0.6F);
  decoding->set_penalty(v1::DecodingOptions::POWER);
  decoding->set_stop_rule(v1::DecodingOptions::FIRST_K);
  decoding->set_patience(1.5F);
  decoding->set_finalisation(v1::DecodingOptions::IMMEDIATE);
  decoding->set_profile(v1::DecodingOptions::HF);
  decoding->set_forced_eos(v1::DecodingOptions::ZERO);
  decoding->set_max_output_tokens(50);
  decoding->set_max_length_ratio(2.0F);
  decoding->set_max_length_extra(5);
  decoding->set_min_output_tokens(2);
  auto* returns = request.mutable_return_options();
  returns->set_scores(true);
  returns->set_tokens(true);
  returns->set_token_scores(true);
  returns->set_timings(true);
  returns->set_partials(true);

  const ParsedRequest parsed = Parse(request, CallKind::kStream);
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  const TranslationJob& job = parsed.job;
  EXPECT_EQ(job.source_language, "de-DE");
  EXPECT_EQ(job.target_language, "en");
  EXPECT_EQ(parsed.model, "de-en");
  EXPECT_EQ(job.request_id, "my id");
  EXPECT_EQ(parsed.labels.at(0), std::make_pair(std::string("team"), std::string("blue")));
  EXPECT_EQ(job.priority, Priority::kBulk);
  EXPECT_EQ(job.split, SplitMode::kLines);
  EXPECT_EQ(job.on_too_long, OnTooLong::kReject);
  EXPECT_EQ(job.decoding.beam_size, 6);
  EXPECT_EQ(job.decoding.num_alternatives, 3);
  EXPECT_EQ(job.decoding.length_penalty, 0.6F);
  EXPECT_EQ(job.decoding.stop_rule, StopRule::kFirstK);
  EXPECT_EQ(job.decoding.patience, 1.5F);
  EXPECT_EQ(job.decoding.forced_eos, ForcedEos::kZero);
  EXPECT_EQ(job.decoding.max_output_tokens, 50);
  EXPECT_EQ(job.decoding.max_length_ratio, 2.0F);
  EXPECT_EQ(job.decoding.max_length_extra, 5);
  EXPECT_EQ(job.decoding.min_output_tokens, 2);
  EXPECT_TRUE(job.returns.scores);
  EXPECT_TRUE(job.returns.tokens);
  EXPECT_TRUE(job.returns.token_scores);
  EXPECT_TRUE(job.returns.partials);
  EXPECT_TRUE(job.returns.segments);
  EXPECT_TRUE(parsed.timings);
}

TEST(RequestParser, MapsEnumsOneToOne) {
  using D = v1::DecodingOptions;
  for (const auto& [wire, engine] : std::vector<std::pair<D::StopRule, StopRule>>{
           {D::HEURISTIC, StopRule::kHeuristic}, {D::NEVER, StopRule::kNever}}) {
    auto request = Minimal();
    request.mutable_decoding()->set_stop_rule(wire);
    EXPECT_EQ(Parse(request).job.decoding.stop_rule, engine);
  }
  for (const auto& [wire, engine] : std::vector<std::pair<D::ForcedEos, ForcedEos>>{
           {D::MODEL, ForcedEos::kModel}, {D::NONE, ForcedEos::kNone}}) {
    auto request = Minimal();
    request.mutable_decoding()->set_forced_eos(wire);
    EXPECT_EQ(Parse(request).job.decoding.forced_eos, engine);
  }
  for (const auto& [wire, engine] : std::vector<std::pair<v1::Segmentation::Split, SplitMode>>{
           {v1::Segmentation::NONE, SplitMode::kNone},
           {v1::Segmentation::SENTENCES, SplitMode::kSentences}}) {
    auto request = Minimal();
    request.mutable_segmentation()->set_split(wire);
    EXPECT_EQ(Parse(request).job.split, engine);
  }
  auto request = Minimal();
  request.set_priority(v1::INTERACTIVE);
  EXPECT_EQ(Parse(request).job.priority, Priority::kInteractive);
}

TEST(RequestParser, ReadsTheBytesOfAGoogleClient) {
  // contents=1, mime_type=3, source=4, target=5, model=6, parent=8, labels=10 {key=1, value=2}.
  const std::string bytes = Field(1, "Hallo") + Field(1, "Welt") + Field(3, "text/plain") +
                            Field(4, "de") + Field(5, "en") + Field(6, "m") + Field(8, "p") +
                            Field(10, Field(1, "k") + Field(2, "v"));
  const ParsedRequest parsed = ParseTranslateRequest(bytes, RequestLimits{}, CallKind::kUnary);
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.job.items, ::testing::ElementsAre("Hallo", "Welt"));
  EXPECT_EQ(parsed.job.source_language, "de");
  EXPECT_EQ(parsed.job.target_language, "en");
  EXPECT_EQ(parsed.model, "m");
  EXPECT_EQ(parsed.labels.at(0).second, "v");
}

TEST(RequestParser, RefusesAnEmptyOrTooLongList) {
  ExpectInvalid(Parse(v1::TranslateRequest()).status, "contents");
  v1::TranslateRequest request;
  for (int i = 0; i < 1024; ++i) request.add_contents(Short());
  EXPECT_TRUE(Parse(request).status.ok());
  request.add_contents(Short());
  const ParsedRequest parsed = Parse(request);
  ExpectInvalid(parsed.status, "contents");
  EXPECT_THAT(std::string(parsed.status.message()),
              HasSubstr("found 1025 items, expected 1..1024"));
}

TEST(RequestParser, CountsCodePointsOverAllItems) {
  std::string umlauts;
  for (int i = 0; i < 15'000; ++i) umlauts += "ä";
  v1::TranslateRequest request;
  request.add_contents(umlauts);
  request.add_contents(umlauts);
  const ParsedRequest fits = Parse(request);
  EXPECT_TRUE(fits.status.ok()) << fits.status;
  EXPECT_EQ(fits.code_points, 30'000);
  request.add_contents(Short());
  const ParsedRequest parsed = Parse(request);
  ExpectInvalid(parsed.status, "contents");
  EXPECT_THAT(std::string(parsed.status.message()), HasSubstr("30001 code points"));
}

TEST(RequestParser, NamesTheFieldThatIsNotUtf8) {
  google::protobuf::SetLogHandler(nullptr);
  const auto parse = [](const std::string& bytes) {
    return ParseTranslateRequest(bytes, RequestLimits{}, CallKind::kUnary).status;
  };
  ExpectInvalid(parse(Field(1, "fine") + Field(1,
                                               "Gr\xFC\xDF"
                                               "e")),
                "contents[1]");
  ExpectInvalid(parse(Field(1, "a") + Field(5, "\xC0\xAF")), "target_language_code");
  ExpectInvalid(parse(Field(1, "a") + Field(18, Field(2, "\xED\xA0\x80"))), "terms[0].target");
  ExpectInvalid(parse(Field(1, "a") + Field(10, Field(1, "k") + Field(2, "\x80"))),
                "labels[0].value");
}

TEST(RequestParser, RefusesBytesThatAreNoMessage) {
  for (const std::string& bytes :
       {std::string("\xFF\xFF\xFF"), std::string("\x0A\x7Fshort"), std::string("\x0A")}) {
    const ParsedRequest parsed = ParseTranslateRequest(bytes, RequestLimits{}, CallKind::kUnary);
    EXPECT_EQ(parsed.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(parsed.status.message()), HasSubstr("TranslateRequest"));
  }
}

TEST(RequestParser, RefusesUnknownFieldNumbersByName) {
  const std::string bytes = Field(1, "a") + Field(19, Field(99, "x")) + Field(30, "y");
  const ParsedRequest parsed = ParseTranslateRequest(bytes, RequestLimits{}, CallKind::kUnary);
  EXPECT_EQ(parsed.status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(parsed.status.message()), HasSubstr("DecodingOptions field 99"));
  EXPECT_THAT(std::string(parsed.status.message()), HasSubstr("TranslateRequest field 30"));
}

struct Case {
  const char* name;
  std::function<void(v1::TranslateRequest*)> change;
  const char* field;
};

class InvalidOption : public ::testing::TestWithParam<Case> {};

TEST_P(InvalidOption, IsRefusedByName) {
  v1::TranslateRequest request = Minimal();
  GetParam().change(&request);
  ExpectInvalid(Parse(request).status, GetParam().field);
}

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

#define DECODING(call) [](v1::TranslateRequest* r) { r->mutable_decoding()->call; }
INSTANTIATE_TEST_SUITE_P(
    RequestParser, InvalidOption,
    ::testing::Values(
        Case{"BeamZero", DECODING(set_beam_size(0)), "decoding.beam_size"},
        Case{"BeamNegative", DECODING(set_beam_size(-1)), "decoding.beam_size"},
        Case{"BeamAboveLimit", DECODING(set_beam_size(65)), "decoding.beam_size"},
        Case{"NoAlternatives", DECODING(set_num_alternatives(0)), "decoding.num_alternatives"},
        Case{"ManyAlternatives", DECODING(set_num_alternatives(65)), "decoding.num_alternatives"},
        Case{"PenaltyNan", DECODING(set_length_penalty(kNan)), "decoding.length_penalty"},
        Case{"PenaltyInf", DECODING(set_length_penalty(kInf)), "decoding.length_penalty"},
        Case{"PenaltyLow", DECODING(set_length_penalty(-10.5F)), "decoding.length_penalty"},
        Case{"PenaltyForm",
             DECODING(set_penalty(static_cast<v1::DecodingOptions::Penalty>(9))),
             "decoding.penalty"},
        Case{"StopRule", DECODING(set_stop_rule(static_cast<v1::DecodingOptions::StopRule>(9))),
             "decoding.stop_rule"},
        Case{"PatienceAlone", DECODING(set_patience(1.0F)), "decoding.patience"},
        Case{"PatienceZero",
             [](v1::TranslateRequest* r) {
               r->mutable_decoding()->set_stop_rule(v1::DecodingOptions::FIRST_K);
               r->mutable_decoding()->set_patience(0.0F);
             },
             "decoding.patience"},
        Case{"PatienceHigh",
             [](v1::TranslateRequest* r) {
               r->mutable_decoding()->set_stop_rule(v1::DecodingOptions::FIRST_K);
               r->mutable_decoding()->set_patience(65.0F);
             },
             "decoding.patience"},
        Case{"PatienceWithOtherRule",
             [](v1::TranslateRequest* r) {
               r->mutable_decoding()->set_stop_rule(v1::DecodingOptions::NEVER);
               r->mutable_decoding()->set_patience(1.0F);
             },
             "decoding.patience"},
        Case{"Finalisation",
             DECODING(set_finalisation(static_cast<v1::DecodingOptions::Finalisation>(7))),
             "decoding.finalisation"},
        Case{"Profile", DECODING(set_profile(static_cast<v1::DecodingOptions::Profile>(-1))),
             "decoding.profile"},
        Case{"ForcedEos", DECODING(set_forced_eos(static_cast<v1::DecodingOptions::ForcedEos>(4))),
             "decoding.forced_eos"},
        Case{"Allocation",
             DECODING(set_constraint_allocation(
                 static_cast<v1::DecodingOptions::ConstraintAllocation>(3))),
             "decoding.constraint_allocation"},
        Case{"MaxOutputZero", DECODING(set_max_output_tokens(0)), "decoding.max_output_tokens"},
        Case{"RatioNegative", DECODING(set_max_length_ratio(-0.1F)), "decoding.max_length_ratio"},
        Case{"RatioNan", DECODING(set_max_length_ratio(kNan)), "decoding.max_length_ratio"},
        Case{"ExtraNegative", DECODING(set_max_length_extra(-1)), "decoding.max_length_extra"},
        Case{"NoRoom",
             [](v1::TranslateRequest* r) {
               r->mutable_decoding()->set_max_length_ratio(0);
               r->mutable_decoding()->set_max_length_extra(0);
             },
             "decoding.max_length_ratio"},
        Case{"MinNegative", DECODING(set_min_output_tokens(-1)), "decoding.min_output_tokens"},
        Case{"MinAboveMax",
             [](v1::TranslateRequest* r) {
               r->mutable_decoding()->set_min_output_tokens(9);
               r->mutable_decoding()->set_max_output_tokens(8);
             },
             "decoding.min_output_tokens"},
        Case{"Split",
             [](v1::TranslateRequest* r) {
               r->mutable_segmentation()->set_split(static_cast<v1::Segmentation::Split>(4));
             },
             "segmentation.split"},
        Case{"OnTooLong",
             [](v1::TranslateRequest* r) {
               r->mutable_segmentation()->set_on_too_long(
                   static_cast<v1::Segmentation::OnTooLong>(3));
             },
             "segmentation.on_too_long"},
        Case{"Priority",
             [](v1::TranslateRequest* r) { r->set_priority(static_cast<v1::Priority>(4)); },
             "priority"},
        Case{"MimeType", [](v1::TranslateRequest* r) { r->set_mime_type("text/xml"); },
             "mime_type"},
        Case{"SourceLanguage",
             [](v1::TranslateRequest* r) { r->set_source_language_code("d e"); },
             "source_language_code"},
        Case{"TargetLanguage",
             [](v1::TranslateRequest* r) { r->set_target_language_code(std::string(65, 'a')); },
             "target_language_code"},
        Case{"Model", [](v1::TranslateRequest* r) { r->set_model(std::string(257, 'm')); },
             "model"},
        Case{"RequestIdLong",
             [](v1::TranslateRequest* r) { r->set_request_id(std::string(129, 'i')); },
             "request_id"},
        Case{"RequestIdControl", [](v1::TranslateRequest* r) { r->set_request_id("a\nb"); },
             "request_id"},
        Case{"LabelsMany",
             [](v1::TranslateRequest* r) {
               for (int i = 0; i < 65; ++i) (*r->mutable_labels())[std::to_string(i)] = Short();
             },
             "labels"},
        Case{"LabelKeyLong",
             [](v1::TranslateRequest* r) { (*r->mutable_labels())[std::string(129, 'k')] = Short(); },
             "labels"},
        Case{"LabelValueLong",
             [](v1::TranslateRequest* r) { (*r->mutable_labels())["k"] = std::string(129, 'v'); },
             "labels"},
        Case{"PartialsOfUnary",
             [](v1::TranslateRequest* r) { r->mutable_return_options()->set_partials(true); },
             "return_options.partials"}),
    [](const auto& info) { return std::string(info.param.name); });

class MissingFeature : public ::testing::TestWithParam<Case> {};

TEST_P(MissingFeature, IsUnimplementedAndNamed) {
  v1::TranslateRequest request = Minimal();
  GetParam().change(&request);
  const absl::Status status = Parse(request, CallKind::kStream).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().field));
  bool published = false;
  for (const std::string& field : UnimplementedRequestFields()) {
    published = published || std::string(GetParam().field).rfind(field, 0) == 0;
  }
  EXPECT_TRUE(published) << "GetServerInfo does not name " << GetParam().field;
}

INSTANTIATE_TEST_SUITE_P(
    RequestParser, MissingFeature,
    ::testing::Values(
        Case{"Html", [](v1::TranslateRequest* r) { r->set_mime_type("text/html"); },
             "mime_type text/html"},
        Case{"Glossary",
             [](v1::TranslateRequest* r) { r->mutable_glossary_config()->set_glossary(Short()); },
             "glossary_config"},
        Case{"DoNotTranslate", [](v1::TranslateRequest* r) { r->add_do_not_translate(Short()); },
             "do_not_translate"},
        Case{"Terms", [](v1::TranslateRequest* r) { r->add_terms()->set_source(Short()); },
             "terms"},
        Case{"Prefixes", [](v1::TranslateRequest* r) { r->add_target_prefixes(Short()); },
             "target_prefixes"},
        Case{"Alignment",
             [](v1::TranslateRequest* r) { r->mutable_return_options()->set_alignment(true); },
             "return_options.alignment"},
        Case{"Gnmt", DECODING(set_penalty(v1::DecodingOptions::GNMT)), "decoding.penalty GNMT"},
        Case{"AllBeams", DECODING(set_stop_rule(v1::DecodingOptions::ALL_BEAMS)),
             "decoding.stop_rule ALL_BEAMS"},
        Case{"OnBeam", DECODING(set_finalisation(v1::DecodingOptions::ON_BEAM)),
             "decoding.finalisation ON_BEAM"},
        Case{"Keep", DECODING(set_finalisation(v1::DecodingOptions::KEEP)),
             "decoding.finalisation KEEP"},
        Case{"Ct2", DECODING(set_profile(v1::DecodingOptions::CT2)), "decoding.profile CT2"},
        Case{"Marian", DECODING(set_profile(v1::DecodingOptions::MARIAN)),
             "decoding.profile MARIAN"},
        Case{"Paper", DECODING(set_profile(v1::DecodingOptions::PAPER)), "decoding.profile PAPER"},
        Case{"Article", DECODING(set_profile(v1::DecodingOptions::ARTICLE)),
             "decoding.profile ARTICLE"},
        Case{"Ngram", DECODING(set_no_repeat_ngram(3)), "decoding.no_repeat_ngram"},
        Case{"Repetition", DECODING(set_repetition_penalty(1.2F)), "decoding.repetition_penalty"},
        Case{"RepetitionZero", DECODING(set_repetition_penalty(0.0F)),
             "decoding.repetition_penalty"},
        Case{"PruneDelta", DECODING(mutable_pruning()->set_absolute_delta(0)),
             "decoding.pruning.absolute_delta"},
        Case{"PruneRelative", DECODING(mutable_pruning()->set_relative(0.5F)),
             "decoding.pruning.relative"},
        Case{"PruneCandidates", DECODING(mutable_pruning()->set_max_candidates(5)),
             "decoding.pruning.max_candidates"},
        Case{"Required", DECODING(add_required_phrases()->set_text(Short())),
             "decoding.required_phrases"},
        Case{"Forbidden", DECODING(add_forbidden_phrases(Short())), "decoding.forbidden_phrases"},
        Case{"ConstraintPrune", DECODING(set_constraint_prune(20.0F)), "decoding.constraint_prune"},
        Case{"Allocation", DECODING(set_constraint_allocation(v1::DecodingOptions::STRIPE)),
             "decoding.constraint_allocation"},
        Case{"Layer", DECODING(set_alignment_layer(0)), "decoding.alignment_layer"},
        Case{"Heads", DECODING(add_alignment_heads(0)), "decoding.alignment_heads"},
        Case{"EosPenalty", DECODING(set_eos_penalty(0.5F)), "decoding.eos_penalty"},
        Case{"EosPenaltyNan", DECODING(set_eos_penalty(kNan)), "decoding.eos_penalty"},
        Case{"Temperature", DECODING(set_temperature(0.7F)), "decoding.temperature"},
        Case{"TemperatureZero", DECODING(set_temperature(0.0F)), "decoding.temperature"},
        Case{"Sampling", DECODING(mutable_sampling()), "decoding.sampling"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RequestParser, AcceptsNeutralValuesOfMissingFeatures) {
  v1::TranslateRequest request = Minimal();
  auto* decoding = request.mutable_decoding();
  decoding->set_no_repeat_ngram(0);
  decoding->set_repetition_penalty(1.0F);
  decoding->set_eos_penalty(0.0F);
  decoding->set_temperature(1.0F);
  decoding->mutable_pruning();
  EXPECT_TRUE(Parse(request).status.ok()) << Parse(request).status;
}

TEST(RequestParser, ReportsEverythingAtOnceAndInvalidFirst) {
  v1::TranslateRequest request = Minimal();
  request.mutable_decoding()->set_beam_size(0);
  request.mutable_decoding()->set_max_output_tokens(0);
  request.mutable_decoding()->mutable_sampling();
  const absl::Status status = Parse(request).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(FieldsAtFault(status),
              ::testing::ElementsAre("decoding.beam_size", "decoding.max_output_tokens"));
}

TEST(RequestParser, NeverQuotesText) {
  v1::TranslateRequest request = Minimal();
  for (int i = 0; i < 1024; ++i) request.add_contents("Geheimnis");
  EXPECT_THAT(std::string(Parse(request).status.message()), ::testing::Not(HasSubstr("Geheimnis")));
}

TEST(CheckAgainstModel, KnowsTheModelsLimits) {
  ModelInfo model;
  model.max_rows = 8;
  model.max_beam = 64;
  model.default_beam = 4;
  v1::TranslateRequest request = Minimal();
  EXPECT_TRUE(CheckAgainstModel(Parse(request), model).ok());
  request.mutable_decoding()->set_beam_size(8);
  request.mutable_decoding()->set_num_alternatives(8);
  EXPECT_TRUE(CheckAgainstModel(Parse(request), model).ok());
  request.mutable_decoding()->set_beam_size(9);
  ExpectInvalid(CheckAgainstModel(Parse(request), model), "decoding.beam_size");
  request.mutable_decoding()->set_beam_size(7);
  ExpectInvalid(CheckAgainstModel(Parse(request), model), "decoding.num_alternatives");
  request.mutable_decoding()->clear_beam_size();
  request.mutable_decoding()->set_num_alternatives(5);  // above the default beam
  ExpectInvalid(CheckAgainstModel(Parse(request), model), "decoding.num_alternatives");

  request = Minimal();
  request.mutable_decoding()->set_stop_rule(v1::DecodingOptions::FIRST_K);
  request.mutable_decoding()->set_patience(0.1F);  // round(4 * 0.1) = 0
  ExpectInvalid(CheckAgainstModel(Parse(request), model), "decoding.patience");
  request.mutable_decoding()->set_patience(0.125F);  // round(0.5) = 1
  EXPECT_TRUE(CheckAgainstModel(Parse(request), model).ok());
}

TEST(Quoted, ShowsOutsideValuesSafely) {
  EXPECT_EQ(Quoted("de_DE"), "'de_DE'");
  EXPECT_EQ(Quoted("a\x01\n"), std::string("'a") + "??" + "'");
  EXPECT_EQ(Quoted(std::string(65, 'x')).size(), 64U + 5U);
}

}  // namespace
}  // namespace dragoman

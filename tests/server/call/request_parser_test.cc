#include "server/call/request_parser.h"

#include <google/protobuf/stubs/logging.h>

#include "server/base/quoted.h"
#include "tests/server/call/request_fixture.h"
#include "tests/server/unset_fields.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns the bytes of a length-delimited field.
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

TEST(RequestParser, AcceptsTheLeastRequest) {
  const ParsedRequest parsed = Parse(Minimal());
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.job.contents, ElementsAre("Guten Tag."));
  EXPECT_EQ(parsed.code_points, 10);
  EXPECT_EQ(parsed.model, "");
  EXPECT_FALSE(parsed.job.decoding.beam_size.has_value());
  EXPECT_EQ(parsed.job.split, engine::SplitMode::kUnset);
  EXPECT_EQ(parsed.job.on_too_long, engine::OnTooLong::kSplit);
  EXPECT_EQ(parsed.job.priority, engine::Priority::kNormal);
  EXPECT_FALSE(parsed.job.returns.segments);
}

v1::ScoreRequest MinimalScoring() {
  v1::ScoreRequest request;
  v1::ScoreRequest::Pair* const pair = request.add_pairs();
  pair->set_source("Guten Tag.");
  pair->set_target("Good day.");
  return request;
}

ParsedRequest ParseScoring(const v1::ScoreRequest& request, const RequestLimits& limits = {}) {
  return ParseScoreRequest(request.SerializeAsString(), limits);
}

TEST(ScoreRequest, CarriesEveryFieldIntoTheJob) {
  v1::ScoreRequest request = MinimalScoring();
  request.add_pairs();
  request.set_source_language_code("de-DE");
  request.set_target_language_code("en");
  request.set_model("de-en");
  (*request.mutable_labels())["team"] = "blue";
  request.set_request_id("my id");
  request.mutable_decoding()->set_profile(v1::DecodingOptions::MARIAN);
  request.mutable_decoding()->set_penalty(v1::DecodingOptions::GNMT);
  request.mutable_decoding()->set_length_penalty(0.5F);
  request.set_priority(v1::BULK);
  request.set_return_tokens(true);
  // Unset options of decoding are refused if they are set, and the second pair is empty.
  for (const std::string& path : UnsetFields(request)) EXPECT_THAT(path, HasSubstr(".")) << path;
  const ParsedRequest parsed = ParseScoring(request);
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.job.contents, ElementsAre("Guten Tag.", ""));
  EXPECT_THAT(parsed.job.targets, ElementsAre("Good day.", ""));
  EXPECT_EQ(parsed.items, 2);
  EXPECT_EQ(parsed.code_points, 10);
  EXPECT_EQ(parsed.job.source_language, "de-DE");
  EXPECT_EQ(parsed.job.target_language, "en");
  EXPECT_EQ(parsed.model, "de-en");
  EXPECT_THAT(parsed.labels, ElementsAre(::testing::Pair("team", "blue")));
  EXPECT_EQ(parsed.job.request_id, "my id");
  EXPECT_EQ(parsed.job.decoding.profile, engine::Profile::kMarian);
  EXPECT_EQ(parsed.job.decoding.penalty, kernels::LengthPenalty::kGnmt);
  EXPECT_EQ(parsed.job.decoding.length_penalty, 0.5F);
  EXPECT_EQ(parsed.job.priority, engine::Priority::kBulk);
  EXPECT_TRUE(parsed.job.returns.scores);
  EXPECT_TRUE(parsed.job.returns.token_scores);
  EXPECT_TRUE(parsed.job.returns.tokens);
}

TEST(ScoreRequest, WrongFieldsAreRefusedByName) {
  const auto refusal = [](const v1::ScoreRequest& request, const RequestLimits& limits = {}) {
    const ParsedRequest parsed = ParseScoring(request, limits);
    EXPECT_EQ(parsed.status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(parsed.status.message());
  };
  EXPECT_THAT(refusal({}), HasSubstr("pairs: found 0"));
  v1::ScoreRequest two = MinimalScoring();
  two.add_pairs();
  EXPECT_THAT(refusal(two, {.max_items = 1}), HasSubstr("pairs: found 2"));
  EXPECT_THAT(refusal(two, {.max_code_points = 9}), HasSubstr("10 code points in all sources"));
  two.mutable_pairs(1)->set_target("Hello.");
  EXPECT_THAT(refusal(two, {.max_code_points = 14}), HasSubstr("15 code points in all targets"));
  v1::ScoreRequest request = MinimalScoring();
  request.set_source_language_code("AUTO");
  EXPECT_THAT(refusal(request), HasSubstr("source_language_code: found \"auto\""));
  request = MinimalScoring();
  request.mutable_decoding()->set_beam_size(4);
  request.mutable_decoding()->mutable_sampling();
  EXPECT_THAT(refusal(request), AllOf(HasSubstr("decoding.beam_size: found with Score"),
                                      HasSubstr("decoding.sampling: found with Score")));
}

TEST(RequestParser, CarriesEveryFieldIntoTheJob) {
  v1::TranslateRequest request = Minimal();
  request.set_mime_type("text/plain");
  request.set_source_language_code("de-DE");
  request.set_target_language_code("en");
  request.set_model("de-en");
  request.mutable_glossary_config()->set_glossary("names");
  request.mutable_glossary_config()->set_ignore_case(true);
  request.set_parent("projects/x");
  (*request.mutable_labels())["team"] = "blue";
  request.set_request_id("my id");
  request.add_do_not_translate("Dragoman");
  request.add_do_not_translate("Guten Tag");
  request.set_preserve(true);
  request.set_recase(false);
  request.set_guard(v1::TranslateRequest::WARN);
  auto* term = request.add_terms();
  term->set_source("Tag");
  term->set_target("day");
  term->set_ignore_case(true);
  request.add_terms()->CopyFrom(*term);
  request.mutable_terms(1)->set_ignore_case(false);
  request.mutable_decoding()->set_beam_size(6);
  request.mutable_segmentation()->set_split(v1::Segmentation::LINES);
  request.mutable_segmentation()->set_on_too_long(v1::Segmentation::REJECT);
  request.set_priority(v1::BULK);
  request.add_target_prefixes("Good");
  auto* returns = request.mutable_return_options();
  returns->set_scores(true);
  returns->set_tokens(true);
  returns->set_token_scores(true);
  returns->set_alignment(true);
  returns->set_timings(true);
  returns->set_partials(true);
  // The request must set every field of the contract, so that a new field fails here until the
  // checks below cover it. The fields of `decoding` have their own test.
  v1::TranslateRequest but_decoding = request;
  but_decoding.clear_decoding();
  but_decoding.mutable_terms()->RemoveLast();  // one whose ignore_case is false
  EXPECT_THAT(UnsetFields(but_decoding), ElementsAre("decoding"));

  const ParsedRequest parsed = Parse(request, CallKind::kStream);
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  const engine::TranslationJob& job = parsed.job;
  EXPECT_EQ(job.format, engine::TextFormat::kPlain);
  EXPECT_EQ(job.source_language, "de-DE");
  EXPECT_EQ(job.target_language, "en");
  EXPECT_EQ(parsed.model, "de-en");
  EXPECT_EQ(job.glossary, "names");
  EXPECT_TRUE(job.glossary_ignore_case);
  EXPECT_EQ(job.request_id, "my id");
  EXPECT_EQ(parsed.labels.at(0), std::make_pair(std::string("team"), std::string("blue")));
  EXPECT_THAT(job.do_not_translate, ElementsAre("Dragoman", "Guten Tag"));
  EXPECT_EQ(job.preserve, true);
  EXPECT_FALSE(job.recase);
  EXPECT_EQ(job.guard, engine::Guard::kWarn);
  ASSERT_EQ(job.terms.size(), 2U);
  EXPECT_EQ(job.terms[0].source, "Tag");
  EXPECT_EQ(job.terms[0].target, "day");
  EXPECT_TRUE(job.terms[0].ignore_case);
  EXPECT_FALSE(job.terms[1].ignore_case);
  EXPECT_EQ(job.decoding.beam_size, 6);
  EXPECT_EQ(job.split, engine::SplitMode::kLines);
  EXPECT_EQ(job.on_too_long, engine::OnTooLong::kReject);
  EXPECT_EQ(job.priority, engine::Priority::kBulk);
  EXPECT_THAT(job.target_prefixes, ElementsAre("Good"));
  EXPECT_TRUE(job.returns.scores);
  EXPECT_TRUE(job.returns.tokens);
  EXPECT_TRUE(job.returns.token_scores);
  EXPECT_TRUE(job.returns.alignment);
  EXPECT_TRUE(job.returns.partials);
  EXPECT_TRUE(job.returns.segments);
  EXPECT_TRUE(parsed.timings);
}

// Sets each option alone, so that the parser cannot confuse one with another.
TEST(RequestParser, CarriesEachReturnOptionAsItself) {
  const auto returns = [](const Change& change) {
    return ParseWith(change, CallKind::kUnary).job.returns;
  };
  const engine::ReturnOptions scores =
      returns([](auto* r) { r->mutable_return_options()->set_scores(true); });
  EXPECT_TRUE(scores.scores && !scores.tokens && !scores.token_scores && !scores.alignment);
  const engine::ReturnOptions tokens =
      returns([](auto* r) { r->mutable_return_options()->set_tokens(true); });
  EXPECT_TRUE(tokens.tokens && !tokens.scores && !tokens.token_scores && !tokens.alignment);
  const engine::ReturnOptions token_scores =
      returns([](auto* r) { r->mutable_return_options()->set_token_scores(true); });
  EXPECT_TRUE(token_scores.token_scores && !token_scores.tokens && !token_scores.scores);
  const engine::ReturnOptions alignment =
      returns([](auto* r) { r->mutable_return_options()->set_alignment(true); });
  EXPECT_TRUE(alignment.alignment && !alignment.tokens && !alignment.scores);
  EXPECT_FALSE(alignment.segments);
}

TEST(RequestParser, MapsEnumsOneToOne) {
  for (const auto& [wire, engine] :
       std::vector<std::pair<v1::Segmentation::Split, engine::SplitMode>>{
           {v1::Segmentation::NONE, engine::SplitMode::kNone},
           {v1::Segmentation::SENTENCES, engine::SplitMode::kSentences}}) {
    auto request = Minimal();
    request.mutable_segmentation()->set_split(wire);
    EXPECT_EQ(Parse(request).job.split, engine);
  }
  auto request = Minimal();
  request.mutable_segmentation()->set_on_too_long(v1::Segmentation::SPLIT);
  EXPECT_EQ(Parse(request).job.on_too_long, engine::OnTooLong::kSplit);
  request.set_priority(v1::INTERACTIVE);
  EXPECT_EQ(Parse(request).job.priority, engine::Priority::kInteractive);
  request.set_priority(v1::NORMAL);
  EXPECT_EQ(Parse(request).job.priority, engine::Priority::kNormal);
}

TEST(RequestParser, OnlyATextThatIsNotStreamedIsTriedAgain) {
  auto request = Minimal();
  EXPECT_EQ(Parse(request).job.guard, engine::Guard::kWarn);
  request.set_guard(v1::TranslateRequest::OFF);
  EXPECT_EQ(Parse(request).job.guard, engine::Guard::kOff);
  request.set_guard(v1::TranslateRequest::RETRY);
  EXPECT_EQ(Parse(request, CallKind::kUnary).job.guard, engine::Guard::kRetry);
  EXPECT_THAT(std::string(Parse(request, CallKind::kStream).status.message()),
              HasSubstr("guard: found RETRY"));
  request.mutable_decoding()->mutable_sampling();
  EXPECT_THAT(std::string(Parse(request, CallKind::kUnary).status.message()),
              HasSubstr("guard: found RETRY with decoding.sampling"));
}

TEST(RequestParser, MarkupComesItemByItem) {
  auto request = Minimal();
  EXPECT_TRUE(Parse(request, CallKind::kStream).job.returns.segments);
  for (const auto format : {engine::TextFormat::kHtml, engine::TextFormat::kMarkdown}) {
    request.set_mime_type(std::string(engine::MimeTypeOf(format)));
    const ParsedRequest parsed = Parse(request, CallKind::kStream);
    ASSERT_TRUE(parsed.status.ok()) << parsed.status;
    EXPECT_EQ(parsed.job.format, format);
    EXPECT_FALSE(parsed.job.returns.segments);
  }
}

TEST(RequestParser, PrefixesThatAskForNothingAreNone) {
  v1::TranslateRequest request = Minimal();
  request.add_contents("Zwei");
  request.add_target_prefixes("");
  request.add_target_prefixes("");
  EXPECT_TRUE(Parse(request).status.ok());
  EXPECT_TRUE(Parse(request).job.target_prefixes.empty());
  request.set_target_prefixes(1, "Two");
  EXPECT_THAT(Parse(request).job.target_prefixes, ElementsAre("", "Two"));
}

TEST(RequestParser, AnEmptyGlossaryConfigAsksForNothing) {
  const ParsedRequest parsed =
      ParseWith([](v1::TranslateRequest* r) { r->mutable_glossary_config(); });
  EXPECT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_EQ(parsed.job.glossary, "");
}

TEST(RequestParser, ReadsTheBytesOfAGoogleClient) {
  // contents=1, mime_type=3, source=4, target=5, model=6, parent=8, labels=10 {key=1, value=2}.
  const std::string bytes = Field(1, "Hallo") + Field(1, "Welt") + Field(3, "text/plain") +
                            Field(4, "de") + Field(5, "en") + Field(6, "m") + Field(8, "p") +
                            Field(10, Field(1, "k") + Field(2, "v"));
  const ParsedRequest parsed = ParseTranslateRequest(bytes, RequestLimits{}, CallKind::kUnary);
  ASSERT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_THAT(parsed.job.contents, ElementsAre("Hallo", "Welt"));
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
  Change change;
  const char* field;
};

class InvalidField : public ::testing::TestWithParam<Case> {};

TEST_P(InvalidField, IsRefusedByName) {
  ExpectInvalid(ParseWith(GetParam().change).status, GetParam().field);
}

INSTANTIATE_TEST_SUITE_P(
    RequestParser, InvalidField,
    ::testing::Values(
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
        Case{"SourceLanguage", [](v1::TranslateRequest* r) { r->set_source_language_code("d e"); },
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
             [](v1::TranslateRequest* r) {
               (*r->mutable_labels())[std::string(129, 'k')] = Short();
             },
             "labels"},
        Case{"LabelValueLong",
             [](v1::TranslateRequest* r) { (*r->mutable_labels())["k"] = std::string(129, 'v'); },
             "labels"},
        Case{"PartialsOfUnary",
             [](v1::TranslateRequest* r) { r->mutable_return_options()->set_partials(true); },
             "return_options.partials"}),
    [](const auto& info) { return std::string(info.param.name); });

void AddTerm(v1::TranslateRequest* r, const std::string& source, const std::string& target) {
  v1::Term* term = r->add_terms();
  term->set_source(source);
  term->set_target(target);
}

INSTANTIATE_TEST_SUITE_P(
    RequestParserTerms, InvalidField,
    ::testing::Values(
        Case{"NoSource", [](v1::TranslateRequest* r) { AddTerm(r, " ", "house"); },
             "terms[0].source"},
        Case{"NoTarget", [](v1::TranslateRequest* r) { AddTerm(r, "Haus", ""); },
             "terms[0].target"},
        Case{"SourceControl", [](v1::TranslateRequest* r) { AddTerm(r, "Ha\nus", "house"); },
             "terms[0].source"},
        Case{"TargetLong",
             [](v1::TranslateRequest* r) {
               AddTerm(r, "Haus", "house");
               AddTerm(r, "Tag", std::string(1025, 'd'));
             },
             "terms[1].target"},
        Case{"ManyTerms",
             [](v1::TranslateRequest* r) {
               for (int i = 0; i < 1025; ++i) AddTerm(r, "Haus", "house");
             },
             "terms"},
        Case{"EmptyPhrase", [](v1::TranslateRequest* r) { r->add_do_not_translate("\t"); },
             "do_not_translate[0]"},
        Case{"ManyPhrases",
             [](v1::TranslateRequest* r) {
               for (int i = 0; i < 1025; ++i) r->add_do_not_translate(Short());
             },
             "do_not_translate"},
        Case{"GlossaryLong",
             [](v1::TranslateRequest* r) {
               r->mutable_glossary_config()->set_glossary(std::string(257, 'g'));
             },
             "glossary_config.glossary"},
        Case{"CaseOfNoGlossary",
             [](v1::TranslateRequest* r) { r->mutable_glossary_config()->set_ignore_case(true); },
             "glossary_config.ignore_case"},
        Case{"FewPrefixes",
             [](v1::TranslateRequest* r) {
               r->add_contents("Zwei");
               r->add_target_prefixes("Good");
             },
             "target_prefixes"},
        Case{"ManyPrefixes",
             [](v1::TranslateRequest* r) {
               r->add_target_prefixes("");
               r->add_target_prefixes("");
             },
             "target_prefixes"},
        Case{"LongPrefix",
             [](v1::TranslateRequest* r) { r->add_target_prefixes(std::string(30'001, 'p')); },
             "target_prefixes"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RequestParser, ReportsEverythingAtOnceAndInvalidFirst) {
  v1::TranslateRequest request = Minimal();
  request.mutable_decoding()->set_beam_size(0);
  request.mutable_decoding()->set_max_output_tokens(0);
  const std::string unknown = Field(99, "x");
  const auto parse = [&] {
    return ParseTranslateRequest(request.SerializeAsString() + unknown, RequestLimits{},
                                 CallKind::kUnary)
        .status;
  };
  EXPECT_EQ(parse().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(FieldsAtFault(parse()),
              ElementsAre("decoding.beam_size", "decoding.max_output_tokens"));
  request.clear_decoding();
  EXPECT_EQ(parse().code(), absl::StatusCode::kUnimplemented);
}

TEST(RequestParser, NeverQuotesText) {
  v1::TranslateRequest request = Minimal();
  for (int i = 0; i < 1024; ++i) request.add_contents("Geheimnis");
  const std::string secret = "Geheimnis\nsehr";
  AddTerm(&request, secret, secret);
  request.add_do_not_translate(secret);
  request.mutable_decoding()->add_required_phrases()->set_text(secret);
  request.mutable_decoding()->add_forbidden_phrases(secret + std::string(2000, 'x'));
  request.add_target_prefixes(secret);
  const absl::Status status = Parse(request).status;
  EXPECT_EQ(FieldsAtFault(status).size(), 7U);
  EXPECT_THAT(std::string(status.message()), ::testing::Not(HasSubstr("Geheimnis")));
}

TEST(Quoted, ShowsOutsideValuesSafely) {
  EXPECT_EQ(Quoted("de_DE"), "'de_DE'");
  EXPECT_EQ(Quoted("a\x01\n"), std::string("'a") + "??" + "'");
  EXPECT_EQ(Quoted(std::string(65, 'x')).size(), 64U + 5U);
}

TEST(RequestParser, RefusesMillionsOfElementsAsOneMistake) {
  v1::TranslateRequest request = Minimal();
  auto* heads = request.mutable_decoding()->mutable_alignment_heads();
  heads->Resize(1'000'000, -1);
  for (int i = 0; i < 10'000; ++i) {
    request.add_terms();
    request.add_do_not_translate();
    request.mutable_decoding()->add_required_phrases();
    request.mutable_decoding()->add_forbidden_phrases();
  }
  const ParsedRequest parsed = Parse(request);
  EXPECT_EQ(FieldsAtFault(parsed.status),
            (std::vector<std::string>{"terms", "do_not_translate", "decoding.required_phrases",
                                      "decoding.forbidden_phrases", "decoding.alignment_heads"}))
      << parsed.status;
  EXPECT_TRUE(parsed.job.decoding.alignment_heads.empty());
}

TEST(RequestParser, CountsTheMistakesThatItDoesNotTell) {
  v1::TranslateRequest request = Minimal();
  for (int i = 0; i < 1000; ++i) request.add_do_not_translate();
  const ParsedRequest parsed = Parse(request);
  EXPECT_EQ(ViolationsOf(parsed.status).size(), 16U);
  EXPECT_THAT(std::string(parsed.status.message()), HasSubstr("; and 984 more"));
}

}  // namespace
}  // namespace dragoman::server

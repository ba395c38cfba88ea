#include "server/api/proto_json.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.pb.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::TranslateRequest Read(const std::string& json) {
  v1::TranslateRequest request;
  const absl::Status status = ReadProtoJson(json, &request);
  EXPECT_TRUE(status.ok()) << status;
  return request;
}

absl::Status Refusal(const std::string& json) {
  v1::TranslateRequest request;
  return ReadProtoJson(json, &request);
}

void ExpectRefused(const std::string& json) {
  EXPECT_EQ(Refusal(json).code(), absl::StatusCode::kInvalidArgument) << json;
}

// Returns "field: description" of each violation.
std::vector<std::string> Mistakes(const std::string& json) {
  std::vector<std::string> mistakes;
  for (const FieldViolation& violation : ViolationsOf(Refusal(json))) {
    mistakes.push_back(violation.field + ": " + violation.description);
  }
  return mistakes;
}

TEST(ProtoJson, BothNamesOfAFieldAreRead) {
  const auto camel = Read(R"({"contents": ["a"], "sourceLanguageCode": "de",
      "decoding": {"beamSize": 4, "requiredPhrases": [{"text": "x", "atEnd": true}]}})");
  const auto snake = Read(R"({"contents": ["a"], "source_language_code": "de",
      "decoding": {"beam_size": 4, "required_phrases": [{"text": "x", "at_end": true}]}})");
  EXPECT_EQ(camel.source_language_code(), "de");
  EXPECT_EQ(camel.decoding().beam_size(), 4);
  EXPECT_TRUE(camel.decoding().required_phrases(0).at_end());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(camel, snake));
}

TEST(ProtoJson, EveryKindOfValueIsRead) {
  const auto request = Read(R"({
      "contents": ["Grüße \ud83c\udf89", ""], "labels": {"team": "web", "": ""},
      "decoding": {"length_penalty": "-0.5", "patience": 2, "profile": "CT2", "stop_rule": 1,
                   "alignment_heads": [0, 7], "beam_size": "5", "no_repeat_ngram": 3.0,
                   "temperature": 1e-1, "sampling": {"seed": "18446744073709551615"}},
      "return_options": {"scores": true, "tokens": false}, "model": null})");
  EXPECT_EQ(request.contents(0), "Grüße 🎉");
  EXPECT_EQ(request.contents_size(), 2);
  EXPECT_EQ(request.labels().at("team"), "web");
  EXPECT_EQ(request.labels_size(), 2);
  EXPECT_FLOAT_EQ(request.decoding().length_penalty(), -0.5);
  EXPECT_FLOAT_EQ(request.decoding().patience(), 2);
  EXPECT_FLOAT_EQ(request.decoding().temperature(), 0.1);
  EXPECT_EQ(request.decoding().profile(), v1::DecodingOptions::CT2);
  EXPECT_EQ(request.decoding().stop_rule(), v1::DecodingOptions::FIRST_K);
  EXPECT_THAT(request.decoding().alignment_heads(), ElementsAre(0, 7));
  EXPECT_EQ(request.decoding().beam_size(), 5);
  EXPECT_EQ(request.decoding().no_repeat_ngram(), 3);
  EXPECT_EQ(request.decoding().sampling().seed(), 18446744073709551615U);
  EXPECT_TRUE(request.return_options().scores());
}

TEST(ProtoJson, BytesAreBase64) {
  v1::AppendToJobRequest append;
  for (const char* text : {"+/8h", "-_8h"}) {
    append.Clear();
    EXPECT_TRUE(ReadProtoJson(absl::StrCat(R"({"data": ")", text, "\"}"), &append).ok()) << text;
    EXPECT_EQ(append.data(), "\xFB\xFF!") << text;
  }
  append.Clear();
  const absl::Status refused = ReadProtoJson(R"({"data": "a*b"})", &append);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("expected bytes in base64"));
}

TEST(ProtoJson, PresenceIsKept) {
  EXPECT_TRUE(Read(R"({"decoding": {"sampling": {}}})").decoding().has_sampling());
  EXPECT_FALSE(Read(R"({"decoding": {"sampling": null}})").decoding().has_sampling());
  EXPECT_TRUE(Read(R"({"decoding": {"beam_size": 0}})").decoding().has_beam_size());
  EXPECT_FALSE(Read(R"({"decoding": {}})").decoding().has_beam_size());
}

TEST(ProtoJson, WordsThatAreNotNumbersInJsonAreReadAsProtobufHasThem) {
  EXPECT_TRUE(std::isnan(Read(R"({"decoding": {"temperature": "NaN"}})").decoding().temperature()));
  EXPECT_TRUE(
      std::isinf(Read(R"({"decoding": {"temperature": "-Infinity"}})").decoding().temperature()));
  EXPECT_THAT(Mistakes(R"({"decoding": {"temperature": "inf"}})"),
              ElementsAre("decoding.temperature: found a string, expected a number"));
}

TEST(ProtoJson, AllMistakesAreNamedAtOnceByTheirFields) {
  EXPECT_THAT(
      Mistakes(R"({"contents": "a", "model": 7, "terms": [{"source": "a"}, {"target": []}],
                   "decoding": {"beamSize": 1.5, "profile": "FAST"},
                   "returnOptions": {"scores": "yes"}, "labels": {"a": 1}})"),
      ElementsAre("contents: found a string, expected an array",
                  "decoding.beam_size: found the number 1.5, expected an integer of 32 bits",
                  "decoding.profile: found 'FAST', expected one of PROFILE_UNSPECIFIED, HF, CT2, "
                  "MARIAN, PAPER, ARTICLE",
                  "labels['a']: found the number 1, expected a string",
                  "model: found the number 7, expected a string",
                  "return_options.scores: found a string, expected true or false",
                  "terms[1].target: found an array, expected a string"));
}

TEST(ProtoJson, UnknownFieldsAreRefusedByName) {
  const std::vector<std::string> mistakes =
      Mistakes(R"({"text": "a", "decoding": {"beam": 4}, "terms": [{"from": "a"}]})");
  ASSERT_EQ(mistakes.size(), 3U);
  EXPECT_THAT(mistakes[0],
              HasSubstr("decoding.beam: found an unknown field, expected one of beam"));
  EXPECT_EQ(mistakes[1],
            "terms[0].from: found an unknown field, expected one of source, target, ignore_case");
  EXPECT_THAT(mistakes[2], HasSubstr("text: found an unknown field, expected one of contents"));
}

TEST(ProtoJson, AFieldUnderTwoNamesIsRefused) {
  EXPECT_THAT(
      Mistakes(R"({"requestId": "a", "request_id": "b"})"),
      ElementsAre("request_id: found as request_id and as requestId, expected one of them"));
  EXPECT_THAT(std::string(Refusal(R"({"model": "a", "model": "b"})").message()),
              HasSubstr("\"model\" appears twice"));
}

TEST(ProtoJson, NumbersOutOfRangeAreRefused) {
  for (const char* number : {"2147483648", "-2147483649", "1e10", "\"99999999999999999999\"",
                             "\"\"", "\"-\"", "\"0x1\"", "\" 1\"", "true", "[]", "0.5", "1e400"}) {
    ExpectRefused(std::string(R"({"decoding": {"beam_size": )") + number + "}}");
  }
  for (const char* number : {"-1", "18446744073709551616", "1e18", "\"-1\"", "\"1.0\""}) {
    ExpectRefused(std::string(R"({"decoding": {"sampling": {"seed": )") + number + "}}}");
  }
  EXPECT_EQ(Read(R"({"decoding": {"sampling": {"seed": 9007199254740993}}})")
                .decoding()
                .sampling()
                .seed(),
            9007199254740993U);
  EXPECT_EQ(Read(R"({"decoding": {"beam_size": -2147483648}})").decoding().beam_size(),
            -2147483648LL);
}

TEST(ProtoJson, WhatIsNotJsonIsRefused) {
  for (const char* text : {"", "{", "[]", "null", "\"a\"", "{\"contents\": [}", "{} {}", "{'a': 1}",
                           "{\"model\": NaN}", "{\"model\": \"\xff\"}", "\xEF\xBB\xBF{"}) {
    ExpectRefused(text);
  }
  const std::string deep(100, '[');
  EXPECT_THAT(std::string(Refusal("{\"contents\": " + deep).message()),
              HasSubstr("nested deeper than 16 levels"));
  std::string many = "{\"contents\": [0";
  for (int i = 0; i < 1 << 17; ++i) many += ",0";
  EXPECT_THAT(std::string(Refusal(many + "]}").message()), HasSubstr("more than 131072 values"));
}

TEST(ProtoJson, TextOfARequestIsNotQuoted) {
  const std::string secret = "Geheim";
  EXPECT_THAT(Refusal(R"({"contents": "Geheim", "decoding": "Geheim"})").ToString(),
              Not(HasSubstr(secret)));
}

TEST(ProtoJson, AnAnswerHasEveryFieldThatDoesNotKnowWhetherItIsSet) {
  v1::TranslateResponse answer;
  answer.add_translations()->set_translated_text("a \"b\" \n\x01 ü </script>");
  EXPECT_EQ(WriteProtoJson(answer),
            "{\"translations\":[{\"translatedText\":\"a \\\"b\\\" \\n\\u0001 ü "
            "\\u003c/script\\u003e\",\"model\":\"\",\"detectedLanguageCode\":\"\",\"index\":0,"
            "\"alternatives\":[],\"finishReason\":\"FINISH_REASON_UNSPECIFIED\",\"sentences\":[],"
            "\"warnings\":[],\"preserved\":[]}],\"requestId\":\"\"}");
}

TEST(ProtoJson, NumbersOfAnAnswerReadBack) {
  v1::Translation translation;
  translation.set_score(-0.1F);
  translation.set_seed(18446744073709551615U);
  translation.add_sentences()->set_source_end(1LL << 60);
  const std::string json = WriteProtoJson(translation);
  EXPECT_THAT(json, HasSubstr("\"score\":-0.1,"));
  EXPECT_THAT(json, HasSubstr("\"seed\":\"18446744073709551615\""));
  EXPECT_THAT(json, HasSubstr("\"sourceEnd\":\"1152921504606846976\""));
  v1::Translation read;
  ASSERT_TRUE(ReadProtoJson(json, &read).ok());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(translation, read));
}

}  // namespace
}  // namespace dragoman::server

#include "server/api/json_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/api/adapter_errors.h"
#include "server/call/request_error.h"

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HttpRequest Body(std::string body) {
  HttpRequest request;
  request.body = std::move(body);
  return request;
}

TEST(JsonBody, IsParsedUnderLimits) {
  EXPECT_TRUE(ParseJsonObject(Body(R"({"a": [1]})")).ok());
  for (const std::string& wrong :
       {std::string(), std::string("{"), std::string("[1]"), std::string("{\"a\":1,\"a\":2}"),
        std::string("{\"a\":\"\xff\"}"),
        "{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}"}) {
    const auto parsed = ParseJsonObject(Body(wrong));
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(parsed.status().message(), HasSubstr("the body")) << wrong;
  }
}

TEST(JsonBody, FieldsAreReadByTheirKind) {
  const auto object = nlohmann::json::parse(
      R"({"s": "x", "n": null, "b": true, "i": 3, "d": 1.0, "f": 0.5, "l": ["a", "b"], "m": [1]})");
  std::optional<std::string> text;
  EXPECT_TRUE(ReadField(object, "none", &text).ok());
  EXPECT_TRUE(ReadField(object, "n", &text).ok());
  EXPECT_EQ(text, std::nullopt);
  EXPECT_TRUE(ReadField(object, "s", &text).ok());
  EXPECT_EQ(text, "x");
  EXPECT_EQ(ReadField(object, "i", &text).message(), "i: found 3, expected a string");
  std::optional<bool> flag;
  EXPECT_TRUE(ReadField(object, "b", &flag).ok());
  EXPECT_EQ(flag, true);
  EXPECT_EQ(ReadField(object, "s", &flag).message(), "s: found a string, expected true or false");
  std::optional<int64_t> number;
  EXPECT_TRUE(ReadField(object, "d", &number).ok());
  EXPECT_EQ(number, 1);
  EXPECT_FALSE(ReadField(object, "f", &number).ok());
  EXPECT_FALSE(ReadField(nlohmann::json{{"a", 1e300}}, "a", &number).ok());
  std::optional<double> real;
  EXPECT_TRUE(ReadField(object, "f", &real).ok());
  EXPECT_EQ(real, 0.5);
  std::optional<std::vector<std::string>> texts;
  EXPECT_TRUE(ReadField(object, "s", &texts).ok());
  EXPECT_THAT(*texts, ElementsAre("x"));
  EXPECT_TRUE(ReadField(object, "l", &texts).ok());
  EXPECT_THAT(*texts, ElementsAre("a", "b"));
  EXPECT_EQ(ReadField(object, "m", &texts).message(), "m[0]: found 1, expected a string");
  EXPECT_EQ(ReadField(object, "b", &texts).message(),
            "b: found true, expected a string or a list of strings");
}

TEST(JsonBody, UnknownFieldsAreNamed) {
  const auto object = nlohmann::json::parse(R"({"a": 1, "b": 2, "c": 3})");
  EXPECT_TRUE(CheckFields(object, {"a", "b", "c"}).ok());
  const absl::Status status = CheckFields(object, {"b"});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("field 'a', field 'c'"));
}

TEST(AdapterErrors, StatusesGoBothWays) {
  for (const auto& [code, http] : {std::pair{absl::StatusCode::kInvalidArgument, 400},
                                   {absl::StatusCode::kUnauthenticated, 401},
                                   {absl::StatusCode::kPermissionDenied, 403},
                                   {absl::StatusCode::kNotFound, 404},
                                   {absl::StatusCode::kResourceExhausted, 429},
                                   {absl::StatusCode::kCancelled, 499},
                                   {absl::StatusCode::kInternal, 500},
                                   {absl::StatusCode::kUnimplemented, 501},
                                   {absl::StatusCode::kUnavailable, 503},
                                   {absl::StatusCode::kDeadlineExceeded, 504}}) {
    EXPECT_EQ(StatusOfHttp(code), http);
    EXPECT_EQ(CodeOfHttp(http), code);
  }
  EXPECT_EQ(StatusOfHttp(absl::StatusCode::kDataLoss), 500);
  EXPECT_EQ(CodeOfHttp(204), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOfHttp(456), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOfHttp(529), absl::StatusCode::kInternal);
}

TEST(AdapterErrors, TheNeutralFormHasTheDetails) {
  const HttpResponse response = NeutralError(InvalidField("q", "found 1, expected 2"));
  EXPECT_EQ(response.status, 400);
  const auto error = nlohmann::json::parse(response.body)["error"];
  EXPECT_EQ(error["code"], 400);
  EXPECT_EQ(error["status"], "INVALID_ARGUMENT");
  EXPECT_EQ(error["message"], "q: found 1, expected 2");
  EXPECT_EQ(error["details"][0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
  EXPECT_EQ(error["details"][0]["fieldViolations"][0]["field"], "q");
  EXPECT_FALSE(ErrorObject(absl::NotFoundError("x")).contains("details"));
  EXPECT_EQ(DumpJson("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(JsonBody, HalfASurrogatePairBecomesAReplacementCharacter) {
  const auto value_of = [](const std::string& escaped) {
    const auto body = ParseJsonBody(Body("[\"" + escaped + "\"]"));
    return body.ok() ? body->at(0).get<std::string>() : std::string(body.status().message());
  };
  EXPECT_EQ(value_of(R"(Hallo \ud83d)"), "Hallo \xEF\xBF\xBD");
  EXPECT_EQ(value_of(R"(\uDE00 Hallo)"), "\xEF\xBF\xBD Hallo");
  EXPECT_EQ(value_of(R"(\ud83d\ud83d\ude00)"), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(value_of(R"(\ud83d\u0041)"),
            "\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(value_of(R"(\\ud83d)"), R"(\ud83d)") << "an escaped backslash begins no escape";
  EXPECT_EQ(value_of(R"(\\\ud83d)"), "\\\xEF\xBF\xBD");
  EXPECT_EQ(value_of(R"(\ud83d\ude00)"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(WithoutLoneSurrogates(R"(["\ud83d\ude00", "\\ud83d"])"), std::nullopt);
  EXPECT_EQ(WithoutLoneSurrogates(R"(\ud83)"), std::nullopt);
}

TEST(JsonBody, ErrorsEchoNoControlCharacterAndNoPartOfACharacter) {
  std::string key = "\x01\x7f";
  for (int i = 0; i < 40; ++i) key += "\xC3\xA4";
  const std::string written = "\\u0001\x7f" + key.substr(2);
  const auto twice = ParseJsonBody(Body("{\"" + written + "\": 1, \"" + written + "\": 2}"));
  const std::string message(twice.status().message());
  EXPECT_THAT(message, HasSubstr("appears twice"));
  for (const char c : message) EXPECT_TRUE(c >= 0x20 && c <= 0x7E) << message;
}

}  // namespace
}  // namespace dragoman::server

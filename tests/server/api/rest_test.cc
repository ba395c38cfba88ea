#include "server/api/rest.h"

#include <google/protobuf/descriptor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "server/api/jobs_rest.h"
#include "server/api/proto_json.h"
#include "server/call/request_error.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/server/fake_detector.h"

namespace dragoman::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class RestTest : public AdapterFixture {
 protected:
  void Start() {
    Serve();
    const AdapterContext context{.calls = &context_,
                                 .bounds = {.max_request_bytes = 4711, .max_streams = 0},
                                 .lists = &lists_};
    adapter_ = MakeRestAdapter(context);
    std::vector<AdapterRoute> routes = RestRoutes();
    for (AdapterRoute& route : routes) route.adapter = adapter_.get();
    handler_ = std::make_unique<AdapterHandler>(&context_, nullptr, std::move(routes));
  }

  HttpResponse Ask(HttpRequest request) { return Send(handler_.get(), std::move(request))->Wait(); }

  ListAnswers lists_;
  std::unique_ptr<Adapter> adapter_;
  std::unique_ptr<AdapterHandler> handler_;
};

TEST_F(RestTest, ATranslationIsAnsweredAsJson) {
  Start();
  const HttpResponse answer = Ask(Post("/v1/translate", R"({"contents": ["Guten Tag.", "Ja."],
      "sourceLanguageCode": "de", "requestId": "r-1"})"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.content_type, "application/json; charset=utf-8");
  EXPECT_EQ(HeaderOf(answer, "Cache-Control"), "no-store");
  const Json json = Json::parse(answer.body);
  EXPECT_EQ(json["translations"][0]["translatedText"], "[Guten Tag.]");
  EXPECT_EQ(json["translations"][1]["index"], 1);
  EXPECT_EQ(json["requestId"], "r-1");
}

TEST_F(RestTest, AStreamIsSentAsEventsAndSaysThatItIsWhole) {
  Start();
  const HttpResponse answer = Ask(Post(
      "/v1/translate:stream", R"({"contents": ["Ja."], "return_options": {"timings": true}})"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.content_type, "text/event-stream; charset=utf-8");
  EXPECT_THAT(answer.body, HasSubstr("event: translation\ndata: {\"item\":0,"));
  EXPECT_THAT(answer.body, HasSubstr("\"translatedText\":\"[Ja.]\""));
  EXPECT_THAT(answer.body, HasSubstr("event: timings\ndata: {"));
  EXPECT_TRUE(answer.body.ends_with("event: end\ndata: {}\n\n")) << answer.body;
}

TEST_F(RestTest, AStreamThatFailsEndsWithTheError) {
  engine_.HoldJobs();
  Start();
  auto exchange = Send(handler_.get(), Post("/v1/translate:stream", R"({"contents": ["a", "b"]})"));
  const FakeEngine::Held held = engine_.WaitHeld();
  engine_.Play(held, [&held](engine::TranslationSink* sink) {
    sink->OnItem(FakeEngine::Answer(held.job, 0));
  });
  exchange->WaitPiece(0);
  engine_.Finish(held.id, absl::InternalError("a worker failed"));
  const HttpResponse answer = exchange->Wait();
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("event: error\ndata: {\"error\":{\"code\":500,"));
  EXPECT_THAT(answer.body, HasSubstr("\"message\":\"a worker failed\",\"status\":\"INTERNAL\""));
  EXPECT_THAT(answer.body, Not(HasSubstr("event: end")));
}

TEST_F(RestTest, MistakesComeAsBadRequest) {
  Start();
  const HttpResponse answer =
      Ask(Post("/v1/translate", R"({"contents": ["a"], "decoding": {"beam_size": 0, "x": 1}})"));
  EXPECT_EQ(answer.status, 400);
  Json error = Json::parse(answer.body)["error"];
  EXPECT_EQ(error["status"], "INVALID_ARGUMENT");
  EXPECT_EQ(error["details"][0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
  EXPECT_EQ(error["details"][0]["fieldViolations"][0]["field"], "decoding.x");
  // A value that is out of range. The call finds it, not the parser of JSON.
  const HttpResponse range =
      Ask(Post("/v1/translate", R"({"contents": ["a"], "decoding": {"beam_size": 0}})"));
  EXPECT_EQ(range.status, 400);
  error = Json::parse(range.body)["error"];
  EXPECT_EQ(error["details"][0]["fieldViolations"][0]["field"], "decoding.beam_size");
}

TEST_F(RestTest, LanguagesAreDetected) {
  Start();
  const HttpResponse none = Ask(Post("/v1/detect", R"({"contents": ["Ja."]})"));
  EXPECT_EQ(none.status, 501);
  EXPECT_THAT(none.body, HasSubstr("--language-model"));
  const FakeDetector detector;
  context_.detector = &detector;
  const HttpResponse answer = Ask(Post("/v1/detect", R"({"contents": ["de: Ja.", "?"]})"));
  EXPECT_EQ(answer.status, 200);
  const Json detections = Json::parse(answer.body)["detections"];
  ASSERT_EQ(detections.size(), 2U);
  EXPECT_EQ(detections[0]["languages"][0]["languageCode"], "de");
  EXPECT_TRUE(detections[1]["languages"].empty());
  EXPECT_EQ(Ask(Post("/v1/detect", R"({"contents": []})")).status, 400);
}

TEST_F(RestTest, AnotherContentTypeIsRefused) {
  Start();
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
    const HttpResponse answer = Ask(Post("/v1/translate", R"({"contents": ["a"]})", type));
    EXPECT_EQ(answer.status, 400) << type;
    EXPECT_THAT(answer.body, HasSubstr("expected application/json"));
  }
  EXPECT_EQ(Ask(Post("/v1/translate", R"({"contents": ["a"]})", "Application/JSON; charset=utf-8"))
                .status,
            200);
}

TEST_F(RestTest, QueriesAreRefusedByName) {
  Start();
  EXPECT_THAT(Ask(Get("/v1/languages?modell=a")).body,
              HasSubstr("found the query parameter 'modell', expected model"));
  EXPECT_THAT(Ask(Get("/v1/info?model=a")).body, HasSubstr("expected none"));
  HttpRequest request = Post("/v1/translate", R"({"contents": ["a"]})");
  request.query = "key=secret";
  const HttpResponse refused = Ask(request);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("found the query parameter 'key', expected none"));
  EXPECT_THAT(refused.body, Not(HasSubstr("secret")));  // the message goes into the log
}

TEST_F(RestTest, WhatThereIsIsListed) {
  Start();
  EXPECT_EQ(Json::parse(Ask(Get("/v1/languages")).body)["pairs"][0]["targetLanguageCode"], "en");
  EXPECT_EQ(Ask(Get("/v1/languages?model=de-en")).status, 200);
  EXPECT_EQ(Ask(Get("/v1/languages?model=nothing")).status, 404);
  const Json models = Json::parse(Ask(Get("/v1/info/models")).body)["models"];
  EXPECT_EQ(models[0]["name"], "de-en");
  EXPECT_EQ(models[0]["isDefault"], true);
  const Json info = Json::parse(Ask(Get("/v1/info")).body);
  EXPECT_EQ(info["limits"]["maxRequestBytes"], "4711");
  EXPECT_EQ(info["limits"]["longestCall"], "120s");
  EXPECT_EQ(info["draining"], false);
  EXPECT_EQ(Ask(Get("/v1/openapi.json")).body, OpenApiJson());
}

TEST_F(RestTest, AKeyIsReadFromAuthorizationAlone) {
  Start();
  HttpRequest request = Get("/v1/info?key=a");
  EXPECT_EQ(adapter_->Key(request), "");
  request.headers = {{"authorization", "bEARER dk_1"}};
  EXPECT_EQ(adapter_->Key(request), "dk_1");
  request.headers = {{"authorization", "Basic dk_1"}};
  EXPECT_EQ(adapter_->Key(request), "");
}

// Compares the names in the OpenAPI description with the proto descriptors. tests/openapi compares
// the whole description where its Python packages are installed.

Json Description() { return Json::parse(OpenApiJson()); }

std::string ShortName(const std::string& full_name) {
  constexpr std::string_view kPackage = "dragoman.v1.";
  return full_name.starts_with(kPackage) ? full_name.substr(kPackage.size()) : full_name;
}

class Comparison {
 public:
  explicit Comparison(const Json& description) : schemas_(description["components"]["schemas"]) {}

  void CompareMessage(const Descriptor& type) {
    const std::string name = ShortName(type.full_name());
    if (type.full_name().starts_with("google.") || !compared_.insert(name).second) return;
    ASSERT_TRUE(schemas_.contains(name)) << name;
    const Json& properties = schemas_[name]["properties"];
    EXPECT_EQ(properties.size(), static_cast<size_t>(type.field_count())) << name;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      EXPECT_TRUE(properties.contains(field.json_name())) << field.full_name();
      if (field.enum_type() != nullptr) CompareEnum(*field.enum_type());
      if (field.message_type() != nullptr && !field.is_map()) CompareMessage(*field.message_type());
    }
  }

  std::set<std::string> compared() const { return compared_; }

 private:
  void CompareEnum(const EnumDescriptor& type) {
    const std::string name = ShortName(type.full_name());
    compared_.insert(name);
    std::vector<std::string> values;
    for (int i = 0; i < type.value_count(); ++i) values.push_back(type.value(i)->name());
    EXPECT_EQ(schemas_[name]["enum"].get<std::vector<std::string>>(), values) << name;
  }

  const Json schemas_;
  std::set<std::string> compared_;
};

TEST(OpenApi, EveryFieldAndEnumValueIsThatOfTheProto) {
  const Json description = Description();
  Comparison comparison(description);
  for (const Descriptor* message :
       {v1::TranslateRequest::descriptor(), v1::DetectLanguageRequest::descriptor(),
        v1::TranslateResponse::descriptor(), v1::StreamTranslateResponse::descriptor(),
        v1::DetectLanguageResponse::descriptor(), v1::ListLanguagesResponse::descriptor(),
        v1::GetServerInfoResponse::descriptor(), v1::ListModelsResponse::descriptor(),
        v1::CreateJobRequest::descriptor(), v1::Job::descriptor(),
        v1::ListJobsResponse::descriptor(), v1::DeleteJobResponse::descriptor()}) {
    comparison.CompareMessage(*message);
  }
  std::set<std::string> described;
  for (const auto& [name, schema] : description["components"]["schemas"].items()) {
    described.insert(name);
  }
  std::set<std::string> expected = comparison.compared();
  expected.insert({"Error", "Status"});
  EXPECT_EQ(described, expected);
}

TEST(OpenApi, EveryPathIsARoute) {
  std::map<std::string, std::set<std::string>> described;
  const Json paths = Description()["paths"];
  for (const auto& [path, methods] : paths.items()) {
    // A route has the paths that begin with it.
    const std::string route =
        path.substr(0, path.find('{')) + (path.find('{') == path.npos ? "" : "*");
    for (const auto& [method, operation] : methods.items()) described[route].insert(method);
  }
  std::map<std::string, std::set<std::string>> routes;
  for (const auto& list : {RestRoutes(), JobsRoutes()}) {
    for (const AdapterRoute& route : list) {
      routes[std::string(route.path)].insert(absl::AsciiStrToLower(std::string(route.method)));
    }
  }
  EXPECT_EQ(described, routes);
}

}  // namespace
}  // namespace dragoman::server

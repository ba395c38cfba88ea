// The doors of other toolkits' servers: Opus-MT, OpenNMT-py, Marian.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/doors/marian.h"
#include "server/doors/moses.h"
#include "server/doors/open_nmt.h"
#include "server/doors/opus_mt.h"
#include "tests/server/doors/dialect_fixture.h"

namespace dragoman {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ToolkitDoorsTest : public DialectFixture {};

TEST_F(ToolkitDoorsTest, OpusMt) {
  engine_.mutable_info()->pairs = {{"de", "en"}, {"de", "fr"}};
  ServeDoor<OpusMtDoor>();
  EXPECT_EQ(JsonOf(Post("/api/translate", R"({"from": "de", "to": "en", "source": "a"})")),
            json({{"translation", "[a]"}}));
  EXPECT_EQ(JsonOf(Get("/api/languages")), json::parse(R"({"languages": {"de": ["en", "fr"]}})"));
  EXPECT_EQ(AnswerTo(Get("/api/ready")).status, 204);
  std::atomic<bool> draining{true};
  context_.draining = &draining;
  EXPECT_EQ(AnswerTo(Get("/api/ready")).status, 503);
  EXPECT_EQ(JsonOf(Post("/api/translate", R"({"from": "de", "to": "en"})"), 400)["error"],
            "source: found nothing, expected a text");
}

TEST_F(ToolkitDoorsTest, OpusMtTakesRecordsOverAWebSocket) {
  ServeDoor<OpusMtDoor>();
  HttpRequest message;
  message.method = kWebSocketMethod;
  message.path = "/";
  message.body = R"({"text": "a", "source": "de", "target": "en", "model": "de-en"})";
  EXPECT_EQ(JsonOf(message), json::parse(R"({"result": "[a]", "source": "de", "target": "en"})"));
  EXPECT_EQ(AskedFor(message).model(), "de-en");
  message.body = R"({"text": "de: a", "target": "en"})";
  EXPECT_EQ(AskedFor(message).source_language_code(), "auto");
  EXPECT_EQ(JsonOf(message)["source"], "de");
  // An error closes the connection, with the bare reason.
  const auto reason = [&](const std::string& body) {
    message.body = body;
    const HttpResponse answer = AnswerTo(message);
    EXPECT_EQ(answer.status, 400);
    return answer.body;
  };
  EXPECT_EQ(reason(R"({"text": "a"})"), "target: found nothing, expected a text");
  EXPECT_EQ(reason(R"({"text": "fails", "source": "de", "target": "en"})"), "it failed");
  EXPECT_THAT(reason("Hund"), HasSubstr("JSON"));
}

TEST_F(ToolkitDoorsTest, MosesXmlRpcIsRefusedWithAFault) {
  ServeDoor<MosesDoor>();
  const HttpRequest call = Post("/RPC2", "<methodCall/>", "text/xml");
  const HttpResponse fault = AnswerTo(call);
  EXPECT_EQ(fault.status, 200);
  EXPECT_EQ(fault.content_type, "text/xml; charset=utf-8");
  EXPECT_THAT(fault.body, HasSubstr("<value><int>400</int></value>"));
  EXPECT_THAT(fault.body, HasSubstr("found XML-RPC of Moses"));
  const HttpResponse denied = door_->Error(call, absl::PermissionDeniedError("a < b & c"));
  EXPECT_EQ(denied.status, 403);
  EXPECT_THAT(denied.body, HasSubstr("<string>a &lt; b &amp; c</string>"));
}

TEST_F(ToolkitDoorsTest, OpenNmt) {
  ServeDoor<OpenNmtDoor>();
  EXPECT_EQ(JsonOf(Post("/translator/translate",
                        R"([{"id": 100, "src": "a"}, {"id": 100, "src": "b"}])")),
            json::parse(R"([[{"src": "a", "tgt": "[a]", "n_best": 1, "pred_score": -0.5},
                       {"src": "b", "tgt": "[b]", "n_best": 1, "pred_score": -0.5}]])"));
  const auto model = [&](const std::string& id) {
    return AskedFor(Post("/translator/translate", R"([{"src": "a", "id": )" + id + "}]")).model();
  };
  EXPECT_EQ(model("100"), "de-en");
  EXPECT_EQ(model("0"), "");
  EXPECT_EQ(model("\"de-en\""), "de-en");
  EXPECT_EQ(JsonOf(Get("/translator/models"))[0]["models"], json({"de-en"}));
  EXPECT_EQ(JsonOf(Get("/translator/health"))["status"], "ok");
}

TEST_F(ToolkitDoorsTest, OpenNmtErrorsHaveAStatus) {
  ServeDoor<OpenNmtDoor>();
  const auto error = [&](const std::string& body, int status = 400) -> std::string {
    const json answer = JsonOf(Post("/translator/translate", body), status);
    EXPECT_EQ(answer["status"], "error");
    return answer["error"];
  };
  EXPECT_THAT(error(R"([{"id": 7, "src": "a"}])", 404),
              HasSubstr("id: found 7, expected 100 to 100"));
  EXPECT_THAT(error(R"([{"id": 100, "src": "a"}, {"src": "b"}])"),
              HasSubstr("[1].id: found another"));
  EXPECT_THAT(error(R"({"src": "a"})"), HasSubstr("the body: found an object, expected a list"));
  EXPECT_THAT(error(R"([{"id": 100}])"), HasSubstr("[0].src: found nothing"));
  EXPECT_THAT(error(R"([{"src": "a", "ref": "b"}])"), HasSubstr("[0].ref:"));
  EXPECT_THAT(error(R"([{"src": "a"}, {"src": "fails"}])"), HasSubstr("text 1: it failed"));
  EXPECT_THAT(JsonOf(Get("/translator/unload_model/100"), 400)["error"],
              HasSubstr("/translator/unload_model/100"));
}

TEST_F(ToolkitDoorsTest, MarianTranslatesLineByLine) {
  ServeDoor<MarianDoor>();
  HttpRequest message;
  message.method = kWebSocketMethod;
  message.path = "/translate";
  message.body = "a. b.\n\nc\n";
  const v1::TranslateRequest asked = AskedFor(message);
  EXPECT_THAT(asked.contents(), ElementsAre("a. b.", "", "c"));
  EXPECT_EQ(asked.segmentation().split(), v1::Segmentation::NONE);
  EXPECT_EQ(AnswerTo(message).body, "[a. b.]\n[]\n[c]\n");
  message.body = "a";
  EXPECT_EQ(AnswerTo(message).body, "[a]");
  message.query = "source=de&target=en&model=de-en&token=k";
  EXPECT_EQ(AskedFor(message).model(), "de-en");
  EXPECT_EQ(AskedFor(message).source_language_code(), "de");
  EXPECT_EQ(door_->Key(message), "k");
  message.body = "fails";
  EXPECT_EQ(AnswerTo(message).status, 400);
  message.body = "\xff";
  EXPECT_EQ(AnswerTo(message).status, 400);
}

}  // namespace
}  // namespace dragoman

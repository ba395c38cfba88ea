#include "server/doors/translate_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/doors/firefox_dialects.h"
#include "tests/server/doors/dialect_fixture.h"

namespace dragoman {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TranslatePathTest : public DialectFixture {
 protected:
  void SetUp() override { ServeDoor<TranslatePathDoor>(); }

  json Posted(const std::string& body, int status = 200) const {
    return JsonOf(Post("/translate", body), status);
  }
};

TEST_F(TranslatePathTest, QWinsOverEverythingElse) {
  EXPECT_EQ(Posted(R"({"q": "a", "text": "b", "src": "c", "source": "de", "target": "en",
                       "from": "de", "to": "en", "src_lang": "de", "tgt_lang": "en"})"),
            json({{"translatedText", "[a]"}}));
  EXPECT_EQ(Posted("{}", 400), json({{"error", "Invalid request: missing q parameter"}}));
}

TEST_F(TranslatePathTest, ServersOfFirefoxModels) {
  EXPECT_EQ(Posted(R"({"from": "de", "to": "en", "text": "a"})"),
            json::parse(R"({"result": "[a]", "text": "[a]", "from": "de", "to": "en"})"));
  EXPECT_EQ(Posted(R"({"to": "de", "text": "en: a"})")["from"], "en");
  EXPECT_EQ(Posted(R"({"from": "de", "to": "en", "texts": ["a", "b"]})"),
            json::parse(R"({"results": ["[a]", "[b]"]})"));
  EXPECT_EQ(AskedFor(Post("/translate", R"({"from": "de", "to": "en", "text": "a", "html": true})"))
                .mime_type(),
            "text/html");
  EXPECT_THAT(Posted(R"({"from": "de", "to": "en", "text": ["a"]})", 400)["error"],
              HasSubstr("text: found a list, expected a string"));
  HttpRequest request = Post("/translate", R"({"to": "en", "text": "a"})");
  request.query = "token=k";
  EXPECT_EQ(door_->Key(request), "k");
}

TEST_F(TranslatePathTest, DeeplxAlsoAsPlainText) {
  const std::string body = R"({"text": "a", "source_lang": "DE", "target_lang": "EN"})";
  for (const char* type : {"application/json", "text/plain", "text/plain; charset=utf-8"}) {
    const json answer = JsonOf(Post("/translate", body, type));
    EXPECT_EQ(answer["data"], "[a]") << type;
    EXPECT_EQ(answer["code"], 200) << type;
  }
}

TEST_F(TranslatePathTest, MTranServersKeyNeedsNoScheme) {
  HttpRequest request = Post("/translate", R"({"to": "en", "text": "a"})");
  request.headers.emplace_back("authorization", "the-key");
  EXPECT_EQ(door_->Key(request), "the-key");
  request.headers.back().second = "Basic the-key";
  EXPECT_EQ(door_->Key(request), "");
}

TEST_F(TranslatePathTest, CuratorGetsExactlyAsManyTranslations) {
  const std::string body = R"({"texts": ["a", "b"], "src_lang": "de", "tgt_lang": "en"})";
  EXPECT_EQ(Posted(body), json::parse(R"({"translations": ["[a]", "[b]"]})"));
  EXPECT_EQ(Posted(R"({"texts": ["a", "fails"], "src_lang": "de", "tgt_lang": "en"})", 400),
            json({{"error", "text 1: it failed"}}));
}

TEST_F(TranslatePathTest, NllbServeByPostAndGet) {
  const json expected = json::parse(R"({"source": ["a", "b"], "translation": ["[a]", "[b]"],
                      "src_lang": "deu_Latn", "tgt_lang": "eng_Latn"})");
  EXPECT_EQ(Posted(R"({"source": ["a", "b"], "src_lang": "deu_Latn", "tgt_lang": "eng_Latn"})"),
            expected);
  EXPECT_EQ(JsonOf(Get("/translate?source=a&source=b&src_lang=deu_Latn&tgt_lang=eng_Latn")),
            expected);
}

TEST_F(TranslatePathTest, NmtWizardHasNoLanguages) {
  const HttpRequest request = Post("/translate", R"({"src": [{"text": "a"}, {"text": "b"}]})");
  const json answer = JsonOf(request);
  EXPECT_EQ(answer["tgt"][0][0]["text"], "[a]");
  EXPECT_EQ(answer["tgt"][1][0]["text"], "[b]");
  EXPECT_EQ(AskedFor(request).source_language_code(), "");
  EXPECT_THAT(Posted(R"({"src": [{"text": "a", "mode": "x"}]})", 400)["error"], HasSubstr("mode:"));
  EXPECT_THAT(Posted(R"({"src": ["a"]})", 400)["error"],
              HasSubstr("src[0]: found a string, expected {\"text\": ...}"));
  EXPECT_THAT(Posted(R"({"src": [{"text": "a"}], "options": {"beam": 3}})", 400)["error"],
              HasSubstr("options:"));
}

TEST_F(TranslatePathTest, MtuocKeepsTheId) {
  const json answer = Posted(R"({"id": 7, "src": "a"})");
  EXPECT_EQ(answer["id"], 7);
  EXPECT_EQ(answer["tgt"], "[a]");
  EXPECT_EQ(answer["system_name"], "de-en");
}

TEST_F(TranslatePathTest, CatToolsAskByGet) {
  EXPECT_EQ(JsonOf(Get("/translate?q=a&source=de&target=en")),
            json::parse(R"({"status": 200, "data": {"translation": "[a]"}})"));
  EXPECT_EQ(JsonOf(Get("/translate?q=a&q=b"))["data"][1]["translation"], "[b]");
  EXPECT_EQ(JsonOf(Get("/translate?text=a&source=de&target=en")), json({{"translation", "[a]"}}));
  const json refused = JsonOf(Get("/translate?q=a&context_vector=1:0.5"), 400);
  EXPECT_EQ(refused["status"], 400);
  EXPECT_THAT(refused["error"]["message"], HasSubstr("context_vector:"));
}

TEST_F(TranslatePathTest, ErrorsAreThoseOfTheDialectThatWasMeant) {
  const HttpRequest modern = Get("/translate?q=a");
  const absl::Status full = absl::ResourceExhaustedError("the queue is full");
  EXPECT_EQ(json::parse(door_->Error(modern, full).body)["error"]["message"], "the queue is full");
  const HttpRequest firefox = Post("/translate", R"({"to": "en", "text": "a"})");
  EXPECT_EQ(door_->Error(firefox, full).body, R"({"error":"the queue is full"})");
  EXPECT_EQ(door_->Error(firefox, full).status, 429);
  EXPECT_EQ(door_->Error(Post("/translate", "{"), full).body,
            R"({"error":"Slowdown: the queue is full"})");
}

TEST_F(TranslatePathTest, EachDialectHasAnInterfaceOfItsOwnInMetrics) {
  const auto expect = [&](const HttpRequest& request, Api api) {
    EXPECT_STREQ(ApiName(door_->ApiOf(request)), ApiName(api));
    const DoorAction action = ActionOf(request);
    const auto* const unary = std::get_if<UnaryAction>(&action);
    ASSERT_NE(unary, nullptr);
    EXPECT_STREQ(ApiName(unary->api.value_or(door_->api())), ApiName(api));
  };
  const auto posted = [](const char* body) { return Post("/translate", body); };
  const std::string pair = R"("src_lang": "de", "tgt_lang": "en"})";
  expect(posted(R"({"q": "a", "source": "de", "target": "en"})"), Api::kLibreTranslate);
  expect(posted(R"({"from": "de", "to": "en", "text": "a"})"), Api::kMTranServer);
  expect(posted(R"({"from": "de", "to": "en", "texts": ["a"]})"), Api::kMTranServer);
  expect(Post("/translate", R"({"texts": ["a"], )" + pair), Api::kCurator);
  expect(Post("/translate", R"({"source": ["a"], )" + pair), Api::kNllbServe);
  expect(Get("/translate?source=a&src_lang=de&tgt_lang=en"), Api::kNllbServe);
  expect(posted(R"({"src": [{"text": "a"}]})"), Api::kNmtWizard);
  expect(posted(R"({"id": 7, "src": "a"})"), Api::kMtuoc);
  expect(Get("/translate?q=a&source=de&target=en"), Api::kModernMt);
  expect(Get("/translate?text=a&source=de&target=en"), Api::kOmegaT);
  EXPECT_STREQ(ApiName(door_->ApiOf(Post("/translate", "{"))), ApiName(Api::kLibreTranslate));
}

TEST_F(TranslatePathTest, BodiesThatAreNoneOfTheKnownKindsAreRefused) {
  EXPECT_THAT(JsonOf(Post("/translate", "a", "text/plain"), 400)["error"],
              HasSubstr("expected JSON"));
  EXPECT_THAT(JsonOf(Post("/translate", "a", "text/html"), 400)["error"],
              HasSubstr("the header Content-Type: found 'text/html', expected"));
  EXPECT_EQ(AnswerTo(Post("/translate", "[1]")).status, 400);
}

TEST_F(TranslatePathTest, ProbesOfFirefoxServers) {
  door_ = std::make_unique<FirefoxProbesDoor>(door_context_);
  EXPECT_EQ(JsonOf(Get("/__heartbeat__"))["status"], "ok");
  EXPECT_TRUE(JsonOf(Get("/version"))["version"].is_string());
  std::atomic<bool> draining{true};
  context_.draining = &draining;
  EXPECT_EQ(AnswerTo(Get("/__lbheartbeat__")).status, 503);
}

}  // namespace
}  // namespace dragoman

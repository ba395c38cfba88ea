#include "server/compat/translate_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/compat/plugin_dialects.h"
#include "tests/server/compat/dialect_fixture.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TranslatePathTest : public DialectFixture {
 protected:
  void SetUp() override { ServeAdapter<TranslatePathAdapter>(); }

  json Posted(const std::string& body, int status = 200) const {
    return JsonOf(Post("/translate", body), status);
  }
};

// Tests the table of dialects in translate_path.h.
TEST_F(TranslatePathTest, TheFirstFieldOfTheTableDecides) {
  const auto name = [&](const std::string& body) {
    const HttpRequest request = Post("/translate", body);
    const std::string by_shape = ApiName(adapter_->ApiOf(request));
    const absl::StatusOr<AdapterAction> action = adapter_->Handle(request, nullptr);
    if (!action.ok()) return by_shape;
    const auto* const unary = std::get_if<UnaryAction>(&*action);
    if (unary == nullptr) return by_shape;
    EXPECT_EQ(ApiName(unary->api.value_or(adapter_->api())), by_shape) << body;
    return by_shape;
  };
  const std::string rest = R"("source": "de", "target": "en", "from": "de", "to": "en",
                              "src_lang": "de", "tgt_lang": "en")";
  EXPECT_EQ(name(R"({"q": "a", "texts": ["b"], "text": "c", "target_lang": "EN", )" + rest + "}"),
            "libretranslate");
  EXPECT_EQ(name(R"({"texts": ["b"], "text": "c", "target_lang": "EN", )" + rest + "}"), "curator");
  EXPECT_EQ(name(R"({"text": "c", "target_lang": "EN", )" + rest + "}"), "plugins");
  EXPECT_EQ(name(R"({"text": "c", )" + rest + "}"), "mtranserver");
  EXPECT_EQ(name("{" + rest + "}"), "libretranslate");
  // A field that is null counts as missing.
  EXPECT_EQ(name(R"({"q": null, "texts": ["b"], "src_lang": "de", "tgt_lang": "en"})"), "curator");
}

TEST_F(TranslatePathTest, LibreTranslateHasWhatIsLeft) {
  EXPECT_EQ(Posted(R"({"q": "a", "source": "de", "target": "en"})"),
            json({{"translatedText", "[a]"}}));
  EXPECT_EQ(Posted("{}", 400), json({{"error", "Invalid request: missing q parameter"}}));
}

TEST_F(TranslatePathTest, MTranServer) {
  EXPECT_EQ(Posted(R"({"from": "de", "to": "en", "text": "a"})"), json({{"result", "[a]"}}));
  EXPECT_EQ(AskedFor(Post("/translate", R"({"to": "en", "text": "a"})")).source_language_code(),
            "auto");
  EXPECT_EQ(AskedFor(Post("/translate", R"({"from": "de", "to": "en", "text": "a", "html": true})"))
                .mime_type(),
            "text/html");
  EXPECT_THAT(Posted(R"({"from": "de", "to": "en", "text": ["a"]})", 400)["error"],
              HasSubstr("text: found a list, expected a string"));
  EXPECT_THAT(Posted(R"({"from": "de", "text": "a"})", 400)["error"],
              HasSubstr("to: found nothing"));
  HttpRequest request = Post("/translate", R"({"to": "en", "text": "a"})");
  request.query = "token=k";
  EXPECT_EQ(adapter_->Key(request), "k");
}

TEST_F(TranslatePathTest, MTranServersBatch) {
  adapter_ = std::make_unique<JsonDialectAdapter>(MTranServerBatchDialect());
  EXPECT_EQ(JsonOf(Post("/", R"({"from": "de", "to": "en", "texts": ["a", "b"]})")),
            json::parse(R"({"results": ["[a]", "[b]"]})"));
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
  EXPECT_EQ(adapter_->Key(request), "the-key");
  request.headers.back().second = "Basic the-key";
  EXPECT_EQ(adapter_->Key(request), "");
}

TEST_F(TranslatePathTest, CuratorGetsExactlyAsManyTranslations) {
  const std::string body = R"({"texts": ["a", "b"], "src_lang": "de", "tgt_lang": "en"})";
  EXPECT_EQ(Posted(body), json::parse(R"({"translations": ["[a]", "[b]"]})"));
  EXPECT_EQ(Posted(R"({"texts": ["a", "fails"], "src_lang": "de", "tgt_lang": "en"})", 400),
            json({{"error", "text 1: it failed"}}));
}

TEST_F(TranslatePathTest, ErrorsAreThoseOfTheDialectThatWasMeant) {
  const absl::Status full = absl::ResourceExhaustedError("the queue is full");
  const HttpRequest deeplx = Post("/translate", R"({"text": "a", "target_lang": "EN"})");
  EXPECT_EQ(json::parse(adapter_->Error(deeplx, full).body)["message"], "the queue is full");
  const HttpRequest mtranserver = Post("/translate", R"({"to": "en", "text": "a"})");
  EXPECT_EQ(adapter_->Error(mtranserver, full).body, R"({"error":"the queue is full"})");
  EXPECT_EQ(adapter_->Error(mtranserver, full).status, 429);
  EXPECT_EQ(adapter_->Error(Post("/translate", "{"), full).body,
            R"({"error":"Slowdown: the queue is full"})");
}

TEST_F(TranslatePathTest, BodiesThatAreNoneOfTheKnownKindsAreRefused) {
  EXPECT_THAT(JsonOf(Post("/translate", "a", "text/plain"), 400)["error"],
              HasSubstr("expected JSON"));
  EXPECT_THAT(JsonOf(Post("/translate", "a", "text/html"), 400)["error"],
              HasSubstr("the header Content-Type: found 'text/html', expected"));
  EXPECT_EQ(AnswerTo(Post("/translate", "[1]")).status, 400);
}

TEST_F(TranslatePathTest, MTranServersProbes) {
  adapter_ = std::make_unique<MTranServerProbesAdapter>(adapter_context_);
  EXPECT_EQ(JsonOf(Get("/__heartbeat__"))["status"], "ok");
  EXPECT_TRUE(JsonOf(Get("/version"))["version"].is_string());
  std::atomic<bool> draining{true};
  context_.draining = &draining;
  EXPECT_EQ(AnswerTo(Get("/__lbheartbeat__")).status, 503);
}

}  // namespace
}  // namespace dragoman::server

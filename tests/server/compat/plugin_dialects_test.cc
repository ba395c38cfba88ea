#include "server/compat/plugin_dialects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/server/compat/dialect_fixture.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PluginTest : public DialectFixture {
 protected:
  void ServeDialect(JsonDialect dialect) {
    engine_.mutable_info()->pairs = {{"de", "en"}, {"en", "de"}};
    ServeAdapter<JsonDialectAdapter>(std::move(dialect));
  }
  json Posted(const std::string& body, int status = 200) const {
    return JsonOf(Post("/", body), status);
  }
};

TEST_F(PluginTest, ImmersiveTranslate) {
  ServeDialect(ImmersiveDialect());
  EXPECT_EQ(Posted(R"({"source_lang": "auto", "target_lang": "en", "text_list": ["de: a", "b"]})"),
            json::parse(R"({"translations": [{"detected_source_lang": "de", "text": "[de: a]"},
                                             {"detected_source_lang": "", "text": "[b]"}]})"));
  EXPECT_EQ(Posted(R"({"source_lang": "de", "target_lang": "en", "text_list": ["a"]})")
                ["translations"][0]["detected_source_lang"],
            "de");
  EXPECT_THAT(Posted(R"({"target_lang": "en"})", 400)["error"],
              HasSubstr("text_list: found nothing, expected"));
  EXPECT_EQ(HeaderOf(AnswerTo(Post("/", "{}")), "Access-Control-Allow-Origin"), "*");
}

TEST_F(PluginTest, Kiss) {
  ServeDialect(KissDialect());
  EXPECT_EQ(Posted(R"({"from": "de", "to": "en", "text": "a"})"),
            json::parse(R"({"text": "[a]", "src": "de", "from": "de", "to": "en"})"));
  EXPECT_EQ(Posted(R"({"from": "", "to": "en", "texts": ["de: a", "b"]})"),
            json::parse(R"({"translations": [{"text": "[de: a]", "src": "de"},
                                             {"text": "[b]", "src": ""}]})"));
}

TEST_F(PluginTest, GooglesPage) {
  ServeDialect(GooglePageDialect());
  EXPECT_EQ(JsonOf(Get("/?client=gtx&sl=auto&tl=en&dt=t&q=de:%20a")),
            json::parse(R"([[["[de: a]", "de: a", null, null, 1]], null, "de"])"));
  EXPECT_EQ(JsonOf(Get("/?client=gtx&sl=auto&tl=en&dt=t&dj=1&q=de:%20a")),
            json::parse(R"({"sentences": [{"trans": "[de: a]", "orig": "de: a"}], "src": "de"})"));
  EXPECT_THAT(JsonOf(Get("/?tl=en"), 400)["error"], HasSubstr("q: found nothing"));
}

TEST_F(PluginTest, Deeplx) {
  ServeDialect(DeeplxDialect());
  const json answer = Posted(R"({"text": "de: a", "source_lang": "AUTO", "target_lang": "en"})");
  EXPECT_EQ(answer["code"], 200);
  EXPECT_EQ(answer["data"], "[de: a]");
  EXPECT_EQ(answer["source_lang"], "DE");
  EXPECT_EQ(answer["target_lang"], "EN");
  EXPECT_THAT(
      Posted(R"({"text": "a", "target_lang": "en", "tag_handling": "xml"})", 400)["message"],
      HasSubstr("tag_handling: found 'xml', expected html"));
  const HttpResponse full = ErrorFor(absl::ResourceExhaustedError("full"));
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(json::parse(full.body), json::parse(R"({"code": 429, "message": "full"})"));
}

}  // namespace
}  // namespace dragoman::server

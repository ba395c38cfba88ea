// Tests the adapter of Google's Cloud Translation: v3 with protobuf messages and over REST, and v2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "server/call/request_error.h"
#include "server/compat/adapters.h"
#include "server/compat/google_rest.h"
#include "server/compat/google_v3.h"
#include "tests/server/api/adapter_fixture.h"
#include "tests/server/glossary_engine.h"
#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kParent[] = "projects/p/locations/global";

google_v3::TranslateTextRequest Minimal() {
  google_v3::TranslateTextRequest request;
  request.add_contents("Haus");
  request.set_target_language_code("en");
  return request;
}

TEST(GoogleV3, EveryFieldIsCarried) {
  google_v3::TranslateTextRequest in = Minimal();
  in.set_mime_type("text/plain");
  in.set_source_language_code("de");
  in.set_parent(kParent);
  in.set_model("projects/p/locations/global/models/mine");
  in.mutable_glossary_config()->set_glossary("projects/p/locations/global/glossaries/animals");
  in.mutable_glossary_config()->set_ignore_case(true);
  in.mutable_transliteration_config();
  (*in.mutable_labels())["team"] = "blue";
  const auto out = ExpectOk(FromGoogleV3(in, true));
  EXPECT_THAT(out->contents(), ElementsAre("Haus"));
  EXPECT_EQ(out->mime_type(), "text/plain");
  EXPECT_EQ(out->source_language_code(), "de");
  EXPECT_EQ(out->target_language_code(), "en");
  EXPECT_EQ(out->parent(), kParent);
  EXPECT_EQ(out->model(), "mine");
  EXPECT_EQ(out->glossary_config().glossary(), "animals");
  EXPECT_TRUE(out->glossary_config().ignore_case());
  EXPECT_EQ(out->labels().at("team"), "blue");
}

TEST(GoogleV3, NoMimeTypeIsHtmlAndNoSourceIsDetected) {
  EXPECT_EQ(FromGoogleV3(Minimal(), true)->mime_type(), "text/html");
  EXPECT_EQ(FromGoogleV3(Minimal(), true)->source_language_code(), "auto");
  EXPECT_EQ(FromGoogleV3(Minimal(), false)->source_language_code(), "");
}

TEST(GoogleV3, WhatIsNotHereIsRefusedByName) {
  google_v3::TranslateTextRequest in = Minimal();
  in.mutable_transliteration_config()->set_enable_transliteration(true);
  in.mutable_glossary_config()->set_contextual_translation_enabled(true);
  const absl::Status status = FromGoogleV3(in, true).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("enable_transliteration"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("contextual_translation_enabled"));
}

TEST(GoogleV3, DefaultModelsHaveNoName) {
  for (const char* path : {"", "projects/p/locations/l/models/general/nmt", "general/base", "nmt",
                           "projects/p/locations/l/models/general/translation-llm", "base"}) {
    EXPECT_EQ(ModelOfGoogle(path), "") << path;
  }
  EXPECT_EQ(ModelOfGoogle("projects/p/locations/l/models/de-en"), "de-en");
  EXPECT_EQ(ModelOfGoogle("de-en"), "de-en");
  EXPECT_EQ(ModelOfGoogle("projects/p/locations/l/models/general/other"), "general/other");
}

TEST(GoogleV3, AnAnswerHasWhatTheRequestAskedFor) {
  v1::TranslateResponse answer;
  answer.add_translations()->set_translated_text("house");
  answer.mutable_translations(0)->set_model("de-en");
  answer.mutable_translations(0)->set_detected_language_code("de");
  google_v3::TranslateTextRequest request = Minimal();
  auto out = ToGoogleV3(answer, request);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->translations(0).translated_text(), "house");
  EXPECT_EQ(out->translations(0).model(), "");
  EXPECT_EQ(out->translations(0).detected_language_code(), "de");
  EXPECT_EQ(out->glossary_translations_size(), 0);

  request.set_model("projects/p/locations/l/models/general/nmt");
  request.set_source_language_code("de");
  request.mutable_glossary_config()->set_glossary("g");
  out = ToGoogleV3(answer, request);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->translations(0).model(), request.model());
  EXPECT_EQ(out->translations(0).detected_language_code(), "");
  EXPECT_EQ(out->translations(0).glossary_config().glossary(), "");
  EXPECT_EQ(out->glossary_translations(0).translated_text(), "house");
  EXPECT_EQ(out->glossary_translations(0).glossary_config().glossary(), "g");

  answer.add_translations()->mutable_error()->set_code(3);
  EXPECT_EQ(ToGoogleV3(answer, request).status().code(), absl::StatusCode::kInvalidArgument);
}

class GoogleAdapterTest : public AdapterFixture {
 protected:
  GoogleAdapterTest() {
    engine_.mutable_info()->pairs = {{"de", "en"}};
    engine_.AddGlossary("animals", {{"Hund", "hound"}, {"Katze", "tomcat"}});
    engine_.AddGlossary("birds", {{"Vogel", "fowl"}});
    engine_.AddGlossary("cats", {});
    EXPECT_TRUE(models_.Put(Borrowed(&engine_)).ok());
    adapters_ = std::make_unique<Adapters>(AdapterContext{.calls = &context_});
    handler_ = std::make_unique<AdapterHandler>(&context_, nullptr, adapters_->routes());
  }

  HttpResponse Ask(HttpRequest request) { return Send(handler_.get(), std::move(request))->Wait(); }
  json AskJson(HttpRequest request, int status = 200) {
    const HttpResponse answer = Ask(std::move(request));
    EXPECT_EQ(answer.status, status) << answer.body;
    return json::parse(answer.body, nullptr, false);
  }

  void TearDown() override {
    models_.Remove("de-en");
    ASSERT_TRUE(models_.WaitEnded(std::chrono::minutes(1)));
  }

  GlossaryEngine engine_;
  std::unique_ptr<Adapters> adapters_;
  std::unique_ptr<AdapterHandler> handler_;
};

TEST_F(GoogleAdapterTest, V3OverRest) {
  HttpRequest request = Post("/v3/projects/p/locations/global:translateText",
                             R"({"contents": ["eins", "zwei"], "mimeType": "text/plain",
                                 "sourceLanguageCode": "de", "targetLanguageCode": "en"})");
  request.query = "%24alt=json%3Benum-encoding%3Dint";
  const json answer = AskJson(request);
  EXPECT_EQ(answer, json::parse(R"({"translations": [{"translatedText": "[eins]"},
                                                     {"translatedText": "[zwei]"}]})"));
  ExpectMetric(R"(dragoman_rpcs_total{api="google_v3",code="OK",method="Translate"} 1)");
  request.path = "/v3/projects/p:translateText";
  EXPECT_EQ(AskJson(request), answer);
}

TEST_F(GoogleAdapterTest, V3ErrorsAreGoogles) {
  const json body = AskJson(Post("/v3/projects/p:translateText",
                                 R"({"contents": ["x"], "targetLanguageCode": "en", "colour": 1})"),
                            400);
  EXPECT_EQ(body["error"]["code"], 400);
  EXPECT_EQ(body["error"]["status"], "INVALID_ARGUMENT");
  EXPECT_THAT(body["error"]["message"].get<std::string>(), HasSubstr("colour"));
  EXPECT_EQ(body["error"]["details"][0]["@type"], "type.googleapis.com/google.rpc.BadRequest");
  for (const char* path :
       {"/v3/projects/p:batchTranslateText", "/v3/projects/p/glossaries", "/v3/projects/",
        "/v3/projects//locations/l:translateText", "/v3/projects/p/l:translateText"}) {
    const json other = AskJson(Post(path, "{}"), 501);
    EXPECT_EQ(other["error"]["status"], "UNIMPLEMENTED") << path;
    EXPECT_THAT(other["error"]["message"].get<std::string>(), HasSubstr("POST ")) << path;
  }
  HttpRequest fields = Post("/v3/projects/p:translateText", "{}");
  fields.query = "fields=translations";
  EXPECT_THAT(AskJson(fields, 501)["error"]["message"].get<std::string>(), HasSubstr("'fields'"));
}

TEST_F(GoogleAdapterTest, V3TakesNoTypeThatAPageOfAnotherSiteMaySend) {
  for (const char* method : {"translateText", "detectLanguage"}) {
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
      const json answer =
          AskJson(Post(std::string("/v3/projects/p:") + method, R"({"content": "x"})", type), 400);
      EXPECT_THAT(answer["error"]["message"].get<std::string>(),
                  HasSubstr("expected application/json"));
    }
  }
}

TEST_F(GoogleAdapterTest, V3Lists) {
  const json languages =
      AskJson(Get("/v3/projects/p/locations/l/supportedLanguages?displayLanguageCode=de&alt=json"));
  EXPECT_EQ(
      languages["languages"][0],
      json::parse(R"({"languageCode": "de", "displayName": "Deutsch", "supportSource": true})"));
  AskJson(Get("/v3/projects/p/locations/l/supportedLanguages?model=none"), 404);

  const json page = AskJson(Get("/v3/projects/p/locations/l/glossaries?pageSize=2"));
  ASSERT_EQ(page["glossaries"].size(), 2U);
  EXPECT_EQ(page["glossaries"][0]["name"], "projects/p/locations/l/glossaries/animals");
  EXPECT_EQ(page["glossaries"][0]["languagePair"]["sourceLanguageCode"], "de");
  EXPECT_EQ(page["glossaries"][0]["entryCount"], 2);
  EXPECT_EQ(page["glossaries"][1]["entryCount"], 1);
  const json rest = AskJson(Get("/v3/projects/p/locations/l/glossaries?pageSize=2&pageToken=" +
                                page["nextPageToken"].get<std::string>()));
  ASSERT_EQ(rest["glossaries"].size(), 1U);
  EXPECT_FALSE(rest.contains("nextPageToken"));
  AskJson(Get("/v3/projects/p/locations/l/glossaries?filter=x"), 501);
  AskJson(Get("/v3/projects/p/locations/l/glossaries?pageSize=-1"), 400);
  const json cats = AskJson(Get("/v3/projects/p/locations/l/glossaries/cats"));
  EXPECT_EQ(cats["displayName"], "cats");
  EXPECT_FALSE(cats.contains("entryCount")) << "a field of value 0 is left out";
  AskJson(Get("/v3/projects/p/locations/l/glossaries/none"), 404);
}

TEST_F(GoogleAdapterTest, AGlossaryOfSeveralModelsHasTheMostEntriesOfAny) {
  GlossaryEngine french;
  french.mutable_info()->name = "fr-en";
  french.mutable_info()->pairs = {{"fr", "en"}};
  french.AddGlossary("animals", {{"chat", "cat"}, {"chien", "hound"}, {"oie", "goose"}});
  ASSERT_TRUE(models_.Put(Borrowed(&french)).ok());
  const auto found = GetGoogleV3(
      [] {
        google_v3::GetGlossaryRequest request;
        request.set_name("projects/p/locations/l/glossaries/animals");
        return request;
      }(),
      context_, nullptr);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->entry_count(), 3);
  EXPECT_THAT(found->language_codes_set().language_codes(), ElementsAre("de", "en", "fr"));
  models_.Remove("fr-en");
  EXPECT_TRUE(models_.WaitEnded(std::chrono::seconds(30)));
}

TEST_F(GoogleAdapterTest, V2TakesJsonFormsAndQueries) {
  const json expected =
      json::parse(R"({"data": {"translations": [{"translatedText": "[eins]"}]}})");
  HttpRequest request = Post("/language/translate/v2",
                             R"({"target": "en", "q": ["eins"], "cid": [], "format": "text",
                                 "source": "de", "model": null})");
  request.query = "prettyPrint=false";
  EXPECT_EQ(AskJson(request), expected);
  EXPECT_EQ(AskJson(Post("/language/translate/v2", "q=eins&target=en&source=de&format=text&key=k",
                         "application/x-www-form-urlencoded")),
            expected);
  EXPECT_EQ(AskJson(Get("/language/translate/v2?q=eins&target=en&source=de&format=text")),
            expected);
  const json named =
      AskJson(Get("/language/translate/v2?q=a&q=b&target=en&source=de&format=text&model=nmt"));
  EXPECT_EQ(named["data"]["translations"][1]["translatedText"], "[b]");
  EXPECT_EQ(named["data"]["translations"][1]["model"], "nmt");
  ExpectMetric(R"(dragoman_rpcs_total{api="google_v2",code="OK",method="Translate"} 4)");
}

TEST_F(GoogleAdapterTest, V2HasThePathOfMTranServerToo) {
  const HttpRequest request =
      Get("/google/language/translate/v2?q=eins&target=en&source=de&format=text&token=k");
  EXPECT_EQ(AskJson(request)["data"]["translations"][0]["translatedText"], "[eins]");
  EXPECT_EQ(GoogleV2Adapter(AdapterContext{}).Key(request), "k");
  // Google itself has no such parameter.
  HttpRequest other = request;
  other.path = "/language/translate/v2";
  EXPECT_THAT(AskJson(other, 501)["error"]["message"].get<std::string>(), HasSubstr("token"));
  EXPECT_EQ(GoogleV2Adapter(AdapterContext{}).Key(other), "");
}

TEST_F(GoogleAdapterTest, V2IsHtmlUnlessItSaysText) {
  engine_.HoldJobs();
  const auto exchange =
      Send(handler_.get(), Get("/language/translate/v2?q=eins&target=en&source=de"));
  const FakeEngine::Held held = engine_.WaitHeld();
  EXPECT_EQ(held.job.format, engine::TextFormat::kHtml);
  engine_.Finish(held.id, absl::UnavailableError("draining"));
  const json error = json::parse(exchange->Wait().body)["error"];
  EXPECT_EQ(error["code"], 503);
  EXPECT_EQ(error["errors"][0]["reason"], "backendError");
}

TEST_F(GoogleAdapterTest, V2RefusesByName) {
  for (const auto& [query, status, name] : {std::tuple{"q=x", 400, "target"},
                                            {"target=en", 400, "q"},
                                            {"q=x&target=en&format=pdf", 400, "format"},
                                            {"q=x&target=en&callback=f", 501, "callback"},
                                            {"q=x&target=en&cid=7", 501, "cid"}}) {
    const json error = AskJson(Get(std::string("/language/translate/v2?") + query), status);
    EXPECT_EQ(error["error"]["code"], status);
    EXPECT_THAT(error["error"]["errors"][0]["message"].get<std::string>(), HasSubstr(name));
  }
}

TEST_F(GoogleAdapterTest, V2ListsLanguages) {
  EXPECT_EQ(AskJson(Get("/language/translate/v2/languages")),
            json::parse(R"({"data": {"languages": [{"language": "de"}, {"language": "en"}]}})"));
  EXPECT_EQ(AskJson(Get("/language/translate/v2/languages?target=en"))["data"]["languages"][0],
            json::parse(R"({"language": "de", "name": "German"})"));
}

TEST(GoogleKey, IsTakenFromWhereGooglesClientsPutIt) {
  HttpRequest request;
  request.query = "key=q%20";
  EXPECT_EQ(KeyOfGoogle(request), "q ");
  request.headers = {{"authorization", "Bearer b"}};
  EXPECT_EQ(KeyOfGoogle(request), "b");
  request.headers.emplace_back("x-goog-api-key", "h");
  EXPECT_EQ(KeyOfGoogle(request), "h");
  EXPECT_EQ(KeyOfGoogle(HttpRequest{}), "");
}

}  // namespace
}  // namespace dragoman::server

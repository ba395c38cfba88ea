#include "server/compat/deepl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "tests/server/compat/dialect_fixture.h"
#include "tests/server/glossary_engine.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DeeplTest : public DialectFixture {
 protected:
  void SetUp() override {
    with_glossary_.mutable_info()->pairs = {{"de", "en"}, {"de", "zh"}, {"en", "de"}};
    with_glossary_.AddGlossary("animals", {{"Hund", "hound"}, {"Katze", "tomcat"}});
    served_ = &with_glossary_;
    ServeAdapter<DeeplAdapter>();
  }
  void TearDown() override {
    models_.Remove("de-en");
    ASSERT_TRUE(models_.WaitEnded(std::chrono::minutes(1)));
  }

  // Returns a request for "Hund" with further JSON fields.
  static HttpRequest With(const std::string& fields) {
    return Post("/v2/translate", R"({"text": ["Hund"], "target_lang": "EN-US")" +
                                     (fields.empty() ? "" : ", " + fields) + "}");
  }
  std::string RefusalOf(const std::string& fields) const {
    return JsonOf(With(fields), 400)["message"];
  }

  GlossaryEngine with_glossary_;
};

TEST_F(DeeplTest, TextsComeBackInOrderWithTheirLanguages) {
  EXPECT_EQ(
      JsonOf(Post("/v2/translate", R"({"text": ["de: a", "en: b", "?"], "target_lang": "de"})")),
      json::parse(R"({"translations": [
                {"detected_source_language": "DE", "text": "[de: a]"},
                {"detected_source_language": "EN", "text": "[en: b]"},
                {"detected_source_language": "", "text": "[?]"}]})"));
  const HttpRequest given = With(R"("source_lang": "de-AT")");
  EXPECT_EQ(JsonOf(given)["translations"][0]["detected_source_language"], "DE");
  EXPECT_EQ(AskedFor(given).source_language_code(), "de-AT");
  EXPECT_EQ(AskedFor(given).target_language_code(), "EN-US");
  EXPECT_EQ(AskedFor(With("")).source_language_code(), "auto");
}

TEST_F(DeeplTest, FormsAreTakenAsWell) {
  const HttpRequest form =
      PostForm("/v2/translate", "text=a%20b&text=c&target_lang=EN&source_lang=DE&auth_key=x");
  EXPECT_THAT(AskedFor(form).contents(), ElementsAre("a b", "c"));
  const HttpRequest mastodon = PostForm("/v2/translate", "text[]=a&target_lang=EN");
  EXPECT_THAT(AskedFor(mastodon).contents(), ElementsAre("a"));
  EXPECT_THAT(
      AskedFor(Get("/v2/translate?auth_key=k&source_lang=de&target_lang=en&text=a")).contents(),
      ElementsAre("a"));
  EXPECT_THAT(AskedFor(PostForm("/v2/translate",
                                "text=<x>a</x>&target_lang=EN&tag_handling=xml&"
                                "ignore_tags=x,%20y&outline_detection=0"))
                  .contents(),
              ElementsAre("<img 0>"));
}

TEST_F(DeeplTest, CharactersAreCountedWhereAskedFor) {
  EXPECT_EQ(JsonOf(Post("/v2/translate", R"({"text": ["Straße"], "target_lang": "EN",
                                             "show_billed_characters": true})"))
                ["translations"][0]["billed_characters"],
            6);
  EXPECT_FALSE(JsonOf(With(""))["translations"][0].contains("billed_characters"));
}

TEST_F(DeeplTest, SentencesAreSplitAsAsked) {
  const auto split = [&](const std::string& value) {
    return AskedFor(With(R"("split_sentences": )" + value)).segmentation().split();
  };
  EXPECT_EQ(split("\"0\""), v1::Segmentation::NONE);
  EXPECT_EQ(split("0"), v1::Segmentation::NONE);
  EXPECT_EQ(split("\"1\""), v1::Segmentation::SENTENCES);
  EXPECT_EQ(split("\"nonewlines\""), v1::Segmentation::SENTENCES);
  const auto lines = [&](const std::string& value) {
    return AskedFor(Post("/v2/translate", R"({"text": ["a\nb"], "target_lang": "EN",
                                              "split_sentences": )" +
                                              value + "}"))
        .contents(0);
  };
  EXPECT_EQ(lines("\"1\""), "a\nb");
  EXPECT_EQ(lines("\"nonewlines\""), "a b");
  EXPECT_THAT(RefusalOf(R"("split_sentences": "2")"),
              HasSubstr("split_sentences: found '2', expected 1, 0, nonewlines"));
  EXPECT_THAT(RefusalOf(R"("split_sentences": "1", "tag_handling": "html")"),
              HasSubstr("expected nonewlines"));
}

TEST_F(DeeplTest, HtmlGoesToTheEngineAsItIs) {
  const v1::TranslateRequest asked = AskedFor(With(R"("tag_handling": "html")"));
  EXPECT_EQ(asked.mime_type(), "text/html");
  EXPECT_EQ(asked.contents(0), "Hund");
  EXPECT_THAT(RefusalOf(R"("tag_handling": "html", "ignore_tags": ["x"])"),
              HasSubstr("ignore_tags: expected with tag_handling xml"));
  EXPECT_THAT(RefusalOf(R"("tag_handling": "md")"),
              HasSubstr("tag_handling: found 'md', expected xml, html"));
}

TEST_F(DeeplTest, XmlTagsComeBackAsTheyWere) {
  // Weblate's placeholders.
  const HttpRequest weblate =
      Post("/v2/translate",
           R"({"text": ["Klick auf <x id=\"3\"></x> &amp; <b>los</b>"], "target_lang": "EN",
               "tag_handling": "xml", "ignore_tags": ["x"], "formality": "prefer_less"})");
  EXPECT_EQ(AskedFor(weblate).mime_type(), "text/html");
  EXPECT_EQ(AskedFor(weblate).contents(0), "Klick auf <img 0> &amp; <x1>los</x1>");
  EXPECT_EQ(JsonOf(weblate)["translations"][0]["text"],
            "[Klick auf <x id=\"3\"></x> &amp; <b>los</b>]");
  const auto sent = [&](const std::string& fields) {
    return AskedFor(Post("/v2/translate",
                         R"({"text": ["<a><b>x</b><c>y</c></a>"], "target_lang": "EN",
                             "tag_handling": "xml", )" +
                             fields + "}"))
        .contents(0);
  };
  EXPECT_EQ(sent(R"("outline_detection": true)"),
            "<div 0><div 1>x</div 1><div 2>y</div 2></div 0>");
  EXPECT_EQ(sent(R"("outline_detection": false)"), "<x0><x1>x</x1><x2>y</x2></x0>");
  EXPECT_EQ(sent(R"("outline_detection": false, "splitting_tags": ["c"])"),
            "<div 0><x1>x</x1><div 2>y</div 2></div 0>");
  EXPECT_EQ(sent(R"("non_splitting_tags": ["b"])"), "<div 0><x1>x</x1><div 2>y</div 2></div 0>");
  EXPECT_THAT(JsonOf(Post("/v2/translate", R"({"text": ["a", "<b>"], "target_lang": "EN",
                                               "tag_handling": "xml"})"),
                     400)["message"],
              HasSubstr("text[1]: Tag handling parsing failed, please check input: byte 3"));
}

TEST_F(DeeplTest, WhatModelsCannotDoIsRefusedByName) {
  for (const std::string name : {"context", "style_id", "translation_memory_id"}) {
    EXPECT_THAT(RefusalOf("\"" + name + "\": \"x\""), HasSubstr(name + ": "));
  }
  EXPECT_THAT(RefusalOf(R"("glossary_ids": ["x", "y"])"), HasSubstr("glossary_ids: found 2"));
  EXPECT_THAT(RefusalOf(R"("glossary_ids": ["x"], "glossary_id": "y")"),
              HasSubstr("glossary_ids: found 2"));
  std::string names = "a";
  for (int i = 0; i < 1000; ++i) names += ",b" + std::to_string(i);
  EXPECT_THAT(RefusalOf(R"("tag_handling": "xml", "ignore_tags": ")" + names + "\""),
              HasSubstr("ignore_tags: found 1001 names, expected at most 1000"));
  EXPECT_THAT(RefusalOf(R"("custom_instructions": ["x"])"), HasSubstr("custom_instructions: "));
  EXPECT_THAT(RefusalOf(R"("translation_memory_threshold": 80)"),
              HasSubstr("translation_memory_threshold: "));
  EXPECT_THAT(RefusalOf(R"("formality": "more")"), HasSubstr("formality: found 'more'"));
  EXPECT_THAT(RefusalOf(R"("formality": "casual")"), HasSubstr("expected default, more, less"));
  EXPECT_THAT(RefusalOf(R"("model_type": "quality_optimized")"), HasSubstr("model_type: "));
  EXPECT_THAT(RefusalOf(R"("colour": 1)"), HasSubstr("field 'colour'"));
  EXPECT_THAT(RefusalOf(R"("tag_handling_version": "v3")"), HasSubstr("expected v1, v2"));
  EXPECT_THAT(JsonOf(Post("/v2/translate", R"({"text": ["a"]})"), 400)["message"],
              HasSubstr("target_lang: found nothing"));
  EXPECT_THAT(JsonOf(Post("/v2/translate", R"({"target_lang": "EN"})"), 400)["message"],
              HasSubstr("text: found nothing"));
}

TEST_F(DeeplTest, WhatHasNoEffectAtDeeplHasNoneHere) {
  const std::string plain = AskedFor(With("")).SerializeAsString();
  for (const char* const fields :
       {R"("context": "")", R"("formality": "prefer_more")", R"("formality": "default")",
        R"("preserve_formatting": true)", R"("enable_beta_languages": true)",
        R"("outline_detection": false)", R"("ignore_tags": ["x"])", R"("auth_key": "k")",
        R"("tag_handling_version": "v2")", R"("style_id": null)"}) {
    EXPECT_EQ(AskedFor(With(fields)).SerializeAsString(), plain) << fields;
  }
  EXPECT_EQ(
      JsonOf(With(R"("model_type": "latency_optimized")"))["translations"][0]["model_type_used"],
      "latency_optimized");
}

TEST_F(DeeplTest, LanguagesOfBothSides) {
  EXPECT_EQ(JsonOf(Get("/v2/languages")), json::parse(R"([{"language": "DE", "name": "German"},
                            {"language": "EN", "name": "English"}])"));
  const json targets = json::parse(R"json([
      {"language": "DE", "name": "German", "supports_formality": false},
      {"language": "EN-GB", "name": "English (British)", "supports_formality": false},
      {"language": "EN-US", "name": "English (American)", "supports_formality": false},
      {"language": "ZH-HANS", "name": "Chinese (simplified)", "supports_formality": false}])json");
  EXPECT_EQ(JsonOf(Get("/v2/languages?type=target")), targets);
  // The official client sends a form with a GET request.
  HttpRequest form = PostForm("/v2/languages", "type=target");
  form.method = "GET";
  EXPECT_EQ(JsonOf(form), targets);
  EXPECT_THAT(JsonOf(Get("/v2/languages?type=both"), 400)["message"],
              HasSubstr("expected source or target"));
}

TEST_F(DeeplTest, GlossariesAreThoseOfTheServer) {
  const json list = JsonOf(Get("/v2/glossaries"))["glossaries"];
  ASSERT_EQ(list.size(), 3U);  // one for each pair of the model
  EXPECT_EQ(list[0]["name"], "animals");
  EXPECT_EQ(list[0]["source_lang"], "de");
  EXPECT_EQ(list[0]["target_lang"], "en");
  EXPECT_EQ(list[0]["entry_count"], 2);
  EXPECT_EQ(list[0]["ready"], true);
  EXPECT_EQ(list[0]["creation_time"], "1970-01-01T00:00:00.000Z");
  const std::string id = list[0]["glossary_id"];
  EXPECT_THAT(id, ::testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-"
                                          "[0-9a-f]{12}"));
  EXPECT_NE(list[1]["glossary_id"], id);
  EXPECT_EQ(JsonOf(Get("/v2/glossaries/" + id)), list[0]);
  const HttpResponse entries = AnswerTo(Get("/v2/glossaries/" + id + "/entries"));
  EXPECT_EQ(entries.body, "Hund\thound\nKatze\ttomcat");
  EXPECT_EQ(entries.content_type, "text/tab-separated-values; charset=utf-8");
  EXPECT_EQ(JsonOf(Get("/v2/glossary-language-pairs"))["supported_languages"][0],
            json::parse(R"({"source_lang": "de", "target_lang": "en"})"));
  EXPECT_THAT(JsonOf(Get("/v2/glossaries/none"), 404)["message"], HasSubstr("found 'none'"));
}

TEST_F(DeeplTest, AGlossaryIsUsedForItsLanguages) {
  const std::string id = JsonOf(Get("/v2/glossaries"))["glossaries"][0]["glossary_id"];
  const v1::TranslateRequest asked =
      AskedFor(With(R"("source_lang": "DE", "glossary_id": ")" + id + "\""));
  EXPECT_EQ(asked.glossary_config().glossary(), "animals");
  EXPECT_EQ(asked.model(), "de-en");
  EXPECT_EQ(AskedFor(With(R"("source_lang": "DE", "glossary_id": "animals")"))
                .glossary_config()
                .glossary(),
            "animals");
  EXPECT_EQ(AskedFor(With(R"("source_lang": "DE", "glossary_ids": ["animals"])"))
                .glossary_config()
                .glossary(),
            "animals");
  EXPECT_THAT(RefusalOf("\"glossary_id\": \"" + id + "\""),
              HasSubstr("source_lang: found nothing, expected a language with glossary_id"));
  EXPECT_THAT(RefusalOf(R"("source_lang": "EN", "glossary_id": ")" + id + "\""),
              HasSubstr("found a glossary from de to en"));
  EXPECT_THAT(JsonOf(With(R"("source_lang": "DE", "glossary_id": "none")"), 404)["message"],
              HasSubstr("glossary_id: found 'none'"));
}

TEST_F(DeeplTest, MakingAndDeletingGlossariesIsForTheOperator) {
  HttpRequest request = Post("/v2/glossaries", R"({"name": "x"})");
  EXPECT_THAT(JsonOf(request, 400)["message"], HasSubstr("POST of glossaries"));
  request.method = "DELETE";
  request.path = "/v2/glossaries/x";
  EXPECT_THAT(JsonOf(request, 400)["message"], HasSubstr("--glossary-dir"));
}

TEST_F(DeeplTest, Version3ListsLanguagesOnce) {
  const json list = JsonOf(Get("/v3/languages?resource=translate_text"));
  EXPECT_EQ(JsonOf(Get("/v3/languages?product=translate_text")), list);
  json codes = json::object();
  for (const json& one : list) {
    codes[one["lang"].get<std::string>()] = {one["usable_as_source"], one["usable_as_target"]};
    EXPECT_EQ(one["status"], "stable");
    EXPECT_TRUE(one["features"].contains("tag_handling"));
  }
  EXPECT_EQ(codes["en-US"], json({false, true}));
  EXPECT_EQ(codes["en-GB"], json({false, true}));
  EXPECT_EQ(codes["de"][0], true);
  EXPECT_THAT(JsonOf(Get("/v3/languages"), 400)["message"], HasSubstr("resource: found none"));
  EXPECT_THAT(JsonOf(Get("/v3/languages?resource=voice"), 400)["message"],
              HasSubstr("resource: found 'voice', expected translate_text"));
}

TEST_F(DeeplTest, DocumentsWithoutJobsAndVersion3AreRefusedByName) {
  EXPECT_THAT(JsonOf(PostForm("/v2/document", "target_lang=EN"), 400)["message"],
              HasSubstr("file: found none"));
  EXPECT_THAT(JsonOf(Get("/v3/glossaries"), 404)["message"], HasSubstr("'/v3/glossaries'"));
}

TEST_F(DeeplTest, KeysComeInItsOwnScheme) {
  HttpRequest request = With("");
  request.headers.emplace_back("authorization", "DeepL-Auth-Key one:fx");
  EXPECT_EQ(adapter_->Key(request), "one:fx");
  request.headers.back().second = "Bearer two";
  EXPECT_EQ(adapter_->Key(request), "two");
  request.headers.back().second = "Basic three";
  EXPECT_EQ(adapter_->Key(request), "");
}

TEST_F(DeeplTest, TheKeyOfOlderClientsIsTakenFromTheBodyAlone) {
  HttpRequest request = PostForm("/v2/translate", "text=a&auth_key=four");
  EXPECT_EQ(adapter_->Key(request), "four");
  EXPECT_EQ(adapter_->Key(With(R"("auth_key": "five")")), "five");
  EXPECT_EQ(adapter_->Key(With(R"("auth_key": 5)")), "");
  request.query = "auth_key=six";
  EXPECT_EQ(adapter_->Key(request), "four");
  request.headers.emplace_back("authorization", "DeepL-Auth-Key one");
  EXPECT_EQ(adapter_->Key(request), "one");
  HttpRequest usage = Get("/v2/usage?auth_key=seven");
  EXPECT_EQ(adapter_->Key(usage), "");
  const HttpResponse refused =
      adapter_->Error(usage, absl::UnauthenticatedError("found no API key"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("auth_key in the query is not accepted"));
  usage.query.clear();
  EXPECT_THAT(adapter_->Error(usage, absl::UnauthenticatedError("found no API key")).body,
              ::testing::Not(HasSubstr("auth_key")));
}

TEST_F(DeeplTest, UsageIsWhatWasTranslated) {
  std::atomic<int64_t> translated{0};
  context_.translated = &translated;
  EXPECT_EQ(JsonOf(Get("/v2/usage"))["character_count"], 0);
  CountTranslated(context_, nullptr, 180'118);
  EXPECT_EQ(JsonOf(Get("/v2/usage")),
            json::parse(R"({"character_count": 180118, "character_limit": 1000000000000})"));
}

// The official clients retry after 429 and after 500 or more.
TEST_F(DeeplTest, ErrorsToTryAgainAreThoseThatPass) {
  EXPECT_EQ(ErrorFor(absl::ResourceExhaustedError("full")).status, 429);
  EXPECT_EQ(ErrorFor(absl::UnavailableError("draining")).status, 503);
  EXPECT_EQ(ErrorFor(absl::UnimplementedError("no")).status, 400);
  EXPECT_EQ(ErrorFor(absl::PermissionDeniedError("no")).status, 403);
  EXPECT_EQ(ErrorFor(absl::ResourceExhaustedError("full")).body, R"({"message":"full"})");
  EXPECT_EQ(JsonOf(Post("/v2/translate", R"({"text": ["a", "fails"], "target_lang": "EN"})"),
                   400)["message"],
            "text 1: it failed");
}

}  // namespace
}  // namespace dragoman::server

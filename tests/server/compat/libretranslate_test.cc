#include "server/compat/libretranslate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "server/compat/translate_path.h"
#include "tests/server/compat/dialect_fixture.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// /translate belongs to TranslatePathAdapter, whose first dialect is LibreTranslate's.
class LibreTranslateTest : public DialectFixture {
 protected:
  void SetUp() override {
    engine_.mutable_info()->pairs = {{"de", "en"}, {"de", "fr"}, {"en", "de"}};
    ServeAdapter<TranslatePathAdapter>();
  }
  void ServeOthers() { adapter_ = std::make_unique<LibreTranslateAdapter>(adapter_context_); }
};

TEST_F(LibreTranslateTest, ATextComesBackAsATextAndAListAsAList) {
  EXPECT_EQ(JsonOf(Post("/translate", R"({"q": "Hund", "source": "de", "target": "en"})")),
            json({{"translatedText", "[Hund]"}}));
  EXPECT_EQ(JsonOf(Post("/translate", R"({"q": ["Hund", ""], "source": "de", "target": "en"})")),
            json({{"translatedText", {"[Hund]", "[]"}}}));
}

TEST_F(LibreTranslateTest, ParametersMayStandInAFormOrInTheQuery) {
  const json expected = {{"translatedText", "[Hund & Co]"}};
  EXPECT_EQ(JsonOf(PostForm("/translate", "q=Hund+%26+Co&source=de&target=en&api_key=")), expected);
  HttpRequest query = Post("/translate", "", "");
  query.query = "q=Hund%20%26%20Co&source=de&target=en&format=text&api_key=k";
  EXPECT_EQ(JsonOf(query), expected);
  EXPECT_EQ(adapter_->Key(query), "k");
  const HttpRequest multipart =
      Post("/translate",
           "--x\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nHund & Co\r\n"
           "--x\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nde\r\n"
           "--x\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\nen\r\n--x--\r\n",
           "multipart/form-data; boundary=x");
  EXPECT_EQ(JsonOf(multipart), expected);
  EXPECT_EQ(JsonOf(PostForm("/translate", "q=a&q=b&source=de&target=en")),
            json({{"translatedText", {"[a]", "[b]"}}}));
}

TEST_F(LibreTranslateTest, EachTextOfAListHasItsOwnLanguage) {
  const json german = {{"confidence", 75.0}, {"language", "de"}};
  const json list = JsonOf(
      Post("/translate", R"({"q": ["de: a", "en: b", "?"], "source": "auto", "target": "fr"})"));
  EXPECT_EQ(list["translatedText"], json::parse(R"(["[de: a]", "[en: b]", "[?]"])"));
  EXPECT_EQ(list["detectedLanguage"][0], german);
  EXPECT_EQ(list["detectedLanguage"][1]["language"], "en");
  EXPECT_EQ(list["detectedLanguage"][2], json({{"confidence", 0.0}, {"language", "en"}}));
  EXPECT_EQ(JsonOf(Post("/translate", R"({"q": "de: a", "source": "auto", "target": "en"})")),
            json({{"translatedText", "[de: a]"}, {"detectedLanguage", german}}));
}

TEST_F(LibreTranslateTest, AlternativesAreThoseThatDiffer) {
  const HttpRequest request =
      Post("/translate", R"({"q": "a", "source": "de", "target": "en", "alternatives": 3})");
  EXPECT_EQ(JsonOf(request), json::parse(R"({"translatedText": "[a]", "alternatives": ["[a]!"]})"));
  const v1::TranslateRequest asked = AskedFor(request);
  EXPECT_EQ(asked.decoding().num_alternatives(), 4);
  EXPECT_FALSE(asked.decoding().has_beam_size()) << "the engine widens the model's own";
  EXPECT_THAT(
      JsonOf(PostForm("/translate", "q=a&source=de&target=en&alternatives=16"), 400)["error"],
      HasSubstr("it must be 0 to 15"));
}

TEST_F(LibreTranslateTest, TextsInTheTargetLanguageComeBackAsTheyAre) {
  EXPECT_EQ(JsonOf(PostForm("/translate", "q=a&source=de&target=de")),
            json({{"translatedText", "a"}}));
  EXPECT_EQ(JsonOf(Post("/translate", R"({"q": ["a", "b"], "source": "fr", "target": "fra_Latn",
                                          "format": "html", "alternatives": 2})")),
            json::parse(R"({"translatedText": ["a", "b"], "alternatives": [[], []]})"));
  // The adapter passes on a language that is not served; the call refuses it.
  EXPECT_EQ(AskedFor(PostForm("/translate", "q=a&source=xx&target=xx")).source_language_code(),
            "xx");
  // A language in another script is another language.
  EXPECT_EQ(AskedFor(PostForm("/translate", "q=a&source=zh&target=zt")).target_language_code(),
            "zh-Hant");
  EXPECT_EQ(JsonOf(PostForm("/translate", "q=a&source=de&target=de&alternatives=99"), 400)["error"],
            "Invalid request: alternatives: found 99, it must be 0 to 15");
}

TEST_F(LibreTranslateTest, HtmlIsAskedForByFormat) {
  const auto mime_type = [&](const std::string& format) {
    return AskedFor(PostForm("/translate", "q=a&source=de&target=en&format=" + format)).mime_type();
  };
  EXPECT_EQ(mime_type("html"), "text/html");
  EXPECT_EQ(mime_type("text"), "");
  EXPECT_EQ(mime_type(""), "");
  EXPECT_THAT(JsonOf(PostForm("/translate", "q=a&source=de&target=en&format=pdf"), 400)["error"],
              HasSubstr("format: found 'pdf', expected text or html"));
}

TEST_F(LibreTranslateTest, ArgosNamesOfLanguagesAreThoseOfTheModels) {
  const v1::TranslateRequest asked = AskedFor(PostForm("/translate", "q=a&source=pb&target=zt"));
  EXPECT_EQ(asked.source_language_code(), "pt-BR");
  EXPECT_EQ(asked.target_language_code(), "zh-Hant");
}

TEST_F(LibreTranslateTest, ErrorsAreItsOwn) {
  const auto error = [&](const std::string& body) -> std::string {
    return JsonOf(PostForm("/translate", body), 400)["error"];
  };
  EXPECT_EQ(error("source=de&target=en"), "Invalid request: missing q parameter");
  EXPECT_EQ(error("q=&source=de&target=en"), "Invalid request: missing q parameter");
  EXPECT_EQ(error("q=a&target=en"), "Invalid request: missing source parameter");
  EXPECT_EQ(error("q=a&source=de"), "Invalid request: missing target parameter");
  EXPECT_EQ(error("source=de&target=en&q=" + std::string(201, 'a')),
            "Invalid request: request (201) exceeds text limit (200)");
  std::string nine = "source=de&target=en";
  for (int i = 0; i < 9; ++i) nine += "&q=a";
  EXPECT_EQ(error(nine), "Invalid request: request (9) exceeds batch limit (8)");
  EXPECT_EQ(error("q=a&q=fails&source=de&target=en"), "text 1: it failed");

  const HttpResponse slow = ErrorFor(absl::ResourceExhaustedError("the queue is full"));
  EXPECT_EQ(slow.status, 429);
  EXPECT_EQ(slow.body, R"({"error":"Slowdown: the queue is full"})");
  EXPECT_EQ(ErrorFor(absl::UnavailableError("draining")).status, 503);
  EXPECT_EQ(ErrorFor(absl::UnauthenticatedError("no key")).status, 403);
  EXPECT_EQ(ErrorFor(absl::PermissionDeniedError("not for it")).status, 403);
  EXPECT_EQ(ErrorFor(absl::UnimplementedError("no auto")).status, 400);
  EXPECT_EQ(ErrorFor(absl::InternalError("bug")).status, 500);
}

TEST_F(LibreTranslateTest, AnyPageMayReadEveryAnswer) {
  HttpRequest options = Post("/translate", "");
  options.method = "OPTIONS";
  const HttpResponse preflight = AnswerTo(options);
  EXPECT_EQ(preflight.status, 204);
  for (const HttpResponse& response :
       {preflight, AnswerTo(PostForm("/translate", "q=a&source=de&target=en")),
        AnswerTo(PostForm("/translate", "")), ErrorFor(absl::UnauthenticatedError("no key"))}) {
    EXPECT_EQ(HeaderOf(response, "Access-Control-Allow-Origin"), "*");
    EXPECT_EQ(HeaderOf(response, "Access-Control-Allow-Methods"), "GET, POST");
    EXPECT_EQ(HeaderOf(response, "Access-Control-Allow-Headers"), "Authorization, Content-Type");
  }
}

TEST_F(LibreTranslateTest, LanguagesHaveNamesAndTargets) {
  ServeOthers();
  EXPECT_EQ(JsonOf(Get("/languages")),
            json::parse(R"([{"code": "de", "name": "German", "targets": ["de", "en", "fr"]},
                            {"code": "en", "name": "English", "targets": ["de", "en"]},
                            {"code": "fr", "name": "French", "targets": ["fr"]}])"));
  // libretranslatepy sends a body with this GET request.
  HttpRequest with_body = PostForm("/languages", "api_key=k");
  with_body.method = "GET";
  EXPECT_EQ(JsonOf(with_body).size(), 3U);
  EXPECT_EQ(adapter_->Key(with_body), "k");
}

TEST_F(LibreTranslateTest, DetectionGoesByTheLanguagesThatAreServed) {
  ServeOthers();
  EXPECT_THAT(JsonOf(PostForm("/detect", "q=a"), 400)["error"].get<std::string>(),
              HasSubstr("this server detects no languages"));
  context_.detector = &detector_;
  EXPECT_EQ(JsonOf(PostForm("/detect", "q=de:+a")),
            json::parse(R"([{"confidence": 75.0, "language": "de"}])"));
  EXPECT_EQ(JsonOf(PostForm("/detect", "q=ja:+a")),
            json::parse(R"([{"confidence": 0.0, "language": "en"}])"));
  EXPECT_EQ(JsonOf(Post("/detect", R"({"q": ["de: a", "en: b"]})")),
            json::parse(R"([[{"confidence": 75.0, "language": "de"}],
                            [{"confidence": 75.0, "language": "en"}]])"));
}

TEST_F(LibreTranslateTest, ThePageLearnsWhatThereIs) {
  ServeOthers();
  const json settings = JsonOf(Get("/frontend/settings"));
  EXPECT_EQ(settings["charLimit"], 200);
  EXPECT_EQ(settings["keyRequired"], false);
  EXPECT_EQ(settings["filesTranslation"], false);
  EXPECT_EQ(settings["language"]["source"]["code"], "de");
  context_.detector = &detector_;
  EXPECT_EQ(JsonOf(Get("/frontend/settings"))["language"]["source"]["code"], "auto");
  EXPECT_EQ(JsonOf(Get("/spec"))["swagger"], "2.0");
}

TEST_F(LibreTranslateTest, HealthFollowsADrain) {
  ServeOthers();
  std::atomic<bool> draining{false};
  context_.draining = &draining;
  EXPECT_EQ(JsonOf(Get("/health")), json({{"status", "ok"}}));
  draining = true;
  EXPECT_EQ(JsonOf(Get("/health"), 503), json({{"status", "draining"}}));
}

TEST_F(LibreTranslateTest, FilesAndSuggestionsAreSwitchedOff) {
  ServeOthers();
  EXPECT_EQ(JsonOf(PostForm("/translate_file", ""), 403)["error"],
            "Files translation are disabled on this server.");
  EXPECT_EQ(JsonOf(PostForm("/suggest", "q=a"), 403)["error"],
            "Suggestions are disabled on this server.");
}

TEST_F(LibreTranslateTest, AKeyIsTakenFromWhereItMayStand) {
  ServeOthers();
  HttpRequest request = PostForm("/detect", "q=a&api_key=one");
  EXPECT_EQ(adapter_->Key(request), "one");
  request.headers.emplace_back("authorization", "Bearer two");
  EXPECT_EQ(adapter_->Key(request), "two");
  EXPECT_EQ(adapter_->Key(Post("/detect", R"({"q": "a", "api_key": "three"})")), "three");
  EXPECT_EQ(adapter_->Key(Post("/detect", "not json")), "");
}

}  // namespace
}  // namespace dragoman::server

#include "server/api/request_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/api/languages.h"
#include "tests/server/api/adapter_fixture.h"

namespace dragoman::server {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RequestFieldsTest : public AdapterFixture {};

TEST_F(RequestFieldsTest, JsonAndFormsBecomeOneObject) {
  EXPECT_EQ(*ReadRequestFields(Post("/", R"({"a": 1})", "application/json; charset=utf-8")),
            json({{"a", 1}}));
  HttpRequest form = Post("/", "a=1&b=2&b=3&c[]=4", "application/x-www-form-urlencoded");
  form.query = "a=0";
  EXPECT_EQ(*ReadRequestFields(form),
            json::parse(R"({"a": ["0", "1"], "b": ["2", "3"], "c": ["4"]})"));
  EXPECT_EQ(*ReadRequestFields(Get("/?x=%C3%A4")), json({{"x", "ä"}}));
  EXPECT_THAT(std::string(ReadRequestFields(Post("/", "a", "")).status().message()),
              HasSubstr("the header Content-Type: found none, expected application/json"));
  EXPECT_FALSE(ReadRequestFields(Post("/", "[1]")).ok());
  // Mastodon sends a Content-Type with an empty body.
  HttpRequest empty = Post("/", "");
  empty.query = "type=target";
  EXPECT_EQ(*ReadRequestFields(empty), json({{"type", "target"}}));
}

TEST_F(RequestFieldsTest, NumbersAndTruthValuesMayBeText) {
  const json fields = json::parse(R"({"two": "2", "yes": "True", "one": 1, "no": "0",
                                      "off": false, "word": "maybe", "none": null})");
  const auto flag = [&](const char* name) {
    std::optional<bool> value;
    EXPECT_TRUE(ReadFormField(fields, name, &value).ok());
    return value;
  };
  EXPECT_EQ(flag("yes"), true);
  EXPECT_EQ(flag("one"), true);
  EXPECT_EQ(flag("no"), false);
  EXPECT_EQ(flag("off"), false);
  EXPECT_EQ(flag("none"), std::nullopt);
  std::optional<bool> bad;
  EXPECT_THAT(std::string(ReadFormField(fields, "word", &bad).message()),
              HasSubstr("word: found 'maybe', expected true or false"));
  std::optional<int64_t> number;
  EXPECT_TRUE(ReadFormField(fields, "two", &number).ok());
  EXPECT_EQ(number, 2);
  EXPECT_THAT(std::string(ReadFormField(fields, "word", &number).message()),
              HasSubstr("word: found 'maybe', expected a whole number"));
}

TEST_F(RequestFieldsTest, ListsMayHaveCommas) {
  std::optional<std::vector<std::string>> names;
  EXPECT_TRUE(ReadCommaList(json::parse(R"({"n": "a, b,,c"})"), "n", &names).ok());
  EXPECT_THAT(*names, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(ReadCommaList(json::parse(R"({"n": ["d", "e,f"]})"), "n", &names).ok());
  EXPECT_THAT(*names, ElementsAre("d", "e", "f"));
}

TEST(ShortTag, LeavesOutUsualScripts) {
  EXPECT_EQ(ShortTag("DE"), "de");
  EXPECT_EQ(ShortTag("deu_Latn"), "de");
  EXPECT_EQ(ShortTag("zho_Hans"), "zh");
  EXPECT_EQ(ShortTag("zho_Hant"), "zh-Hant");
  EXPECT_EQ(ShortTag("pt_br"), "pt-BR");
  EXPECT_EQ(ShortTag("srp_Cyrl"), "sr");
  EXPECT_EQ(ShortTag("auto"), "auto");
}

}  // namespace
}  // namespace dragoman::server

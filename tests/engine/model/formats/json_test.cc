#include "engine/model/formats/json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text, const JsonLimits& limits = {}) {
  const auto root = ParseJson(text, "f.json", limits);
  EXPECT_FALSE(root.ok());
  return std::string(root.status().message());
}

TEST(ParseJson, ReadsValues) {
  const auto root =
      ExpectOk(ParseJson(R"({"a": [1, -2, 2.5, true, null, "x"], "b": {}})", "f.json", {}));
  EXPECT_EQ(root->dump(), R"({"a":[1,-2,2.5,true,null,"x"],"b":{}})");
}

TEST(ParseJson, NamesFileAndPlaceOfAnError) {
  EXPECT_THAT(ErrorOf("{\"a\": }"), HasSubstr("f.json: not valid JSON at byte 7"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf("{} {}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf("[1e999]"), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf("[\"\xff\"]"), HasSubstr("not valid JSON"));
}

TEST(ParseJson, RefusesWhatBreaksALimit) {
  EXPECT_THAT(ErrorOf("[[[]]]", {.max_depth = 2}), HasSubstr("nested deeper than 2 levels"));
  EXPECT_THAT(ErrorOf(std::string(100000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(ErrorOf("[1,2,3]", {.max_values = 3}), HasSubstr("more than 3 values"));
  EXPECT_THAT(ErrorOf(R"({"a":1,"b":2,"c":3})", {.max_fields = 2}),
              HasSubstr("more than 2 fields in an object"));
  EXPECT_THAT(ErrorOf("[1,2,3]", {.max_bytes = 6}),
              HasSubstr("7 bytes of JSON, expected at most 6"));
}

TEST(ParseJson, RefusesAKeyThatAppearsTwice) {
  EXPECT_THAT(ErrorOf(R"({"a": 1, "b": {"a": 2}, "a": 3})"), HasSubstr("key \"a\" appears twice"));
}

TEST(JsonFields, KeepsTheFirstError) {
  const auto root = ParseJson(R"({"n": "x", "m": 5})", "f.json", {});
  JsonFields fields("f.json", *root);
  EXPECT_EQ(fields.Int("n", 1, 9), 1);
  EXPECT_EQ(fields.Int("missing", 2, 9), 2);
  EXPECT_EQ(fields.status().message(),
            "f.json: field 'n' is \"x\", expected an integer from 1 to 9");
}

TEST(JsonFields, ChecksTypesAndRanges) {
  const auto root = ParseJson(
      R"({"int": 12, "huge": 18446744073709551615, "real": 1.5, "no": null, "list": [1]})",
      "f.json", {});
  const auto error = [&](auto read) {
    JsonFields fields("f.json", *root);
    read(fields);
    return std::string(fields.status().message());
  };
  EXPECT_EQ(error([](JsonFields& f) { f.Int("int", 0, 12); }), "");
  EXPECT_THAT(error([](JsonFields& f) { f.Int("int", 0, 11); }), HasSubstr("'int' is 12"));
  EXPECT_THAT(error([](JsonFields& f) { f.Int("huge", 0, 11); }), HasSubstr("'huge' is 1844"));
  EXPECT_THAT(error([](JsonFields& f) { f.Int("real", 0, 11); }), HasSubstr("'real' is 1.5"));
  EXPECT_THAT(error([](JsonFields& f) { f.Int("no", 0, 11); }), HasSubstr("'no' is missing"));
  EXPECT_EQ(error([](JsonFields& f) { f.OptionalInt("no", 0, 11); }), "");
  EXPECT_THAT(error([](JsonFields& f) { f.Bool("int", false); }), HasSubstr("true or false"));
  EXPECT_THAT(error([](JsonFields& f) { f.String("list", ""); }),
              HasSubstr("'list' is [1], expected a string"));
  EXPECT_THAT(error([](JsonFields& f) { f.OptionalNumber("list"); }), HasSubstr("a finite number"));
}

}  // namespace
}  // namespace dragoman::engine

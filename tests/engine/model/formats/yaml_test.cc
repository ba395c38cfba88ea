#include "engine/model/formats/yaml.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

YamlMap Parsed(std::string_view text) {
  auto map = ExpectOk(ParseYaml(text, "test.yml"));
  return map.ok() ? *std::move(map) : YamlMap();
}

std::string Error(std::string_view text, absl::StatusCode code) {
  const auto map = ParseYaml(text, "test.yml");
  EXPECT_EQ(map.status().code(), code) << text;
  return std::string(map.status().message());
}
std::string Fault(std::string_view text) { return Error(text, absl::StatusCode::kInvalidArgument); }
std::string Refusal(std::string_view text) { return Error(text, absl::StatusCode::kUnimplemented); }

TEST(Yaml, ScalarsArePlainOrQuoted) {
  const YamlMap map = Parsed(
      "---\n"
      "# a comment\n"
      "type: transformer   # and another\n"
      "\n"
      "version: v1.9 8fb:2 2021\n"
      "empty:\n"
      "nothing: \"\"\n"
      "single: 'it''s # here'\r\n"
      "\"a \\\"b\\\": \\u00e9\\x41\\n\": \"\\U0001F600\\t\"\n"
      "a:b: -1");
  EXPECT_EQ(map.size(), 7U);
  EXPECT_EQ(map.at("type").text, "transformer");
  EXPECT_EQ(map.at("version").text, "v1.9 8fb:2 2021");
  EXPECT_EQ(map.at("empty").text, "");
  EXPECT_EQ(map.at("nothing").text, "");
  EXPECT_EQ(map.at("single").text, "it's # here");
  EXPECT_EQ(map.at("a \"b\": \xc3\xa9"
                   "A\n")
                .text,
            "\xf0\x9f\x98\x80\t");
  EXPECT_EQ(map.at("a:b").text, "-1");
  EXPECT_EQ(map.at("a:b").line, 10);
}

TEST(Yaml, ListsAreInBracketsOrInLines) {
  const YamlMap map = Parsed(
      "dim-vocabs:\n  - 32000\n  - \"32000\"\n"
      "models:\n- a.npz # the first\n-\n"
      "input-types:\n  []\n"
      "flow: [ 1, 'two, three',four ]\n"
      "beneath:\n  value\n"
      "last: 1\n");
  EXPECT_THAT(map.at("dim-vocabs").items, ElementsAre("32000", "32000"));
  EXPECT_THAT(map.at("models").items, ElementsAre("a.npz", ""));
  EXPECT_TRUE(map.at("input-types").is_list);
  EXPECT_THAT(map.at("input-types").items, IsEmpty());
  EXPECT_THAT(map.at("flow").items, ElementsAre("1", "two, three", "four"));
  EXPECT_EQ(map.at("beneath").text, "value");
}

TEST(Yaml, WhatIsWrongIsNamedByItsLine) {
  EXPECT_THAT(Fault("a: 1\na: 2\n"), HasSubstr("test.yml: line 2 has the key 'a' a second time"));
  EXPECT_THAT(Fault("a: 1\n\nnothing\n"), HasSubstr("line 3 has no key with ': ' behind it"));
  EXPECT_THAT(Fault("\"a\" 1\n"), HasSubstr("line 1 has no ': ' behind its key"));
  EXPECT_THAT(Fault("a: \"b\n"), HasSubstr("line 1 has a quote that does not end on it"));
  EXPECT_THAT(Fault("a: \"b\" c\n"), HasSubstr("goes on behind its value"));
  EXPECT_THAT(Fault("a: [b, c\n"), HasSubstr("has a list without its ']'"));
  EXPECT_THAT(Fault("a: 1\n- b\n"), HasSubstr("line 2 has an item of no list"));
  for (const char* escape : {"\\q", "\\x4", "\\ud800", "\\U00110000", "\\u12"}) {
    EXPECT_THAT(Fault(std::string("a: \"") + escape + "\"\n"), HasSubstr("has an escape"))
        << escape;
  }
}

TEST(Yaml, TheRestOfTheLanguageIsRefused) {
  EXPECT_THAT(Refusal("a:\n  b: 1\n"), HasSubstr("line 2 has a mapping within a value"));
  EXPECT_THAT(Refusal("a: b: c\n"), HasSubstr("has a mapping within a value"));
  EXPECT_THAT(Refusal("a:\n  - - b\n"), HasSubstr("line 2 has a list within a list"));
  EXPECT_THAT(Refusal("a: |\n  b\n"), HasSubstr("line 1 has a scalar that begins with one of"));
  EXPECT_THAT(Refusal("a: *b\n"), HasSubstr("which is not supported; supported: keys with"));
  EXPECT_THAT(Refusal("? a\n: b\n"), HasSubstr("line 1"));
  EXPECT_THAT(Refusal("a: 1\n  b\n"), HasSubstr("line 2 is indented, and neither"));
}

TEST(YamlFields, KeepTheFirstThatIsWrong) {
  const YamlMap map = Parsed("number: 1.5\nwhole: 12\nflag: true\ntext: word\nlist: [a]\nnone:\n");
  YamlFields in("test.yml", map);
  EXPECT_EQ(in.Number("number", 0), 1.5);
  EXPECT_EQ(in.Whole("whole", std::nullopt, 1, 12), 12);
  EXPECT_TRUE(in.Flag("flag", false));
  EXPECT_EQ(in.String("text", ""), "word");
  EXPECT_THAT(in.List("list"), ElementsAre("a"));
  EXPECT_THAT(in.List("text"), ElementsAre("word"));
  EXPECT_THAT(in.List("none"), IsEmpty());
  EXPECT_EQ(in.Whole("absent", 7, 0, 9), 7);
  EXPECT_TRUE(in.status().ok());
  in.Whole("whole", std::nullopt, 1, 11);
  in.Flag("text", false);
  EXPECT_EQ(in.status().message(),
            "test.yml: field 'whole' is '12', expected a whole number from 1 to 11");
  for (const auto& [name, message] :
       {std::pair("absent", "field 'absent' is missing"), std::pair("text", "is 'word'"),
        std::pair("number", "is '1.5'"), std::pair("list", "is a list of 1")}) {
    YamlFields other("test.yml", map);
    other.Whole(name, std::nullopt, 0, 99);
    EXPECT_THAT(std::string(other.status().message()), HasSubstr(message));
  }
  YamlFields refusing("test.yml", map);
  refusing.Unsupported("text", "letters");
  EXPECT_EQ(refusing.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace dragoman::engine

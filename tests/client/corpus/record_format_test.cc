#include "client/corpus/record_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/corpus/json_tree.h"

namespace dragoman::client {
namespace {

using Format = RecordOptions::Format;
using ::testing::HasSubstr;

// Returns the record with every text as "<text>" and scores -1, -2, ..., or the error.
std::string Rewritten(const RecordOptions& options, const std::string& record) {
  const auto format = RecordFormat::Create(options);
  if (!format.ok()) return std::string(format.status().message());
  const auto parsed = (*format)->Parse(record);
  if (!parsed.ok()) return std::string(parsed.status().message());
  std::vector<std::vector<ColumnValue>> values;
  for (const TextItem& item : parsed->texts) {
    std::vector<ColumnValue>& row = values.emplace_back();
    for (const Column column : options.columns) {
      if (column == Column::kTranslation) {
        row.push_back({absl::StrCat("<", item.text, ">")});
      } else if (column == Column::kScore) {
        row.push_back({absl::StrCat("-", values.size()), true});
      } else {
        row.push_back({"", true});
      }
    }
  }
  return (*format)->Rewrite(record, *parsed, values);
}

TEST(TextRecords, AreReplacedButForTheCarriageReturn) {
  RecordOptions options;
  EXPECT_EQ(Rewritten(options, "a b"), "<a b>");
  EXPECT_EQ(Rewritten(options, "a\tb\r"), "<a\tb>\r");
  EXPECT_EQ(Rewritten(options, ""), "<>");
  options.columns = {Column::kTranslation, Column::kScore, Column::kError};
  EXPECT_EQ(Rewritten(options, "a\tb\r"), "<a b>\t-1\t\r");
  EXPECT_THAT(Rewritten(options, "a\xff"), HasSubstr("not UTF-8 at byte 2"));
  options.fields = {"1"};
  EXPECT_THAT(Rewritten(options, "a"), HasSubstr("lines of text have no fields"));
}

TEST(TsvRecords, KeepTheirOtherFields) {
  RecordOptions options{.format = Format::kTsv, .fields = {"3", "1"}};
  EXPECT_EQ(Rewritten(options, "a\tb\tc\td\r"), "a\tb\tc\td\t<c>\t<a>\r");
  EXPECT_EQ(Rewritten(options, "\t\t"), "\t\t\t<>\t<>");
  options.columns = {Column::kTranslation, Column::kScore};
  EXPECT_EQ(Rewritten(options, "a\tb\tc"), "a\tb\tc\t<c>\t-1\t<a>\t-2");
  options.replace = true;
  EXPECT_EQ(Rewritten(options, "a\tb\tc"), "<a>\tb\t<c>\t-1\t-2");
  EXPECT_EQ(Rewritten(options, "a\tb"), "the record has 2 fields, expected a field 3");
  for (const char* field : {"0", "x", "-1", "1.5", ""}) {
    options.fields = {field};
    EXPECT_THAT(Rewritten(options, "a"), HasSubstr("expected a number from 1")) << field;
  }
}

TEST(TsvRecords, AreTheirFirstFieldUnlessToldOtherwise) {
  EXPECT_EQ(Rewritten({.format = Format::kTsv}, "a\tb"), "a\tb\t<a>");
}

TEST(JsonRecords, GetMembersBesideTheirTexts) {
  RecordOptions options{.format = Format::kJsonl, .fields = {"text"}};
  // Escapes, white space and numbers stay as they were.
  EXPECT_EQ(Rewritten(options, R"({ "n":1.50e0 ,"text" : "\u0061\n" , "x":[ ] } )"),
            R"({ "n":1.50e0 ,"text" : "\u0061\n","text_translation":"<a\n>" , "x":[ ] } )");
  options.columns = {Column::kTranslation, Column::kScore, Column::kDetected};
  EXPECT_EQ(Rewritten(options, R"({"text":"a"})"),
            R"({"text":"a","text_translation":"<a>","text_translation_score":-1,)"
            R"("text_translation_detected":null})");
  options.suffix = "_de";
  options.replace = true;
  EXPECT_EQ(Rewritten(options, R"({"text":"a"})"),
            R"({"text":"<a>","text_score":-1,"text_detected":null})");
}

TEST(JsonRecords, HaveTextsInArrays) {
  RecordOptions options{.format = Format::kJsonl, .fields = {"a.b[*].c", "l[*]"}};
  EXPECT_EQ(Rewritten(options, R"({"l":[1e2,"x"]})"), "the record has no member 'a'");
  EXPECT_EQ(
      Rewritten(options, R"({"l":["x", "y"],"a":{"b":[{"c":"1"},{"k":0,"c":"2"}]}})"),
      R"({"l":["x", "y"],"l_translation":["<x>","<y>"],"a":{"b":[{"c":"1","c_translation":"<1>"},)"
      R"({"k":0,"c":"2","c_translation":"<2>"}]}})");
  EXPECT_EQ(Rewritten(options, R"({"l":[],"a":{"b":[]}})"),
            R"({"l":[],"l_translation":[],"a":{"b":[]}})");
  EXPECT_EQ(Rewritten(options, R"({"l":["x",3],"a":{"b":[]}})"), "l[1] is no string");
  EXPECT_EQ(Rewritten(options, R"({"l":[],"a":{"b":[{"c":"1"},{}]}})"), "a.b[1] has no member 'c'");
  EXPECT_EQ(Rewritten(options, R"({"l":[],"a":{"b":{}}})"), "a.b is no array");
  EXPECT_EQ(Rewritten(options, R"({"l":[],"a":[]})"), "a is no object");
  EXPECT_EQ(Rewritten(options, R"({"l":null,"a":{"b":[]}})"), "l is no array");
}

TEST(JsonRecords, AreReplacedWhereverTheyStand) {
  RecordOptions options{.format = Format::kJsonl, .fields = {"[*][*]"}, .replace = true};
  EXPECT_EQ(Rewritten(options, R"([[ "a","b"],[],["c"]])"), R"([[ "<a>","<b>"],[],["<c>"]])");
  options.replace = false;
  EXPECT_THAT(Rewritten(options, "[]"), HasSubstr("expected --replace"));
  options.fields = {R"(a\.b)"};
  EXPECT_EQ(Rewritten(options, R"({"a.b":"x"})"), R"({"a.b":"x","a.b_translation":"<x>"})");
}

TEST(JsonRecords, NameWhatIsWrong) {
  RecordOptions options{.format = Format::kJsonl, .fields = {"text"}};
  EXPECT_THAT(Rewritten(options, R"({"text":"a")"), HasSubstr("not JSON at byte"));
  EXPECT_THAT(Rewritten(options, R"({"text":"a"}})"), HasSubstr("not JSON at byte 13"));
  EXPECT_THAT(Rewritten(options, ""), HasSubstr("not JSON"));
  EXPECT_THAT(Rewritten(options, R"({"text":"\ud800"})"), HasSubstr("not JSON"));
  EXPECT_THAT(Rewritten(options, std::string(100'000, '[')), HasSubstr("nested more than"));
  EXPECT_THAT(Rewritten(options, R"({"text":"a","text_translation":1})"),
              HasSubstr("'text_translation' already"));
  for (const char* path : {"", ".a", "a.", "a..b", "a[0]", "[*].", "a[*"}) {
    options.fields = {path};
    EXPECT_THAT(Rewritten(options, "{}"), HasSubstr("is no path")) << path;
  }
  options.fields = {};
  EXPECT_THAT(Rewritten(options, "{}"), HasSubstr("--field"));
}

TEST(Pairs, HaveSourceAndTarget) {
  RecordOptions options{
      .format = Format::kTsv, .fields = {"1"}, .targets = {"2"}, .columns = {Column::kScore}};
  EXPECT_EQ(Rewritten(options, "a\tb"), "a\tb\t-1");
  EXPECT_EQ(Rewritten(options, "a"), "the record has 1 fields, expected a field 2");
  EXPECT_EQ((*RecordFormat::Create(options))->Parse("a\tb")->texts[0].target, "b");
  options.format = Format::kJsonl;
  options.fields = {"s[*]"};
  options.targets = {"t[*]"};
  const auto format = RecordFormat::Create(options);
  EXPECT_EQ((*format)->Parse(R"({"t":["A","B"],"s":["a","b"]})")->texts[1].target, "B");
  EXPECT_EQ(Rewritten(options, R"({"t":["A"],"s":["a","b"]})"),
            "s[*] has 2 texts, t[*] has 1, expected as many");
  options.targets.push_back("u");
  EXPECT_THAT(Rewritten(options, "{}"), HasSubstr("2 fields of targets, expected 1"));
}

TEST(MalformedRecords, HaveAsManyFields) {
  RecordOptions options;
  options.columns = {Column::kTranslation, Column::kScore};
  EXPECT_EQ((*RecordFormat::Create(options))->RewriteMalformed("a\xff"), "\t");
  options.format = Format::kTsv;
  EXPECT_EQ((*RecordFormat::Create(options))->RewriteMalformed("a\xff\tb\r"), "a\xff\tb\t\t\r");
  options.format = Format::kJsonl;
  options.fields = {"text"};
  EXPECT_EQ((*RecordFormat::Create(options))->RewriteMalformed("{"), "{");
}

TEST(JsonTree, KnowsWhereStringsAndArraysStand) {
  const std::string text = R"( {"a" : [12, "b", -1.5e3 ,["\"c"] ], "d":true} )";
  const auto root = ParseJsonTree(text);
  ASSERT_TRUE(root.ok());
  const JsonNode& list = *root->Find("a");
  EXPECT_EQ(text.substr(0, list.end), R"( {"a" : [12, "b", -1.5e3 ,["\"c"] ])");
  const JsonNode& b = list.members[1].second;
  EXPECT_EQ(text.substr(b.begin, b.end - b.begin), R"("b")");
  const JsonNode& c = list.members[3].second.members[0].second;
  EXPECT_EQ(text.substr(c.begin, c.end - c.begin), R"("\"c")");
  EXPECT_EQ(c.text, "\"c");
  EXPECT_EQ(root->Find("x"), nullptr);
}

}  // namespace
}  // namespace dragoman::client

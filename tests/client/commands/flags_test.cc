#include "client/commands/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/expect_ok.h"

namespace dragoman::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Values {
  bool json = false;
  std::string server = "here";
  int64_t batch = 16;
  double timeout = 1.5;
  std::optional<int64_t> beam;
  std::optional<double> penalty;
  std::string split;
  std::vector<std::string> forbid;
  std::vector<int64_t> heads;
  FlagTable table;

  Values() {
    table.Bool("json", &json, "as JSON");
    table.String("server", "ADDR", &server, "where");
    table.Int("batch", "N", 1, 64, &batch, "lines");
    table.Number("timeout", "S", 0.5, 10, &timeout, "seconds");
    table.OptionalInt("beam", "K", 1, 2147483647, &beam, "beam");
    table.OptionalNumber("penalty", "X", -10, 10, &penalty, "penalty");
    table.Choice("split", {"none", "lines"}, &split, "how\nto split");
    table.Strings("forbid", "TEXT", &forbid, "phrase");
    table.Ints("heads", "N,N", 0, 15, &heads, "heads");
  }
  std::string Error(const std::vector<std::string>& arguments) {
    return std::string(table.Parse(arguments).status().message());
  }
};

TEST(Flags, ReadsEveryTypeInBothForms) {
  Values v;
  const auto positional = ExpectOk(
      v.table.Parse({"--json", "a", "--server", "there", "--batch=8", "--timeout", "2", "--beam",
                     "4", "--penalty=-0.6", "--split", "lines", "-", "--", "--json"}));
  EXPECT_THAT(*positional, ElementsAre("a", "-", "--json"));
  EXPECT_TRUE(v.json);
  EXPECT_EQ(v.server, "there");
  EXPECT_EQ(v.batch, 8);
  EXPECT_EQ(v.timeout, 2);
  EXPECT_EQ(v.beam, 4);
  EXPECT_EQ(v.penalty, -0.6);
  EXPECT_EQ(v.split, "lines");
}

TEST(Flags, ReadsLists) {
  Values v;
  ASSERT_TRUE(
      v.table.Parse({"--forbid", "one", "--heads", "3,0,15", "--forbid=--two, three"}).ok());
  EXPECT_THAT(v.forbid, ElementsAre("one", "--two, three"));
  EXPECT_THAT(v.heads, ElementsAre(3, 0, 15));
}

TEST(Flags, LeavesDefaultsAndUnsetAlone) {
  Values v;
  ASSERT_TRUE(v.table.Parse({"--json=false"}).ok());
  EXPECT_FALSE(v.json);
  EXPECT_EQ(v.server, "here");
  EXPECT_EQ(v.batch, 16);
  EXPECT_FALSE(v.beam.has_value());
  EXPECT_FALSE(v.penalty.has_value());
  EXPECT_TRUE(v.forbid.empty());
}

TEST(Flags, NamesWhatIsWrong) {
  Values v;
  EXPECT_EQ(v.Error({"--bema", "4"}), "unknown flag --bema");
  EXPECT_EQ(v.Error({"-b"}), "unknown flag -b");
  EXPECT_EQ(v.Error({"--server"}), "--server needs a value: ADDR");
  EXPECT_EQ(v.Error({"--server", "--json"}), "--server needs a value: ADDR");
  EXPECT_EQ(v.Error({"--batch", "1", "--batch", "2"}), "--batch is given twice");
  EXPECT_EQ(v.Error({"--batch", "x"}), "--batch is 'x', expected a whole number from 1 to 64");
  EXPECT_EQ(v.Error({"--batch", "2.5"}), "--batch is '2.5', expected a whole number from 1 to 64");
  EXPECT_EQ(v.Error({"--batch", "65"}), "--batch is '65', expected a whole number from 1 to 64");
  EXPECT_EQ(v.Error({"--batch="}), "--batch is '', expected a whole number from 1 to 64");
  EXPECT_EQ(v.Error({"--beam", "0"}),
            "--beam is '0', expected a whole number from 1 to 2147483647");
  EXPECT_EQ(v.Error({"--beam", "99999999999999999999"}),
            "--beam is '99999999999999999999', expected a whole number from 1 to 2147483647");
  EXPECT_EQ(v.Error({"--timeout", "nan"}), "--timeout is 'nan', expected a number from 0.5 to 10");
  EXPECT_EQ(v.Error({"--penalty", "1e9"}), "--penalty is '1e9', expected a number from -10 to 10");
  EXPECT_EQ(v.Error({"--json=yes"}), "--json is 'yes', expected true or false");
  EXPECT_EQ(v.Error({"--heads", "1,,2"}), "--heads is '', expected a whole number from 0 to 15");
  EXPECT_EQ(v.Error({"--heads", "1,16"}), "--heads is '16', expected a whole number from 0 to 15");
  EXPECT_EQ(v.Error({"--heads", "1", "--heads", "2"}), "--heads is given twice");
  EXPECT_EQ(v.Error({"--split", "word"}), "--split is 'word', expected one of none, lines");
}

TEST(Flags, AnAliasIsTheFlagUnlessAnotherHasTheName) {
  std::string size;
  std::string mode;
  FlagTable table;
  const auto take = [](std::string* target) {
    return [target](const std::string& text) {
      *target += text;
      return std::string(text == "bad" ? "something good" : "");
    };
  };
  table.Custom("beam-size", "K", false, take(&size), "size");
  table.Alias("beam");
  table.Custom("search-mode", "M", true, take(&mode), "mode");
  table.Alias("mode");
  bool own = false;
  table.Bool("mode", &own, "another mode");
  ASSERT_TRUE(table.Parse({"--beam", "4", "--mode", "--search-mode=a", "--search-mode=b"}).ok());
  EXPECT_EQ(size, "4");
  EXPECT_EQ(mode, "ab");
  EXPECT_TRUE(own);
  const auto error = [&](const std::vector<std::string>& arguments) {
    return std::string(table.Parse(arguments).status().message());
  };
  EXPECT_EQ(error({"--beam", "4", "--beam-size", "5"}), "--beam-size is given twice");
  EXPECT_EQ(error({"--beam", "bad"}), "--beam-size is 'bad', expected something good");
  const std::string help = table.Help();
  EXPECT_THAT(help, HasSubstr("also --beam\n"));
  EXPECT_THAT(help, ::testing::Not(HasSubstr("also --mode")));
}

TEST(Flags, HelpNamesEveryFlagAndItsValue) {
  const std::string help = Values().table.Help();
  for (const char* text : {"--json ", "--server ADDR", "--batch N", "--split none|lines"}) {
    EXPECT_THAT(help, HasSubstr(text));
  }
}

}  // namespace
}  // namespace dragoman::client

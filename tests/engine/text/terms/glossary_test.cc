#include "engine/text/terms/glossary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/base/utf8.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::HasSubstr;

// Returns "source=target" for every term, with '*' after those that ignore case.
std::vector<std::string> Pairs(const Glossary& glossary) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < glossary.size(); ++i) {
    const Term& term = glossary.term(i);
    pairs.push_back(term.source + "=" + term.target + (term.ignore_case ? "*" : ""));
  }
  return pairs;
}

struct FileCase {
  const char* what;
  GlossaryFormat format;
  std::string bytes;
  std::vector<std::string> pairs;  // empty: the file is refused
  std::string message = {};        // the complete message
};

constexpr GlossaryFormat kTsv = GlossaryFormat::kTsv;
constexpr GlossaryFormat kCsv = GlossaryFormat::kCsv;

const std::vector<FileCase>& FileCases() {
  static const std::vector<FileCase> cases = {
      {"two rows", kTsv, "Haus\thouse\nBaum\ttree\n", {"Haus=house", "Baum=tree"}},
      {"no line end at the end", kTsv, "Haus\thouse", {"Haus=house"}},
      {"CR LF", kTsv, "Haus\thouse\r\nBaum\ttree\r\n", {"Haus=house", "Baum=tree"}},
      {"byte order mark", kTsv, "\xEF\xBB\xBFHaus\thouse\n", {"Haus=house"}},
      {"blank rows",
       kTsv,
       "\n  \r\nHaus\thouse\n\n\t \nBaum\ttree\n\n",
       {"Haus=house", "Baum=tree"}},
      {"white space at the ends", kTsv, " Haus \t\xC2\xA0house \n", {"Haus=house"}},
      {"no header, no comments",
       kTsv,
       "source\ttarget\n#1\tnumber one\n",
       {"source=target", "#1=number one"}},
      {"quotes are quotes", kTsv, "\"Haus\"\t5\" pipe\n", {"\"Haus\"=5\" pipe"}},
      {"commas are commas", kTsv, "a, b\tc, d\n", {"a, b=c, d"}},
      {"phrases",
       kTsv,
       "Vereinte Nationen\tUnited Nations\n",
       {"Vereinte Nationen=United Nations"}},
      {"equal rows are one",
       kTsv,
       "Haus\thouse\nBaum\ttree\nHaus \thouse\n",
       {"Haus=house", "Baum=tree"}},
      {"case is told apart",
       kTsv,
       "Polish\tpolnisch\npolish\tpolieren\n",
       {"Polish=polnisch", "polish=polieren"}},
      {"one cell",
       kTsv,
       "Haus\thouse\n\nBaum tree\n",
       {},
       "g:3: 1 cell, expected two with a tab between them"},
      {"three cells",
       kTsv,
       "Haus\thouse\tnoun\n",
       {},
       "g:1: 3 cells, expected two with a tab between them"},
      {"no source", kTsv, "Haus\thouse\n \ttree\n", {}, "g:2: the source is empty"},
      {"no target", kTsv, "Haus\t\n", {}, "g:1: the target is empty"},
      {"two targets",
       kTsv,
       "Haus\thouse\nBaum\ttree\nHaus\thome\n",
       {},
       "g:3: a second target 'home' for 'Haus', which g:1 gives 'house'; expected one"},
      {"of several clashes the first",
       kTsv,
       "a\t1\nb\t1\nb\t2\na\t2\n",
       {},
       "g:3: a second target '2' for 'b', which g:2 gives '1'; expected one"},
      {"not UTF-8",
       kTsv,
       "Haus\thouse\nB\xE4um\ttree\n",
       {},
       "g:2: bytes that are not UTF-8, expected UTF-8"},
      {"UTF-16",
       kTsv,
       std::string("\xFF\xFEH\0a\0", 6),
       {},
       "g:1: bytes that are not UTF-8, expected UTF-8"},
      {"a control character",
       kTsv,
       "Ha\001us\thouse\n",
       {},
       "g:1: the source has a control character (U+0001)"},
      {"a line separator",
       kTsv,
       "Haus\tho\xE2\x80\xA8use\n",
       {},
       "g:1: the target has a control character (U+2028)"},
      {"a long term",
       kTsv,
       std::string(1025, 'a') + "\thouse\n",
       {},
       "g:1: the source has 1025 bytes, expected at most 1024"},
      {"empty", kTsv, "", {}, "g:1: no terms, expected at least one row of source and target"},
      {"white space alone",
       kCsv,
       " \n\n",
       {},
       "g:1: no terms, expected at least one row of source and target"},

      {"csv", kCsv, "Haus,house\nBaum,tree\n", {"Haus=house", "Baum=tree"}},
      {"csv, CR LF and a mark",
       kCsv,
       "\xEF\xBB\xBFHaus,house\r\n\"Baum\",\"tree\"\r\n",
       {"Haus=house", "Baum=tree"}},
      {"quoted comma", kCsv, "\"a, b\",\"c, d\"\n", {"a, b=c, d"}},
      {"doubled quotes", kCsv, "\"5\"\" pipe\",\"\"\"x\"\"\"\n", {"5\" pipe=\"x\""}},
      {"quoted white space", kCsv, "\" a \",b\n", {"a=b"}},
      {"empty quotes", kCsv, "\"\",b\n", {}, "g:1: the source is empty"},
      {"tabs are no commas",
       kCsv,
       "Haus\thouse\n",
       {},
       "g:1: 1 cell, expected two with a comma between them"},
      {"semicolons are no commas",
       kCsv,
       "Haus;house\n",
       {},
       "g:1: 1 cell, expected two with a comma between them"},
      {"a third cell, empty",
       kCsv,
       "Haus,house,\n",
       {},
       "g:1: 3 cells, expected two with a comma between them"},
      {"a quote inside",
       kCsv,
       "5\" pipe,x\n",
       {},
       "g:1: a quote inside a cell that does not begin with one, expected the cell in quotes and "
       "quotes in it doubled"},
      {"text after the quotes",
       kCsv,
       "a,b\n\"c\" d,e\n",
       {},
       "g:2: text after the closing quote of a cell, expected a comma or the end of the row"},
      {"an open quote",
       kCsv,
       "a,b\n\"c,d\ne,f\n",
       {},
       "g:2: a quote that is not closed, expected one more '\"'"},
      {"an open quote that ends in a doubled one",
       kCsv,
       "a,\"b\"\"",
       {},
       "g:1: a quote that is not closed, expected one more '\"'"},
      {"a line break in quotes",
       kCsv,
       "\"a\nb\",c\n",
       {},
       "g:1: the source has a control character (U+000A)"},
      {"bad bytes in quotes", kCsv, "\"a\n\xFF\",c\n", {}, "g:1: the source is not UTF-8"},
      {"csv, two targets",
       kCsv,
       "a,b\nc,d\r\na,\"b,\"\n",
       {},
       "g:3: a second target 'b,' for 'a', which g:1 gives 'b'; expected one"},
      {"csv without a line end", kCsv, "a,b\nc,\"d\"", {"a=b", "c=d"}},
      {"carriage return inside",
       kCsv,
       "a\rb,c\n",
       {},
       "g:1: the source has a control character (U+000D)"},
  };
  return cases;
}

TEST(GlossaryFile, Cases) {
  for (const FileCase& c : FileCases()) {
    SCOPED_TRACE(c.what);
    const auto glossary = Glossary::Parse(c.bytes, "g", c.format);
    if (c.pairs.empty()) {
      ASSERT_FALSE(glossary.ok());
      EXPECT_EQ(glossary.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(glossary.status().message(), c.message);
    } else {
      ASSERT_TRUE(glossary.ok()) << glossary.status();
      EXPECT_EQ(Pairs(**glossary), c.pairs);
    }
  }
}

TEST(GlossaryFile, PlacesAreLines) {
  const auto glossary = Glossary::Parse("a,b\n\n\"c\",d\na,b\ne,f", "names.csv", kCsv);
  ASSERT_TRUE(glossary.ok());
  ASSERT_EQ((*glossary)->size(), 3);
  EXPECT_EQ((*glossary)->PlaceOf(1), "names.csv:3");
  EXPECT_EQ((*glossary)->PlaceOf(2), "names.csv:5");
}

TEST(GlossaryFile, LongTermsAreShortenedInMessages) {
  std::string source;
  for (int i = 0; i < 40; ++i) source += "ä";
  const auto glossary = Glossary::Parse(source + "\tb\n" + source + "\tc\n", "g", kTsv);
  ASSERT_FALSE(glossary.ok());
  const std::string message(glossary.status().message());
  EXPECT_FALSE(FirstInvalidUtf8(message));
  EXPECT_LT(message.size(), 160);
  EXPECT_THAT(message, HasSubstr("ä...'"));
}

TEST(GlossaryFile, TooLargeIsRefusedUnread) {
  const std::string bytes(kMaxGlossaryBytes + 1, '\n');
  const auto glossary = Glossary::Parse(bytes, "g", kTsv);
  ASSERT_FALSE(glossary.ok());
  EXPECT_EQ(glossary.status().message(), "g: 67108865 bytes, expected at most 67108864");
}

// Any cells that are written by the rules of RFC 4180 are read back unchanged.
TEST(GlossaryFile, CsvRoundTrip) {
  std::mt19937 random(7);
  const std::vector<std::string> alphabet = {"a", "b", "\"", ",", ";", " x", "ü", "漢", "''"};
  for (int round = 0; round < 300; ++round) {
    std::string bytes;
    std::vector<std::string> pairs;
    for (int row = 0; row < 5; ++row) {
      std::string cells[2];
      for (std::string& cell : cells) {
        const int size = 1 + static_cast<int>(random() % 5);
        for (int i = 0; i < size; ++i) cell += alphabet[random() % alphabet.size()];
        cell = std::string(StripWhiteSpace(cell));
      }
      cells[0] += std::to_string(row);  // makes the sources unique
      pairs.push_back(cells[0] + "=" + cells[1]);
      for (int i = 0; i < 2; ++i) {
        const bool must = cells[i].find_first_of(",\"") != std::string::npos;
        if (must || random() % 2 == 0) {
          std::string quoted = "\"";
          for (const char c : cells[i])
            quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
          cells[i] = quoted + "\"";
        }
      }
      bytes += cells[0] + "," + cells[1] + (random() % 2 == 0 ? "\n" : "\r\n");
    }
    const auto glossary = Glossary::Parse(bytes, "g", kCsv);
    ASSERT_TRUE(glossary.ok()) << glossary.status() << "\n" << bytes;
    EXPECT_EQ(Pairs(**glossary), pairs);
  }
}

std::string MessageOf(const std::vector<Term>& terms) {
  const auto glossary = Glossary::FromTerms(terms, "terms");
  if (glossary.ok()) return "accepted";
  EXPECT_EQ(glossary.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(glossary.status().message());
}

TEST(RequestTerms, AreCheckedByElement) {
  EXPECT_EQ(MessageOf({}), "accepted");
  EXPECT_EQ(MessageOf({{"a", "b"}, {" ", "b"}}), "terms[1]: the source is empty");
  EXPECT_EQ(MessageOf({{"a", ""}}), "terms[0]: the target is empty");
  EXPECT_EQ(MessageOf({{"a", "b\tc"}}), "terms[0]: the target has a control character (U+0009)");
  EXPECT_EQ(MessageOf({{"\xC3", "b"}}), "terms[0]: the source is not UTF-8");
  EXPECT_EQ(MessageOf({{"a", std::string(1025, 'x')}}),
            "terms[0]: the target has 1025 bytes, expected at most 1024");
}

TEST(RequestTerms, TwoTargetsForOneSourceNameBoth) {
  EXPECT_EQ(
      MessageOf({{"a", "x"}, {"Haus", "house"}, {"Haus ", "home"}}),
      "terms[2]: a second target 'home' for 'Haus', which terms[1] gives 'house'; expected one");
  // If both terms ignore case, the sources are equal. If one does, the exact term takes precedence.
  EXPECT_EQ(MessageOf({{"Straße", "street", true}, {"STRASSE", "road", true}}),
            "terms[1]: a second target 'road' for 'STRASSE', which terms[0] gives 'street'; "
            "expected one");
  EXPECT_EQ(MessageOf({{"Polish", "polnisch", false}, {"polish", "polieren", true}}), "accepted");
  EXPECT_EQ(MessageOf({{"a", "x", false}, {"a", "y", true}}),
            "terms[1]: a second target 'y' for 'a', which terms[0] gives 'x'; expected one");
  // The third term makes the first ignore case. The first then conflicts with the second.
  EXPECT_EQ(MessageOf({{"a", "x", false}, {"A", "y", true}, {"a", "x", true}}),
            "terms[1]: a second target 'y' for 'A', which terms[0] gives 'x'; expected one");
}

TEST(RequestTerms, EqualOnesAreOne) {
  const std::vector<Term> terms = {
      {"a", "x"}, {"b", "y"}, {" a", "x ", true}, {"B", "y", true}, {"b", "y", true}};
  const auto glossary = ExpectOk(Glossary::FromTerms(terms, "terms"));
  EXPECT_EQ(Pairs(**glossary), (std::vector<std::string>{"a=x*", "b=y*"}));
  EXPECT_EQ((*glossary)->RowOf(1), 1);
}

}  // namespace
}  // namespace dragoman::engine

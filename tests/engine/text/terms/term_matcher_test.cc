#include "engine/text/terms/term_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>

#include <random>
#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using Kind = TermOccurrence::Kind;

std::shared_ptr<const Glossary> MakeGlossary(const std::vector<Term>& terms) {
  std::string bytes;
  for (const Term& term : terms) bytes += term.source + "\t" + term.target + "\n";
  auto glossary = ExpectOk(Glossary::Parse(bytes, "g.tsv", GlossaryFormat::kTsv));
  return glossary.ok() ? *glossary : nullptr;
}

struct Lists {
  std::vector<std::string> do_not_translate;
  std::vector<Term> terms;
  std::vector<Term> glossary;
  bool ignore_case = false;  // applies to the glossary
};

TermMatcher Make(const Lists& setup) {
  TermMatcher::Lists given;
  given.do_not_translate = setup.do_not_translate;
  given.terms = setup.terms;
  if (!setup.glossary.empty()) given.glossary = MakeGlossary(setup.glossary);
  given.glossary_ignore_case = setup.ignore_case;
  auto matcher = ExpectOk(TermMatcher::Create(given));
  return *std::move(matcher);
}

// Returns "kind:text>target" for every occurrence, with the kinds d, r and g.
std::vector<std::string> Found(const Lists& setup, std::string_view text) {
  const TermMatcher matcher = Make(setup);
  std::vector<std::string> found;
  int64_t at = 0;
  for (const TermOccurrence& occurrence : matcher.Find(text)) {
    EXPECT_GE(occurrence.range.begin, at);
    at = occurrence.range.end;
    found.push_back(std::string(1, "drg"[static_cast<int>(occurrence.kind)]) + ":" +
                    std::string(occurrence.range.In(text)) + ">" + std::string(occurrence.target));
  }
  return found;
}

using Strings = std::vector<std::string>;

struct Case {
  const char* what;
  Lists setup;
  std::string text;
  Strings found;
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"a word", {{}, {}, {{"Haus", "house"}}}, "Das Haus ist alt.", {"g:Haus>house"}},
      {"at the ends", {{}, {}, {{"a", "x"}}}, "a b a", {"g:a>x", "g:a>x"}},
      {"not inside a word", {{}, {}, {{"Haus", "house"}}}, "Hausboot, Rathaus, Haus1", {}},
      {"punctuation parts words",
       {{}, {}, {{"Haus", "house"}}},
       "(Haus), Haus-Boot \"Haus\"",
       {"g:Haus>house", "g:Haus>house", "g:Haus>house"}},
      {"an apostrophe between letters does not",
       {{}, {}, {{"don", "x"}, {"it", "y"}}},
       "don't it's it",
       {"g:it>y"}},
      {"a full stop between digits does not",
       {{}, {}, {{"3", "three"}}},
       "3.5 3. 3",
       {"g:3>three", "g:3>three"}},
      {"phrases",
       {{}, {}, {{"Vereinte Nationen", "United Nations"}}},
       "die Vereinte Nationen da",
       {"g:Vereinte Nationen>United Nations"}},
      {"white space as it is",
       {{}, {}, {{"a b", "x"}}},
       "a  b a\tb a\xC2\xA0"
       "b a b",
       {"g:a b>x"}},
      {"punctuation in a term",
       {{}, {}, {{"C++", "x"}, {".NET", "y"}, {"C", "z"}}},
       "C++ and .NET, C#",
       {"g:C++>x", "g:.NET>y", "g:C>z"}},
      {"longest at a place",
       {{}, {}, {{"a", "1"}, {"a b", "2"}, {"a b c", "3"}}},
       "a b d a b c a",
       {"g:a b>2", "g:a b c>3", "g:a>1"}},
      {"leftmost before longest", {{}, {}, {{"a b", "1"}, {"b c d", "2"}}}, "a b c d", {"g:a b>1"}},
      {"longest that ends at a boundary",
       {{}, {}, {{"a", "1"}, {"a be", "2"}}},
       "a bend",
       {"g:a>1"}},
      {"case matters", {{}, {}, {{"Haus", "house"}}}, "haus HAUS Haus", {"g:Haus>house"}},
      {"or not, as the request says",
       {{}, {}, {{"Haus", "house"}}, true},
       "haus HAUS Haus",
       {"g:haus>house", "g:HAUS>house", "g:Haus>house"}},
      {"or the term",
       {{}, {{"Haus", "house", true}, {"Boot", "boat", false}}, {}},
       "haus boot Boot",
       {"r:haus>house", "r:Boot>boat"}},
      {"full folding",
       {{}, {{"Straße", "street", true}}, {}},
       "STRASSE straße Strasse STRAẞE",
       {"r:STRASSE>street", "r:straße>street", "r:Strasse>street", "r:STRAẞE>street"}},
      {"folding that grows the text",
       {{}, {{"istanbul", "x", true}, {"i\u0307zmir", "y", true}}, {}},
       "İstanbul İzmir b",
       {"r:İzmir>y"}},
      {"after a character that grows",
       {{}, {{"b", "x", true}}, {}},
       "ßİŉ B ß b",
       {"r:B>x", "r:b>x"}},
      {"no part of a character",
       {{}, {{"Mas", "x", true}, {"s", "y", true}}, {}},
       "Maß ß Mas",
       {"r:Mas>x"}},
      {"ligatures fold",
       {{}, {{"office", "x", true}}, {}},
       "o\uFB03ce OFFICE",
       {"r:o\uFB03ce>x", "r:OFFICE>x"}},
      {"sigma", {{}, {{"οδός", "x", true}}, {}}, "ΟΔΌΣ οδόσ", {"r:ΟΔΌΣ>x", "r:οδόσ>x"}},
      {"composed is not decomposed", {{}, {{"für", "x", true}}, {}}, "fu\u0308r für", {"r:für>x"}},
      {"not before a combining mark", {{}, {{"u", "x"}}, {}}, "u\u0308 u", {"r:u>x"}},
      {"the text's own bytes first",
       {{}, {}, {{"polish", "polieren"}, {"Polish", "polnisch"}}, true},
       "Polish polish POLISH",
       {"g:Polish>polnisch", "g:polish>polieren", "g:POLISH>polieren"}},
      {"exact beside ignoring",
       {{}, {{"Polish", "1"}, {"polish", "2", true}}, {}},
       "Polish polish POLISH",
       {"r:Polish>1", "r:polish>2", "r:POLISH>2"}},
      {"a longer term of other case is no match",
       {{}, {{"a b", "1"}, {"a", "2"}}, {}},
       "a B",
       {"r:a>2"}},
      {"Han characters",
       {{}, {}, {{"北京", "Beijing"}, {"京大", "x"}}},
       "我在北京大学。",
       {"g:北京>Beijing"}},
      {"Hiragana and Katakana",
       {{}, {}, {{"は", "wa"}, {"タ", "ta"}, {"データ", "data"}}},
       "これはデータです",
       {"g:は>wa", "g:データ>data"}},
      {"Thai", {{}, {}, {{"ภาษา", "language"}}}, "ภาษาไทย", {"g:ภาษา>language"}},
      {"Thai, not before a vowel sign", {{}, {}, {{"ท", "x"}}}, "ที่", {}},
      {"Latin beside Han", {{}, {}, {{"Linux", "x"}}}, "用Linux系统", {"g:Linux>x"}},

      {"the request's term wins",
       {{}, {{"Haus", "home"}}, {{"Haus", "house"}}},
       "Haus",
       {"r:Haus>home"}},
      {"by its own case rule only",
       {{}, {{"Haus", "home"}}, {{"Haus", "house"}}, true},
       "Haus HAUS",
       {"r:Haus>home", "g:HAUS>house"}},
      {"a longer term of the glossary",
       {{}, {{"a", "1"}}, {{"a b", "2"}}},
       "a b a",
       {"g:a b>2", "r:a>1"}},
      {"an earlier term of the glossary",
       {{}, {{"b c", "1"}}, {{"a b", "2"}}},
       "a b c",
       {"g:a b>2"}},

      {"do not translate", {{"Big Apple"}, {}, {}}, "the Big Apple!", {"d:Big Apple>Big Apple"}},
      {"its case matters", {{"Apple"}, {}, {}, true}, "apple APPLE Apple", {"d:Apple>Apple"}},
      {"its word boundaries too", {{"Apple"}, {}, {}}, "Apples Apple", {"d:Apple>Apple"}},
      {"it comes before terms",
       {{"b"}, {{"a b", "1"}, {"c", "2"}}, {}},
       "a b c",
       {"d:b>b", "r:c>2"}},
      {"a shorter term in what is left",
       {{"c"}, {{"a b", "1"}, {"a b c", "2"}}, {}},
       "a b c",
       {"r:a b>1", "d:c>c"}},
      {"no term across it", {{"b"}, {{"a b c", "1"}, {"a", "2"}}, {}}, "a b c", {"r:a>2", "d:b>b"}},
      {"longest phrase", {{"a", "a b"}, {}, {}}, "a b a", {"d:a b>a b", "d:a>a"}},
      {"side by side", {{"北"}, {{"京", "x"}}, {}}, "北京", {"d:北>北", "r:京>x"}},

      {"nothing there", {{"x"}, {{"y", "z"}}, {{"w", "v"}}}, "a b c", {}},
      {"an empty text", {{"x"}, {}, {}}, "", {}},
      {"no lists", {}, "a b c", {}},
  };
  return cases;
}

TEST(TermMatcher, Cases) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(Found(c.setup, c.text), c.found);
  }
}

TEST(TermMatcher, SaysWhichTermItWas) {
  const TermMatcher matcher = Make({{"q", "x", "q"},
                                    {{"a", "1"}, {"a", "1"}, {"b", "2"}},
                                    {{"m", "3"}, {"m", "3"}, {"c", "4"}}});
  const auto found = matcher.Find("x b c q");
  ASSERT_EQ(found.size(), 4);
  EXPECT_EQ(found[0], (TermOccurrence{{0, 1}, Kind::kDoNotTranslate, "x", 1}));
  EXPECT_EQ(found[1], (TermOccurrence{{2, 3}, Kind::kRequestTerm, "2", 2}));
  EXPECT_EQ(found[2], (TermOccurrence{{4, 5}, Kind::kGlossaryTerm, "4", 1}));
  EXPECT_EQ(found[3], (TermOccurrence{{6, 7}, Kind::kDoNotTranslate, "q", 0}));
}

TEST(TermMatcher, SurvivesAMove) {
  TermMatcher first =
      Make({{"x", "a phrase of more than a few bytes"}, {{"b", "2"}}, {{"c", "3"}}});
  const TermMatcher second = std::move(first);
  EXPECT_EQ(second.Find("x b c a phrase of more than a few bytes").size(), 4);
}

TEST(TermMatcher, RefusesBadPhrasesAndTerms) {
  const auto message = [](const std::vector<std::string>& phrases, const std::vector<Term>& terms) {
    TermMatcher::Lists given;
    given.do_not_translate = phrases;
    given.terms = terms;
    const auto matcher = TermMatcher::Create(given);
    EXPECT_EQ(matcher.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(matcher.status().message());
  };
  EXPECT_EQ(message({"a", " "}, {}), "do_not_translate[1] is empty");
  EXPECT_EQ(message({"a\nb"}, {}), "do_not_translate[0] has a control character (U+000A)");
  EXPECT_EQ(message({std::string(1025, 'a')}, {}),
            "do_not_translate[0] has 1025 bytes, expected at most 1024");
  EXPECT_EQ(message({}, {{"a", "b"}, {"a", "c"}}),
            "terms[1]: a second target 'c' for 'a', which terms[0] gives 'b'; expected one");
}

TEST(TermMatcher, EmptyWhenThereIsNothingToFind) {
  EXPECT_TRUE(Make({}).empty());
  EXPECT_FALSE(Make({{"x"}, {}, {}}).empty());
  EXPECT_FALSE(Make({{}, {{"x", "y"}}, {}}).empty());
  EXPECT_FALSE(Make({{}, {}, {{"x", "y"}}}).empty());
}

// --- comparison with a search that tries every term at every position ---

std::set<int64_t> Boundaries(const std::string& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> words(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  UText utext = UTEXT_INITIALIZER;
  utext_openUTF8(&utext, text.data(), static_cast<int64_t>(text.size()), &status);
  words->setText(&utext, status);
  std::set<int64_t> boundaries;
  for (int32_t at = words->first(); at != icu::BreakIterator::DONE; at = words->next()) {
    boundaries.insert(at);
  }
  utext_close(&utext);
  return boundaries;
}

std::string FoldByUnicodeString(std::string_view text) {
  std::string folded;
  icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), static_cast<int32_t>(text.size())))
      .foldCase()
      .toUTF8String(folded);
  return folded;
}

// Finds the occurrences by a literal implementation of the rules. The text must have no script
// whose word boundaries need a dictionary.
std::vector<TermOccurrence> Search(const Lists& setup, const std::string& text) {
  const std::set<int64_t> boundaries = Boundaries(text);
  std::vector<TermOccurrence> found;
  const auto is_free = [&](int64_t begin, int64_t end) {
    for (const TermOccurrence& other : found) {
      if (begin < other.range.end && other.range.begin < end) return false;
    }
    return true;
  };
  // A longer candidate is better. Then the request's terms, exact matches and earlier terms come
  // first.
  using Rank = std::tuple<int64_t, bool, bool, int64_t>;
  const auto pass = [&](bool phrases) {
    for (const int64_t begin : boundaries) {
      std::optional<std::pair<Rank, TermOccurrence>> best;
      const auto try_term = [&](const std::string& source, const std::string& target,
                                bool ignore_case, Kind kind, size_t index) {
        for (const int64_t end : boundaries) {
          if (end <= begin || !is_free(begin, end)) continue;
          const std::string_view bytes = TextRange{begin, end}.In(text);
          const bool exact = bytes == source;
          if (!exact &&
              !(ignore_case && FoldByUnicodeString(bytes) == FoldByUnicodeString(source))) {
            continue;
          }
          const Rank rank{end, kind != Kind::kGlossaryTerm, exact, -static_cast<int64_t>(index)};
          if (!best || rank > best->first) best = {rank, {{begin, end}, kind, target, index}};
        }
      };
      if (phrases) {
        for (size_t i = 0; i < setup.do_not_translate.size(); ++i) {
          const std::string& phrase = setup.do_not_translate[i];
          try_term(phrase, phrase, false, Kind::kDoNotTranslate, i);
        }
      } else {
        for (size_t i = 0; i < setup.terms.size(); ++i) {
          const Term& t = setup.terms[i];
          try_term(t.source, t.target, t.ignore_case, Kind::kRequestTerm, i);
        }
        for (size_t i = 0; i < setup.glossary.size(); ++i) {
          const Term& t = setup.glossary[i];
          try_term(t.source, t.target, setup.ignore_case, Kind::kGlossaryTerm, i);
        }
      }
      if (best) found.push_back(best->second);
    }
  };
  pass(true);
  pass(false);
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
  return found;
}

TEST(TermMatcher, AgreesWithASearchThatTriesEverything) {
  std::mt19937 random(11);
  const std::vector<std::string> letters = {
      "a", "A", "b", "B", "s", "S", "ß", "ẞ", "İ",      "i", " ", " ", " ",      ".",
      "-", "'", "1", "ŉ", "ﬃ", "ü", "Ü", "u", "\u0308", "Σ", "σ", "ς", "\u200D", "😀"};
  const auto make = [&](int size) {
    std::string text;
    for (int i = 0; i < size; ++i) text += letters[random() % letters.size()];
    return text;
  };
  int matches = 0;
  for (int round = 0; round < 10000; ++round) {
    const std::string text = make(1 + static_cast<int>(random() % 30));
    // Some terms are parts of the text, some of them in another case.
    const auto source = [&] {
      std::string made;
      if (random() % 3 != 0) {
        const size_t from = random() % text.size();
        made = text.substr(from, 1 + random() % 8);
        while (!made.empty() && FirstInvalidUtf8(made)) made.erase(0, 1);
        while (!made.empty() && FirstInvalidUtf8(made)) made.pop_back();
        if (random() % 2 == 0) made = FoldByUnicodeString(made);
      } else {
        made = make(1 + static_cast<int>(random() % 3));
      }
      return std::string(StripWhiteSpace(made));
    };
    Lists setup;
    setup.ignore_case = random() % 2 == 0;
    std::set<std::string> seen[2];
    for (int i = 0; i < 4; ++i) {
      std::string made = source();
      const bool usable = !made.empty() && !FirstInvalidUtf8(made);
      if (usable && i == 0) setup.do_not_translate.push_back(made);
      made = source();
      if (!made.empty() && !FirstInvalidUtf8(made) &&
          seen[0].insert(FoldByUnicodeString(made)).second) {
        setup.terms.push_back({made, absl::StrCat("r", i), random() % 2 == 0});
      }
      made = source();
      if (!made.empty() && !FirstInvalidUtf8(made) && seen[1].insert(made).second) {
        setup.glossary.push_back({made, absl::StrCat("g", i)});
      }
    }
    const TermMatcher matcher = Make(setup);
    const std::vector<TermOccurrence> expected = Search(setup, text);
    const std::vector<TermOccurrence> found = matcher.Find(text);
    ASSERT_EQ(found.size(), expected.size()) << text;
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].range, expected[i].range) << text;
      ASSERT_EQ(found[i].kind, expected[i].kind) << text;
      ASSERT_EQ(found[i].target, expected[i].target) << text;
      ASSERT_EQ(found[i].index, expected[i].index) << text;
    }
    matches += static_cast<int>(found.size());
  }
  EXPECT_GT(matches, 4000);  // the random terms match often enough
}

// Folding keeps the position of every character of Unicode.
TEST(TermText, MapsEveryCharacter) {
  std::string text;
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    icu::UnicodeString(static_cast<UChar32>(c)).toUTF8String(text);
  }
  const TermText made(text);
  EXPECT_EQ(made.folded(), FoldCase(text));
  const auto characters = made.characters();
  ASSERT_EQ(static_cast<int64_t>(characters.size()), CountCodePoints(text) + 1);
  for (size_t i = 0; i + 1 < characters.size(); ++i) {
    const auto& a = characters[i];
    const auto& b = characters[i + 1];
    const TextRange source{a.begin, b.begin};
    const TextRange folded{a.folded_begin, b.folded_begin};
    ASSERT_EQ(CountCodePoints(source.In(text)), 1);
    ASSERT_EQ(folded.In(made.folded()), FoldByUnicodeString(source.In(text)));
    ASSERT_EQ(made.CharacterAt(static_cast<size_t>(a.folded_begin)), static_cast<int32_t>(i));
  }
}

}  // namespace
}  // namespace dragoman::engine

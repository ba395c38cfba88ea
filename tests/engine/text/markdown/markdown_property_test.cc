// Random Markdown with random translations: whatever the alignment, the rebuilt document has the
// blocks, addresses, code and images of the source, and the text of the translation.

#include <gtest/gtest.h>
#include <md4c.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/utf8.h"
#include "engine/text/html/html_entities.h"
#include "engine/text/markup/markup.h"
#include "engine/text/split/sentence_splitter.h"
#include "tests/engine/text/markup/markup_script.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

// Holds what md4c reads in a document.
struct Reading {
  std::string blocks;
  std::set<std::string> kept;  // addresses of links and images, code spans, HTML
  std::string text;            // outside images
  int images = 0;              // nesting depth of images
};

Reading Read(std::string_view markdown) {
  Reading reading;
  MD_PARSER parser = {};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
  parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
    absl::StrAppend(&static_cast<Reading*>(self)->blocks, "(", static_cast<int>(type));
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
    static_cast<Reading*>(self)->blocks += ")";
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    auto& kept = static_cast<Reading*>(self)->kept;
    if (type == MD_SPAN_IMG) ++static_cast<Reading*>(self)->images;
    const auto add = [&](const MD_ATTRIBUTE& address) {
      kept.insert(absl::StrCat(static_cast<int>(type), std::string(address.text, address.size)));
    };
    if (type == MD_SPAN_A) add(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    if (type == MD_SPAN_IMG) add(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
    if (type == MD_SPAN_IMG) --static_cast<Reading*>(self)->images;
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* bytes, MD_SIZE size, void* self) {
    auto& read = *static_cast<Reading*>(self);
    const std::string_view text(bytes, size);
    if (type == MD_TEXT_CODE || type == MD_TEXT_HTML) read.kept.insert(std::string(text));
    if (read.images > 0) return 0;
    if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) read.text += ' ';
    if (type == MD_TEXT_NORMAL) read.text += text;
    if (type == MD_TEXT_ENTITY) read.text += ReadCharacterReference(text).text;
    return 0;
  };
  md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &reading);
  return reading;
}

// Returns the characters sorted by code point, without white space.
std::string SortedCharacters(std::string_view text) {
  std::vector<char32_t> characters;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = NextCodePoint(text, at);
    if (!IsWhiteSpace(c)) characters.push_back(c);
  }
  std::sort(characters.begin(), characters.end());
  std::string sorted;
  for (const char32_t c : characters) AppendUtf8(c, sorted);
  return sorted;
}

class RandomMarkdown {
 public:
  explicit RandomMarkdown(std::mt19937& random) : random_(random) {}

  std::string Document() {
    std::string document;
    for (int blocks = 1 + Number(4); blocks > 0; --blocks) document += Block("") + "\n";
    return document;
  }

  int Number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  std::string OneOf(const std::vector<std::string>& texts) {
    return texts[static_cast<size_t>(Number(static_cast<int>(texts.size())))];
  }

  std::string Word() {
    return OneOf({"a",      "bc",    "Def", "it's", "x_y", "ü",   "日本", "1.",
                  "2)",     "-",     "#",   "3*4",  "C#",  "(e)", "end.", "why?",
                  "\"so\"", "&amp;", "\\*", "\\_z", "&",   "<",   "[f]",  "g:"});
  }

  std::string Text(int depth) {
    std::string text;
    for (int words = 1 + Number(4); words > 0; --words) {
      if (!text.empty()) text += ' ';
      text += depth > 0 && Number(3) == 0 ? Inline(depth - 1) : Word();
    }
    return text;
  }

 private:
  std::string Inline(int depth) {
    switch (Number(9)) {
      case 0:
        return absl::StrCat("**", "b", Text(depth), "b**");
      case 1:
        return absl::StrCat("*", "i", Text(depth), "i*");
      case 2:
        return absl::StrCat("_", "u", Text(depth), "u_");
      case 3:
        return absl::StrCat("[", "l", Text(0), "](https://h.i/", Number(9), ")");
      case 4:
        return absl::StrCat("`k", Number(9), "*`");
      case 5:
        return absl::StrCat("![p", Number(9), "](q", Number(9), ".png)");
      case 6:
        return absl::StrCat("<b>", Text(depth), "</b>");
      case 7:
        return absl::StrCat("**`m", Number(9), "`**");
      default:
        return absl::StrCat("~~", "d", Text(depth), "d~~");
    }
  }

  std::string Block(const std::string& indent) {
    const std::string text = "t " + Text(2);
    switch (Number(7)) {
      case 0:
        return absl::StrCat("## ", text, "\n");
      case 1:
        return absl::StrCat("- ", text, "\n", indent, "- ", "w ", Text(2), "\n");
      case 2:
        return absl::StrCat("1. ", text, "\n\n", indent, "2. w ", Text(2), "\n");
      case 3:
        return absl::StrCat("> ", text, "\n> v ", Text(1), "\n");
      case 4:
        return absl::StrCat("| ", text, " | n |\n|---|---|\n| r | s ", Text(1), " |\n");
      case 5:
        return absl::StrCat("```\n", "code *x*", Number(9), "\n```\n");
      default:
        return absl::StrCat(text, "\nn ", Text(1), Number(2) == 0 ? "  \n" : "\n", "o ", Text(1),
                            "\n");
    }
  }

  std::mt19937& random_;
};

// Returns a random translation: words of the text and other words in random order, some without a
// space before them, aligned with random tokens.
MarkupSegment RandomSegment(const std::string& text, RandomMarkdown& random) {
  MarkupSegment segment;
  segment.source = {0, static_cast<int64_t>(text.size())};
  std::vector<TextRange> tokens = SourceTokens(text);
  for (int words = 1 + random.Number(8); words > 0; --words) {
    const auto begin = static_cast<int64_t>(segment.target.size());
    if (begin > 0 && random.Number(4) > 0) segment.target += ' ';
    segment.target += random.OneOf({"A",  "Wort", "日", "本。", "（",  "x.",    "1.", "-",      "#",
                                    "*",  "_y",   "z_", "`",    "<b>", "&amp;", "]",  "[v](w)", "|",
                                    "\\", "~~",   "!",  "+",    ">",   "=",     "--", "e)"});
    std::optional<TextRange> source;
    if (!tokens.empty() && random.Number(8) > 0) {
      source = tokens[static_cast<size_t>(random.Number(static_cast<int>(tokens.size())))];
    }
    segment.tokens.push_back({{begin, static_cast<int64_t>(segment.target.size())}, source});
  }
  return segment;
}

TEST(MarkdownProperty, ARebuiltDocumentReadsAsItsSource) {
  std::mt19937 engine(7);
  RandomMarkdown random(engine);
  int runs = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string markdown = random.Document();
    SCOPED_TRACE(markdown);
    const auto document = ExpectOk(MarkupDocument::Parse(markdown, TextFormat::kMarkdown));
    std::vector<std::vector<MarkupSegment>> segments;
    std::string targets;
    for (int64_t run = 0; run < document->runs(); ++run) {
      segments.push_back({RandomSegment(document->text(run), random)});
      targets += segments.back()[0].target;
      ++runs;
    }
    const std::string rebuilt = document->Rebuild(segments, true).document;
    SCOPED_TRACE(rebuilt);
    const Reading before = Read(markdown);
    const Reading after = Read(rebuilt);
    ASSERT_EQ(after.blocks, before.blocks);
    ASSERT_EQ(after.kept, before.kept);
    ASSERT_EQ(SortedCharacters(after.text), SortedCharacters(targets));
  }
  EXPECT_GT(runs, 8000);
}

// A call reserves queue capacity for MostPieces pieces, so a document must not have more.
TEST(MarkdownProperty, HasAtMostAsManyPiecesAsAreReserved) {
  const auto splitter = ExpectOk(SentenceSplitter::Create("en"));
  std::mt19937 engine(9);
  RandomMarkdown random(engine);
  for (int i = 0; i < 2000; ++i) {
    const std::string markdown = random.Document();
    const auto document = ExpectOk(MarkupDocument::Parse(markdown, TextFormat::kMarkdown));
    int64_t pieces = 0;
    for (int64_t run = 0; run < document->runs(); ++run) {
      pieces += static_cast<int64_t>(
          (*splitter)->Split(document->text(run), Segmentation::kSentences).size());
    }
    ASSERT_LE(pieces, MostPieces(markdown, TextFormat::kMarkdown)) << markdown;
  }
}

TEST(MarkdownProperty, ATextThatStaysGivesTheSameReading) {
  std::mt19937 engine(8);
  RandomMarkdown random(engine);
  for (int i = 0; i < 4000; ++i) {
    const std::string markdown = random.Document();
    SCOPED_TRACE(markdown);
    const auto document = ExpectOk(
        MarkupDocument::Parse(markdown, TextFormat::kMarkdown, /*code_is_text=*/i % 2 == 0));
    const std::string rebuilt = RebuiltByScript(*document, {"="});
    SCOPED_TRACE(rebuilt);
    const Reading before = Read(markdown);
    const Reading after = Read(rebuilt);
    ASSERT_EQ(after.blocks, before.blocks);
    ASSERT_EQ(after.kept, before.kept);
    ASSERT_EQ(SplitWhiteSpace(after.text), SplitWhiteSpace(before.text));
  }
}

}  // namespace
}  // namespace dragoman::engine

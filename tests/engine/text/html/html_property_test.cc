// Checks properties that hold for random HTML with random translations.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/utf8.h"
#include "engine/text/markup/markup.h"
#include "tests/engine/text/markup/markup_script.h"

namespace dragoman::engine {
namespace {

// A tag, word or white space of HTML that the generators below make. Attributes have no '>'.
struct Part {
  enum class Kind { kStart, kEnd, kVoid, kWord };
  Kind kind = Kind::kWord;
  std::string name;   // of tags
  std::string bytes;  // of a tag: unique, since tags have different ids
};

const std::set<std::string>& Blocks() {
  static const std::set<std::string> blocks = {"div", "p", "li", "td"};
  return blocks;
}

bool IsBlock(const Part& part) { return Blocks().contains(part.name) || part.name == "br"; }

std::vector<Part> PartsOf(const std::string& html) {
  std::vector<Part> parts;
  for (size_t at = 0; at < html.size();) {
    if (html[at] == ' ') {
      ++at;
      continue;
    }
    if (html[at] != '<') {
      const size_t end = std::min(html.find_first_of(" <", at), html.size());
      parts.push_back({Part::Kind::kWord, "", html.substr(at, end - at)});
      at = end;
      continue;
    }
    const size_t end = html.find('>', at) + 1;
    Part part;
    part.bytes = html.substr(at, end - at);
    const bool is_end = html[at + 1] == '/';
    const size_t name = at + (is_end ? 2 : 1);
    part.name = html.substr(name, html.find_first_of(" >", name) - name);
    const bool is_void = part.name == "img" || part.name == "br" || part.name[0] == '!';
    part.kind = is_end ? Part::Kind::kEnd : is_void ? Part::Kind::kVoid : Part::Kind::kStart;
    parts.push_back(std::move(part));
    at = end;
  }
  return parts;
}

int Below(std::mt19937& random, int bound) {
  return static_cast<int>(random() % static_cast<unsigned>(bound));
}

// --- documents whose tags nest ---

class NestedHtml {
 public:
  explicit NestedHtml(std::mt19937& random) : random_(random) { Content(0, true); }

  const std::string& html() const { return html_; }

 private:
  void Content(int depth, bool blocks_allowed) {
    const int parts = Below(random_, 6);
    for (int i = 0; i < parts; ++i) {
      switch (Below(random_, depth < 5 ? 7 : 3)) {
        case 0:
        case 1:
          Space();
          absl::StrAppend(&html_, "w", ++id_);
          html_ += ' ';
          break;
        case 2: {
          Space();
          const char* const voids[] = {"<img id=", "<!--", "<br id="};
          const int which = Below(random_, blocks_allowed ? 3 : 2);
          absl::StrAppend(&html_, voids[which], ++id_, which == 1 ? "-->" : ">");
          Space();
          break;
        }
        case 3:
        case 4:
        case 5: {
          const char* const names[] = {"b", "i", "a"};
          Element(names[Below(random_, 3)], depth, blocks_allowed);
          break;
        }
        default:
          if (blocks_allowed) Element(Below(random_, 2) == 0 ? "div" : "p", depth, true);
      }
    }
  }

  void Element(const char* name, int depth, bool blocks_allowed) {
    absl::StrAppend(&html_, "<", name, " id=", ++id_, ">");
    const bool is_block = Blocks().contains(name);
    Content(depth + 1, blocks_allowed && (is_block || Below(random_, 4) == 0));
    absl::StrAppend(&html_, "</", name, ">");
  }

  void Space() {
    if (Below(random_, 2) == 0 && !html_.ends_with(' ')) html_ += ' ';
  }

  std::mt19937& random_;
  std::string html_;
  int id_ = 0;
};

// The words and void elements of a rebuilt document.
struct Reading {
  struct Word {
    std::string text;
    std::vector<std::string> stack;  // start tags of the inline elements around it
    int run = 0;
  };
  struct Void {
    std::string bytes;
    std::vector<std::string> stack;
    int run = 0;
    size_t next_word = 0;  // number of words before it
  };
  std::vector<Word> words;
  std::vector<Void> voids;
  std::map<std::string, int> tags;      // number of occurrences of each start tag, void and end tag
  std::vector<std::string> blocks;      // block tags in order
  std::set<std::string> around_blocks;  // inline start tags with a block tag inside
  std::map<std::string, size_t> first_word;  // number of words before each inline start tag
};

// Fails the test if the tags do not nest. Only runs with words are counted.
Reading Read(const std::string& html) {
  Reading reading;
  std::vector<Part> open;
  std::vector<std::string> stack;
  int block = 0;
  for (const Part& part : PartsOf(html)) {
    if (part.kind != Part::Kind::kWord) ++reading.tags[part.bytes];
    if (IsBlock(part)) {
      ++block;
      reading.blocks.push_back(part.bytes);
      reading.around_blocks.insert(stack.begin(), stack.end());
    }
    switch (part.kind) {
      case Part::Kind::kStart:
        open.push_back(part);
        if (!IsBlock(part)) {
          stack.push_back(part.bytes);
          reading.first_word.emplace(part.bytes, reading.words.size());
        }
        break;
      case Part::Kind::kEnd:
        if (open.empty() || open.back().name != part.name) {
          ADD_FAILURE() << part.bytes << " closes nothing in " << html;
          return reading;
        }
        if (!IsBlock(part)) stack.pop_back();
        open.pop_back();
        break;
      case Part::Kind::kVoid:
        if (!IsBlock(part)) {
          reading.voids.push_back({part.bytes, stack, block, reading.words.size()});
        }
        break;
      case Part::Kind::kWord:
        reading.words.push_back({part.bytes, stack, block});
        break;
    }
  }
  EXPECT_TRUE(open.empty()) << open.back().bytes << " is not closed in " << html;
  return reading;
}

// Returns a random translation of a run. It has words of the source in capitals, in any order, some
// omitted and some repeated, and words that are aligned with no source.
MarkupSegment RandomSegment(const std::string& text, std::mt19937& random) {
  MarkupSegment segment;
  segment.source = {0, static_cast<int64_t>(text.size())};
  std::vector<TextRange> tokens = SourceTokens(text);
  if (Below(random, 3) != 0) std::shuffle(tokens.begin(), tokens.end(), random);
  const auto add = [&](const std::string& word, std::optional<TextRange> source) {
    const auto begin = static_cast<int64_t>(segment.target.size());
    if (begin > 0) segment.target += ' ';
    segment.target += word;
    segment.tokens.push_back({{begin, static_cast<int64_t>(segment.target.size())}, source});
  };
  for (const TextRange& token : tokens) {
    const std::string word = absl::AsciiStrToUpper(std::string(StripWhiteSpace(token.In(text))));
    const int copies = Below(random, 5) == 0 ? Below(random, 3) : 1;
    for (int i = 0; i < copies; ++i) add(word, token);
    if (Below(random, 8) == 0) add("X", std::nullopt);
  }
  return segment;
}

std::vector<std::string> Common(const std::vector<std::string>& a,
                                const std::vector<std::string>& b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return {a.begin(), ends.first};
}

TEST(HtmlProperty, IdentityGivesTheDocument) {
  std::mt19937 random(21);
  for (int round = 0; round < 3000; ++round) {
    const std::string html = NestedHtml(random).html();
    const auto document = MarkupDocument::Parse(html, TextFormat::kHtml);
    ASSERT_TRUE(document.ok());
    const std::string rebuilt = RebuiltByScript(*document, {"="});
    // White space inside a run becomes a single space, whether a tag is next to it or not.
    const std::vector<Part> before = PartsOf(html);
    const std::vector<Part> after = PartsOf(rebuilt);
    ASSERT_EQ(before.size(), after.size()) << html << "\n" << rebuilt;
    for (size_t i = 0; i < before.size(); ++i) ASSERT_EQ(before[i].bytes, after[i].bytes) << html;
    std::vector<std::string> texts;
    for (int64_t run = 0; run < document->runs(); ++run) texts.push_back(document->text(run));
    const auto again = MarkupDocument::Parse(rebuilt, TextFormat::kHtml);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->runs(), document->runs());
    for (int64_t run = 0; run < again->runs(); ++run) {
      ASSERT_EQ(again->text(run), texts[static_cast<size_t>(run)]) << html << "\n" << rebuilt;
    }
  }
}

TEST(HtmlProperty, EveryWordHasItsElements) {
  std::mt19937 random(22);
  int moved_voids = 0;
  int repeated = 0;
  for (int round = 0; round < 6000 && !::testing::Test::HasFailure(); ++round) {
    const std::string html = NestedHtml(random).html();
    const auto document = MarkupDocument::Parse(html, TextFormat::kHtml);
    ASSERT_TRUE(document.ok());
    std::vector<std::vector<MarkupSegment>> segments;
    for (int64_t run = 0; run < document->runs(); ++run) {
      segments.push_back({RandomSegment(document->text(run), random)});
    }
    const std::string rebuilt = document->Rebuild(segments, true).document;
    SCOPED_TRACE(absl::StrCat(html, "\n", rebuilt));
    const Reading source = Read(html);
    const Reading target = Read(rebuilt);

    // The rebuilt document has every tag of the source and no other. Blocks and voids occur once.
    ASSERT_EQ(source.blocks, target.blocks);
    for (const auto& [tag, count] : source.tags) {
      ASSERT_TRUE(target.tags.contains(tag)) << tag;
      if (source.first_word.contains(tag)) repeated += target.tags.at(tag) - 1;
    }
    for (const auto& [tag, count] : target.tags) ASSERT_TRUE(source.tags.contains(tag)) << tag;
    for (const Reading::Void& v : source.voids) ASSERT_EQ(target.tags.at(v.bytes), 1) << v.bytes;

    // The words are those of the translation. Each is in the elements of its source word.
    std::map<std::string, const Reading::Word*> source_words;
    std::map<std::string, size_t> source_numbers;
    for (size_t i = 0; i < source.words.size(); ++i) {
      const std::string word = absl::AsciiStrToUpper(source.words[i].text);
      source_words[word] = &source.words[i];
      source_numbers[word] = i;
    }
    std::string expected;
    for (const auto& run : segments) absl::StrAppend(&expected, run[0].target, " ");
    std::string found;
    for (const Reading::Word& word : target.words) absl::StrAppend(&found, word.text, " ");
    std::string squeezed;
    for (const char c : expected) {
      if (c != ' ' || !(squeezed.empty() || squeezed.ends_with(' '))) squeezed += c;
    }
    ASSERT_EQ(found, squeezed);
    for (size_t i = 0; i < target.words.size(); ++i) {
      const Reading::Word& word = target.words[i];
      if (word.text != "X") {
        ASSERT_EQ(word.stack, source_words.at(word.text)->stack) << word.text;
        ASSERT_EQ(word.run, source_words.at(word.text)->run) << word.text;
      } else if (i > 0 && i + 1 < target.words.size() && target.words[i - 1].run == word.run &&
                 target.words[i + 1].run == word.run && target.words[i + 1].text != "X") {
        ASSERT_EQ(word.stack, Common(target.words[i - 1].stack, target.words[i + 1].stack));
      }
    }

    // A void goes before the first word whose source is at or after the void's place. If it is
    // inside an element without words, it goes where that element goes.
    for (const Reading::Void& v : target.voids) {
      const auto in_source =
          std::find_if(source.voids.begin(), source.voids.end(),
                       [&](const Reading::Void& other) { return other.bytes == v.bytes; });
      ASSERT_EQ(v.run, in_source->run);
      size_t place = in_source->next_word;
      for (const std::string& element : in_source->stack) {
        const bool has_words =
            std::any_of(target.words.begin(), target.words.end(), [&](const Reading::Word& word) {
              return word.run == v.run && word.text != "X" &&
                     std::count(word.stack.begin(), word.stack.end(), element) > 0;
            });
        if (!has_words && !source.around_blocks.contains(element)) {
          place = source.first_word.at(element);
          break;
        }
      }
      size_t first = 0;  // the first word of the run
      while (first < target.words.size() && target.words[first].run < v.run) ++first;
      size_t word = first;
      while (
          word < target.words.size() && target.words[word].run == v.run &&
          (target.words[word].text == "X" || source_numbers.at(target.words[word].text) < place)) {
        ++word;
      }
      // Voids that precede all text may stay first, even before an unaligned word X.
      const bool is_before_all =
          std::none_of(source.words.begin(), source.words.end(), [&](const Reading::Word& w) {
            return w.run == v.run && source_numbers.at(absl::AsciiStrToUpper(w.text)) < place;
          });
      if (!(is_before_all && v.next_word == first)) {
        ASSERT_EQ(v.next_word, word) << v.bytes;
      }
      if (v.next_word != in_source->next_word) ++moved_voids;
    }
  }
  EXPECT_GT(moved_voids, 500);  // the test moved enough voids to be meaningful
  EXPECT_GT(repeated, 1000);
}

// --- tags as they come ---

TEST(HtmlProperty, BrokenTagsAreClosedAndNest) {
  std::mt19937 random(23);
  const char* const names[] = {"b", "i", "a", "b", "i", "p", "div", "br", "img"};
  int strays = 0;
  for (int round = 0; round < 6000 && !::testing::Test::HasFailure(); ++round) {
    std::string html;
    int id = 0;
    const int size = Below(random, 25);
    for (int i = 0; i < size; ++i) {
      const char* const name = names[Below(random, 9)];
      switch (Below(random, 4)) {
        case 0:
          absl::StrAppend(&html, "<", name, " id=", ++id, ">");
          break;
        case 1:
          absl::StrAppend(&html, "</", name, " id=", ++id, ">");
          break;
        default:
          absl::StrAppend(&html, " w", ++id, " ");
      }
    }
    const auto document = MarkupDocument::Parse(html, TextFormat::kHtml);
    ASSERT_TRUE(document.ok());
    std::vector<std::vector<MarkupSegment>> segments;
    std::string expected;
    for (int64_t run = 0; run < document->runs(); ++run) {
      segments.push_back({RandomSegment(document->text(run), random)});
      absl::StrAppend(&expected, segments.back()[0].target, " ");
    }
    const std::string rebuilt = document->Rebuild(segments, true).document;
    SCOPED_TRACE(absl::StrCat(html, "\n", rebuilt));

    // Inline elements nest. An end tag without a start tag is inside no element of its name.
    std::vector<std::string> open;
    std::map<std::string, int> tags;
    std::string found;
    for (const Part& part : PartsOf(rebuilt)) {
      if (part.kind == Part::Kind::kWord) absl::StrAppend(&found, part.bytes, " ");
      if (part.kind != Part::Kind::kWord) ++tags[part.bytes];
      if (IsBlock(part)) continue;
      if (part.kind == Part::Kind::kStart) open.push_back(part.name);
      if (part.kind != Part::Kind::kEnd || part.name == "img") continue;
      if (!open.empty() && open.back() == part.name) {
        open.pop_back();
      } else {
        ASSERT_EQ(std::count(open.begin(), open.end(), part.name), 0) << part.bytes;
        ++strays;
      }
    }
    ASSERT_TRUE(open.empty());
    for (const Part& part : PartsOf(html)) {
      if (part.kind == Part::Kind::kWord) continue;
      ASSERT_TRUE(tags.contains(part.bytes)) << part.bytes << " is lost";
      if (IsBlock(part) || part.kind == Part::Kind::kVoid) {
        ASSERT_EQ(tags.at(part.bytes), 1) << part.bytes;
      }
    }
    std::string squeezed;
    for (const char c : expected) {
      if (c != ' ' || !(squeezed.empty() || squeezed.ends_with(' '))) squeezed += c;
    }
    ASSERT_EQ(found, squeezed);
  }
  EXPECT_GT(strays, 1000);
}

// --- anything ---

// Removes white space, because the first rebuild may move white space at the end of an element.
std::string WithoutSpace(std::string_view text) {
  std::string without;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!IsWhiteSpace(NextCodePoint(text, at))) without += text.substr(here, at - here);
  }
  return without;
}

TEST(HtmlProperty, AnyTextIsHtml) {
  std::mt19937 random(24);
  std::vector<std::string> parts = absl::StrSplit(
      "< > / </ <!-- --> ' \" = & ; &amp; &# \n \f a B é 漢 。 ! <b> </b> <i_x=1> </i> <p> </p> "
      "<div> "
      "</div> <br> <img> <a/> <script> </script> <title> </title> <pre> </pre> <code> </code> "
      "<svg> "
      "</svg> <p_translate=no> <b_class=notranslate> <textarea> </textarea> <![CDATA[ ]]> <li> "
      "</li> "
      "\u0301 😀",
      ' ');
  for (std::string& part : parts) std::replace(part.begin(), part.end(), '_', ' ');
  parts.insert(parts.end(), {" ", std::string(1, '\0')});
  int mended = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string html;
    const int size = Below(random, 30);
    for (int i = 0; i < size; ++i) {
      html += parts[static_cast<size_t>(Below(random, static_cast<int>(parts.size())))];
    }
    const auto document = MarkupDocument::Parse(html, TextFormat::kHtml, round % 2 == 0);
    ASSERT_TRUE(document.ok());
    for (int64_t run = 0; run < document->runs(); ++run) {
      const std::string& text = document->text(run);
      ASSERT_FALSE(text.empty());
      ASSERT_EQ(StripWhiteSpace(text), text) << html;
      ASSERT_FALSE(FirstInvalidUtf8(text));
      const TextRange all = document->InDocument(run, {0, static_cast<int64_t>(text.size())});
      ASSERT_LT(all.begin, all.end);
      ASSERT_LE(all.end, static_cast<int64_t>(html.size()));
    }
    const std::string rebuilt = RebuiltByScript(*document, {"="});
    ASSERT_FALSE(FirstInvalidUtf8(rebuilt));
    ASSERT_FALSE(FirstInvalidUtf8(RebuiltByScript(*document, {"~"})));
    ASSERT_FALSE(FirstInvalidUtf8(RebuiltByScript(*document, {""})));
    // A rebuilt document is well formed, so a second rebuild must have the same texts. Documents
    // with opaque elements are skipped, because an added end tag may change the content of a broken
    // one.
    bool has_opaque = false;
    for (const char* opaque : {"<pre", "<code", "<svg", "=no", "<textarea", "<script"}) {
      has_opaque = has_opaque || html.find(opaque) != std::string::npos;
    }
    if (has_opaque) continue;
    const auto again = MarkupDocument::Parse(rebuilt, TextFormat::kHtml);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->runs(), document->runs()) << html << "\n" << rebuilt;
    for (int64_t run = 0; run < again->runs(); ++run) {
      ASSERT_EQ(again->text(run), document->text(run)) << html << "\n" << rebuilt;
    }
    ASSERT_EQ(WithoutSpace(RebuiltByScript(*again, {"="})), WithoutSpace(rebuilt)) << html;
    ++mended;
  }
  EXPECT_GT(mended, 5000);
}

}  // namespace
}  // namespace dragoman::engine

#include "tests/engine/text/markup/markup_script.h"

#include <gtest/gtest.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "absl/strings/ascii.h"
#include "engine/base/utf8.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

// Adds a word with a token aligned to `source` to the translation.
void AddWord(std::string_view word, bool space, std::optional<TextRange> source,
             MarkupSegment& segment) {
  const auto begin = static_cast<int64_t>(segment.target.size());
  if (space && begin > 0) segment.target += ' ';
  segment.target += word;
  segment.tokens.push_back({{begin, static_cast<int64_t>(segment.target.size())}, source});
}

}  // namespace

std::vector<TextRange> SourceTokens(std::string_view text) {
  std::vector<TextRange> tokens;
  size_t begin = 0;
  bool in_word = false;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    const char32_t c = NextCodePoint(text, at);
    const bool is_space = IsWhiteSpace(c);
    const bool is_mark = u_ispunct(static_cast<UChar32>(c)) != 0;
    if (in_word && (is_space || is_mark)) {
      tokens.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(here)});
      begin = here;
    }
    in_word = !is_space && !is_mark;
    if (is_mark) {
      tokens.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(at)});
      begin = at;
    }
  }
  if (in_word) {
    tokens.push_back({static_cast<int64_t>(begin), static_cast<int64_t>(text.size())});
  }
  return tokens;
}

MarkupSegment ScriptedSegment(const std::string& text, std::string_view script) {
  MarkupSegment segment;
  segment.source = {0, static_cast<int64_t>(text.size())};
  std::vector<TextRange> tokens = SourceTokens(text);
  if (script == "=") {
    segment.target = text;
    for (const TextRange& token : tokens) segment.tokens.push_back({token, token});
    return segment;
  }
  if (script == "~") {
    std::reverse(tokens.begin(), tokens.end());
    for (const TextRange& token : tokens) {
      std::string word(StripWhiteSpace(token.In(text)));
      for (char& c : word) c = absl::ascii_toupper(static_cast<unsigned char>(c));
      AddWord(word, true, token, segment);
    }
    return segment;
  }
  for (size_t at = 0; at < script.size();) {
    const size_t end = std::min(script.find(' ', at), script.size());
    std::string_view word = script.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const bool space = word[0] != '_';
    if (!space) word.remove_prefix(1);
    const size_t mark = word.rfind('@');
    const std::string number(word.substr(mark + 1));
    std::optional<TextRange> source;
    if (number != "-") source = tokens.at(static_cast<size_t>(std::atoi(number.c_str())));
    AddWord(word.substr(0, mark), space, source, segment);
  }
  return segment;
}

std::string RebuiltByScript(const MarkupDocument& document,
                            const std::vector<std::string>& scripts) {
  std::vector<std::vector<MarkupSegment>> segments;
  for (int64_t run = 0; run < document.runs(); ++run) {
    const size_t script = std::min(static_cast<size_t>(run), scripts.size() - 1);
    segments.push_back({ScriptedSegment(document.text(run), scripts[script])});
  }
  return document.Rebuild(segments, true).document;
}

void CheckMarkupCases(const std::vector<MarkupCase>& cases, TextFormat format) {
  std::set<std::string> seen;
  for (const MarkupCase& c : cases) {
    SCOPED_TRACE(std::string(c.what) + ": " + c.document);
    EXPECT_TRUE(seen.insert(c.what).second) << "two cases of one name";
    const auto document = ExpectOk(MarkupDocument::Parse(c.document, format));
    std::vector<std::string> texts;
    for (int64_t run = 0; run < document->runs(); ++run) texts.push_back(document->text(run));
    EXPECT_EQ(texts, c.texts);
    EXPECT_EQ(RebuiltByScript(*document, c.scripts), c.rebuilt);
  }
}

}  // namespace dragoman::engine

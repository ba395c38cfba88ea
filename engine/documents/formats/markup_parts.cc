// HTML and Markdown, in parts of some paragraphs.
#include <md4c.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/escapes.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"
#include "engine/text/html/html_pairs.h"
#include "engine/text/html/html_tokenizer.h"
#include "engine/text/markup/markup_structure.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// A part ends at the first place for a cut after this many bytes.
constexpr size_t kPartBytes = 3'000;

// Returns the places in order where HTML may be cut: before a block's start tag outside all inline
// elements.
std::vector<size_t> HtmlCuts(string_view html) {
  const MarkupStructure structure = PairHtmlTags(html, TokenizeHtml(html), false);
  std::vector<size_t> cuts;
  int32_t inside = 0;  // the index of the node behind all elements that have begun
  size_t element = 0;
  for (size_t i = 0; i < structure.nodes.size(); ++i) {
    const MarkupNode& node = structure.nodes[i];
    const auto index = static_cast<int32_t>(i);
    for (; element < structure.elements.size() && structure.elements[element].begin <= index;
         ++element) {
      inside = std::max(inside, structure.elements[element].end);
    }
    const string_view bytes = node.range.In(html);
    if (node.kind == MarkupNode::Kind::kBlock && inside <= index && bytes.starts_with('<') &&
        !bytes.starts_with("</")) {
      cuts.push_back(static_cast<size_t>(node.range.begin));
    }
  }
  return cuts;
}

// Finds where Markdown may be cut: before a paragraph or heading that is in no list, quote or
// table, if a blank line is before it. A parser reads both sides as it reads the document.
class MarkdownCuts {
 public:
  explicit MarkdownCuts(string_view markdown) : markdown_(markdown) {}

  std::vector<size_t> Find() {
    MD_PARSER parser = {};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<MarkdownCuts*>(self)->Enter(type);
    };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
      --static_cast<MarkdownCuts*>(self)->depth_;
      return 0;
    };
    parser.enter_span = [](MD_SPANTYPE, void*, void*) { return 0; };
    parser.leave_span = [](MD_SPANTYPE, void*, void*) { return 0; };
    parser.text = [](MD_TEXTTYPE, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<MarkdownCuts*>(self)->Text({text, size});
    };
    md_parse(markdown_.data(), static_cast<MD_SIZE>(markdown_.size()), &parser, this);
    return std::move(cuts_);
  }

 private:
  int Enter(MD_BLOCKTYPE type) {
    // The document itself is a block.
    begins_ = depth_ == 1 && (type == MD_BLOCK_P || type == MD_BLOCK_H);
    ++depth_;
    return 0;
  }

  int Text(string_view text) {
    // md4c's own texts, such as a line end, are not in the document.
    const bool is_inside =
        text.data() >= markdown_.data() && text.data() < markdown_.data() + markdown_.size();
    if (!begins_ || !is_inside) return 0;
    begins_ = false;
    const auto at = static_cast<size_t>(text.data() - markdown_.data());
    const size_t line_end = markdown_.rfind('\n', at);
    if (line_end == string_view::npos || line_end == 0) return 0;
    const size_t before = markdown_.rfind('\n', line_end - 1);
    const size_t blank = before == string_view::npos ? 0 : before + 1;
    if (StripWhiteSpace(markdown_.substr(blank, line_end - blank)).empty()) {
      cuts_.push_back(line_end + 1);
    }
    return 0;
  }

  const string_view markdown_;
  int depth_ = 0;
  bool begins_ = false;
  std::vector<size_t> cuts_;
};

// Returns the lines that define labels of links ("[label]: address"), each with a line feed.
std::string Definitions(string_view markdown) {
  std::string definitions;
  for (const string_view line : SplitAt(markdown, '\n')) {
    const size_t open = line.find_first_not_of(' ');
    if (open == string_view::npos || open > 3 || line[open] != '[') continue;
    if (line.substr(open).starts_with("[^")) continue;
    const size_t close = line.find("]:", open);
    if (close == string_view::npos || StripWhiteSpace(line.substr(close + 2)).empty()) continue;
    definitions += Concat(line, "\n");
  }
  return definitions;
}

class MarkupParts final : public SplicedDocument {
 public:
  MarkupParts(std::string bytes, TextFormat format)
      : SplicedDocument(std::move(bytes)), format_(format) {}

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    const string_view all = bytes();
    size_t begin = ByteOrderMarkSize(all);
    std::vector<size_t> cuts;
    if (all.size() - begin > kPartBytes) {
      cuts = format_ == TextFormat::kHtml ? HtmlCuts(all) : MarkdownCuts(all).Find();
      const std::string definitions =
          format_ == TextFormat::kMarkdown ? Definitions(all) : std::string();
      if (!definitions.empty()) end_ = Concat("\n\n", definitions);
    }
    cuts.push_back(all.size());
    for (const size_t cut : cuts) {
      if (cut != all.size() && (cut <= begin || cut - begin < kPartBytes)) continue;
      const string_view part = all.substr(begin, cut - begin);
      if (!StripWhiteSpace(part).empty()) {
        absl::Status added = Add(TextRange::Of(part, all), {Concat(part, end_), format_}, options);
        if (!added.ok()) return added;
      }
      begin = cut;
    }
    return absl::OkStatus();
  }

 private:
  std::string Encode(size_t, string_view translation) const override {
    // Definitions come back byte for byte.
    if (translation.ends_with(end_)) translation.remove_suffix(end_.size());
    return std::string(translation);
  }

  const TextFormat format_;
  std::string end_;  // of every part: the definitions of the document
};

ReadDocument Read(std::string bytes, TextFormat format, const DocumentOptions& options) {
  auto document = std::make_unique<MarkupParts>(std::move(bytes), format);
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace

ReadDocument ReadHtmlDocument(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), TextFormat::kHtml, options);
}

ReadDocument ReadMarkdownDocument(std::string bytes, const DocumentOptions& options) {
  return Read(std::move(bytes), TextFormat::kMarkdown, options);
}

}  // namespace dragoman::engine

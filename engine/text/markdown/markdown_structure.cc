#include "engine/text/markdown/markdown_structure.h"

#include <md4c.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "engine/text/markdown/markdown_leaf.h"
#include "engine/text/placeholders.h"

namespace dragoman::engine {
namespace {

// md4c's own URLs outside < > take quadratic time, so they are not asked for.
constexpr unsigned kDialect = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;

bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }
bool IsLineBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Returns the size of the front matter at the beginning: the lines from "---" to the next "---" or
// "...". Returns 0 if there is none.
size_t FrontMatterSize(std::string_view markdown) {
  const auto line_end = [&](size_t at) {
    return std::min(markdown.find('\n', at), markdown.size());
  };
  const auto line = [&](size_t begin) {
    std::string_view text = markdown.substr(begin, line_end(begin) - begin);
    while (!text.empty() && IsLineBlank(text.back())) text.remove_suffix(1);
    return text;
  };
  if (line(0) != "---") return 0;
  for (size_t at = line_end(0) + 1; at < markdown.size(); at = line_end(at) + 1) {
    const std::string_view found = line(at);
    if (found == "---" || found == "...") return std::min(line_end(at) + 1, markdown.size());
  }
  return 0;
}

// The document as md4c is to read it.
struct ParsedCopy {
  std::string text;
  // The positions of bytes of `text` that the document lacks, in order.
  std::vector<size_t> inserted;

  size_t InDocument(size_t at) const {
    return at - static_cast<size_t>(std::lower_bound(inserted.begin(), inserted.end(), at) -
                                    inserted.begin());
  }
};

// Reports whether the line may be the delimiter row of a table: "|:-|--:|".
bool MayDelimitColumns(std::string_view line) {
  return line.find('-') != std::string_view::npos && line.find('|') != std::string_view::npos &&
         line.find_first_not_of("|:- \t\r>") == std::string_view::npos;
}

// Puts letters in place of the marks of emphasis inside bare URLs. Makes the cells of delimiter
// rows as long as md4c expects.
ParsedCopy MakeParsedCopy(std::string_view markdown) {
  std::string masked(markdown);
  for (const TextRange& range : FindPlaceholders(markdown)) {
    const std::string_view text = range.In(markdown);
    if (!IsLetterOrDigit(text[0]) || text.find("://") == std::string_view::npos) continue;
    size_t end = text.size();
    while (end > 0 && !IsLetterOrDigit(text[end - 1])) --end;
    for (size_t i = 0; i < end; ++i) {
      char& c = masked[static_cast<size_t>(range.begin) + i];
      if (c == '*' || c == '_' || c == '~') c = 'x';
    }
  }
  ParsedCopy copy;
  for (size_t begin = 0; begin < masked.size();) {
    const size_t end = std::min(masked.find('\n', begin), masked.size() - 1) + 1;
    const std::string_view line = std::string_view(masked).substr(begin, end - begin);
    if (!MayDelimitColumns(line.substr(0, line.find('\n')))) {
      copy.text += line;
    } else {
      for (size_t i = 0; i < line.size(); ++i) {
        copy.text += line[i];
        const bool ends_dashes = line[i] == '-' && (i + 1 == line.size() || line[i + 1] != '-');
        for (int added = 0; ends_dashes && added < 2; ++added) {
          copy.inserted.push_back(copy.text.size());
          copy.text += '-';
        }
      }
    }
    begin = end;
  }
  return copy;
}

// Collects the events of md4c, leaf by leaf.
class Reader {
 public:
  // The document without front matter begins at `begin`.
  Reader(std::string_view markdown, size_t begin, bool code_is_text)
      : markdown_(markdown), begin_(begin), code_is_text_(code_is_text), from_(begin) {
    structure_.format = TextFormat::kMarkdown;
  }

  MarkupStructure Run() {
    parsed_ = MakeParsedCopy(markdown_.substr(begin_));
    MD_PARSER parser = {};
    parser.flags = kDialect;
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Reader*>(self)->OnBlock(type, true);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Reader*>(self)->OnBlock(type, false);
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Reader*>(self)->OnSpan(type, MarkdownEvent::Kind::kEnter);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Reader*>(self)->OnSpan(type, MarkdownEvent::Kind::kLeave);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Reader*>(self)->OnText(type, std::string_view(text, size));
    };
    if (markdown_.find("]:") != std::string_view::npos) structure_.marks = "[]";
    md_parse(parsed_.text.data(), static_cast<MD_SIZE>(parsed_.text.size()), &parser, this);
    if (done_ < markdown_.size()) {
      MarkupNode& rest = structure_.nodes.emplace_back();
      rest.kind = MarkupNode::Kind::kBlock;
      rest.range = {static_cast<int64_t>(done_), static_cast<int64_t>(markdown_.size())};
    }
    return std::move(structure_);
  }

 private:
  int OnBlock(MD_BLOCKTYPE type, bool begins) {
    EndLeaf();
    if (type == MD_BLOCK_TABLE && begins) structure_.marks += '|';
    if (type == MD_BLOCK_CODE || type == MD_BLOCK_HTML) is_verbatim_ = begins;
    return 0;
  }

  int OnSpan(MD_SPANTYPE type, MarkdownEvent::Kind kind) {
    events_.push_back({kind, type});
    return 0;
  }

  int OnText(MD_TEXTTYPE type, std::string_view text) {
    MarkdownEvent event;
    event.text = type;
    const std::string_view parsed = parsed_.text;
    const bool is_inside = !text.empty() && text.data() >= parsed.data() &&
                           text.data() < parsed.data() + parsed.size();
    if (is_inside) {
      const auto at = static_cast<size_t>(text.data() - parsed.data());
      event.range = {static_cast<int64_t>(begin_ + parsed_.InDocument(at)),
                     static_cast<int64_t>(begin_ + parsed_.InDocument(at + text.size()))};
    }
    if (!is_verbatim_) {
      events_.push_back(event);
    } else if (is_inside) {
      from_ = static_cast<size_t>(event.range->end);
    }
    return 0;
  }

  void EndLeaf() {
    if (events_.empty()) return;
    const std::optional<size_t> end =
        ReadMarkdownLeaf(markdown_, code_is_text_, events_, done_, from_, structure_);
    if (end) done_ = from_ = *end;
    events_.clear();
  }

  const std::string_view markdown_;
  const size_t begin_;
  const bool code_is_text_;
  ParsedCopy parsed_;
  MarkupStructure structure_;
  std::vector<MarkdownEvent> events_;
  bool is_verbatim_ = false;
  size_t done_ = 0;  // the end of the last node
  size_t from_;      // where the next leaf begins at the earliest
};

}  // namespace

MarkupStructure ReadMarkdown(std::string_view markdown, bool code_is_text) {
  return Reader(markdown, FrontMatterSize(markdown), code_is_text).Run();
}

}  // namespace dragoman::engine

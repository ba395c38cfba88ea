#include "server/compat/xml_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/api/absl_view.h"
#include "server/base/work_count.h"
#include "server/compat/xml_tokens.h"

namespace dragoman::server {
namespace {

using Kind = XmlToken::Kind;

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(kXmlWhiteSpace) == std::string_view::npos;
}

// The properties of the element that a token begins, or of the text as a whole.
struct Element {
  size_t parent = 0;  // 0: the text as a whole
  bool has_text = false;
  bool has_own_text = false;  // text, or white space without line end
  bool splits = false;
};

// Determines which elements split the text. An element's index is that of its token plus 1; 0 is
// the text as a whole. Entries of tokens that begin no element are not set.
class Outline {
 public:
  Outline(std::span<const XmlToken> tokens, const XmlOptions& options)
      : tokens_(tokens), options_(options), elements_(tokens.size() + 1) {
    FindTexts();
    FindSplits();
  }

  const Element& of(size_t token) const { return elements_[token + 1]; }

 private:
  void FindTexts() {
    size_t around = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const XmlToken& token = tokens_[i];
      Element& element = elements_[i + 1];
      switch (token.kind) {
        case Kind::kText:
        case Kind::kCdata: {
          const bool blank = token.kind == Kind::kText && IsBlank(token.text);
          if (!blank) elements_[around].has_text = true;
          if (!blank || token.text.find('\n') == std::string_view::npos) {
            elements_[around].has_own_text = true;
          }
          break;
        }
        case Kind::kStart:
          element.parent = around;
          around = i + 1;
          break;
        case Kind::kEnd: {
          const size_t parent = elements_[around].parent;
          if (elements_[around].has_text) elements_[parent].has_text = true;
          around = parent;
          break;
        }
        case Kind::kEmpty:
          element.parent = around;
          break;
        case Kind::kPassage:
          break;
      }
    }
  }

  void FindSplits() {
    elements_[0].splits = true;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      const XmlToken& token = tokens_[i];
      if (token.kind != Kind::kStart && token.kind != Kind::kEmpty) continue;
      Element& element = elements_[i + 1];
      const Element& parent = elements_[element.parent];
      if (options_.splitting.contains(token.name)) {
        element.splits = true;
        // The elements around one that splits also split.
        for (size_t up = element.parent; !elements_[up].splits; up = elements_[up].parent) {
          elements_[up].splits = true;
        }
      } else if (token.kind == Kind::kStart && options_.outline && parent.splits &&
                 !parent.has_own_text && !options_.non_splitting.contains(token.name)) {
        element.splits = true;
      }
      if (options_.ignored.contains(token.name)) i = token.partner;
    }
  }

  const std::span<const XmlToken> tokens_;
  const XmlOptions& options_;
  std::vector<Element> elements_;
};

}  // namespace

class XmlWriter {
 public:
  XmlWriter(const XmlOptions& options, XmlText* out) : options_(options), out_(*out) {}

  void Write(std::span<const XmlToken> tokens) {
    const Outline outline(tokens, options_);
    for (size_t i = 0; i < tokens.size(); ++i) {
      const XmlToken& token = tokens[i];
      const Element& element = outline.of(i);
      switch (token.kind) {
        case Kind::kText:
          WriteText(token.text, /*escape=*/false);
          break;
        case Kind::kCdata:
          WriteText(token.text, /*escape=*/true);
          break;
        case Kind::kPassage:
          WritePiece(token.text, false);
          break;
        case Kind::kEmpty:
          WritePiece(token.text, element.splits);
          break;
        case Kind::kStart: {
          const std::string_view last = tokens[token.partner].text;
          if (element.has_text && !options_.ignored.contains(token.name)) {
            const size_t number = AddPiece({token.text, last});
            open_.push_back({number, element.splits});
            absl::StrAppend(&out_.html_, element.splits ? "<div " : "<x", number, ">");
            break;
          }
          const auto bytes = static_cast<size_t>(last.data() - token.text.data()) + last.size();
          WritePiece({token.text.data(), bytes}, element.splits);
          i = token.partner;
          break;
        }
        case Kind::kEnd:
          absl::StrAppend(&out_.html_, open_.back().splits ? "</div " : "</x", open_.back().number,
                          ">");
          open_.pop_back();
          break;
      }
    }
  }

 private:
  struct Open {
    size_t number = 0;
    bool splits = false;
  };

  size_t AddPiece(XmlText::Piece piece) {
    out_.pieces_.push_back(piece);
    return out_.pieces_.size() - 1;
  }

  void WritePiece(std::string_view bytes, bool splits) {
    absl::StrAppend(&out_.html_, splits ? "<br " : "<img ", AddPiece({bytes, {}}), ">");
  }

  void WriteText(std::string_view text, bool escape) {
    while (!text.empty()) {
      size_t end = text.find_first_of(kXmlWhiteSpace);
      if (end == std::string_view::npos) end = text.size();
      WriteWord(text.substr(0, end), escape);
      text.remove_prefix(end);
      end = std::min(text.find_first_not_of(kXmlWhiteSpace), text.size());
      const std::string_view space = text.substr(0, end);
      if (options_.line_ends_split && space.find('\n') != std::string_view::npos) {
        WritePiece(space, true);
      } else {
        out_.html_ += space;
      }
      text.remove_prefix(end);
    }
  }

  void WriteWord(std::string_view word, bool escape) {
    if (escape) {
      out_.html_ += absl::StrReplaceAll(View(word), {{"&", "&amp;"}, {"<", "&lt;"}});
    } else {
      out_.html_ += word;
    }
  }

  const XmlOptions& options_;
  XmlText& out_;
  std::vector<Open> open_;
};

namespace {

// A tag that XmlWriter wrote.
struct NumberedTag {
  size_t number = 0;
  bool is_end = false;
};

std::optional<NumberedTag> ReadTag(std::string_view tag) {
  NumberedTag read;
  tag.remove_prefix(1);  // <
  if (tag.starts_with("/")) {
    read.is_end = true;
    tag.remove_prefix(1);
  }
  for (const std::string_view name : {"x", "div ", "img ", "br "}) {
    if (!tag.starts_with(name)) continue;
    uint64_t number = 0;
    if (!absl::SimpleAtoi(View(tag.substr(name.size())), &number)) continue;
    read.number = static_cast<size_t>(number);
    return read;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<XmlText> XmlText::Parse(std::string_view xml, const XmlOptions& options) {
  XmlText text;
  text.xml_ = std::make_unique<const std::string>(xml);
  const auto tokens = TokenizeXml(*text.xml_);
  if (!tokens.ok()) return tokens.status();
  XmlWriter(options, &text).Write(*tokens);
  return text;
}

template <typename Visit>
void XmlText::ForEachPiece(std::string_view html, Visit visit) const {
  while (true) {
    const size_t begin = html.find('<');
    const std::string_view text = html.substr(0, begin);
    if (begin == std::string_view::npos) return visit(text, {});
    html.remove_prefix(begin);
    const size_t end = html.find_first_of("<>", 1);
    CountBytes(text.size() + std::min(end, html.size()));
    const bool is_whole = end != std::string_view::npos && html[end] == '>';
    const auto tag = is_whole ? ReadTag(html.substr(0, end)) : std::nullopt;
    if (!tag.has_value() || tag->number >= pieces_.size()) {
      visit(text, "&lt;");  // not a tag of html(), so it must not become an XML tag
      html.remove_prefix(1);
      continue;
    }
    const Piece& piece = pieces_[tag->number];
    visit(text, tag->is_end ? piece.close : piece.open);
    html.remove_prefix(end + 1);
  }
}

absl::StatusOr<std::string> XmlText::Restore(std::string_view html) const {
  size_t tag_bytes = 0;
  const auto count = [&](std::string_view /*text*/, std::string_view tag) {
    tag_bytes += tag.size();
  };
  ForEachPiece(html, count);
  if (tag_bytes > most_tag_bytes()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "found tags of ", tag_bytes, " bytes in the translation of ", xml_->size(),
        " bytes, because they stand around words that do not stay together, expected at most ",
        kMostRepeats, " times the text"));
  }
  std::string xml;
  xml.reserve(html.size() + tag_bytes);
  ForEachPiece(html, [&](std::string_view text, std::string_view tag) {
    xml += text;
    xml += tag;
  });
  return xml;
}

}  // namespace dragoman::server

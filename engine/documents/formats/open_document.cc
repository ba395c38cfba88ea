// OpenDocument: text, spreadsheets, presentations (.odt, .ods, .odp).
#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/documents/formats/formats.h"
#include "engine/documents/packaged_document.h"
#include "engine/documents/xml_reader.h"
#include "engine/documents/xml_texts.h"

namespace dragoman::engine {
namespace {

using std::string_view;

bool IsParagraph(string_view name) { return name == "text:p" || name == "text:h"; }

// Elements inside a paragraph whose text belongs to the paragraph.
bool IsInline(string_view name) {
  return name == "text:span" || name == "text:a" || name == "text:meta" ||
         name == "text:ruby-base" || name == "text:ruby";
}

// Several spaces are layout, as in program code. A single one is that after a sentence.
bool IsBreak(string_view name) {
  return name == "text:tab" || name == "text:line-break" || name == "text:s";
}

// Parts whose text is not translated: deleted changes, and the cells whose text a program makes from
// a number or date.
bool IsSkipped(const XmlTag& tag) {
  if (tag.name == "table:table-cell") {
    const string_view type = tag.Attribute("value-type");
    return !type.empty() && type != "string";
  }
  return tag.name == "text:tracked-changes" || tag.name == "office:scripts" ||
         tag.name == "office:settings" || tag.name == "office:meta";
}

class OpenDocumentHandler final : public XmlHandler {
 public:
  explicit OpenDocumentHandler(XmlTexts* texts) : texts_(texts) {}

  absl::Status Start(const XmlTag& tag) override {
    if (skipped_ > 0 || IsSkipped(tag)) {
      ++skipped_;
      return absl::OkStatus();
    }
    if (tag.name == "style:style" && IsCodeStyle(tag.Attribute("parent-style-name"))) {
      code_styles_.emplace(tag.Attribute("name"));
    }
    if (IsParagraph(tag.name)) {
      texts_->Enter();
      void_depth_.push_back(0);
      code_paragraphs_.push_back(HasCodeStyle(tag));
      return absl::OkStatus();
    }
    if (void_depth_.empty()) return absl::OkStatus();
    size_t& depth = void_depth_.back();
    if (depth > 0) {
      ++depth;
    } else if (IsInline(tag.name) && !HasCodeStyle(tag)) {
      texts_->Start(tag.range);
    } else {
      depth = 1;
      is_kept_ = IsInline(tag.name);
      is_wide_ = tag.name == "text:s" && !tag.Attribute("c").empty();
      void_begin_.push_back(tag.range.begin);
    }
    return absl::OkStatus();
  }

  absl::Status End(const XmlTag& tag) override {
    if (skipped_ > 0) {
      --skipped_;
      return absl::OkStatus();
    }
    if (void_depth_.empty()) return absl::OkStatus();
    if (IsParagraph(tag.name)) {
      if (code_paragraphs_.back()) {
        texts_->Drop();
      } else {
        texts_->Leave();
      }
      void_depth_.pop_back();
      code_paragraphs_.pop_back();
      return absl::OkStatus();
    }
    size_t& depth = void_depth_.back();
    if (depth == 0) {
      texts_->End(tag.range);
    } else if (--depth == 0) {
      const TextRange range = {void_begin_.back(), tag.range.end};
      void_begin_.pop_back();
      if (is_kept_) {
        is_kept_ = false;
        texts_->Kept(range, std::exchange(kept_, {}));
      } else if (tag.name == "text:s" && !is_wide_) {
        texts_->Text(" ", range);
      } else {
        texts_->Void(range, IsBreak(tag.name));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Text(string_view text, TextRange range) override {
    if (is_kept_) kept_ += text;
    if (skipped_ == 0 && !void_depth_.empty() && void_depth_.back() == 0) {
      texts_->Text(text, range);
    }
    return absl::OkStatus();
  }

  absl::Status Other(TextRange range) override {
    if (skipped_ == 0 && !void_depth_.empty() && void_depth_.back() == 0) texts_->Void(range);
    return absl::OkStatus();
  }

 private:
  bool HasCodeStyle(const XmlTag& tag) const {
    const string_view style = tag.Attribute("style-name");
    return IsCodeStyle(style) || code_styles_.contains(style);
  }

  XmlTexts* const texts_;
  int skipped_ = 0;
  // The number of open elements in the void of each open paragraph.
  std::vector<size_t> void_depth_;
  std::vector<int64_t> void_begin_;
  std::vector<bool> code_paragraphs_;               // for each open paragraph: it is program code
  std::set<std::string, std::less<>> code_styles_;  // of the file itself
  bool is_kept_ = false;                            // the void that began last is kept text
  std::string kept_;
  bool is_wide_ = false;  // the void that began last is several spaces
};

}  // namespace

ReadDocument ReadOpenDocument(std::string bytes, const DocumentOptions& options) {
  return PackagedDocument::Read(
      std::move(bytes), "content.xml",
      [](string_view name) {
        // Embedded charts and formulas are documents in folders. styles.xml has headers and footers.
        return name == "content.xml" || name == "styles.xml" || name.ends_with("/content.xml");
      },
      [](const Archive&, string_view name, XmlTexts* texts) {
        OpenDocumentHandler handler(texts);
        return ReadXml(texts->xml(), name, &handler);
      },
      options);
}

}  // namespace dragoman::engine

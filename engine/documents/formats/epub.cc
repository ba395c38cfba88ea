// Electronic books (.epub).
#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/packaged_document.h"
#include "engine/documents/xml_reader.h"
#include "engine/documents/xml_texts.h"
#include "engine/text/html/html_entities.h"
#include "engine/text/html/html_tokenizer.h"

namespace dragoman::engine {
namespace {

using std::string_view;

class BookHandler final : public XmlHandler {
 public:
  explicit BookHandler(XmlTexts* texts) : texts_(texts) {}

  absl::Status Start(const XmlTag& tag) override {
    if (skipped_ > 0) {
      ++skipped_;
      return absl::OkStatus();
    }
    // Titles of the table of contents and of the book.
    if (tag.name == "ncx:text" || tag.name == "dc:title") {
      texts_->Enter();
      ++inside_;
      return absl::OkStatus();
    }
    if (!tag.name.starts_with("h:")) {
      // Drawings and formulas stay as they are.
      if (inside_ > 0) Skip(tag);
      return absl::OkStatus();
    }
    const string_view name = tag.name.substr(2);
    if (name == "html") ++inside_;
    if (inside_ == 0) return absl::OkStatus();
    const HtmlElementKind kind = KindOfElement(name);
    const bool is_kept = kind.is_opaque || tag.Attribute("translate") == "no" ||
                         tag.Attribute("class").find("notranslate") != string_view::npos;
    if (IsBlock(name, kind)) texts_->EndRun();
    if (is_kept || kind.is_void) {
      Skip(tag);
      is_text_kept_ = is_kept && !IsBlock(name, kind) && (!kind.is_opaque || name == "code");
    } else if (!IsBlock(name, kind)) {
      texts_->Start(tag.range);
    }
    return absl::OkStatus();
  }

  absl::Status End(const XmlTag& tag) override {
    const string_view name = tag.name.starts_with("h:") ? tag.name.substr(2) : string_view();
    if (skipped_ > 0) {
      if (--skipped_ > 0) return absl::OkStatus();
      const TextRange range = {void_begin_, tag.range.end};
      is_text_kept_ = false;
      if (name == "br") {
        texts_->Void(range, true);
      } else {
        texts_->Kept(range, std::exchange(kept_, {}));
      }
      return absl::OkStatus();
    }
    if (inside_ == 0) return absl::OkStatus();
    if (tag.name == "ncx:text" || tag.name == "dc:title") {
      texts_->Leave();
      --inside_;
    } else if (!name.empty()) {
      if (IsBlock(name, KindOfElement(name))) {
        texts_->EndRun();
      } else {
        texts_->End(tag.range);
      }
      if (name == "html") --inside_;
    }
    return absl::OkStatus();
  }

  absl::Status Text(string_view text, TextRange range) override {
    if (is_text_kept_) kept_ += text;
    if (skipped_ == 0 && inside_ > 0) texts_->Text(text, range);
    return absl::OkStatus();
  }

  absl::Status Other(TextRange range) override {
    if (skipped_ == 0 && inside_ > 0) texts_->Void(range);
    return absl::OkStatus();
  }

 private:
  static bool IsBlock(string_view name, const HtmlElementKind& kind) {
    return (kind.is_block && name != "br") || name == "title" || name == "html" || name == "head" ||
           name == "body";
  }

  void Skip(const XmlTag& tag) {
    skipped_ = 1;
    void_begin_ = tag.range.begin;
  }

  XmlTexts* const texts_;
  int inside_ = 0;  // the number of open elements whose text is translated
  int skipped_ = 0;
  int64_t void_begin_ = 0;
  bool is_text_kept_ = false;  // what is skipped is kept text
  std::string kept_;
};

// Reads a chapter that is not well-formed, as browsers read HTML. An unpaired tag ends a text.
absl::Status ReadTags(string_view html, BookHandler* handler) {
  static constexpr const char* kNoTranslate[] = {"translate", "no", nullptr};
  for (const HtmlToken& token : TokenizeHtml(html)) {
    const std::string name = Concat("h:", token.name);
    XmlTag tag{name, token.range, token.is_no_translate ? kNoTranslate : nullptr};
    absl::Status read;
    switch (token.kind) {
      case HtmlToken::Kind::kText:
        read = handler->Text(DecodeCharacterReferences(token.range.In(html)), token.range);
        break;
      case HtmlToken::Kind::kStartTag:
        read = handler->Start(tag);
        if (token.is_self_closing || KindOfElement(token.name).is_void) {
          tag.range.begin = tag.range.end;
          if (read.ok()) read = handler->End(tag);
        }
        break;
      case HtmlToken::Kind::kEndTag:
        read = handler->End(tag);
        break;
      case HtmlToken::Kind::kRawText:
        break;
      case HtmlToken::Kind::kComment:
        read = handler->Other(token.range);
        break;
    }
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

bool IsChapter(string_view name) {
  return name.ends_with(".xhtml") || name.ends_with(".html") || name.ends_with(".htm");
}

}  // namespace

ReadDocument ReadEpub(std::string bytes, const DocumentOptions& options) {
  return PackagedDocument::Read(
      std::move(bytes), "META-INF/container.xml",
      [](string_view name) {
        return IsChapter(name) || name.ends_with(".ncx") || name.ends_with(".opf");
      },
      [](const Archive&, string_view name, XmlTexts* texts) {
        BookHandler handler(texts);
        const absl::Status read = ReadXml(texts->xml(), name, &handler);
        if (read.ok() || !IsChapter(name) || FirstInvalidUtf8(texts->xml()).has_value()) {
          return read;
        }
        *texts = XmlTexts(texts->xml());
        BookHandler lenient(texts);
        return ReadTags(texts->xml(), &lenient);
      },
      options);
}

}  // namespace dragoman::engine

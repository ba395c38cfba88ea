// XLIFF 1.2 and 2.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/packaged_document.h"
#include "engine/documents/xml_reader.h"
#include "engine/documents/xml_texts.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// Inline elements around text. Others are codes, which are moved as they are.
bool IsInline(string_view name) { return name == "g" || name == "mrk" || name == "pc"; }

bool IsProtected(const XmlTag& mark) {
  return mark.Attribute("mtype") == "protected" || mark.Attribute("translate") == "no";
}

// States of a target that is not a translation yet.
bool IsUntranslated(string_view state) {
  return state == "new" || state == "needs-translation" || state == "needs-l10n" ||
         state == "needs-adaptation" || state == "initial";
}

// Returns the tag with the attribute set to the value.
std::string WithAttribute(string_view tag, string_view name, string_view value) {
  const std::string begin = Concat(" ", name, "=");
  size_t at = tag.find(begin);
  const bool is_empty = tag.ends_with("/>");
  if (at == string_view::npos) {
    const size_t end = tag.size() - (is_empty ? 2 : 1);
    return Concat(tag.substr(0, end), begin, "\"", value, "\"", tag.substr(end));
  }
  at += begin.size();
  const size_t end = tag.find(tag[at], at + 1);
  if (end == string_view::npos) return std::string(tag);
  return Concat(tag.substr(0, at + 1), value, tag.substr(end));
}

class XliffHandler final : public XmlHandler {
 public:
  XliffHandler(XmlTexts* texts, const DocumentOptions& options)
      : texts_(texts), options_(options) {}

  bool is_xliff() const { return version_ != 0; }

  absl::Status Start(const XmlTag& tag) override {
    if (skipped_ > 0) {
      ++skipped_;
      return absl::OkStatus();
    }
    const string_view name = NameOf(tag);
    if (in_source_) {
      if (IsInline(name) && !IsProtected(tag)) {
        texts_->Start(tag.range);
      } else {
        skipped_ = 1;
        void_begin_ = tag.range.begin;
        is_kept_ = IsInline(name);
      }
      return absl::OkStatus();
    }
    if (name == "alt-trans" || name == "note" || name == "ignorable" || name == "originalData") {
      skipped_ = 1;
      void_begin_ = -1;
    } else if (name == "xliff") {
      version_ = tag.name.starts_with("xliff2:") ? 2 : 1;
      SetLanguage(tag, "trgLang");
    } else if (name == "file" && version_ == 1) {
      SetLanguage(tag, "target-language");
    } else if (name == "trans-unit" || name == "unit" || name == "segment") {
      if (name != "segment") is_fixed_ = false;
      is_fixed_ =
          is_fixed_ || tag.Attribute("translate") == "no" || tag.Attribute("approved") == "yes";
      unit_ = {};
      unit_.tag = tag.range;
      unit_.state = std::string(tag.Attribute("state"));
      unit_.keeps_space = tag.Attribute("space") == "preserve";
    } else if (name == "source") {
      in_source_ = true;
      unit_.has_source = true;
      unit_.source = tag.range;
      // Space in a catalogue's texts counts: they may be lines of a program.
      texts_->set_keeps_space(true);
      texts_->Enter();
    } else if (name == "target") {
      unit_.target = tag.range;
      unit_.target_tag = tag.range;
      if (version_ == 1) unit_.state = std::string(tag.Attribute("state"));
      in_target_ = true;
    }
    return absl::OkStatus();
  }

  absl::Status End(const XmlTag& tag) override {
    if (skipped_ > 0) {
      if (--skipped_ == 0 && void_begin_ >= 0) {
        texts_->Kept({void_begin_, tag.range.end}, std::exchange(kept_, {}));
        is_kept_ = false;
      }
      return absl::OkStatus();
    }
    const string_view name = NameOf(tag);
    if (in_source_ && name != "source") {
      texts_->End(tag.range);
    } else if (name == "source") {
      in_source_ = false;
      unit_.behind = tag.range.end;
    } else if (name == "seg-source") {
      unit_.behind = tag.range.end;
    } else if (name == "target") {
      in_target_ = false;
      unit_.target->end = tag.range.end;
    } else if ((name == "trans-unit" || name == "segment") && unit_.has_source) {
      EndUnit();
    }
    return absl::OkStatus();
  }

  absl::Status Text(string_view text, TextRange range) override {
    if (is_kept_) kept_ += text;
    if (skipped_ > 0) return absl::OkStatus();
    if (in_source_) texts_->Text(text, range);
    if (in_target_ && !StripWhiteSpace(text).empty()) unit_.has_translation = true;
    return absl::OkStatus();
  }

  absl::Status Other(TextRange range) override {
    if (skipped_ == 0 && in_source_) texts_->Void(range);
    return absl::OkStatus();
  }

 private:
  struct Unit {
    TextRange tag;     // of the unit or segment
    TextRange source;  // the start tag of its source
    bool has_source = false;
    bool keeps_space = false;
    int64_t behind = 0;               // the end of the source and its segments
    std::optional<TextRange> target;  // with its tags
    TextRange target_tag;             // its start tag
    std::string state;
    bool has_translation = false;
  };

  // Version 1.1 and files without a namespace have the names of 1.2.
  static string_view NameOf(const XmlTag& tag) {
    const size_t colon = tag.name.find(':');
    if (colon == string_view::npos) return tag.name;
    return tag.name.starts_with("xliff") ? tag.name.substr(colon + 1) : string_view();
  }

  void SetLanguage(const XmlTag& tag, string_view attribute) {
    if (options_.target_language.empty() || !tag.Attribute(attribute).empty()) return;
    if (version_ == 2 || attribute == "target-language") {
      texts_->Edit(tag.range,
                   WithAttribute(tag.range.In(texts_->xml()), attribute, options_.target_language));
    }
  }

  void EndUnit() {
    const bool is_translated = unit_.has_translation && !IsUntranslated(unit_.state);
    if (is_fixed_ || (is_translated && !options_.retranslate)) {
      texts_->Drop();
      return;
    }
    const string_view xml = texts_->xml();
    const string_view source = unit_.source.In(xml);
    const size_t name_end = source.find("source");
    const std::string name = Concat(source.substr(1, name_end - 1), "target");
    std::string tag = Concat("<", name, ">");
    TextRange place = {unit_.behind, unit_.behind};
    std::string before;
    if (unit_.target.has_value()) {
      place = *unit_.target;
      tag = std::string(unit_.target_tag.In(xml));
      if (tag.ends_with("/>")) tag.erase(tag.size() - 2, 1);
    } else {
      // On a line of its own, as the source.
      const auto begin = static_cast<size_t>(unit_.source.begin);
      const size_t space = xml.find_last_not_of(" \t\r\n", begin - 1) + 1;
      before = std::string(xml.substr(space, begin - space));
    }
    if (version_ == 1) {
      tag = WithAttribute(WithAttribute(tag, "state", "needs-review-translation"),
                          "state-qualifier", "mt-suggestion");
    } else {
      texts_->EditWithNext(unit_.tag, WithAttribute(unit_.tag.In(xml), "state", "translated"));
    }
    texts_->WriteNextAt(place, Concat(before, tag), Concat("</", name, ">"));
    texts_->Leave();
    unit_.has_source = false;
  }

  XmlTexts* const texts_;
  const DocumentOptions& options_;
  int version_ = 0;
  bool is_fixed_ = false;  // the unit is not translated
  bool in_source_ = false;
  bool in_target_ = false;
  int skipped_ = 0;
  bool is_kept_ = false;  // what is skipped is kept text
  std::string kept_;
  int64_t void_begin_ = -1;  // of the code that is skipped; -1: it is no code of a text
  Unit unit_;
};

}  // namespace

ReadDocument ReadXliff(std::string bytes, const DocumentOptions& options) {
  return XmlDocument::Read(
      std::move(bytes),
      [&](XmlTexts* texts) {
        XliffHandler handler(texts, options);
        absl::Status read = ReadXml(texts->xml(), "", &handler);
        if (read.ok() && !handler.is_xliff()) {
          return absl::InvalidArgumentError("the root element is not <xliff>");
        }
        return read;
      },
      options);
}

}  // namespace dragoman::engine

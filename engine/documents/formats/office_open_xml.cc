// Office Open XML: Word, PowerPoint, Excel (.docx, .pptx, .xlsx).
//
// A paragraph is a list of spans (w:r, a:r, x:r), each with properties and text. Tags around spans,
// such as those of a link, are elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "engine/base/concat.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/packaged_document.h"
#include "engine/documents/xml_reader.h"
#include "engine/documents/xml_texts.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// The names of the parts in one of the three vocabularies.
struct Vocabulary {
  std::vector<std::string> paragraphs;
  std::string span;
  std::string span_properties;
  std::string text;
  // The attribute that keeps spaces at the ends of a text; "" if they are always kept.
  std::string keep_space;
};

const Vocabulary& Word() {
  static const auto* const kWord =
      new Vocabulary{{"w:p"}, "w:r", "w:rPr", "w:t", " xml:space=\"preserve\""};
  return *kWord;
}
const Vocabulary& Drawing() {
  static const auto* const kDrawing = new Vocabulary{{"a:p"}, "a:r", "a:rPr", "a:t", ""};
  return *kDrawing;
}
const Vocabulary& Sheet() {
  // Shared strings, those of one cell, and comments.
  static const auto* const kSheet =
      new Vocabulary{{"x:si", "x:is", "x:text"}, "x:r", "x:rPr", "x:t", " xml:space=\"preserve\""};
  return *kSheet;
}

bool IsBreak(string_view name) {
  return name == "w:br" || name == "w:tab" || name == "w:cr" || name == "w:ptab" || name == "a:br";
}

// Elements around spans whose text belongs to the paragraph.
bool IsWrapper(string_view name) {
  return name == "w:hyperlink" || name == "w:ins" || name == "w:moveTo" || name == "w:smartTag" ||
         name == "w:customXml" || name == "w:dir" || name == "w:bdo";
}

// Marks that programs make again, and that would cut a sentence.
bool IsDropped(string_view name) {
  return name == "w:proofErr" || name == "w:lastRenderedPageBreak" || name == "w:softHyphen";
}

// Returns the tag's own name, with the document's prefix.
string_view RawName(string_view tag) {
  tag.remove_prefix(1);
  return tag.substr(0, tag.find_first_of(" \t\r\n/>"));
}

enum class Skipped { kNothing, kVoid, kInSpan, kProperties };
enum class FieldMark { kNone, kBegin, kSeparate, kEnd };
struct Span {
  int64_t begin = 0;
  string_view name;       // with the document's prefix
  string_view text_name;  // the same
  std::string properties;
  std::vector<XmlTexts::Item> items;
  FieldMark field = FieldMark::kNone;
  bool is_code = false;
};
// A field of Word is several spans: begin, instruction, separate, result, end. A link is an
// element around its result. Any other field is kept text: its result, which Word computes.
struct Field {
  int64_t begin = 0;
  int depth = 1;
  bool has_result = false;  // a link: its element has been opened
  std::string instruction;
  std::string result;
};
struct Paragraph {
  bool is_code = false;
  int skipped = 0;  // the number of open elements in what is skipped
  Skipped kind = Skipped::kNothing;
  int64_t skipped_begin = 0;
  bool in_text = false;
  std::optional<Span> span;
  std::optional<Field> field;
  std::vector<int64_t> control_begins;  // of open content controls
  std::vector<int64_t> content_ends;
};

class OfficeHandler final : public XmlHandler {
 public:
  OfficeHandler(XmlTexts* texts, const Vocabulary& names) : texts_(texts), names_(names) {}

  absl::Status Start(const XmlTag& tag) override {
    if (IsParagraph(tag)) {
      // A paragraph in a text box is inside a void of another one.
      texts_->Enter();
      paragraphs_.emplace_back();
      return absl::OkStatus();
    }
    if (paragraphs_.empty()) return absl::OkStatus();
    Paragraph& p = paragraphs_.back();
    if (p.skipped > 0) {
      // Styles are in the properties of a paragraph and of a span.
      if (tag.name == "w:pStyle") p.is_code = IsCodeStyle(tag.Attribute("val"));
      if (tag.name == "w:rStyle" && p.span.has_value()) {
        p.span->is_code = IsCodeStyle(tag.Attribute("val"));
      }
      ++p.skipped;
      return absl::OkStatus();
    }
    if (p.span.has_value()) {
      StartInSpan(tag, &p);
    } else if (tag.name == names_.span) {
      p.span.emplace();
      p.span->begin = tag.range.begin;
      p.span->name = RawName(tag.range.In(texts_->xml()));
    } else if (tag.name == names_.text) {
      p.in_text = true;  // of a cell without spans
    } else if (IsWrapper(tag.name)) {
      if (!IsInField(p)) texts_->Start(tag.range);
    } else if (tag.name == "w:sdt") {
      p.control_begins.push_back(tag.range.begin);
    } else if (tag.name == "w:sdtContent" && !p.control_begins.empty()) {
      texts_->Start({p.control_begins.back(), tag.range.end});
    } else {
      // The opening tags of a content control include its properties.
      const bool is_in_tag = (tag.name == "w:sdtPr" || tag.name == "w:sdtEndPr");
      Skip(tag, is_in_tag ? Skipped::kNothing : Skipped::kVoid, &p);
    }
    return absl::OkStatus();
  }

  absl::Status End(const XmlTag& tag) override {
    if (paragraphs_.empty()) return absl::OkStatus();
    Paragraph& p = paragraphs_.back();
    if (p.skipped > 0) {
      if (--p.skipped == 0) EndSkipped(tag, &p);
      return absl::OkStatus();
    }
    if (IsParagraph(tag)) {
      if (p.is_code) {
        texts_->Drop();
      } else {
        texts_->Leave();
      }
      paragraphs_.pop_back();
    } else if (tag.name == names_.text) {
      p.in_text = false;
    } else if (tag.name == names_.span) {
      EndSpan(tag, &p);
    } else if (tag.name == "w:sdtContent") {
      p.content_ends.push_back(tag.range.begin);
    } else if (tag.name == "w:sdt") {
      if (!p.content_ends.empty()) {
        texts_->End({p.content_ends.back(), tag.range.end});
        p.content_ends.pop_back();
      }
      p.control_begins.pop_back();
    } else if (IsWrapper(tag.name)) {
      if (!IsInField(p)) texts_->End(tag.range);
    }
    return absl::OkStatus();
  }

  absl::Status Text(string_view text, TextRange range) override {
    if (paragraphs_.empty()) return absl::OkStatus();
    Paragraph& p = paragraphs_.back();
    if (p.skipped > 0 || !p.in_text) return absl::OkStatus();
    if (p.span.has_value()) {
      AddText(text, &*p.span);
    } else {
      texts_->Text(text, range);
    }
    return absl::OkStatus();
  }

  absl::Status Other(TextRange) override { return absl::OkStatus(); }

 private:
  bool IsParagraph(const XmlTag& tag) const {
    return std::ranges::find(names_.paragraphs, tag.name) != names_.paragraphs.end();
  }

  // Reports whether the paragraph is inside a field that will be one void.
  static bool IsInField(const Paragraph& p) { return p.field.has_value() && !p.field->has_result; }

  void Skip(const XmlTag& tag, Skipped kind, Paragraph* p) const {
    p->skipped = 1;
    p->kind = kind;
    p->skipped_begin = tag.range.begin;
  }

  void StartInSpan(const XmlTag& tag, Paragraph* p) const {
    Span& span = *p->span;
    if (tag.name == names_.text) {
      p->in_text = true;
      span.text_name = RawName(tag.range.In(texts_->xml()));
      return;
    }
    if (tag.name == "w:fldChar") {
      const string_view type = tag.Attribute("fldCharType");
      span.field = type == "begin"      ? FieldMark::kBegin
                   : type == "separate" ? FieldMark::kSeparate
                                        : FieldMark::kEnd;
    }
    if (tag.name == names_.span_properties) {
      Skip(tag, Skipped::kProperties, p);
    } else if (IsDropped(tag.name)) {
      Skip(tag, Skipped::kNothing, p);
    } else {
      Skip(tag, Skipped::kInSpan, p);
    }
  }

  static void AddText(string_view text, Span* span) {
    if (span->items.empty() || span->items.back().void_range.has_value()) {
      span->items.emplace_back();
    }
    span->items.back().text += text;
  }

  void EndSkipped(const XmlTag& tag, Paragraph* p) {
    const TextRange range = {p->skipped_begin, tag.range.end};
    switch (p->kind) {
      case Skipped::kNothing:
        break;
      case Skipped::kProperties:
        // Spelling checkers cut spans by these attributes.
        p->span->properties = absl::StrReplaceAll(std::string(range.In(texts_->xml())),
                                                  {{" dirty=\"0\"", ""}, {" err=\"1\"", ""}});
        break;
      case Skipped::kInSpan:
        if (tag.name == "w:noBreakHyphen") {
          AddText("\u2011", &*p->span);
        } else if (tag.name == "w:instrText") {
          if (p->field.has_value()) p->field->instruction += Concat(range.In(texts_->xml()));
          p->span->items.push_back({"", range});
        } else {
          p->span->items.push_back({"", range, IsBreak(tag.name)});
        }
        break;
      case Skipped::kVoid: {
        // Properties of the paragraph are voids too. They are at its ends, which no run includes.
        if (!IsInField(*p) && !IsDropped(tag.name)) texts_->Void(range, IsBreak(tag.name));
        break;
      }
    }
  }

  void EndSpan(const XmlTag& tag, Paragraph* p) {
    Span span = *std::move(p->span);
    p->span.reset();
    const TextRange range = {span.begin, tag.range.end};
    std::optional<Field>& field = p->field;
    if (span.field == FieldMark::kBegin) {
      if (field.has_value()) {
        ++field->depth;
        return;
      }
      field.emplace();
      field->begin = span.begin;
      return;
    }
    if (field.has_value()) {
      if (span.field == FieldMark::kSeparate && field->depth == 1) {
        if (absl::StrContains(field->instruction, "HYPERLINK")) {
          texts_->Start({field->begin, range.end});
          field->has_result = true;
        } else if (absl::StrContains(field->instruction, "TOC ")) {
          // A table of contents is several paragraphs of text.
          texts_->Void({field->begin, range.end});
          field.reset();
        }
        return;
      }
      if (span.field == FieldMark::kEnd && --field->depth == 0) {
        if (field->has_result) {
          texts_->End(range);
        } else {
          texts_->Kept({field->begin, range.end}, std::move(field->result));
        }
        field.reset();
        return;
      }
      // Fields inside the result of a link are part of it, as they are.
      if (!field->has_result) {
        for (const XmlTexts::Item& item : span.items) field->result += item.text;
        return;
      }
    }
    if (span.field != FieldMark::kNone) {
      texts_->Void(range);
      return;
    }
    if (span.is_code && span.items.size() == 1 && !span.items[0].void_range.has_value()) {
      texts_->Kept(range, std::move(span.items[0].text));
      return;
    }
    const string_view text_name = span.text_name.empty() ? TextName(span) : span.text_name;
    const std::string open = Concat("<", span.name, ">", span.properties);
    const std::string close = Concat("</", span.name, ">");
    texts_->Span(range,
                 {Concat(open, "<", text_name, names_.keep_space, ">"),
                  Concat("</", text_name, ">", close), open, close},
                 std::move(span.items));
  }

  // Returns the name of the text element for a span that has none.
  string_view TextName(const Span& span) {
    // The same prefix as the span's.
    const size_t colon = span.name.find(':');
    std::string name = colon == string_view::npos ? "t" : Concat(span.name.substr(0, colon), ":t");
    return *text_names_.insert(std::move(name)).first;
  }

  XmlTexts* const texts_;
  const Vocabulary& names_;
  std::vector<Paragraph> paragraphs_;  // the open ones, outermost first
  std::set<std::string, std::less<>> text_names_;
};

// Titles of charts, text boxes and diagrams, in all three kinds of document.
bool IsDrawing(string_view name) {
  name.remove_prefix(name.find('/') + 1);
  return name.ends_with(".xml") &&
         (name.starts_with("charts/chart") || name.starts_with("drawings/drawing") ||
          name.starts_with("diagrams/data"));
}

PackagedDocument::Reader ReaderFor(const Vocabulary& names) {
  return [&names](const Archive&, string_view name, XmlTexts* texts) {
    texts->set_keeps_space(true);
    OfficeHandler handler(texts, IsDrawing(name) ? Drawing() : names);
    return ReadXml(texts->xml(), name, &handler);
  };
}

// Collects the names of the columns of tables.
class TableHandler final : public XmlHandler {
 public:
  explicit TableHandler(std::set<std::string>* names) : names_(names) {}

  absl::Status Start(const XmlTag& tag) override {
    if (tag.name == "x:tableColumn") names_->emplace(tag.Attribute("name"));
    return absl::OkStatus();
  }
  absl::Status End(const XmlTag&) override { return absl::OkStatus(); }
  absl::Status Text(string_view, TextRange) override { return absl::OkStatus(); }
  absl::Status Other(TextRange) override { return absl::OkStatus(); }

 private:
  std::set<std::string>* const names_;
};

// Formulas name the columns of a table by their headings, and a heading that differs from the
// column's name makes Excel repair the file. So headings stay as they are.
absl::Status FindTableHeadings(const Archive& archive, int64_t max_bytes,
                               std::set<std::string>* names) {
  for (const std::string& name : archive.names()) {
    if (!name.starts_with("xl/tables/") || !name.ends_with(".xml")) continue;
    absl::StatusOr<std::string> table = archive.Read(name, max_bytes);
    if (!table.ok()) return table.status();
    max_bytes -= static_cast<int64_t>(table->size());
    TableHandler handler(names);
    if (absl::Status read = ReadXml(*table, name, &handler); !read.ok()) return read;
  }
  return absl::OkStatus();
}

// Reports whether `name` is FOLDER + letters or digits + ".xml".
bool IsIn(string_view name, string_view folder) {
  return name.starts_with(folder) && name.ends_with(".xml") &&
         name.find('/', folder.size()) == string_view::npos;
}

}  // namespace

ReadDocument ReadDocx(std::string bytes, const DocumentOptions& options) {
  const auto is_read = [](string_view name) {
    return name == "word/document.xml" || name == "word/footnotes.xml" ||
           name == "word/endnotes.xml" || name == "word/comments.xml" ||
           IsIn(name, "word/header") || IsIn(name, "word/footer") || IsDrawing(name);
  };
  return PackagedDocument::Read(std::move(bytes), "word/document.xml", is_read, ReaderFor(Word()),
                                options);
}

ReadDocument ReadPptx(std::string bytes, const DocumentOptions& options) {
  const auto is_read = [](string_view name) {
    return IsIn(name, "ppt/slides/") || IsIn(name, "ppt/notesSlides/") || IsDrawing(name);
  };
  return PackagedDocument::Read(std::move(bytes), "ppt/presentation.xml", is_read,
                                ReaderFor(Drawing()), options);
}

ReadDocument ReadXlsx(std::string bytes, const DocumentOptions& options) {
  const auto is_read = [](string_view name) {
    return name == "xl/sharedStrings.xml" || IsIn(name, "xl/worksheets/") ||
           IsIn(name, "xl/comments") || IsIn(name, "xl/comments/") || IsDrawing(name);
  };
  std::optional<std::set<std::string>> headings;
  const auto read = [&](const Archive& archive, string_view name, XmlTexts* texts) {
    if (!headings.has_value()) {
      absl::Status found = FindTableHeadings(archive, options.max_bytes, &headings.emplace());
      if (!found.ok()) return found;
    }
    texts->set_kept(&*headings);
    return ReaderFor(Sheet())(archive, name, texts);
  };
  return PackagedDocument::Read(std::move(bytes), "xl/workbook.xml", is_read, read, options);
}

}  // namespace dragoman::engine

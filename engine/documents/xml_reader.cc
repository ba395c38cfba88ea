#include "engine/documents/xml_reader.h"

#include <expat.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/concat.h"
#include "engine/text/html/html_entities.h"

namespace dragoman::engine {
namespace {

using std::string_view;

constexpr char kSeparator = '\x1F';  // between namespace and name; no XML has it
constexpr int kMaxDepth = 1'000;

constexpr std::array<std::pair<string_view, string_view>, 26> kPrefixes = {{
    {"http://schemas.openxmlformats.org/wordprocessingml/2006/main", "w:"},
    {"http://purl.oclc.org/ooxml/wordprocessingml/main", "w:"},
    {"http://schemas.openxmlformats.org/drawingml/2006/main", "a:"},
    {"http://purl.oclc.org/ooxml/drawingml/main", "a:"},
    {"http://schemas.openxmlformats.org/presentationml/2006/main", "p:"},
    {"http://purl.oclc.org/ooxml/presentationml/main", "p:"},
    {"http://schemas.openxmlformats.org/spreadsheetml/2006/main", "x:"},
    {"http://purl.oclc.org/ooxml/spreadsheetml/main", "x:"},
    {"http://schemas.openxmlformats.org/markup-compatibility/2006", "mc:"},
    {"urn:oasis:names:tc:opendocument:xmlns:office:1.0", "office:"},
    {"urn:oasis:names:tc:opendocument:xmlns:text:1.0", "text:"},
    {"urn:oasis:names:tc:opendocument:xmlns:draw:1.0", "draw:"},
    {"urn:oasis:names:tc:opendocument:xmlns:table:1.0", "table:"},
    {"urn:oasis:names:tc:opendocument:xmlns:style:1.0", "style:"},
    {"urn:oasis:names:tc:opendocument:xmlns:presentation:1.0", "presentation:"},
    {"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0", "svg:"},
    {"http://purl.org/dc/elements/1.1/", "dc:"},
    {"http://www.w3.org/1999/xhtml", "h:"},
    {"http://www.daisy.org/z3986/2005/ncx/", "ncx:"},
    {"http://www.idpf.org/2007/opf", "opf:"},
    {"urn:oasis:names:tc:xliff:document:1.1", "xliff:"},
    {"urn:oasis:names:tc:xliff:document:1.2", "xliff:"},
    {"urn:oasis:names:tc:xliff:document:2.0", "xliff2:"},
    {"urn:oasis:names:tc:xliff:document:2.1", "xliff2:"},
    {"urn:oasis:names:tc:xliff:document:2.2", "xliff2:"},
    {"http://www.w3.org/XML/1998/namespace", "xml:"},
}};

class Reader {
 public:
  Reader(string_view xml, string_view file, XmlHandler* handler)
      : xml_(xml), file_(file), handler_(handler) {}

  absl::Status Read() {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> parser(
        XML_ParserCreateNS("UTF-8", kSeparator), XML_ParserFree);
    if (parser == nullptr) return absl::ResourceExhaustedError("no memory for an XML parser");
    parser_ = parser.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(
        parser_,
        [](void* self, const char* name, const char** attributes) {
          static_cast<Reader*>(self)->Start(name, attributes);
        },
        [](void* self, const char* name) { static_cast<Reader*>(self)->End(name); });
    XML_SetCharacterDataHandler(parser_, [](void* self, const char* text, int size) {
      static_cast<Reader*>(self)->Text({text, static_cast<size_t>(size)});
    });
    XML_SetCdataSectionHandler(
        parser_, [](void* self) { static_cast<Reader*>(self)->BeginCdata(); },
        [](void* self) { static_cast<Reader*>(self)->EndCdata(); });
    XML_SetCommentHandler(parser_,
                          [](void* self, const char*) { static_cast<Reader*>(self)->Other(); });
    XML_SetProcessingInstructionHandler(
        parser_, [](void* self, const char*, const char*) { static_cast<Reader*>(self)->Other(); });
    // Names of HTML (&nbsp;) that the document's own type defines elsewhere.
    XML_SetSkippedEntityHandler(parser_, [](void* self, const char* name, int is_parameter) {
      if (is_parameter == 0) static_cast<Reader*>(self)->Entity(name);
    });
    XML_SetEntityDeclHandler(parser_, [](void* self, const char* name, int, const char*, int,
                                         const char*, const char*, const char*, const char*) {
      auto* const reader = static_cast<Reader*>(self);
      reader->Check(
          reader->Error(Concat("the entity \"", name, "\" is declared; expected no declarations")));
    });
    if (xml_.size() > INT32_MAX) return absl::InvalidArgumentError(Concat(file_, ": too long"));
    const XML_Status parsed =
        XML_Parse(parser_, xml_.data(), static_cast<int>(xml_.size()), XML_TRUE);
    if (!status_.ok()) return status_;
    if (parsed == XML_STATUS_OK) return absl::OkStatus();
    return Error(Concat("not XML: ", XML_ErrorString(XML_GetErrorCode(parser_))));
  }

 private:
  absl::Status Error(string_view what) const {
    return absl::InvalidArgumentError(Concat(file_, file_.empty() ? "" : ", ", "line ",
                                             XML_GetCurrentLineNumber(parser_), ": ", what));
  }

  void Check(absl::Status status) {
    if (status.ok() || !status_.ok()) return;
    status_ = std::move(status);
    XML_StopParser(parser_, XML_FALSE);
  }

  // The bytes of the document that the present event comes from.
  TextRange Range() const {
    const int64_t begin = XML_GetCurrentByteIndex(parser_);
    return {begin, begin + XML_GetCurrentByteCount(parser_)};
  }

  string_view Name(string_view full) {
    const size_t separator = full.find(kSeparator);
    if (separator == string_view::npos) return full;
    string_view prefix = "?:";
    for (const auto& [space, known] : kPrefixes) {
      if (full.substr(0, separator) == space) prefix = known;
    }
    name_ = Concat(prefix, full.substr(separator + 1));
    return name_;
  }

  void Start(const char* name, const char** attributes) {
    if (++depth_ > kMaxDepth) {
      Check(Error(Concat("nested more than ", kMaxDepth, " deep")));
      return;
    }
    Handle([&] { return handler_->Start({Name(name), Range(), attributes}); });
  }

  void End(const char* name) {
    --depth_;
    Handle([&] { return handler_->End({Name(name), Range(), nullptr}); });
  }

  void Text(string_view text) {
    if (in_cdata_) {
      cdata_ += text;
      return;
    }
    Handle([&] { return handler_->Text(text, Range()); });
  }

  void BeginCdata() {
    in_cdata_ = true;
    cdata_.clear();
    cdata_begin_ = Range().begin;
  }

  void EndCdata() {
    in_cdata_ = false;
    Handle([&] { return handler_->Text(cdata_, {cdata_begin_, Range().end}); });
  }

  void Entity(const char* name) {
    const std::string reference = Concat("&", name, ";");
    const CharacterReference read = ReadCharacterReference(reference);
    if (read.size != reference.size()) {
      Check(Error(Concat("unknown entity ", reference)));
      return;
    }
    Handle([&] { return handler_->Text(read.text, Range()); });
  }

  void Other() {
    Handle([&] { return handler_->Other(Range()); });
  }

  // expat may call handlers after it was stopped.
  template <class Call>
  void Handle(const Call& call) {
    if (status_.ok()) Check(call());
  }

  const string_view xml_;
  const string_view file_;
  XmlHandler* const handler_;
  XML_Parser parser_ = nullptr;
  absl::Status status_;
  std::string name_;
  int depth_ = 0;
  bool in_cdata_ = false;
  std::string cdata_;
  int64_t cdata_begin_ = 0;
};

}  // namespace

string_view XmlTag::Attribute(string_view attribute) const {
  for (const char* const* at = attributes; at != nullptr && *at != nullptr; at += 2) {
    string_view name = at[0];
    const size_t separator = name.find(kSeparator);
    if (separator != string_view::npos) name.remove_prefix(separator + 1);
    if (name == attribute) return at[1];
  }
  return "";
}

absl::Status ReadXml(string_view xml, string_view file, XmlHandler* handler) {
  return Reader(xml, file, handler).Read();
}

}  // namespace dragoman::engine

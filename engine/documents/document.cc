#include "engine/documents/document.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "engine/base/concat.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/fragment.h"

namespace dragoman::engine {
namespace {

using std::string_view;

template <size_t n>
using Names = std::array<string_view, n>;

constexpr Names<1> kCsv = {"csv"};
constexpr Names<1> kDocx = {"docx"};
constexpr Names<1> kEpub = {"epub"};
constexpr Names<3> kHtml = {"html", "htm", "xhtml"};
constexpr Names<1> kJson = {"json"};
constexpr Names<2> kMarkdown = {"md", "markdown"};
constexpr Names<1> kOdp = {"odp"};
constexpr Names<1> kOds = {"ods"};
constexpr Names<1> kOdt = {"odt"};
constexpr Names<2> kPo = {"po", "pot"};
constexpr Names<1> kPptx = {"pptx"};
constexpr Names<1> kProperties = {"properties"};
constexpr Names<1> kSrt = {"srt"};
constexpr Names<1> kTsv = {"tsv"};
constexpr Names<2> kText = {"txt", "text"};
constexpr Names<1> kVtt = {"vtt"};
constexpr Names<2> kXliff = {"xlf", "xliff"};
constexpr Names<1> kXlsx = {"xlsx"};
constexpr Names<2> kYaml = {"yaml", "yml"};

constexpr DocumentFormat kFormats[] = {
    {"csv", kCsv, "text/csv", ReadCsv},
    {"docx", kDocx, "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
     ReadDocx},
    {"epub", kEpub, "application/epub+zip", ReadEpub},
    {"html", kHtml, "text/html", ReadHtmlDocument},
    {"json", kJson, "application/json", ReadJsonStrings},
    {"md", kMarkdown, "text/markdown", ReadMarkdownDocument},
    {"odp", kOdp, "application/vnd.oasis.opendocument.presentation", ReadOpenDocument},
    {"ods", kOds, "application/vnd.oasis.opendocument.spreadsheet", ReadOpenDocument},
    {"odt", kOdt, "application/vnd.oasis.opendocument.text", ReadOpenDocument},
    {"po", kPo, "text/x-gettext-translation", ReadPo},
    {"pptx", kPptx, "application/vnd.openxmlformats-officedocument.presentationml.presentation",
     ReadPptx},
    {"properties", kProperties, "text/x-java-properties", ReadProperties},
    {"srt", kSrt, "application/x-subrip", ReadSrt},
    {"tsv", kTsv, "text/tab-separated-values", ReadTsv},
    {"txt", kText, "text/plain", ReadPlainText},
    {"vtt", kVtt, "text/vtt", ReadVtt},
    {"xliff", kXliff, "application/xliff+xml", ReadXliff},
    {"xlsx", kXlsx, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ReadXlsx},
    {"yaml", kYaml, "application/yaml", ReadYamlStrings},
};

}  // namespace

absl::Status Document::AddText(DocumentText text, const DocumentOptions& options,
                               string_view place) {
  if (static_cast<int64_t>(text.text.size()) > options.max_text_bytes) {
    return absl::InvalidArgumentError(Concat(place, ": a text of ", text.text.size(),
                                             " bytes; the limit is ", options.max_text_bytes,
                                             " bytes for one paragraph"));
  }
  if (static_cast<int64_t>(texts_.size()) == options.max_texts) {
    return absl::InvalidArgumentError(
        Concat(place, ": the document has more than ", options.max_texts, " texts"));
  }
  texts_.push_back(std::move(text));
  return absl::OkStatus();
}

absl::Status CheckTranslation(const DocumentText& text, string_view translation) {
  return text.is_fragment ? ReadFragment(text, translation).status() : absl::OkStatus();
}

bool NeedsTranslation(const DocumentText& text) {
  if (text.format != TextFormat::kPlain) return true;
  for (size_t at = 0; at < text.text.size();) {
    if (u_isalpha(static_cast<UChar32>(NextCodePoint(text.text, at)))) return true;
  }
  return false;
}

std::span<const DocumentFormat> DocumentFormats() { return kFormats; }

absl::StatusOr<std::unique_ptr<Document>> ReadDocumentAs(const DocumentFormat& format,
                                                         std::string bytes,
                                                         const DocumentOptions& options) {
  // An archive checks its members.
  const bool is_archive = bytes.starts_with("PK");
  if (!is_archive && static_cast<int64_t>(bytes.size()) > options.max_bytes) {
    return absl::ResourceExhaustedError(Concat(
        "the document has ", bytes.size(), " bytes of text, expected at most ", options.max_bytes));
  }
  return format.read(std::move(bytes), options);
}

const DocumentFormat* FindDocumentFormat(string_view name) {
  const std::string extension =
      absl::AsciiStrToLower(std::string(name.substr(name.find_last_of("./\\") + 1)));
  for (const DocumentFormat& format : kFormats) {
    if (format.name == extension ||
        std::ranges::find(format.extensions, extension) != format.extensions.end()) {
      return &format;
    }
  }
  return nullptr;
}

}  // namespace dragoman::engine

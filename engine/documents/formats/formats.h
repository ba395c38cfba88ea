// The readers of the document formats. DocumentFormat::read in document.h has their contract. Each
// is in a file of its own, except where formats share one.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/documents/document.h"

namespace dragoman::engine {

using ReadDocument = absl::StatusOr<std::unique_ptr<Document>>;

// Lines. Each line that is not blank is a text, and a long one is several.
ReadDocument ReadPlainText(std::string bytes, const DocumentOptions& options);

// The document in parts of some paragraphs, as the items of a request have them. Blocks are never
// cut. In Markdown, the definitions of labels belong to every part.
ReadDocument ReadHtmlDocument(std::string bytes, const DocumentOptions& options);
ReadDocument ReadMarkdownDocument(std::string bytes, const DocumentOptions& options);

// SubRip and WebVTT. A sentence that spans cues is one text. Its translation is divided among them
// by their lengths, at ends of words, and has at most the lines of the original.
ReadDocument ReadSrt(std::string bytes, const DocumentOptions& options);
ReadDocument ReadVtt(std::string bytes, const DocumentOptions& options);

// gettext. Messages without a translation, and fuzzy ones, which lose the mark. Every plural form
// is translated from the plural, except that of the number 1. The header of a translated catalogue
// names UTF-8.
ReadDocument ReadPo(std::string bytes, const DocumentOptions& options);

// The values of strings. Keys are not translated.
ReadDocument ReadJsonStrings(std::string bytes, const DocumentOptions& options);
ReadDocument ReadYamlStrings(std::string bytes, const DocumentOptions& options);
ReadDocument ReadProperties(std::string bytes, const DocumentOptions& options);

// Cells with letters. CSV: RFC 4180, with the separator ',', ';' or tab that the first row has.
ReadDocument ReadCsv(std::string bytes, const DocumentOptions& options);
ReadDocument ReadTsv(std::string bytes, const DocumentOptions& options);

// XLIFF 1.2 and 2.
ReadDocument ReadXliff(std::string bytes, const DocumentOptions& options);

// Office Open XML. Text in a style for program code stays, here and in OpenDocument.
ReadDocument ReadDocx(std::string bytes, const DocumentOptions& options);
ReadDocument ReadPptx(std::string bytes, const DocumentOptions& options);
ReadDocument ReadXlsx(std::string bytes, const DocumentOptions& options);

// OpenDocument: odt, ods, odp.
ReadDocument ReadOpenDocument(std::string bytes, const DocumentOptions& options);

ReadDocument ReadEpub(std::string bytes, const DocumentOptions& options);

}  // namespace dragoman::engine

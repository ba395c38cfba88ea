// Finds the texts of a document, and puts their translations in their places.
//
// A document is the content of a file, such as a .docx, .srt or .po. Its texts are what a reader or
// a translator sees: paragraphs, cells, subtitles, messages. All other bytes stay as they are.
//
//   const DocumentFormat* format = FindDocumentFormat("report.docx");
//   auto document = format->read(std::move(bytes), DocumentOptions());
//   for (const DocumentText& text : (*document)->texts()) ... translate it
//   auto result = (*document)->Write(translations);
//
// Thread-safety: a document is const after reading. Owns its bytes. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/text_format.h"

namespace dragoman::engine {

// A text to translate. It is valid UTF-8 and has at most DocumentOptions::max_text_bytes bytes. In
// kHtml it may have elements and voids that stand for the document's own formatting; a translation
// keeps all voids.
struct DocumentText {
  std::string text;
  TextFormat format = TextFormat::kPlain;
  bool is_fragment = false;  // kHtml with the document's formatting as elements and voids
};

// Returns INVALID_ARGUMENT if the translation has lost a void of the text, or has a tag that the text
// has not. Document::Write returns the same error. Write leaves out a void that is repeated.
absl::Status CheckTranslation(const DocumentText& text, std::string_view translation);

struct DocumentOptions {
  // The part of the document that is translated. CSV: numbers of columns, from 1, or their names in
  // the first row. JSON and YAML: names of members. Empty: all. INVALID_ARGUMENT for other formats.
  std::vector<std::string> fields;
  // PO and XLIFF: also translates what has a translation already.
  bool retranslate = false;
  // The code of the target language, for formats that state it (XLIFF).
  std::string target_language;

  // Limits. A document above one of them is INVALID_ARGUMENT, and the message names the place.
  // RESOURCE_EXHAUSTED for max_bytes, before anything is decompressed.
  int64_t max_bytes = 256 << 20;  // of the document; of an archive's members with texts, unpacked
  int64_t max_texts = 2'000'000;
  int64_t max_text_bytes = 64 << 10;
};

// Reports whether the text may have a letter. Otherwise its translation is the text itself.
bool NeedsTranslation(const DocumentText& text);

// One for each text of a document; nullopt: it has none.
using Translations = std::span<const std::optional<std::string>>;

class Document {
 public:
  virtual ~Document() = default;

  // The texts in the document's order.
  const std::vector<DocumentText>& texts() const { return texts_; }

  // Returns the document with translations[i] in place of texts()[i], or next to it in formats that
  // have both languages (PO, XLIFF). The document's own bytes stay for a text without a translation,
  // and for one whose translation equals it and takes its place. Characters that the format cannot
  // have are left out. Returns the errors of CheckTranslation. REQUIRES: there is one element for
  // each text.
  virtual absl::StatusOr<std::string> Write(Translations translations) const = 0;

 protected:
  // Adds a text. Returns the error for a text that is above a limit; `place` says where it is.
  absl::Status AddText(DocumentText text, const DocumentOptions& options, std::string_view place);

 private:
  std::vector<DocumentText> texts_;
};

struct DocumentFormat {
  std::string_view name;                         // "docx"
  std::span<const std::string_view> extensions;  // without the dot, in lower case
  std::string_view mime_type;
  // Returns INVALID_ARGUMENT if the bytes are not a document of this format; the message names the
  // place (line, byte, or member of an archive) and what was expected there.
  absl::StatusOr<std::unique_ptr<Document>> (*read)(std::string bytes,
                                                    const DocumentOptions& options);
};

// All formats, by name.
std::span<const DocumentFormat> DocumentFormats();

// Reads a document. Returns the errors of DocumentFormat::read and the error for max_bytes.
absl::StatusOr<std::unique_ptr<Document>> ReadDocumentAs(const DocumentFormat& format,
                                                         std::string bytes,
                                                         const DocumentOptions& options);

// Returns the format of this name or extension, or of a file with this name ("a/b.DOCX"). Returns
// nullptr if there is none.
const DocumentFormat* FindDocumentFormat(std::string_view name);

}  // namespace dragoman::engine

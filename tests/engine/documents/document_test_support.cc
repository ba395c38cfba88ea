#include "tests/engine/documents/document_test_support.h"

#include <gtest/gtest.h>

#include "absl/strings/ascii.h"

namespace dragoman::engine {
namespace {

std::string Capitals(const DocumentText& text) {
  std::string capitals;
  char end = 0;  // of the tag or reference
  for (const char c : text.text) {
    if (text.format == TextFormat::kHtml && end == 0 && (c == '<' || c == '&')) {
      end = c == '<' ? '>' : ';';
    }
    capitals += end != 0 ? c : absl::ascii_toupper(static_cast<unsigned char>(c));
    if (c == end) end = 0;
  }
  return capitals;
}

std::string Write(const Document& document,
                  const std::vector<std::optional<std::string>>& translations) {
  absl::StatusOr<std::string> written = document.Write(translations);
  EXPECT_TRUE(written.ok()) << written.status();
  return written.ok() ? *written : "";
}

}  // namespace

std::unique_ptr<Document> ReadForTest(std::string_view format, const std::string& bytes,
                                      const DocumentOptions& options) {
  auto document = FindDocumentFormat(format)->read(bytes, options);
  EXPECT_TRUE(document.ok()) << document.status();
  return document.ok() ? *std::move(document) : nullptr;
}

std::string FaultOf(std::string_view format, const std::string& bytes,
                    const DocumentOptions& options) {
  const auto document = FindDocumentFormat(format)->read(bytes, options);
  if (document.ok()) return "";
  EXPECT_EQ(document.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(document.status().message());
}

std::vector<std::string> TextsOf(const Document& document) {
  std::vector<std::string> texts;
  for (const DocumentText& text : document.texts()) texts.push_back(text.text);
  return texts;
}

std::string InCapitals(std::string_view format, const std::string& bytes,
                       const DocumentOptions& options) {
  const std::unique_ptr<Document> document = ReadForTest(format, bytes, options);
  if (document == nullptr) return "";
  std::vector<std::optional<std::string>> translations(document->texts().size());
  EXPECT_EQ(Write(*document, translations), bytes);
  for (size_t i = 0; i < translations.size(); ++i) {
    translations[i] = Capitals(document->texts()[i]);
  }
  return Write(*document, translations);
}

std::string WithTranslations(std::string_view format, const std::string& bytes,
                             const std::vector<std::string>& translations,
                             const DocumentOptions& options) {
  const std::unique_ptr<Document> document = ReadForTest(format, bytes, options);
  if (document == nullptr) return "";
  EXPECT_EQ(document->texts().size(), translations.size());
  return Write(*document,
               std::vector<std::optional<std::string>>(translations.begin(), translations.end()));
}

}  // namespace dragoman::engine

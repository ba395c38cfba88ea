// Input: a byte that selects a format, and a document. Whatever the bytes are, a document that is
// read has valid texts, is the same without translations, and can be written with its texts in
// reverse order of words. An archive is made of the bytes: they become the member that the format
// reads first, because random bytes are no archive.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/documents/document.h"
#include "tests/engine/model/zip_files.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using dragoman::FuzzCheck;
using dragoman::engine::DocumentFormat;
using dragoman::engine::DocumentText;
using dragoman::engine::TextFormat;

// Returns the archive whose member with texts has these bytes, or the bytes for other formats.
std::string InArchive(std::string_view format, const std::string& bytes) {
  using dragoman::engine::ZipOf;
  if (format == "docx") return ZipOf({{"word/document.xml", bytes}});
  if (format == "pptx") return ZipOf({{"ppt/presentation.xml", ""}, {"ppt/slides/a.xml", bytes}});
  if (format == "xlsx") return ZipOf({{"xl/workbook.xml", ""}, {"xl/sharedStrings.xml", bytes}});
  if (format == "epub") return ZipOf({{"META-INF/container.xml", ""}, {"a.xhtml", bytes}});
  if (format.starts_with("od")) return ZipOf({{"content.xml", bytes}});
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto formats = dragoman::engine::DocumentFormats();
  const DocumentFormat& format = formats[data[0] % formats.size()];
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // Bit 7: an archive as it is.
  if (data[0] < 128) bytes = InArchive(format.name, bytes);
  dragoman::engine::DocumentOptions options;
  options.retranslate = (data[0] & 64U) != 0;
  options.target_language = "de";
  options.max_bytes = 1 << 20;
  const auto document = format.read(bytes, options);
  if (!document.ok()) return 0;
  std::vector<std::optional<std::string>> translations((*document)->texts().size());
  const auto same = (*document)->Write(translations);
  FuzzCheck(same.ok() && *same == bytes);
  for (size_t i = 0; i < translations.size(); ++i) {
    const DocumentText& text = (*document)->texts()[i];
    FuzzCheck(!dragoman::engine::FirstInvalidUtf8(text.text).has_value());
    // Markup is put around a text, so that its tags stay.
    translations[i] = text.format == TextFormat::kPlain ? "<&> " + text.text + "\n]]>\x01"
                                                        : "&lt;a " + text.text + " b";
  }
  const auto written = (*document)->Write(translations);
  FuzzCheck(written.ok());
  // The result is a document of the format again.
  FuzzCheck(format.read(*written, options).ok());
  return 0;
}

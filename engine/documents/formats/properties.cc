// Java's .properties files.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "engine/base/utf8.h"
#include "engine/documents/formats/escapes.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

class Properties final : public SplicedDocument {
 public:
  explicit Properties(std::string content)
      : SplicedDocument(std::move(content)), is_ascii_(std::ranges::all_of(bytes(), [](char c) {
          return static_cast<unsigned char>(c) < 0x80;
        })) {}

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) {
      return absl::InvalidArgumentError(std::string(utf8.message()) +
                                        "; expected UTF-8, or ASCII with \\uXXXX");
    }
    const string_view all = bytes();
    for (size_t at = ByteOrderMarkSize(all); at < all.size();) {
      const size_t end = LogicalEnd(at);
      if (absl::Status read = ReadLine(all.substr(at, end - at), options); !read.ok()) return read;
      at = end + 1;
    }
    return absl::OkStatus();
  }

 private:
  // Returns the end of the line, which goes on after a backslash at its end, unless it is a
  // comment.
  size_t LogicalEnd(size_t at) const {
    const string_view all = bytes();
    size_t begin = at;
    while (begin < all.size() && IsBlank(all[begin])) ++begin;
    const bool is_comment = begin < all.size() && (all[begin] == '#' || all[begin] == '!');
    for (; at < all.size(); ++at) {
      if (all[at] == '\n' || all[at] == '\r') break;
      if (all[at] == '\\' && !is_comment) {
        ++at;
        if (all.substr(at).starts_with("\r\n")) ++at;
      }
    }
    return std::min(at, all.size());
  }

  absl::Status ReadLine(string_view line, const DocumentOptions& options) {
    size_t at = 0;
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at == line.size() || line[at] == '#' || line[at] == '!') return absl::OkStatus();
    for (; at < line.size() && !IsBlank(line[at]) && line[at] != '=' && line[at] != ':'; ++at) {
      if (line[at] == '\\') ++at;
    }
    at = std::min(at, line.size());
    while (at < line.size() && IsBlank(line[at])) ++at;
    if (at < line.size() && (line[at] == '=' || line[at] == ':')) ++at;
    while (at < line.size() && IsBlank(line[at])) ++at;
    const string_view value = line.substr(at);
    std::string text = DecodeJava(value);
    if (StripWhiteSpace(text).empty()) return absl::OkStatus();
    return Add(TextRange::Of(value, bytes()), {std::move(text)}, options);
  }

  std::string Encode(size_t, string_view translation) const override {
    std::string value;
    for (size_t at = 0; at < translation.size();) {
      const size_t begin = at;
      const char32_t c = NextCodePoint(translation, at);
      if (c == '\n') {
        value += "\\n";
      } else if (c == '\t') {
        value += "\\t";
      } else if (c == '\r') {
        value += "\\r";
      } else if (c == '\\' || (c == ' ' && begin == 0)) {
        value += '\\';
        value += static_cast<char>(c);
      } else if (c < 0x80 || !is_ascii_) {
        value.append(translation, begin, at - begin);
      } else if (c < 0x10000) {
        value += absl::StrFormat("\\u%04X", static_cast<uint32_t>(c));
      } else {
        const auto offset = static_cast<uint32_t>(c) - 0x10000;
        value +=
            absl::StrFormat("\\u%04X\\u%04X", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
      }
    }
    return value;
  }

  // A file in ASCII stays one, because Java before 9 reads others as Latin-1.
  const bool is_ascii_;
};

}  // namespace

ReadDocument ReadProperties(std::string bytes, const DocumentOptions& options) {
  auto document = std::make_unique<Properties>(std::move(bytes));
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace dragoman::engine

#include <cstddef>
#include <string>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/documents/formats/formats.h"
#include "engine/documents/spliced_document.h"

namespace dragoman::engine {
namespace {

using std::string_view;

// A longer line is cut after a sentence, else after a word.
constexpr size_t kLongLine = 4'000;

// Returns the number of bytes of the first part of a line.
size_t PartSize(string_view line) {
  if (line.size() <= kLongLine) return line.size();
  const string_view head = line.substr(0, kLongLine);
  const size_t sentence = head.find_last_of(".!?");
  // A full stop inside a number or an address is not followed by a space.
  if (sentence != string_view::npos && sentence > kLongLine / 2 && line[sentence + 1] == ' ') {
    return sentence + 1;
  }
  const size_t space = head.find_last_of(" \t");
  if (space != string_view::npos && space > kLongLine / 2) return space + 1;
  return CharacterBegin(line, kLongLine);
}

class PlainText final : public SplicedDocument {
 public:
  using SplicedDocument::SplicedDocument;

  absl::Status Read(const DocumentOptions& options) {
    if (absl::Status utf8 = CheckUtf8(bytes()); !utf8.ok()) return utf8;
    const string_view all = bytes();
    for (size_t at = ByteOrderMarkSize(all); at < all.size();) {
      size_t end = all.find_first_of("\r\n", at);
      if (end == string_view::npos) end = all.size();
      while (at < end) {
        const string_view part = all.substr(at, PartSize(all.substr(at, end - at)));
        const string_view text = StripWhiteSpace(part);
        if (!text.empty()) {
          absl::Status added = Add(TextRange::Of(text, all), {std::string(text)}, options);
          if (!added.ok()) return added;
        }
        at += part.size();
      }
      ++at;
    }
    return absl::OkStatus();
  }

 private:
  std::string Encode(size_t, string_view translation) const override {
    return std::string(translation);
  }
};

}  // namespace

ReadDocument ReadPlainText(std::string bytes, const DocumentOptions& options) {
  auto document = std::make_unique<PlainText>(std::move(bytes));
  if (absl::Status read = document->Read(options); !read.ok()) return read;
  return document;
}

}  // namespace dragoman::engine

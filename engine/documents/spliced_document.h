// A document whose texts are ranges of its bytes.
//
// A format adds its texts in the document's order, and says how a translation is written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/documents/document.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

class SplicedDocument : public Document {
 public:
  // `has_targets`: a translation is written next to its text, so it is written even if both are
  // equal.
  explicit SplicedDocument(std::string bytes, bool has_targets = false)
      : bytes_(std::move(bytes)), has_targets_(has_targets) {}

  absl::StatusOr<std::string> Write(Translations translations) const override;

 protected:
  const std::string& bytes() const { return bytes_; }

  // Adds the text that is written at `range`. Errors name its line. REQUIRES: `range` begins at or
  // after the end of the text before.
  absl::Status Add(TextRange range, DocumentText text, const DocumentOptions& options);

  // Writes `bytes` over `range` if any text is translated. REQUIRES: as for Add.
  void Edit(TextRange range, std::string bytes);

  // Returns the bytes that stand for texts()[text] once it is translated.
  virtual std::string Encode(size_t text, std::string_view translation) const = 0;

  TextRange range(size_t text) const { return ranges_[text]; }

 private:
  struct Change {
    TextRange range;
    std::string bytes;
  };

  const std::string bytes_;
  const bool has_targets_;
  std::vector<TextRange> ranges_;
  std::vector<Change> edits_;
};

// Returns "line N", where N is the line of the byte `at`.
std::string LineOf(std::string_view bytes, int64_t at);

// Returns INVALID_ARGUMENT, which names the line, if the bytes are not UTF-8. Names the encoding
// that a byte order mark tells.
absl::Status CheckUtf8(std::string_view bytes);

// Returns the number of bytes of a byte order mark at the beginning: 0 or 3.
size_t ByteOrderMarkSize(std::string_view bytes);

}  // namespace dragoman::engine

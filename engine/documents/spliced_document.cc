#include "engine/documents/spliced_document.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/base/concat.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {

using std::string_view;

absl::StatusOr<std::string> SplicedDocument::Write(Translations translations) const {
  std::string out;
  out.reserve(bytes_.size() + bytes_.size() / 4);
  size_t at = 0;
  const auto write = [&](TextRange range, string_view bytes) {
    out.append(bytes_, at, static_cast<size_t>(range.begin) - at);
    out += bytes;
    at = static_cast<size_t>(range.end);
  };
  const bool is_translated =
      std::ranges::any_of(translations, [](const auto& given) { return given.has_value(); });
  size_t edit = is_translated ? 0 : edits_.size();
  const auto write_edits_before = [&](int64_t end) {
    for (; edit < edits_.size() && edits_[edit].range.begin < end; ++edit) {
      write(edits_[edit].range, edits_[edit].bytes);
    }
  };
  for (size_t i = 0; i < translations.size(); ++i) {
    if (!translations[i].has_value()) continue;
    if (!has_targets_ && *translations[i] == texts()[i].text) continue;
    write_edits_before(ranges_[i].begin);
    write(ranges_[i], Encode(i, *translations[i]));
  }
  write_edits_before(static_cast<int64_t>(bytes_.size()));
  out.append(bytes_, at);
  return out;
}

absl::Status SplicedDocument::Add(TextRange range, DocumentText text,
                                  const DocumentOptions& options) {
  // LineOf counts from the beginning, so only a refused text asks for it.
  const bool is_refused = static_cast<int64_t>(text.text.size()) > options.max_text_bytes ||
                          static_cast<int64_t>(ranges_.size()) >= options.max_texts;
  absl::Status added =
      AddText(std::move(text), options, is_refused ? LineOf(bytes_, range.begin) : std::string());
  if (added.ok()) ranges_.push_back(range);
  return added;
}

void SplicedDocument::Edit(TextRange range, std::string bytes) {
  edits_.push_back({range, std::move(bytes)});
}

std::string LineOf(string_view bytes, int64_t at) {
  return Concat("line ", 1 + std::count(bytes.begin(), bytes.begin() + at, '\n'));
}

absl::Status CheckUtf8(string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    return absl::InvalidArgumentError("the file is UTF-16; expected UTF-8");
  }
  const std::optional<int64_t> at = FirstInvalidUtf8(bytes);
  if (!at.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(LineOf(bytes, *at), ": not UTF-8 at byte ", *at));
}

size_t ByteOrderMarkSize(string_view bytes) { return bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0; }

}  // namespace dragoman::engine

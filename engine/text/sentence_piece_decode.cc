// The way back: pieces to text, and where each piece's text lies in it.
#include <algorithm>

#include "engine/base/utf8.h"
#include "engine/text/sentence_piece.h"

namespace dragoman {
namespace {

// Bytes of byte pieces as text: what is no UTF-8 becomes U+FFFD, byte by byte. ranges[i] is that of
// the piece of byte i; the last piece of a character has all of it.
void AppendBytes(std::string_view bytes, std::string& text, std::span<TextRange> ranges) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t begin = at;
    const bool wrong = NextCodePoint(bytes, at) == 0xFFFD && at - begin == 1;
    const auto from = static_cast<int64_t>(text.size());
    text += wrong ? std::string_view("\xEF\xBF\xBD") : bytes.substr(begin, at - begin);
    std::fill(ranges.begin() + static_cast<ptrdiff_t>(begin),
              ranges.begin() + static_cast<ptrdiff_t>(at), TextRange{from, from});
    ranges[at - 1].end = static_cast<int64_t>(text.size());
  }
}

}  // namespace

PieceText SentencePiece::Decode(std::span<const std::string_view> pieces, bool after_text) const {
  PieceText whole = Join(pieces, after_text, false);
  if (!denormalizer_) return whole;
  NormalizedText changed = denormalizer_->Normalize(whole.text);
  const auto place = [&](int64_t position) {
    const auto& origin = changed.origin;
    const auto found = std::lower_bound(origin.begin(), origin.end(), position);
    return std::min<int64_t>(found - origin.begin(), static_cast<int64_t>(changed.text.size()));
  };
  for (TextRange& range : whole.ranges) range = {place(range.begin), place(range.end)};
  whole.text = std::move(changed.text);
  return whole;
}

PieceText SentencePiece::DecodePrefix(std::span<const std::string_view> pieces,
                                      bool after_text) const {
  if (!denormalizer_) return Join(pieces, after_text, true);
  return {"", std::vector<TextRange>(pieces.size())};
}

PieceText SentencePiece::Join(std::span<const std::string_view> pieces, bool after_text,
                              bool is_prefix) const {
  const bool strip_first_space =
      file_.normalizer.add_dummy_prefix || file_.normalizer.remove_extra_whitespaces;
  PieceText joined;
  std::string& text = joined.text;
  joined.ranges.resize(pieces.size());
  std::string bytes;  // of byte pieces not yet written
  const auto flush_bytes = [&](size_t end) {
    AppendBytes(bytes, text, std::span(joined.ranges).subspan(end - bytes.size(), bytes.size()));
    bytes.clear();
  };
  bool first_space_seen = false;
  bool at_start = !after_text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    const auto it = ids_.find(piece);
    const SpmPiece& known =
        file_.pieces[static_cast<size_t>(it == ids_.end() ? unk_id_ : it->second)];
    if (known.type == SpmPiece::kByte) {
      bytes += static_cast<char>(ByteOfPiece(piece));
      continue;
    }
    flush_bytes(i);
    TextRange& range = joined.ranges[i];
    range.begin = range.end = static_cast<int64_t>(text.size());
    if (first_space_seen || !text.empty()) at_start = false;
    first_space_seen = false;
    if (known.type == SpmPiece::kControl) continue;
    if (known.type == SpmPiece::kUnknown) {
      text += known.text == piece ? std::string_view(file_.unk_surface) : piece;
    } else {
      std::string surface(piece);
      if (at_start && strip_first_space && surface.starts_with(kSpaceMark)) {
        surface.erase(0, kSpaceMark.size());
        // With remove_extra_whitespaces every leading space goes, not the first one only.
        first_space_seen = !file_.normalizer.remove_extra_whitespaces;
      }
      ReplaceSpaceMarks(surface);
      text += surface;
    }
    range.end = static_cast<int64_t>(text.size());
  }
  size_t end = pieces.size();
  if (is_prefix) {
    // The beginning of a character that further bytes may complete.
    const auto open = static_cast<size_t>(IncompleteUtf8Tail(bytes));
    bytes.resize(bytes.size() - open);
    end -= open;
  }
  flush_bytes(end);
  const auto size = static_cast<int64_t>(text.size());
  for (size_t i = end; i < pieces.size(); ++i) joined.ranges[i] = {size, size};
  return joined;
}

}  // namespace dragoman

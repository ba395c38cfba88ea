// Joins pieces into text and records the range of each piece.
#include <algorithm>

#include "engine/text/join_pieces.h"
#include "engine/text/sentencepiece/sentence_piece.h"

namespace dragoman::engine {

PieceText SentencePiece::Decode(std::span<const std::string_view> pieces, bool after_text,
                                bool is_prefix) const {
  if (!denormalizer_) return Join(pieces, after_text, is_prefix);
  if (is_prefix) return {"", std::vector<TextRange>(pieces.size())};
  PieceText whole = Join(pieces, after_text, false);
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

PieceText SentencePiece::Join(std::span<const std::string_view> pieces, bool after_text,
                              bool is_prefix) const {
  const bool strip_first_space =
      file_.normalizer.add_dummy_prefix || file_.normalizer.remove_extra_whitespaces;
  const auto known = [&](std::string_view piece) -> const SpmPiece& {
    const auto it = ids_.find(piece);
    return file_.pieces[static_cast<size_t>(it == ids_.end() ? unk_id_ : it->second)];
  };
  const auto byte_of = [&](std::string_view piece) {
    const bool may_be = piece.starts_with("<0x");
    return may_be && known(piece).type == SpmPiece::kByte ? ByteOfPiece(piece) : -1;
  };
  bool first_space_seen = false;
  bool at_start = !after_text;
  const auto write = [&](std::string_view piece, std::string& text) {
    if (first_space_seen || !text.empty()) at_start = false;
    first_space_seen = false;
    const SpmPiece& as = known(piece);
    if (as.type == SpmPiece::kControl) return;
    if (as.type == SpmPiece::kUnknown) {
      text += as.text == piece ? std::string_view(file_.unk_surface) : piece;
      return;
    }
    std::string surface(piece);
    if (at_start && strip_first_space && surface.starts_with(kSpaceMark)) {
      surface.erase(0, kSpaceMark.size());
      // With remove_extra_whitespaces, every leading space is removed, not only the first.
      first_space_seen = !file_.normalizer.remove_extra_whitespaces;
    }
    ReplaceSpaceMarks(surface);
    text += surface;
  };
  return JoinPieces(pieces, is_prefix, byte_of, write);
}

}  // namespace dragoman::engine

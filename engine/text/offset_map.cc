#include "engine/text/offset_map.h"

#include <algorithm>

namespace dragoman::engine {

void OffsetMap::Add(int64_t from, int64_t from_size, int64_t to, int64_t to_size) {
  if (!pieces_.empty() && from_size == to_size) {
    Piece& last = pieces_.back();
    if (last.from_size == last.to_size && last.from + last.from_size == from &&
        last.to + last.to_size == to) {
      last.from_size += from_size;
      last.to_size += to_size;
      return;
    }
  }
  pieces_.push_back({from, from_size, to, to_size});
}

TextRange OffsetMap::Map(TextRange range) const {
  if (pieces_.empty()) return {};
  // Returns the first piece that ends after the position.
  const auto piece_at = [&](int64_t position) {
    return std::upper_bound(
        pieces_.begin(), pieces_.end(), position,
        [](int64_t at, const Piece& piece) { return at < piece.from + piece.from_size; });
  };
  const auto begin = piece_at(range.begin);
  if (begin == pieces_.end()) {
    const int64_t end = pieces_.back().to + pieces_.back().to_size;
    return {end, end};
  }
  TextRange mapped{begin->to, begin->to};
  if (begin->from_size == begin->to_size && range.begin > begin->from) {
    mapped.begin += range.begin - begin->from;
    mapped.end = mapped.begin;
  }
  if (range.size() <= 0) return mapped;
  const auto last = piece_at(range.end - 1);
  if (last == pieces_.end()) {
    mapped.end = pieces_.back().to + pieces_.back().to_size;
  } else if (range.end <= last->from) {  // the range ends between two pieces
    if (last == begin) return mapped;
    const auto before = last - 1;
    mapped.end = before->to + before->to_size;
  } else if (last->from_size == last->to_size) {
    mapped.end = last->to + (range.end - last->from);
  } else {
    mapped.end = last->to + last->to_size;
  }
  return mapped;
}

}  // namespace dragoman::engine

// Maps byte positions in a text to positions in another text that was made from it piece by piece.
//
// Thread-safety: several threads may call const methods at once. Units: bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman::engine {

class OffsetMap {
 public:
  // Adds a piece: bytes [from, from + from_size) become bytes [to, to + to_size). If both sizes are
  // equal, the piece maps byte by byte. Else any byte of it maps to the whole target range.
  // REQUIRES: pieces are added in order of `from` and do not overlap.
  void Add(int64_t from, int64_t from_size, int64_t to, int64_t to_size);

  // Returns the smallest target range that contains the targets of all bytes of `range`. Bytes
  // outside all pieces have no target. An empty range maps to an empty range where the target of
  // the next byte begins. Returns {0, 0} if there are no pieces.
  TextRange Map(TextRange range) const;

 private:
  struct Piece {
    int64_t from = 0;
    int64_t from_size = 0;
    int64_t to = 0;
    int64_t to_size = 0;
  };

  std::vector<Piece> pieces_;
};

}  // namespace dragoman::engine

// From byte positions in one text to those in another that was made from it piece by piece.
//
// Thread-safety: const methods from several threads. Units: bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/text/text_range.h"

namespace dragoman::engine {

class OffsetMap {
 public:
  // Adds a piece: bytes [from, from + from_size) are bytes [to, to + to_size). Pieces of equal
  // sizes go byte by byte, others as a whole. REQUIRES: pieces come in order of `from`, without
  // overlap.
  void Add(int64_t from, int64_t from_size, int64_t to, int64_t to_size);

  // The smallest range that holds what the bytes of `range` became; for an empty range an empty
  // one, where the next byte went. Bytes in no piece became nothing. {0, 0} without any piece.
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

// The vocabulary of one side of a model: pieces and their ids.
//
// Immutable after Parse, so any thread may read. Owns its pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// The maximum sizes of vocabulary files and SentencePiece models in bytes.
inline constexpr size_t kMaxVocabularyBytes = 64 << 20;
inline constexpr size_t kMaxSentencePieceBytes = 64 << 20;

class Vocabulary final : public PieceTable {
 public:
  // Reads the content of a vocab.json: one object that maps pieces to ids. With n pieces, each id
  // from 0 to n - 1 must occur once. If `size` is set, the vocabulary has `size` ids, and the last
  // ones may have no piece; n must not exceed `size`. Returns INVALID_ARGUMENT, which names `file`,
  // the piece or id, and the fault.
  static absl::StatusOr<Vocabulary> Parse(std::string_view json, std::string_view file,
                                          std::optional<int> size);

  // Makes a vocabulary. `pieces` is indexed by id and has "" for an id without a piece. Returns
  // INVALID_ARGUMENT, which names `file` and the piece, if a piece is repeated.
  static absl::StatusOr<Vocabulary> FromPieces(std::vector<std::string> pieces,
                                               std::string_view file);

  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  int size() const { return static_cast<int>(pieces_.size()); }
  const std::vector<std::string>& pieces() const { return pieces_; }  // by id
  std::optional<int> IdOf(std::string_view piece) const override;
  // Also returns "" for an id outside the vocabulary.
  std::string_view PieceOf(int id) const override;

 private:
  Vocabulary() = default;
  // Fills id_of_ with the first `count` elements of pieces_. Skips empty pieces unless
  // `empty_is_piece`. Returns a piece that is repeated, or nullopt.
  std::optional<std::string_view> Index(size_t count, bool empty_is_piece);

  std::vector<std::string> pieces_;                   // by id
  absl::flat_hash_map<std::string_view, int> id_of_;  // keys point into pieces_
};

}  // namespace dragoman::engine

// The vocabulary of one side of a model: pieces and their ids.
//
// Immutable after Parse, so any thread may read. Owns its pieces.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"

namespace dragoman::engine {

// The size limits of vocabulary files and of SentencePiece models.
inline constexpr size_t kMaxVocabularyBytes = 64 << 20;
inline constexpr size_t kMaxSentencePieceBytes = 64 << 20;

class Vocabulary {
 public:
  // Reads vocab.json: one object, piece -> id. The ids must be 0 to n - 1, each once. With `size`
  // the vocabulary has that many ids; the last ones may have no piece, and more pieces are an
  // error. Returns INVALID_ARGUMENT naming `file`, the piece or id, and the fault.
  static absl::StatusOr<Vocabulary> Parse(std::string_view json, std::string_view file,
                                          std::optional<int> size);

  // Makes a vocabulary of pieces by id; "" for an id without a piece. Returns INVALID_ARGUMENT
  // naming `file` and a repeated piece.
  static absl::StatusOr<Vocabulary> FromPieces(std::vector<std::string> pieces,
                                               std::string_view file);

  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  int size() const { return static_cast<int>(pieces_.size()); }
  std::optional<int> IdOf(std::string_view piece) const;
  // Returns "" for an id outside the vocabulary.
  std::string_view PieceOf(int id) const;

 private:
  Vocabulary() = default;
  // Makes id_of_ from the first `count` of pieces_. Returns a repeated piece, if any. An empty
  // piece has no id unless `empty_is_piece`.
  std::optional<std::string_view> Index(size_t count, bool empty_is_piece);

  std::vector<std::string> pieces_;                  // by id
  std::unordered_map<std::string_view, int> id_of_;  // keys point into pieces_
};

}  // namespace dragoman::engine

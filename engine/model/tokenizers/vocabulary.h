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

// The largest files of vocabularies and of what cuts texts into their pieces.
inline constexpr size_t kMaxVocabularyBytes = 64 << 20;
inline constexpr size_t kMaxSentencePieceBytes = 64 << 20;

class Vocabulary {
 public:
  // Reads vocab.json: one object, piece -> id. The ids must start at 0 without gaps, each once. With
  // `size` the vocabulary has that many ids, of which the last may have no piece; there may not be more
  // pieces. INVALID_ARGUMENT names `file`, the piece or id, and what is wrong.
  static absl::StatusOr<Vocabulary> Parse(std::string_view json, std::string_view file,
                                          std::optional<int> size);

  // Makes a vocabulary of pieces by id; "" for an id that has none. INVALID_ARGUMENT names `file` and a
  // piece that is there twice.
  static absl::StatusOr<Vocabulary> FromPieces(std::vector<std::string> pieces,
                                               std::string_view file);

  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  int size() const { return static_cast<int>(pieces_.size()); }
  std::optional<int> IdOf(std::string_view piece) const;
  // "" for an id outside of the vocabulary.
  std::string_view PieceOf(int id) const;

 private:
  Vocabulary() = default;
  // Makes id_of_ from the first `count` of pieces_, and returns a piece that is there twice, if any. An
  // empty piece has no id unless `empty_is_piece`.
  std::optional<std::string_view> Index(size_t count, bool empty_is_piece);

  std::vector<std::string> pieces_;                  // by id
  std::unordered_map<std::string_view, int> id_of_;  // keys point into pieces_
};

}  // namespace dragoman::engine

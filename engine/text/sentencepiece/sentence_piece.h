// SentencePiece inference (unigram, BPE, words, characters): cuts text into pieces and joins them.
// The pieces equal those of sentencepiece 0.2.3. Earlier releases of sentencepiece choose another
// cut if two cuts of a text have the same score, and score user-defined pieces differently
// (README.md).
//
// Kudo and Richardson 2018 (SentencePiece); Kudo 2018 (unigram); Sennrich et al. 2016 (BPE).
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/sentencepiece/spm_file.h"
#include "engine/text/sentencepiece/spm_normalizer.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

class SentencePiece : public SubwordModel {
 public:
  // `bytes` is the content of a .spm file. Returns INVALID_ARGUMENT, which names `name`, if the
  // file is invalid.
  static absl::StatusOr<std::unique_ptr<SentencePiece>> Create(std::string_view bytes,
                                                               std::string_view name);

  // Neighbouring unknown characters become one piece with their text. In a model with
  // byte_fallback, each byte of an unknown character becomes a piece instead, and the last of these
  // pieces has the character's range. With TextStart::kInside, adds no word mark before the text.
  std::vector<SubwordToken> Encode(std::string_view text,
                                   TextStart start = TextStart::kBegin) const override;

  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override;

 private:
  SentencePiece(SpmFile file, SpmNormalizer normalizer);

  // Cut the normalized text into known pieces and single unknown characters.
  std::vector<PieceSpan> SegmentUnigram(std::string_view text) const;
  std::vector<PieceSpan> SegmentBpe(std::string_view text) const;
  std::vector<PieceSpan> SegmentWords(std::string_view text) const;
  std::vector<PieceSpan> SegmentCharacters(std::string_view text) const;
  std::vector<PieceSpan> Segment(std::string_view text) const;
  int32_t IdOf(std::string_view piece) const;
  PieceText Join(std::span<const std::string_view> pieces, bool after_text, bool is_prefix) const;

  SpmFile file_;
  SpmNormalizer normalizer_;
  std::optional<SpmNormalizer> denormalizer_;
  absl::flat_hash_map<std::string_view, int32_t> ids_;  // all pieces; views into file_
  // Pieces of type normal, user-defined or unused.
  absl::flat_hash_map<std::string_view, int32_t> text_ids_;
  PieceTrie trie_;  // has the pieces of text_ids_ that are not unused
  PieceTrie user_defined_;
  int32_t unk_id_ = 0;
  float min_score_ = 0;
};

}  // namespace dragoman::engine

// GPT-2's byte-level BPE as BART uses it. A regular expression cuts a text into words. Each byte of
// a word becomes one character, and a list of merges joins the characters into pieces.
//
// Radford et al. 2019; BartTokenizer of transformers 4.57, and ByteLevel of the tokenizers library,
// 0.22. Letters, digits and white space are ICU's.
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/pipeline/bpe_merges.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

// Returns where the words of `text` end. A word is a match of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// REQUIRES: `text` is valid UTF-8.
std::vector<size_t> ByteBpeWordEnds(std::string_view text);

class ByteBpe : public SubwordModel {
 public:
  // Which texts are cut as if a space preceded them, if they do not begin with a space: none, a
  // whole text, or every part between added tokens, as the tokenizers library does.
  enum SpaceBefore { kNone, kText, kParts };

  // `pieces` is indexed by id; a piece may be "" or stand for no bytes. `merges` uses these ids.
  // Returns UNIMPLEMENTED naming `name` if a byte has no piece.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::span<const BpeMerge> merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);
  // The same with the content of merges.txt. Also returns INVALID_ARGUMENT for a merge whose parts
  // or result are not pieces.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::string_view merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);

  std::string_view word_mark() const override { return "\xC4\xA0"; }  // a space
  std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const override;
  NormalizedText Prepare(std::string_view text, TextStart start) const override;
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool) const override {
    return Join(pieces, false);
  }
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool) const override {
    return Join(pieces, true);
  }

 private:
  ByteBpe() = default;
  PieceText Join(std::span<const std::string_view> pieces, bool is_prefix) const;

  std::vector<std::string> pieces_;
  std::array<int32_t, 256> ids_of_bytes_ = {};
  BpeMerges merges_;
  SpaceBefore space_before_ = kNone;
};

}  // namespace dragoman::engine

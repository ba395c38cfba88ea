// GPT-2's byte-level BPE as BART uses it. A regular expression cuts a text into words. Each byte of
// a word becomes one character, and a list of merges joins the characters into pieces.
//
// Radford et al. 2019; BartTokenizer of transformers 4.57; ByteLevel of the tokenizers library,
// 0.22. ICU decides which characters are letters, digits and white space.
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

// Returns the byte positions where the words of `text` end. A word is a match of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// REQUIRES: `text` is valid UTF-8.
std::vector<size_t> ByteBpeWordEnds(std::string_view text);

class ByteBpe : public SubwordModel {
 public:
  // Where Encode adds a space if there is none: nowhere (kNone), at the beginning of a text
  // (kText), or at the beginning of each part between added tokens (kParts), as the tokenizers
  // library does.
  enum SpaceBefore { kNone, kText, kParts };

  // `pieces` is indexed by id and `merges` uses these ids. A piece may be "", or may have
  // characters that stand for no byte, such as a special token. Returns UNIMPLEMENTED, which names
  // `name`, if one of the 256 bytes has no piece.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::span<const BpeMerge> merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);
  // Like the Create above, but takes the content of a merges.txt as `merges`. Also returns
  // INVALID_ARGUMENT if a merge's parts or its result are not in `pieces`.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::string_view merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);

  std::string_view word_mark() const override { return "\xC4\xA0"; }  // stands for a space
  NormalizedText Prepare(std::string_view text, TextStart start) const override;
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override;

 private:
  ByteBpe() = default;

  std::vector<std::string> pieces_;
  std::array<int32_t, 256> ids_of_bytes_ = {};
  BpeMerges merges_;
  SpaceBefore space_before_ = kNone;
};

}  // namespace dragoman::engine

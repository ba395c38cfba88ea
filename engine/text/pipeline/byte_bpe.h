// GPT-2's byte-level BPE, as BART has it: a text is cut into words by a regular expression, and the
// bytes of each, which have a character each, are merged by a list.
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

// Where the words of a text end:
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// REQUIRES: `text` is valid UTF-8.
std::vector<size_t> ByteBpeWordEnds(std::string_view text);

class ByteBpe : public SubwordModel {
 public:
  // Which texts are cut as if they began with a space, where they do not: none, a whole text, or
  // every part of it between added tokens, as the library does.
  enum SpaceBefore { kNone, kText, kParts };

  // `pieces` by id, of which some may be "" or stand for no bytes; `merges` by these ids.
  // UNIMPLEMENTED where a byte has no piece; it names `name`.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::span<const BpeMerge> merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);
  // The same with merges.txt. INVALID_ARGUMENT for a merge of texts that are not pieces.
  static absl::StatusOr<std::unique_ptr<ByteBpe>> Create(std::vector<std::string> pieces,
                                                         std::string_view merges,
                                                         std::string_view name,
                                                         SpaceBefore space_before);

  std::string_view word_mark() const override { return "\xC4\xA0"; }  // of a space
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

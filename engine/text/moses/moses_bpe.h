// Moses's words, cut by byte pair encoding whose pieces of a word's end have "</w>": the tokenizer
// of fairseq's models of WMT 16 and 19.
//
// Sennrich et al. 2016; FSMTTokenizer of transformers 4.57. A phrase inside of a translation is cut
// as a text is: whether a space stands before it is the detokenizer's rule, not a piece's.
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/moses/moses.h"
#include "engine/text/pipeline/bpe_merges.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

class MosesBpe : public SubwordModel {
 public:
  // `merges` is merges.txt: a pair in each line, what else is in it is not read; a last line
  // without an end counts for nothing, as in the reference. UNIMPLEMENTED for a language without
  // rules (moses.h).
  static absl::StatusOr<std::unique_ptr<MosesBpe>> Create(std::string_view merges,
                                                          std::string_view language);

  // The detokenizer decides.
  std::string_view word_mark() const override { return ""; }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, false);
  }
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, true);
  }

 private:
  MosesBpe() = default;
  int32_t IdOf(const std::string& symbol) const;
  PieceText Join(std::span<const std::string_view> pieces, bool after_text, bool is_prefix) const;

  std::unique_ptr<const MosesTokenizer> tokenizer_;
  std::unique_ptr<const MosesDetokenizer> detokenizer_;
  std::unordered_map<std::string, int32_t> ids_;  // of the symbols that are in merges
  BpeMerges merges_;
};

}  // namespace dragoman::engine

// The tokenizer of fairseq's models of WMT 16 and 19: splits text into words as Moses does
// (moses.h) and cuts each word by byte pair encoding. The last piece of a word ends with "</w>".
//
// Sennrich et al. 2016; FSMTTokenizer of transformers 4.57. Encode ignores its TextStart, because
// the detokenizer decides whether a space precedes a phrase inside a translation.
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
  // `merges` is the content of merges.txt. The first two words of each line are a pair; the rest of
  // the line is ignored. A last line without a line feed is ignored, as in FSMTTokenizer. Returns
  // UNIMPLEMENTED for a language without rules (moses.h).
  static absl::StatusOr<std::unique_ptr<MosesBpe>> Create(std::string_view merges,
                                                          std::string_view language);

  // Returns no mark, because the detokenizer decides where spaces go.
  std::string_view word_mark() const override { return ""; }
  std::vector<SubwordToken> Encode(std::string_view text, TextStart) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override;

 private:
  MosesBpe() = default;
  int32_t IdOf(const std::string& symbol) const;

  std::unique_ptr<const MosesTokenizer> tokenizer_;
  bool is_english_ = false;
  // Ids by symbol. The symbols are the parts and results of the merges.
  std::unordered_map<std::string, int32_t> ids_;
  BpeMerges merges_;
};

}  // namespace dragoman::engine

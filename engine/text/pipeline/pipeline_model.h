// The pipeline that a tokenizer.json of Hugging Face's tokenizers library describes, as far as models
// that come from SentencePiece use it: steps of a normalizer, Metaspace, and a Unigram or a BPE model.
//
// It is not a SentencePiece model: see pipeline_normalizer.h; words are cut apart first and each by
// itself; sums of scores are double; BPE merges by a list. Ids equal the library's (0.22), but that
// special tokens are never read from a text.
//
// Thread-safety: const after Create. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/pipeline/bpe_merges.h"
#include "engine/text/pipeline/pipeline_normalizer.h"
#include "engine/text/sentencepiece/piece_trie.h"
#include "engine/text/subword_model.h"

namespace dragoman::engine {

struct PipelineSpec {
  // Metaspace puts a space mark before ...
  enum Prepend { kAlways, kFirst, kNever };  // every part of the text, the first, none
  enum Model { kUnigram, kBpe };
  struct Piece {
    std::string text;
    double score = 0;     // of kUnigram; finite
    bool hidden = false;  // a special token: no text is cut into it
  };

  std::vector<NormalizerStep> normalizer;
  bool split_white_space = false;  // before Metaspace: white space is then in no piece
  Prepend prepend = kAlways;
  bool split_words = true;  // Metaspace's: at its marks
  Model model = kUnigram;
  std::vector<Piece> pieces;       // by id; the texts differ
  std::optional<int32_t> unknown;  // without one of kBpe, unknown characters are left out
  bool fuse_unknown = true;        // neighbouring ones are one token
  bool byte_fallback = false;
  std::vector<BpeMerge> merges;
};

class PipelineModel : public SubwordModel {
 public:
  // INVALID_ARGUMENT naming `name` for a charsmap that cannot be used.
  static absl::StatusOr<std::unique_ptr<PipelineModel>> Create(PipelineSpec spec,
                                                               std::string_view name);

  std::vector<SubwordToken> Encode(std::string_view text, TextStart start) const override;
  // After a prompt the space before the text is normalized with it.
  NormalizedText Prepare(std::string_view text, TextStart start) const override;
  NormalizedText Normalize(std::string_view part) const override {
    return normalizer_.Normalize(part);
  }
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, false);
  }
  PieceText DecodePrefix(std::span<const std::string_view> pieces, bool after_text) const override {
    return Join(pieces, after_text, true);
  }

 private:
  static constexpr int32_t kNone = -1;

  PipelineModel(PipelineSpec spec, PipelineNormalizer normalizer);

  // Words with their origins, as Normalize has them.
  void EncodeWord(std::string_view word, std::span<const int32_t> origin,
                  std::vector<SubwordToken>* tokens) const;
  std::vector<PieceSpan> Unigram(std::string_view word) const;
  std::vector<PieceSpan> Bpe(std::string_view word) const;
  // The 256 pieces, where all of a text's bytes have one.
  bool HasBytes(std::string_view text) const;
  PieceText Join(std::span<const std::string_view> pieces, bool after_text, bool is_prefix) const;

  PipelineSpec spec_;
  PipelineNormalizer normalizer_;
  std::unordered_map<std::string_view, int32_t> ids_;  // of what a text may be cut into
  PieceTrie trie_;                                     // over the same, of kUnigram
  BpeMerges merges_;
  double unknown_score_ = 0;
};

}  // namespace dragoman::engine

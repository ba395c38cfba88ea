// The pipeline that a tokenizer.json of Hugging Face's tokenizers library describes. Supports only
// the parts that models converted from SentencePiece use: some normalizer steps, the Metaspace
// pre-tokenizer, which replaces spaces with the mark U+2581, and a Unigram or a BPE model.
//
// It differs from a SentencePiece model in four ways. It normalizes by grapheme
// (pipeline_normalizer.h), cuts each word alone, sums scores in double precision, and its BPE uses
// a list of merges. The ids equal those of the tokenizers library 0.22, except that the name of a
// special token in a text is ordinary text.
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
  // The parts between added tokens that get a space mark from Metaspace at their beginning: every
  // part, only the first part of a text, or none.
  enum Prepend { kAlways, kFirst, kNever };
  enum Model { kUnigram, kBpe };
  struct Piece {
    std::string text;
    double score = 0;     // for kUnigram; finite
    bool hidden = false;  // a special token: text never becomes this piece
  };

  std::vector<NormalizerStep> normalizer;
  bool split_white_space = false;  // cut at white space before Metaspace, and drop the white space
  Prepend prepend = kAlways;
  bool split_words = true;  // Metaspace splits at its marks
  Model model = kUnigram;
  std::vector<Piece> pieces;  // indexed by id; all texts differ
  // Id of the unknown piece; if absent, kBpe drops unknown characters.
  std::optional<int32_t> unknown;
  bool fuse_unknown = true;  // neighbouring unknown characters are one token
  bool byte_fallback = false;
  std::vector<BpeMerge> merges;
};

class PipelineModel : public SubwordModel {
 public:
  // Returns INVALID_ARGUMENT naming `name` if a charsmap cannot be used.
  static absl::StatusOr<std::unique_ptr<PipelineModel>> Create(PipelineSpec spec,
                                                               std::string_view name);

  // With TextStart::kWord, adds a space before the text, so that the space is normalized with the
  // text.
  NormalizedText Prepare(std::string_view text, TextStart start) const override;
  NormalizedText Normalize(std::string_view part) const override {
    return normalizer_.Normalize(part);
  }
  std::vector<SubwordToken> Cut(std::string_view part, TextStart start) const override;
  PieceText Decode(std::span<const std::string_view> pieces, bool after_text,
                   bool is_prefix) const override;

 private:
  static constexpr int32_t kNone = -1;

  PipelineModel(PipelineSpec spec, PipelineNormalizer normalizer);

  // Appends the tokens of a word. `origin` is NormalizedText::origin of the word.
  void EncodeWord(std::string_view word, std::span<const int32_t> origin,
                  std::vector<SubwordToken>* tokens) const;
  // Appends a symbol. If unknown symbols are fused, one after another unknown symbol extends it.
  void Append(const PieceSpan& symbol, std::vector<PieceSpan>* symbols) const;
  std::vector<PieceSpan> Unigram(std::string_view word) const;
  std::vector<PieceSpan> Bpe(std::string_view word) const;
  // Reports whether every byte of `text` has a byte piece.
  bool HasBytes(std::string_view text) const;

  PipelineSpec spec_;
  PipelineNormalizer normalizer_;
  std::unordered_map<std::string_view, int32_t> ids_;  // pieces that a text may be cut into
  PieceTrie trie_;                                     // the same pieces, for kUnigram
  BpeMerges merges_;
  double unknown_score_ = 0;
};

}  // namespace dragoman::engine

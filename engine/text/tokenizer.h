// Converts text to token ids and back. SentencePiece or another model cuts the text, and the
// vocabulary gives the ids, as in Hugging Face's MarianTokenizer, M2M100Tokenizer and NllbTokenizer
// (transformers 4.57).
//
// If a client's text contains ">>fra<<", "</s>" or "<unk>", these characters are ordinary text. The
// Hugging Face tokenizers would turn them into the special token of this name. Callers pass the
// language tag as an argument instead (SourceTags).
//
// Thread-safety: several threads may call const methods at once.
// Units: byte ranges count bytes of the given text, before normalization.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/pipeline/added_tokens.h"
#include "engine/text/subword_model.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// The part of a vocabulary's interface that the tokenizer uses: maps pieces to ids and ids to
// pieces.
class PieceTable {
 public:
  virtual ~PieceTable() = default;
  virtual std::optional<int> IdOf(std::string_view piece) const = 0;
  // Returns "" for an id that has no piece.
  virtual std::string_view PieceOf(int id) const = 0;
};

// The data that cuts texts.
struct TokenizerFiles {
  // The content of the file that tokenizes the texts of a side: a SentencePiece model or, if
  // `model` is set, the file from which `model` was made.
  std::string source_spm;
  std::string target_spm;
  std::string source_path;  // the paths of the files in error messages
  std::string target_path;
  // The model that cuts texts into pieces, if it is not a plain SentencePiece model. Used for
  // source and target. Shared with the tokenizers.
  std::shared_ptr<const SubwordModel> model;
  std::shared_ptr<const SubwordModel> target_model;  // the target side's model, if it differs
  // The added tokens of sources and targets. Tokenizer cuts them out of a text by `rules` and gives
  // the text between them to the model (AddedTokenModel in added_tokens.h).
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
};

// Ids of the special tokens. They come from the model's vocabulary and config file, not from the
// SentencePiece model, which may number them differently.
struct SpecialTokens {
  int eos = 0;
  int unk = 1;
  std::optional<int> pad;
  // Set if the source side has its own vocabulary. If absent, `eos` and `unk` apply to sources too.
  std::optional<int> source_eos;
  std::optional<int> source_unk;
  // Ids of further special tokens (language tags, <s>, <mask>), ascending.
  std::vector<int> more;
  // The id of <s>, if every source begins with <s>.
  std::optional<int> source_bos;
  // Ids of <pad> and the further special tokens in the source's own vocabulary, ascending. Absent
  // if both sides share a vocabulary.
  std::optional<std::vector<int>> source_more;
  bool ends_source = true;  // whether EOS ends a source; false for models of OpenNMT-py
};

struct EncodedText {
  std::vector<int> ids;
  // The range of each token in the text; as long as `ids`. The ranges are in order and do not
  // overlap. A token without text of its own has an empty range: a language tag, EOS, and each byte
  // piece of a character except the last. Together, the ranges cover every byte that the model
  // sees. Text that normalization drops (white space at the ends, control characters) may be in no
  // range.
  std::vector<TextRange> ranges;
  // ids[text_begin, text_end) are the tokens of the text itself, without language tags, prompt, <s>
  // and EOS.
  size_t text_begin = 0;
  size_t text_end = 0;
};

// The ids of the language tags around a source's text.
struct SourceTags {
  std::optional<int> first;   // before the text
  std::optional<int> last;    // after EOS
  bool follows_text = false;  // the text follows a prompt (EncodePrompt) and a space
};

// Inserts `tokens`, which are not part of the text, before all tokens of `encoded`.
void PutBefore(std::span<const int> tokens, EncodedText* encoded);

// A phrase as target tokens, and whether it needs spaces around it.
struct EncodedPhrase {
  std::vector<int> ids;
  bool space_before = false;  // the tokens begin with a word mark
  // The tokens end with a word mark (some models put the mark after a word).
  bool space_after = false;
};

// Tokens [begin, end) of a translation that stand for `text`, which is written byte for byte in
// their place. Borrows `text`, which neither begins nor ends with white space.
struct VerbatimTokens {
  size_t begin = 0;
  size_t end = 0;
  std::string_view text;
  bool space_before = false;  // as in EncodedPhrase
  bool space_after = false;
};

// Whether the first and the last character of a token's text are word characters: letters, digits
// or combining marks.
struct TokenEdges {
  bool begins_in_word = false;
  bool ends_in_word = false;
};

struct DecodedText {
  std::string text;
  // The range of each id in `text`, without white space at its ends; as long as the ids. The ranges
  // are in order and do not overlap. The first token of a VerbatimTokens has the range of its whole
  // text. The range is empty for the other verbatim tokens, special tokens, white space, and each
  // byte piece of a character except the last.
  std::vector<TextRange> ranges;
};

class Tokenizer {
 public:
  // REQUIRES: both tables outlive the tokenizer. They may be the same object. Returns
  // INVALID_ARGUMENT, which names the file, if the bytes of an .spm file are not a valid
  // SentencePiece model.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> Create(const TokenizerFiles& files,
                                                           const PieceTable* source_table,
                                                           const PieceTable* target_table,
                                                           SpecialTokens special);

  // Encodes a source as [<s>] [first tag] pieces [EOS] [last tag]. A piece that the vocabulary
  // lacks becomes <unk>. REQUIRES: `text` is valid UTF-8.
  EncodedText EncodeSource(std::string_view text, SourceTags tags = {}) const;

  // Encodes a prompt, which comes from the model's files and not from a client. Names of language
  // tags and special tokens in the prompt become these tokens. Drops white space at the end of the
  // prompt: EncodeSource with SourceTags::follows_text adds a space before the text.
  std::vector<int> EncodePrompt(std::string_view prompt) const;

  // Encodes `text` with the target's model and vocabulary, without special tokens.
  EncodedText EncodeTarget(std::string_view text) const;

  // Encodes a phrase that a translation must contain, with the target's model. With `word_start`,
  // the phrase follows white space. Else it continues a word or follows a bracket.
  EncodedPhrase EncodePhrase(std::string_view text, bool word_start) const;

  // Returns the text of target ids. Skips special tokens and ids without a piece, joins the pieces
  // with the target's model, and strips white space at both ends.
  std::string Decode(std::span<const int> ids) const { return Text(ids, {}, false).text; }

  // Like Decode, but also returns the range of each id, and writes each text of `verbatim` in place
  // of its tokens. REQUIRES: the token ranges of `verbatim` are inside `ids`, in order, and do not
  // overlap.
  DecodedText DecodeWithRanges(std::span<const int> ids,
                               std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, false);
  }

  // Like Decode, for the beginning of a translation. Returns only text that later ids cannot
  // change: what Decode and DecodePrefix return for longer `ids` and `verbatim` with the same
  // beginnings starts with the result. So it leaves out white space and an incomplete character at
  // the end. It is "" if the model has denormalization rules, because later pieces may then change
  // the whole text.
  std::string DecodePrefix(std::span<const int> ids,
                           std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, true).text;
  }

  // Reports whether the target model's pieces have a mark at the beginning of a word. Then a target
  // token's piece tells whether the token continues the word before it. In other models, pieces
  // have a mark at the end of a word, or each piece is a word.
  bool MarksWordBegin() const;

  // Returns the edges of the text that a target token stands for if other text precedes the token.
  // Both edges are false for a special token.
  TokenEdges EdgesOf(int id) const;

  // Reports whether Decode skips the id: EOS, <unk>, <pad> or one of SpecialTokens::more.
  bool IsSpecial(int id) const;
  const SpecialTokens& special() const { return special_; }

 private:
  Tokenizer(std::shared_ptr<const SubwordModel> source, std::shared_ptr<const SubwordModel> target,
            const PieceTable* source_table, const PieceTable* target_table, SpecialTokens special)
      : source_(std::move(source)),
        target_(std::move(target)),
        source_table_(source_table),
        target_table_(target_table),
        special_(std::move(special)) {}
  DecodedText Text(std::span<const int> ids, std::span<const VerbatimTokens> verbatim,
                   bool is_prefix) const;

  std::shared_ptr<const SubwordModel> source_;  // shared with the loader that made them
  std::shared_ptr<const SubwordModel> target_;
  const PieceTable* source_table_;
  const PieceTable* target_table_;
  SpecialTokens special_;
};

}  // namespace dragoman::engine

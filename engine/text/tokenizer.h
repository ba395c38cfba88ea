// Converts text to token ids and back. SentencePiece or another model cuts the text, and the
// vocabulary gives the ids, as in Hugging Face's MarianTokenizer, M2M100Tokenizer and NllbTokenizer
// (transformers 4.57).
//
// A text that contains ">>fra<<", "</s>" or "<unk>" never gets the token of that name; the
// reference cuts them out. The language tag is an argument.
//
// Thread-safety: several threads may call const methods at once.
// Units: byte ranges count bytes of the given text, before normalization.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/pipeline/added_tokens.h"
#include "engine/text/subword_model.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

// The vocabulary as the tokenizer needs it.
class PieceTable {
 public:
  virtual ~PieceTable() = default;
  virtual std::optional<int> IdOf(std::string_view piece) const = 0;
  // Returns "" for an id that has no piece.
  virtual std::string_view PieceOf(int id) const = 0;
};

struct TokenizerFiles {
  std::string source_spm;  // the bytes of SentencePiece's models
  std::string target_spm;
  std::string source_name = "source.spm";  // for messages
  std::string target_name = "target.spm";
  // If set, replaces the files above for both sides. Shared with its loader.
  std::shared_ptr<const SubwordModel> model;
  std::shared_ptr<const SubwordModel> target_model = nullptr;  // nullptr: `model`
  // The tokens that are cut out of texts first, on both sides, by `rules`.
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
};

// Ids of the special tokens, from the vocabulary and the config, never from SentencePiece.
struct SpecialTokens {
  int eos = 0;
  int unk = 1;
  std::optional<int> pad;
  // Set if the source side has its own vocabulary; else the ids above apply.
  std::optional<int> source_eos;
  std::optional<int> source_unk;
  // Further special tokens, ascending: languages, <s>, <mask>.
  std::vector<int> more;
  // Set if every source begins with it.
  std::optional<int> source_bos;
  // The same as `more`, with <pad>, for the source's own vocabulary.
  std::optional<std::vector<int>> source_more;
  bool ends_source = true;  // EOS ends a source; false for OpenNMT-py's models
};

struct EncodedText {
  std::vector<int> ids;
  // The range of each token in the text; as long as `ids`. The ranges are in order and do not
  // overlap. A token without text of its own (language tag, EOS, all except the last byte piece of
  // a character) has an empty range. Together, the ranges cover every byte that the model sees.
  // Text that normalization drops (white space at the ends, control characters) may be in no range.
  std::vector<TextRange> ranges;
  // The tokens of the text: all except language tags, prompt, <s> and EOS.
  size_t text_begin = 0;
  size_t text_end = 0;
};

// Tokens around the text of a source that name the languages.
struct SourceTags {
  std::optional<int> first;   // before the text
  std::optional<int> last;    // after EOS
  bool follows_text = false;  // the text follows a prompt (EncodePrompt) and a space
};

// Puts tokens that are not part of the text before all other tokens.
void PutBefore(std::span<const int> tokens, EncodedText* encoded);

// A phrase as target tokens, and the spaces that it needs around it.
struct EncodedPhrase {
  std::vector<int> ids;
  bool space_before = false;  // the tokens begin with a word mark
  bool space_after = false;   // the tokens end with a word mark (models that put it after the word)
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

// Whether a token's text begins and ends inside a word: with a letter, a digit or a combining mark.
struct TokenEdges {
  bool begins_in_word = false;
  bool ends_in_word = false;
};

struct DecodedText {
  std::string text;
  // The range of each id in `text`, without white space at its ends; as long as the ids. The ranges
  // are in order and do not overlap. Empty for special tokens, white space, all except the last
  // byte piece of a character, and all except the first verbatim token, which has the whole text.
  std::vector<TextRange> ranges;
};

class Tokenizer {
 public:
  // The tables must outlive the tokenizer; they may be the same object. Returns INVALID_ARGUMENT
  // naming the file if its bytes are not a SentencePiece model that can be used safely.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> Create(const TokenizerFiles& files,
                                                           const PieceTable* source_table,
                                                           const PieceTable* target_table,
                                                           SpecialTokens special);
  ~Tokenizer();

  // Encodes a source as [<s>] [first tag] pieces [EOS] [last tag]. A piece that the vocabulary
  // lacks becomes <unk>. REQUIRES: `text` is valid UTF-8.
  EncodedText EncodeSource(std::string_view text, SourceTags tags = {}) const;

  // Encodes a prompt, which comes from the model and not from a client. Names of language tags and
  // special tokens in it become the tokens. Drops white space at its end (see
  // SourceTags::follows_text).
  std::vector<int> EncodePrompt(std::string_view prompt) const;

  // Encodes `text` with the target's model and vocabulary, without special tokens.
  EncodedText EncodeTarget(std::string_view text) const;

  // Encodes a phrase inside a translation: with `word_start`, as text after white space; else as
  // text inside a word or after a bracket.
  EncodedPhrase EncodePhrase(std::string_view text, bool word_start) const;

  // Returns the text of target ids. Skips special tokens and ids without a piece, joins the pieces
  // with the target's model, and strips white space at both ends.
  std::string Decode(std::span<const int> ids) const { return Text(ids, {}, false).text; }

  // The same as Decode, with the ranges of the ids, and with `verbatim` texts in place of their
  // tokens. REQUIRES: `verbatim` is in order, without overlap, inside `ids`.
  DecodedText DecodeWithRanges(std::span<const int> ids,
                               std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, false);
  }

  // The same as Decode, for ids that may grow. The result is a byte prefix of Decode(ids +
  // anything) and of DecodePrefix(ids + anything), with the same verbatim texts and any after them.
  // Leaves out white space at the end, an incomplete character of byte pieces, and everything if
  // the model has denormalization rules.
  std::string DecodePrefix(std::span<const int> ids,
                           std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, true).text;
  }

  // Reports whether pieces mark the beginning of a word, so that the text of a target token tells
  // whether it continues the word before it. Other pieces mark the end of a word or are words.
  bool MarksWordBegin() const;

  // Returns the edges of a target token's text after other text. A special token has none.
  TokenEdges EdgesOf(int id) const;

  // Reports whether Decode skips the id: EOS, <unk>, <pad> or one of SpecialTokens::more.
  bool IsSpecial(int id) const;
  const SpecialTokens& special() const { return special_; }

 private:
  struct Models;
  Tokenizer(std::unique_ptr<Models> models, const PieceTable* source, const PieceTable* target,
            SpecialTokens special);
  DecodedText Text(std::span<const int> ids, std::span<const VerbatimTokens> verbatim,
                   bool is_prefix) const;

  std::unique_ptr<Models> models_;
  const PieceTable* source_table_;
  const PieceTable* target_table_;
  SpecialTokens special_;
};

}  // namespace dragoman::engine

// Text to token ids and back: SentencePiece cuts the text, the vocabulary gives the ids, as Hugging
// Face's MarianTokenizer, M2M100Tokenizer and NllbTokenizer do it (transformers 4.57).
//
// Text is text: ">>fra<<", "</s>" or "<unk>" in the contents never become the token of that name
// (the reference cuts them out); the language tag is an argument.
//
// Thread-safety: all const methods may run in several threads at once.
// Units: byte ranges count bytes of the text given, before any normalisation.
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
  // "" for an id that has no piece.
  virtual std::string_view PieceOf(int id) const = 0;
};

struct TokenizerFiles {
  std::string source_spm;  // the bytes of SentencePiece's models
  std::string target_spm;
  std::string source_name = "source.spm";  // for messages
  std::string target_name = "target.spm";
  // Where the sides have a model of another kind: then the above are not read. Shared with its
  // loader.
  std::shared_ptr<const SubwordModel> model;
  std::shared_ptr<const SubwordModel> target_model = nullptr;  // nullptr: `model` too
  // The tokens that are cut out of texts first, on both sides, and the rules for it.
  std::vector<AddedToken> added;
  TokenizerRules rules = TokenizerRules::kSlow;
};

// Ids of the special tokens. They come from the vocabulary and the config, never from
// SentencePiece.
struct SpecialTokens {
  int eos = 0;
  int unk = 1;
  std::optional<int> pad;
  // Where the source side has a vocabulary of its own; else the above.
  std::optional<int> source_eos;
  std::optional<int> source_unk;
  // Further ones, ascending: languages, <s>, <mask>.
  std::vector<int> more;
  // Where every source begins with one.
  std::optional<int> source_bos;
  // The same as `more`, for the source's own vocabulary, with <pad>.
  std::optional<std::vector<int>> source_more;
  bool ends_source = true;  // EOS ends a source; OpenNMT-py's models have none
};

struct EncodedText {
  std::vector<int> ids;
  // Where each token comes from in the text; as long as `ids`. In order and without overlap; a
  // token that stands for no text of its own (language tag, EOS, all but the last byte piece of a
  // character) has an empty range. Together they cover every byte the model sees; what the
  // normalisation dropped (white space at the ends, control characters) may belong to none.
  std::vector<TextRange> ranges;
  // Which tokens are the text's: all but language tags, prompt, <s> and EOS.
  size_t text_begin = 0;
  size_t text_end = 0;
};

// Tokens around a source's text that name its languages.
struct SourceTags {
  std::optional<int> first;   // before the text
  std::optional<int> last;    // after EOS
  bool follows_text = false;  // a prompt (EncodePrompt), with a space between them
};

// Puts tokens that are not part of the text in front of all others.
void PutBefore(std::span<const int> tokens, EncodedText* encoded);

// A phrase as target tokens, and what it needs of the text around it.
struct EncodedPhrase {
  std::vector<int> ids;
  bool space_before = false;  // the tokens begin with the mark of a word's beginning
  bool space_after = false;   // they end with it (models that put it after the word)
};

// Tokens [begin, end) of a translation that stand for a text, which is written byte for byte in
// their place. Borrows the text, which neither begins nor ends with white space.
struct VerbatimTokens {
  size_t begin = 0;
  size_t end = 0;
  std::string_view text;
  bool space_before = false;  // as EncodedPhrase has them
  bool space_after = false;
};

// Whether a token's text begins and ends within a word: with a letter, a digit or a combining mark.
struct TokenEdges {
  bool begins_in_word = false;
  bool ends_in_word = false;
};

struct DecodedText {
  std::string text;
  // Where each id's text lies in it, without white space at its ends; as long as the ids. In order
  // and without overlap. Empty for special tokens, white space, all but the last byte piece of a
  // character, and all but the first of verbatim tokens, which has all of their text.
  std::vector<TextRange> ranges;
};

class Tokenizer {
 public:
  // The tables are borrowed for the tokenizer's life; they may be the same object. INVALID_ARGUMENT
  // naming the file when its bytes are not a SentencePiece model that can be used safely.
  static absl::StatusOr<std::unique_ptr<Tokenizer>> Create(const TokenizerFiles& files,
                                                           const PieceTable* source_table,
                                                           const PieceTable* target_table,
                                                           SpecialTokens special);
  ~Tokenizer();

  // [<s>] [first tag] pieces [EOS] [last tag]. A piece that the vocabulary lacks becomes <unk>.
  // REQUIRES: `text` is valid UTF-8.
  EncodedText EncodeSource(std::string_view text, SourceTags tags = {}) const;

  // Encodes the pieces of a prompt, a text that comes from the model and not from a client:
  // language tags and names of special tokens in it are the tokens. White space at its end is
  // dropped: SourceTags say that it is there.
  std::vector<int> EncodePrompt(std::string_view prompt) const;

  // Pieces only, by the target's SentencePiece and vocabulary.
  EncodedText EncodeTarget(std::string_view text) const;

  // The same for a phrase inside of a translation: with `word_start` as after white space, else as
  // the inside of a word or what follows a bracket.
  EncodedPhrase EncodePhrase(std::string_view text, bool word_start) const;

  // Text of target ids: special tokens are skipped, the pieces joined by the target's
  // SentencePiece, white space at both ends stripped. An id without a piece is dropped like <unk>.
  std::string Decode(std::span<const int> ids) const { return Text(ids, {}, false).text; }

  // The same as Decode, with the ranges of the ids, and with `verbatim` texts in the place of their
  // tokens. REQUIRES: `verbatim` is in order, without overlap, inside `ids`.
  DecodedText DecodeWithRanges(std::span<const int> ids,
                               std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, false);
  }

  // The same as Decode, for a prefix that may grow: the result is a byte prefix of Decode(ids +
  // anything) and of DecodePrefix(ids + anything), with the same verbatim texts and any after them.
  // Held back are white space at the end, an incomplete character of byte pieces, and everything if
  // the model has rules to denormalise its output.
  std::string DecodePrefix(std::span<const int> ids,
                           std::span<const VerbatimTokens> verbatim = {}) const {
    return Text(ids, verbatim, true).text;
  }

  // Whether pieces mark the beginning of a word, so that the text of a target token tells whether it
  // continues the word before it. Else they mark its end, or are words.
  bool MarksWordBegin() const;

  // The edges of a target token's text after other text. A special token has none.
  TokenEdges EdgesOf(int id) const;

  // EOS, <unk>, <pad> and the further ones: skipped by Decode.
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

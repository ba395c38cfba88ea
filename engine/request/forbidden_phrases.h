// The phrases, as tokens, that the translations of a request must not contain (SEARCH.md d.5). The
// phrases come from the request and from its profile. A segment that requires one of them may
// contain it.
//
// ForbiddenPhrases is used by one thread at a time. The tables that it returns are immutable and
// shared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/field_error.h"
#include "engine/decode/phrase_tables.h"
#include "engine/text/text_range.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// The source tokens [begin, end) that a phrase translates, its gate (SEARCH.md d.7).
struct SourceTokens {
  int32_t begin = 0;
  int32_t end = 0;
};

// A phrase that the translation of a segment must contain or begin with.
struct NamedPhrase {
  std::string name;   // for messages: "decoding.required_phrases[2]", or a term's place in a file
  std::string field;  // path of the field in the request; "" if the model requires the phrase
  std::vector<int32_t> tokens;      // the last token is EOS if the phrase must end the translation
  bool is_prefix = false;           // a forced prefix, which never makes a forbidden phrase allowed
  bool may_have_unknown = false;    // may contain <unk>, for which bytes of the source are copied
  std::optional<TextRange> source;  // the part of the segment's text that it translates, if known
  std::optional<SourceTokens> gate;  // where it may begin; nullopt: anywhere
};

// Returns the error for a phrase. `found` says what it has ("no tokens"), `expected` what it needs
// ("text").
FieldError PhraseError(const std::string& field, const std::string& name, std::string found,
                       std::string expected);

class ForbiddenPhrases {
 public:
  // `texts` are the strings in decoding.forbidden_phrases. A text is forbidden in two forms: as it
  // is tokenized at the beginning of a word, and as it is tokenized inside a word. A form with
  // <unk> is left out, because the vocabulary cannot spell the text. `profile` is
  // SearchSettings::forbidden, and `excluded` is SearchSettings::excluded. Returns INVALID_ARGUMENT
  // for a text without tokens, or if all phrases together need more than kMaxForbiddenNodes
  // automaton nodes.
  static absl::StatusOr<ForbiddenPhrases> Create(std::span<const std::string> texts,
                                                 std::span<const std::vector<int32_t>> profile,
                                                 std::vector<int32_t> excluded,
                                                 const Tokenizer& tokenizer);

  // Returns the table of forbidden phrases for a segment whose translation must contain `phrases`.
  // A forbidden phrase that is equal to one of `phrases` is allowed in the segment, in all its
  // forms. If a forbidden phrase is a proper part of one of `phrases`, returns INVALID_ARGUMENT
  // naming both. If one of `phrases` contains <unk> in place of bytes to copy, the profile does not
  // forbid <unk> in this segment.
  //
  // The table also forbids `ngrams`, the n-grams of the segment's source (SourceNgrams), except
  // those that are a part of one of `phrases`. Returns INVALID_ARGUMENT if the n-grams need too
  // many automaton nodes.
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> For(
      std::span<const NamedPhrase> phrases, const std::vector<std::vector<int32_t>>& ngrams = {});

 private:
  // A token sequence that is forbidden. A phrase may have several forms.
  struct Form {
    std::vector<int32_t> tokens;
    size_t phrase = 0;  // number of the phrase: the texts first, then the profile's phrases
  };

  ForbiddenPhrases() = default;
  // Like For without `ngrams`. Sets *allowed to the numbers of the forbidden phrases that are
  // allowed.
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> WithoutSource(
      std::span<const NamedPhrase> phrases, std::set<size_t>* allowed);
  // Returns the error for a forbidden phrase that is a part of `phrase`.
  FieldError PartOf(size_t forbidden, const NamedPhrase& phrase) const;

  std::vector<Form> forms_;
  size_t texts_ = 0;
  int32_t eos_ = 0;
  int32_t unk_ = 0;
  std::vector<int32_t> excluded_;
  std::shared_ptr<const ForbiddenTable> all_;
  // The tables that were made for segments with allowed phrases, by the numbers of these phrases.
  std::map<std::vector<size_t>, std::shared_ptr<const ForbiddenTable>> without_;
};

}  // namespace dragoman::engine

// The phrases, as tokens, that a request's translations must not contain (SEARCH.md d.5): the
// phrases of the request and of its profile, except those that a segment requires.
//
// Thread-safety: used by one thread at a time. The tables that it returns are immutable and shared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/field_error.h"
#include "engine/decode/phrase_tables.h"
#include "engine/text/tokenizer.h"

namespace dragoman::engine {

// A phrase that the translation of a segment must contain or begin with.
struct NamedPhrase {
  std::string name;   // for messages: "decoding.required_phrases[2]", or the phrase's place
  std::string field;  // field of the request as the wire names it; "" for the model's own
  std::vector<int32_t> tokens;    // EOS is the last if the phrase must end the translation
  bool is_prefix = false;         // a forced prefix: makes no forbidden phrase allowed
  bool may_have_unknown = false;  // <unk> in it stands for verbatim bytes
};

// Returns the error of a phrase: `found` is what it has ("no tokens"), `expected` what it needs.
FieldError PhraseError(const std::string& field, const std::string& name, std::string found,
                       std::string expected);

class ForbiddenPhrases {
 public:
  // `texts` are decoding.forbidden_phrases. Each is forbidden as the tokens of its canonical
  // segmentation, with and without the mark of a word's beginning. A form that the vocabulary
  // cannot spell (<unk>) needs no ban, because no search produces it. `profile` and `excluded` are
  // those of SearchSettings. Returns INVALID_ARGUMENT for a phrase without tokens, or if all
  // phrases together need more than kMaxForbiddenNodes automaton nodes.
  static absl::StatusOr<ForbiddenPhrases> Create(std::span<const std::string> texts,
                                                 std::span<const std::vector<int32_t>> profile,
                                                 std::vector<int32_t> excluded,
                                                 const Tokenizer& tokenizer);

  // Returns the table for a segment whose translation must contain `phrases`. A forbidden phrase
  // that equals one of them is allowed in the segment, in all its forms. If a forbidden phrase is
  // only a part of one of them, returns INVALID_ARGUMENT naming both. Verbatim phrases lift the
  // profile's ban of <unk>.
  // Also forbids `ngrams` of the segment's source (SourceNgrams), except those that are a part of a
  // phrase. Returns INVALID_ARGUMENT if the n-grams need too many automaton nodes.
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> For(
      std::span<const NamedPhrase> phrases, const std::vector<std::vector<int32_t>>& ngrams = {});

 private:
  // One token sequence. A phrase may have several forms.
  struct Form {
    std::vector<int32_t> tokens;
    size_t phrase = 0;  // index: texts first, then the profile's phrases
  };

  ForbiddenPhrases() = default;
  // The same as For, without the source's n-grams. Sets `allowed` to the phrases that are allowed.
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
  // Indexed by allowed phrase.
  std::map<std::vector<size_t>, std::shared_ptr<const ForbiddenTable>> without_;
};

}  // namespace dragoman::engine

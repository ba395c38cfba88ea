// The phrases that a request's translations must not contain, as tokens (SEARCH.md d.5): those of
// the request and of its profile, less those that a segment requires.
//
// Used by one thread at a time. The tables that it returns are immutable and shared.
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

// A phrase that the translation of a segment is to contain, or begins with.
struct NamedPhrase {
  std::string name;               // for messages: "decoding.required_phrases[2]", or where it is
  std::string field;              // of the request, as the wire names it; "" for the model's own
  std::vector<int32_t> tokens;    // EOS last where it has to end the translation
  bool is_prefix = false;         // forced, not asked for: it makes nothing allowed
  bool may_have_unknown = false;  // <unk> in it stands for bytes that are written verbatim
};

// The error of a phrase of that field and name: what was found ("no tokens"), and what was
// expected.
FieldError PhraseError(const std::string& field, const std::string& name, std::string found,
                       std::string expected);

class ForbiddenPhrases {
 public:
  // `texts` as decoding.forbidden_phrases; each is forbidden as the tokens of its canonical
  // segmentation, with and without the mark of a word's beginning. What the vocabulary cannot spell
  // (<unk>) never comes, and needs no ban. `profile` and `excluded` as SearchSettings has them.
  // INVALID_ARGUMENT for a phrase without tokens, or when all together have more automaton nodes
  // than kMaxForbiddenNodes.
  static absl::StatusOr<ForbiddenPhrases> Create(std::span<const std::string> texts,
                                                 std::span<const std::vector<int32_t>> profile,
                                                 std::vector<int32_t> excluded,
                                                 const Tokenizer& tokenizer);

  // The table for a segment with these phrases. A forbidden phrase that is one of them is allowed
  // there (in all its forms); INVALID_ARGUMENT naming both for one that is a part of them
  // otherwise. The profile's ban of <unk> gives way to verbatim phrases. `ngrams` of the segment's
  // source (SourceNgrams) are forbidden as well, but for those that are a part of a phrase;
  // INVALID_ARGUMENT where they are too many.
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> For(
      std::span<const NamedPhrase> phrases, const std::vector<std::vector<int32_t>>& ngrams = {});

 private:
  // One token sequence; several of them are forms of one phrase.
  struct Form {
    std::vector<int32_t> tokens;
    size_t phrase = 0;  // texts first, then the profile's
  };

  ForbiddenPhrases() = default;
  // The same as For, without the source's n-grams. `allowed` becomes the phrases that are allowed.
  absl::StatusOr<std::shared_ptr<const ForbiddenTable>> WithoutSource(
      std::span<const NamedPhrase> phrases, std::set<size_t>* allowed);
  // A forbidden phrase that is a part of `phrase`.
  FieldError PartOf(size_t forbidden, const NamedPhrase& phrase) const;

  std::vector<Form> forms_;
  size_t texts_ = 0;
  int32_t eos_ = 0;
  int32_t unk_ = 0;
  std::vector<int32_t> excluded_;
  std::shared_ptr<const ForbiddenTable> all_;
  std::map<std::vector<size_t>, std::shared_ptr<const ForbiddenTable>> without_;  // by phrases
};

}  // namespace dragoman::engine

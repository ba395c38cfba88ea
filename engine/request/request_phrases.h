// The phrases, as tokens, that a request's translations must contain: required phrases, forced
// prefixes, the targets of terms that occur in a text, and do_not_translate phrases that occur in
// it (SEARCH.md a.8, d).
//
// Made once per job, on a tokenizer thread. Thread-safety: const after construction. Borrows the
// job's request and the tokenizer, shares the terms.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/api/engine.h"
#include "engine/request/forbidden_phrases.h"
#include "engine/request/target_text.h"
#include "engine/text/terms/term_matcher.h"
#include "engine/text/tokenizer.h"
#include "kernels/search/options.h"

namespace dragoman::engine {

// The terms and do_not_translate phrases of a request. The matcher is empty if there are none.
struct RequestTerms {
  TermMatcher matcher;
  std::shared_ptr<const Glossary> glossary;  // nullptr: no glossary
};

// The phrases that one segment's translation must contain.
struct SegmentPhrases {
  std::vector<NamedPhrase> required;
  // The entries of `required` that are copied from the source.
  std::vector<DoNotTranslatePhrase> do_not_translate;
};

class RequestPhrases {
 public:
  struct Facts {
    const Tokenizer* tokenizer = nullptr;
    int32_t start_token = 0;
    bool target_uses_spaces = true;  // the target language puts spaces between words
  };

  // Returns INVALID_ARGUMENT if a required phrase or a term's target has no tokens, or contains
  // <unk> or the start token, because then no item can be translated. REQUIRES: CheckPhrases(*job)
  // returned OK.
  static absl::StatusOr<RequestPhrases> Create(const TranslationJob* job,
                                               std::shared_ptr<const RequestTerms> terms,
                                               const Facts& facts);

  // Returns the tokens of the prefix that the request demands for the item's translation; no tokens
  // if it demands none. Returns INVALID_ARGUMENT if the prefix has no tokens, or contains <unk> or
  // the start token.
  absl::StatusOr<NamedPhrase> Prefix(size_t item) const;

  // Returns the places of all do_not_translate phrases of the request that occur in a text, in
  // order.
  std::vector<TextRange> FindKept(std::string_view text) const;

  // Returns the phrases that the translation of a segment with this text must contain. Every
  // occurrence of a term in the segment requires the term's target once. If an opening bracket or
  // quote precedes the occurrence, the target is tokenized as inside a word, because no space
  // precedes it. A term that overlaps one of `kept`, the parts of the text with sentinels, requires
  // nothing.
  absl::StatusOr<SegmentPhrases> Find(std::string_view segment,
                                      std::span<const Sentinel> kept) const;

  // Like Find, but also requires the text of each of `kept`, for a search with constraints in place
  // of sentinels.
  absl::StatusOr<SegmentPhrases> FindAll(std::string_view segment,
                                         std::span<const Sentinel> kept) const;

 private:
  RequestPhrases(const TranslationJob* job, std::shared_ptr<const RequestTerms> terms,
                 const Facts& facts)
      : job_(job), terms_(std::move(terms)), facts_(facts) {}

  EncodedPhrase Encode(std::string_view text, bool word_start) const;
  absl::Status Check(const NamedPhrase& phrase) const;
  // Adds the phrase that the occurrence of a term in the segment requires.
  absl::Status Add(std::string_view segment, const TermOccurrence& occurrence,
                   SegmentPhrases* phrases) const;
  NamedPhrase NameFor(const TermOccurrence& occurrence) const;  // without tokens

  const TranslationJob* job_;
  std::shared_ptr<const RequestTerms> terms_;
  Facts facts_;
  std::vector<NamedPhrase> required_;
};

// Checks that no phrase is empty, that at most one phrase has at_end, that there is one prefix for
// each item or none at all, and that a job with markup has no forbidden field (CheckMarkup).
// Returns INVALID_ARGUMENT naming the field.
absl::Status CheckPhrases(const TranslationJob& job);

// Returns the table of a segment's required phrases. With `edges`, which is borrowed for the
// table's life, a phrase counts as met only if it begins and ends at word boundaries. Returns
// INVALID_ARGUMENT with the numbers if no search could meet the phrases after this prefix:
// * they have more than kMaxConstraintTokens tokens;
// * prefix and phrases together exceed the output limit (SEARCH.md d.3; phrase tokens that the
// prefix already contains count once);
// * the prefix alone fills the output limit.
absl::StatusOr<ConstraintTable> MakeConstraints(std::span<const NamedPhrase> required,
                                                const NamedPhrase& prefix,
                                                const kernels::SearchOptions& search,
                                                const WordEdgeTable* edges = nullptr);

}  // namespace dragoman::engine

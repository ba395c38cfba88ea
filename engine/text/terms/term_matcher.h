// Finds a request's do_not_translate phrases and terms in the source text of a segment
// (SEARCH.md a.8, "Glossary terms").
//
// A request has one matcher and calls Find once per segment. Thread-safety: const after Create.
// Owns the request's phrases and terms; shares the named glossary. Units: bytes of the segment.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/terms/glossary.h"
#include "engine/text/terms/term_index.h"
#include "engine/text/text_range.h"

namespace dragoman::engine {

struct TermOccurrence {
  enum class Kind { kDoNotTranslate, kRequestTerm, kGlossaryTerm };

  TextRange range;  // in the segment's text
  Kind kind = Kind::kDoNotTranslate;
  // The text that the translation must contain: the term's target, or the phrase itself. A view
  // into the matcher or its glossary.
  std::string_view target;
  // kDoNotTranslate and kRequestTerm: the index in the request's list, the smallest one if the list
  // has equal elements. kGlossaryTerm: the argument of Glossary::term.
  size_t index = 0;

  bool operator==(const TermOccurrence&) const = default;
};

class TermMatcher {
 public:
  struct Lists {
    std::span<const std::string> do_not_translate;
    std::span<const Term> terms;
    std::shared_ptr<const Glossary> glossary;  // may be null
    bool glossary_ignore_case = false;
  };

  // Strips white space at the ends of phrases. Equal phrases count as one. Returns
  // INVALID_ARGUMENT, which names the element, if a phrase is empty, longer than kMaxTermBytes, has
  // control characters or is not UTF-8, and the errors of Glossary::FromTerms for `terms`. Returns
  // INTERNAL if ICU has no data.
  static absl::StatusOr<TermMatcher> Create(const Lists& lists);

  TermMatcher(TermMatcher&&) = default;
  TermMatcher& operator=(TermMatcher&&) = default;

  // Returns all occurrences, in order and without overlap. An occurrence begins and ends at a word
  // boundary (UAX 29) of `segment`. In scripts written without spaces (Han, Hiragana, Thai, ...),
  // there is a boundary between any two letters, as in UAX 29; no dictionary decides.
  //  1. Phrases match byte for byte. The leftmost, then the longest match wins.
  //  2. Terms of the request and of the glossary match in the text outside the phrases. The
  //     leftmost match wins, then the longest, then the request's term before the glossary's. A
  //     term that ignores case matches by full case folding and whole characters: "STRASSE" matches
  //     "Straße", but "s" is not part of "ß". Among terms of one list that fold to the same text,
  //     the term with the same bytes as the text wins, then the first term that ignores case.
  // There is no normalization: white space and code points match exactly. Time is at most the size
  // of the text times the longest beginning of a term that matches anywhere in it. REQUIRES:
  // `segment` is valid UTF-8.
  std::vector<TermOccurrence> Find(std::string_view segment) const;

  // Returns the request's terms, or null if there are none.
  const Glossary* terms() const { return terms_.get(); }

  bool empty() const { return phrases_.empty() && terms_ == nullptr && glossary_ == nullptr; }

 private:
  TermMatcher() = default;

  std::vector<std::string> phrases_;  // as given, without white space at the ends
  // Maps an entry of phrase_index_ to the index in the request's list.
  std::vector<size_t> phrase_numbers_;
  TermIndex phrase_index_;                    // has views of phrases_
  std::shared_ptr<const Glossary> terms_;     // null if there are none
  std::shared_ptr<const Glossary> glossary_;  // null if there is none
  bool glossary_ignore_case_ = false;
};

}  // namespace dragoman::engine

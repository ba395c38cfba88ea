#include "engine/request/request_phrases.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/option_rules.h"
#include "engine/base/field_error.h"
#include "engine/base/utf8.h"

namespace dragoman::engine {
namespace {

// Reports whether the text ends with an opening bracket or quote.
bool EndsWithOpening(std::string_view text) {
  if (text.empty()) return false;
  const char32_t c = CodePointBefore(text, text.size());
  if (c == '"' || c == '\'') return true;
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_PS_MASK | U_GC_PI_MASK)) != 0;
}

}  // namespace

absl::Status CheckPhrases(const TranslationJob& job) {
  const auto is_empty = [](std::string field) {
    return InvalidRequest({.field = std::move(field),
                           .found = "no text",
                           .expected = "text",
                           .predicate = "is empty, expected text"});
  };
  std::optional<size_t> at_end;
  for (size_t i = 0; i < job.decoding.required_phrases.size(); ++i) {
    const RequiredPhrase& phrase = job.decoding.required_phrases[i];
    const std::string field = absl::StrCat("decoding.required_phrases[", i, "]");
    if (StripWhiteSpace(phrase.text).empty()) return is_empty(field);
    if (!phrase.at_end) continue;
    if (at_end.has_value()) {
      FieldError error;
      error.field = absl::StrCat("decoding.required_phrases[", *at_end, "]");
      error.found = "at_end";
      error.expected = "one at most";
      error.other = field;
      error.predicate = absl::StrCat("and [", i, "] both have at_end, expected one at most");
      return InvalidRequest(std::move(error));
    }
    at_end = i;
  }
  for (size_t i = 0; i < job.decoding.forbidden_phrases.size(); ++i) {
    if (StripWhiteSpace(job.decoding.forbidden_phrases[i]).empty()) {
      return is_empty(absl::StrCat("decoding.forbidden_phrases[", i, "]"));
    }
  }
  if (!job.target_prefixes.empty() && job.target_prefixes.size() != job.contents.size()) {
    FieldError error;
    error.field = "target_prefixes";
    error.found = absl::StrCat(job.target_prefixes.size());
    error.expected = absl::StrCat(job.contents.size());
    error.predicate = absl::StrCat("has ", error.found, " elements, expected ", error.expected,
                                   ", one for each of contents (\"\" for none), or none at all");
    return InvalidRequest(std::move(error));
  }
  const std::vector<FieldError> errors = CheckMarkup(job);
  return errors.empty() ? absl::OkStatus() : InvalidRequest(errors);
}

absl::StatusOr<RequestPhrases> RequestPhrases::Create(const TranslationJob* job,
                                                      std::shared_ptr<const RequestTerms> terms,
                                                      const Facts& facts) {
  RequestPhrases made(job, std::move(terms), facts);
  for (size_t i = 0; i < job->decoding.required_phrases.size(); ++i) {
    const RequiredPhrase& asked = job->decoding.required_phrases[i];
    NamedPhrase phrase;
    phrase.field = absl::StrCat("decoding.required_phrases[", i, "]");
    phrase.name = phrase.field;
    phrase.tokens = made.Encode(asked.text, facts.target_uses_spaces).ids;
    if (const absl::Status status = made.Check(phrase); !status.ok()) return status;
    if (asked.at_end) phrase.tokens.push_back(facts.tokenizer->special().eos);
    made.required_.push_back(std::move(phrase));
  }
  if (const Glossary* own = made.terms_->matcher.terms(); own != nullptr) {
    if (absl::Status status = own->CheckTargets(*facts.tokenizer); !status.ok()) return status;
  }
  return made;
}

EncodedPhrase RequestPhrases::Encode(std::string_view text, bool word_start) const {
  const auto unknown = [&](const EncodedPhrase& phrase) {
    return std::ranges::count(phrase.ids, facts_.tokenizer->special().unk);
  };
  EncodedPhrase phrase = facts_.tokenizer->EncodePhrase(text, word_start);
  if (word_start || unknown(phrase) == 0) return phrase;
  // Some vocabularies can spell the text only at the beginning of a word, where the first token has
  // the word mark.
  EncodedPhrase marked = facts_.tokenizer->EncodePhrase(text, true);
  return unknown(marked) < unknown(phrase) ? marked : phrase;
}

absl::Status RequestPhrases::Check(const NamedPhrase& phrase) const {
  if (phrase.tokens.empty()) {
    return InvalidRequest(PhraseError(phrase.field, phrase.name, "no tokens", "text"));
  }
  for (const int32_t token : phrase.tokens) {
    const bool is_unknown = token == facts_.tokenizer->special().unk;
    if ((is_unknown && !phrase.may_have_unknown) || (!is_unknown && token == facts_.start_token)) {
      return InvalidRequest(PhraseError(phrase.field, phrase.name,
                                        "characters that the model's vocabulary lacks",
                                        "text that it can write"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<NamedPhrase> RequestPhrases::Prefix(size_t item) const {
  NamedPhrase prefix;
  prefix.is_prefix = true;
  if (item >= job_->target_prefixes.size() || job_->target_prefixes[item].empty()) return prefix;
  prefix.field = absl::StrCat("target_prefixes[", item, "]");
  prefix.name = prefix.field;
  prefix.tokens = facts_.tokenizer->EncodeTarget(job_->target_prefixes[item]).ids;
  if (absl::Status status = Check(prefix); !status.ok()) return status;
  return prefix;
}

NamedPhrase RequestPhrases::NameFor(const TermOccurrence& occurrence) const {
  NamedPhrase phrase;
  switch (occurrence.kind) {
    case TermOccurrence::Kind::kDoNotTranslate:
      phrase.field = absl::StrCat("do_not_translate[", occurrence.index, "]");
      phrase.name = phrase.field;
      break;
    case TermOccurrence::Kind::kRequestTerm:
      phrase.field = absl::StrCat("terms[", occurrence.index, "]");
      phrase.name = phrase.field;
      break;
    case TermOccurrence::Kind::kGlossaryTerm:
      phrase.field = "glossary_config";
      phrase.name =
          absl::StrCat("the glossary's term of ", terms_->glossary->PlaceOf(occurrence.index));
      break;
  }
  return phrase;
}

std::vector<TextRange> RequestPhrases::FindKept(std::string_view text) const {
  std::vector<TextRange> kept;
  if (job_->do_not_translate.empty()) return kept;
  for (const TermOccurrence& occurrence : terms_->matcher.Find(text)) {
    if (occurrence.kind == TermOccurrence::Kind::kDoNotTranslate) kept.push_back(occurrence.range);
  }
  return kept;
}

absl::Status RequestPhrases::Add(std::string_view segment, const TermOccurrence& occurrence,
                                 SegmentPhrases* phrases) const {
  const std::string_view before = segment.substr(0, static_cast<size_t>(occurrence.range.begin));
  EncodedPhrase encoded =
      Encode(occurrence.target, facts_.target_uses_spaces && !EndsWithOpening(before));
  NamedPhrase phrase = NameFor(occurrence);
  phrase.tokens = encoded.ids;
  phrase.may_have_unknown = occurrence.kind == TermOccurrence::Kind::kDoNotTranslate;
  phrase.source = occurrence.range;
  if (absl::Status status = Check(phrase); !status.ok()) return status;
  if (phrase.may_have_unknown) {
    phrases->do_not_translate.push_back(
        {std::move(encoded), std::string(occurrence.target), occurrence.range});
  }
  phrases->required.push_back(std::move(phrase));
  return absl::OkStatus();
}

absl::StatusOr<SegmentPhrases> RequestPhrases::Find(std::string_view segment,
                                                    std::span<const Sentinel> kept) const {
  SegmentPhrases phrases;
  phrases.required = required_;
  for (const TermOccurrence& occurrence : terms_->matcher.Find(segment)) {
    const auto overlaps = [&](const Sentinel& sentinel) {
      return sentinel.source.begin < occurrence.range.end &&
             occurrence.range.begin < sentinel.source.end;
    };
    if (std::ranges::any_of(kept, overlaps)) continue;
    if (absl::Status status = Add(segment, occurrence, &phrases); !status.ok()) return status;
  }
  return phrases;
}

absl::StatusOr<SegmentPhrases> RequestPhrases::FindAll(std::string_view segment,
                                                       std::span<const Sentinel> kept) const {
  absl::StatusOr<SegmentPhrases> phrases = Find(segment, kept);
  if (!phrases.ok()) return phrases;
  for (const Sentinel& sentinel : kept) {
    const TermOccurrence occurrence{.range = sentinel.source, .target = sentinel.text};
    if (absl::Status status = Add(segment, occurrence, &*phrases); !status.ok()) return status;
  }
  return phrases;
}

absl::StatusOr<ConstraintTable> MakeConstraints(std::span<const NamedPhrase> required,
                                                const NamedPhrase& prefix,
                                                const kernels::SearchOptions& search,
                                                const WordEdgeTable* edges) {
  const auto prefix_tokens = static_cast<int64_t>(prefix.tokens.size());
  if (prefix_tokens > search.max_tokens - 1) {
    return InvalidRequest(PhraseError(prefix.field, prefix.name,
                                      absl::StrCat(prefix_tokens, " tokens"),
                                      absl::StrCat("at most ", search.max_tokens - 1,
                                                   ": one less than the segment's output limit")));
  }
  if (required.empty()) return ConstraintTable();
  std::vector<GatedPhrase> phrases;
  int64_t total = 0;
  bool with_eos = false;
  bool gated = false;
  for (const NamedPhrase& phrase : required) {
    total += static_cast<int64_t>(phrase.tokens.size());
    with_eos = with_eos || phrase.tokens.back() == search.eos;
    if (total > kernels::kMaxConstraintTokens) continue;  // the error needs only the sum
    gated = gated || phrase.gate.has_value();
    const SourceTokens gate = phrase.gate.value_or(SourceTokens{0, kernels::kAnySource});
    phrases.push_back({phrase.tokens, gate.begin, gate.end});
  }
  // Returns the error for a limit that several fields of the request exceed together.
  const auto too_many = [&](int64_t tokens, int64_t most, const std::string& what) {
    FieldError error;
    error.found = absl::StrCat(tokens, " tokens");
    error.expected = absl::StrCat("at most ", most);
    error.words = absl::StrCat("the required phrases and terms of a segment (", required.size(),
                               " in all) have ", tokens, " tokens", what);
    return InvalidRequest(std::move(error));
  };
  if (total > kernels::kMaxConstraintTokens) {
    return too_many(total, kernels::kMaxConstraintTokens,
                    absl::StrCat(", expected at most ", kernels::kMaxConstraintTokens));
  }
  ConstraintTable table(std::move(phrases), gated, edges);
  kernels::ConstraintState state = kernels::StartConstraints(table.set());
  for (const int32_t token : prefix.tokens) state = kernels::Advance(table.set(), state, token);
  // If EOS is forced at the limit, it does not count in max_tokens. Otherwise an EOS that a phrase
  // requires takes the place of one token.
  const int64_t real = total - (with_eos ? 1 : 0);
  const int64_t places =
      search.max_tokens - (with_eos && search.forced_eos == kernels::ForcedEos::kNone ? 1 : 0);
  if (prefix_tokens + real - kernels::Bank(state) > places) {
    const std::string after =
        prefix_tokens > 0 ? absl::StrCat(" after a prefix of ", prefix_tokens) : std::string();
    return too_many(real, places - prefix_tokens + kernels::Bank(state),
                    absl::StrCat(after, ", the segment's output limit is ", search.max_tokens));
  }
  return table;
}

}  // namespace dragoman::engine

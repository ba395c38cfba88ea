#include "engine/request/forbidden_phrases.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

// Reports whether `tokens` contain a forbidden phrase of the table.
bool HasForbidden(const ForbiddenTable& table, std::span<const int32_t> tokens) {
  const kernels::ForbiddenAutomaton automaton = table.automaton();
  int32_t state = 0;
  bool found = false;
  for (const int32_t token : tokens) {
    found = found || kernels::Contains(automaton.always, token);
    kernels::ForForbiddenTokens(automaton, state,
                                [&](int32_t banned) { found = found || banned == token; });
    state = kernels::NextForbiddenState(automaton, state, token);
  }
  return found;
}

// Returns the number of nodes of the automaton for `phrases`, including the root. Does not build
// the automaton, because it may be a thousand times larger than the limit.
int64_t NodesOf(std::vector<std::vector<int32_t>> phrases) {
  std::ranges::sort(phrases);
  int64_t nodes = 1;
  std::span<const int32_t> last;
  for (const std::vector<int32_t>& phrase : phrases) {
    const auto [mine, other] = std::ranges::mismatch(phrase, last);
    nodes += phrase.end() - mine;
    last = phrase;
  }
  return nodes;
}

// Returns the table of a request that forbids nothing itself, or nullptr if it needs too many nodes.
// Most requests are such and have the same `profile` and `excluded` as the one before, so each
// thread keeps the last table.
std::shared_ptr<const ForbiddenTable> TableOfProfile(std::span<const std::vector<int32_t>> profile,
                                                     const std::vector<int32_t>& excluded) {
  struct Last {
    std::vector<std::vector<int32_t>> profile;
    std::vector<int32_t> excluded;
    std::shared_ptr<const ForbiddenTable> table;
  };
  thread_local Last last;
  if (last.table == nullptr || last.excluded != excluded ||
      !std::ranges::equal(last.profile, profile)) {
    last.profile.assign(profile.begin(), profile.end());
    last.excluded = excluded;
    last.table = NodesOf(last.profile) > kernels::kMaxForbiddenNodes
                     ? nullptr
                     : std::make_shared<ForbiddenTable>(last.profile, excluded);
  }
  return last.table;
}

std::string NameOfForbidden(size_t i) {
  return absl::StrCat("decoding.forbidden_phrases[", i, "]");
}

bool IsPartOf(std::span<const int32_t> part, std::span<const int32_t> tokens) {
  return std::search(tokens.begin(), tokens.end(), part.begin(), part.end()) != tokens.end();
}

}  // namespace

FieldError PhraseError(const std::string& field, const std::string& name, std::string found,
                       std::string expected) {
  FieldError error;
  error.field = field;
  error.found = std::move(found);
  error.expected = std::move(expected);
  const std::string has = absl::StrCat("has ", error.found, ", expected ", error.expected);
  if (name == field) {
    error.predicate = has;
  } else {
    error.words = absl::StrCat(name, " ", has);
  }
  return error;
}

absl::StatusOr<ForbiddenPhrases> ForbiddenPhrases::Create(
    std::span<const std::string> texts, std::span<const std::vector<int32_t>> profile,
    std::vector<int32_t> excluded, const Tokenizer& tokenizer) {
  ForbiddenPhrases made;
  made.texts_ = texts.size();
  made.eos_ = tokenizer.special().eos;
  made.unk_ = tokenizer.special().unk;
  made.excluded_ = std::move(excluded);
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const bool word_start : {true, false}) {
      std::vector<int32_t> tokens = tokenizer.EncodePhrase(texts[i], word_start).ids;
      if (tokens.empty()) {
        return InvalidRequest(
            PhraseError(NameOfForbidden(i), NameOfForbidden(i), "no tokens", "text"));
      }
      if (std::ranges::find(tokens, made.unk_) != tokens.end()) continue;
      if (!made.forms_.empty() && made.forms_.back().tokens == tokens) continue;
      made.forms_.push_back({std::move(tokens), i});
    }
  }
  for (size_t i = 0; i < profile.size(); ++i) {
    made.forms_.push_back({profile[i], texts.size() + i});
  }
  if (texts.empty()) {
    made.all_ = TableOfProfile(profile, made.excluded_);
    if (made.all_ != nullptr) return made;
  }
  std::vector<std::vector<int32_t>> phrases;
  for (const Form& form : made.forms_) phrases.push_back(form.tokens);
  if (const int64_t nodes = NodesOf(phrases); nodes > kernels::kMaxForbiddenNodes) {
    FieldError error;
    error.field = "decoding.forbidden_phrases";
    error.found = absl::StrCat(nodes, " nodes of the automaton");
    error.expected = absl::StrCat("at most ", kernels::kMaxForbiddenNodes);
    error.predicate = absl::StrCat(
        "need ", error.found,
        " (about one for each of their tokens, with and without the mark of a word's beginning), "
        "expected ",
        error.expected);
    return InvalidRequest(std::move(error));
  }
  made.all_ = std::make_shared<ForbiddenTable>(phrases, made.excluded_);
  return made;
}

FieldError ForbiddenPhrases::PartOf(size_t forbidden, const NamedPhrase& phrase) const {
  FieldError error;
  error.found = absl::StrCat("a part of ", phrase.name);
  error.expected = "one of them only";
  error.other = phrase.field;
  const std::string part = absl::StrCat("is ", error.found, ", expected ", error.expected);
  if (forbidden < texts_) {
    error.field = NameOfForbidden(forbidden);
    error.predicate = part;
  } else {
    error.field = "decoding.profile";
    error.words = absl::StrCat("a phrase that decoding.profile never produces ", part);
  }
  return error;
}

absl::StatusOr<std::shared_ptr<const ForbiddenTable>> ForbiddenPhrases::For(
    std::span<const NamedPhrase> phrases, const std::vector<std::vector<int32_t>>& ngrams) {
  std::set<size_t> allowed;
  auto table = WithoutSource(phrases, &allowed);
  if (!table.ok() || ngrams.empty()) return table;
  std::vector<std::vector<int32_t>> all;
  for (const std::vector<int32_t>& ngram : ngrams) {
    const bool is_wanted = std::ranges::any_of(
        phrases, [&](const NamedPhrase& phrase) { return IsPartOf(ngram, phrase.tokens); });
    if (!is_wanted) all.push_back(ngram);
  }
  for (const Form& form : forms_) {
    if (!allowed.contains(form.phrase)) all.push_back(form.tokens);
  }
  if (const int64_t nodes = NodesOf(all); nodes > kernels::kMaxForbiddenNodes) {
    FieldError error;
    error.field = "decoding.profile";
    error.found = absl::StrCat(nodes, " nodes of the automaton");
    error.expected = absl::StrCat("at most ", kernels::kMaxForbiddenNodes);
    error.words = absl::StrCat(
        "the model's encoder_no_repeat_ngram_size forbids the n-grams of a source that need ",
        error.found, ", expected ", error.expected, ": a shorter text, or another profile");
    return InvalidRequest(std::move(error));
  }
  return std::make_shared<const ForbiddenTable>(all, excluded_);
}

absl::StatusOr<std::shared_ptr<const ForbiddenTable>> ForbiddenPhrases::WithoutSource(
    std::span<const NamedPhrase> phrases, std::set<size_t>* allowed_out) {
  std::set<size_t>& allowed = *allowed_out;
  std::vector<const NamedPhrase*> hit;
  for (const NamedPhrase& phrase : phrases) {
    if (HasForbidden(*all_, phrase.tokens)) hit.push_back(&phrase);
  }
  if (hit.empty()) return all_;

  for (const NamedPhrase* phrase : hit) {
    std::span<const int32_t> tokens = phrase->tokens;
    if (tokens.back() == eos_) tokens = tokens.first(tokens.size() - 1);
    for (const Form& form : forms_) {
      const bool is_same = !phrase->is_prefix && std::ranges::equal(form.tokens, tokens);
      const bool is_unknown = phrase->may_have_unknown && form.phrase >= texts_ &&
                              form.tokens == std::vector<int32_t>{unk_} &&
                              IsPartOf(form.tokens, tokens);
      if (is_same || is_unknown) allowed.insert(form.phrase);
    }
  }
  for (const NamedPhrase* phrase : hit) {
    for (const Form& form : forms_) {
      if (allowed.contains(form.phrase) || !IsPartOf(form.tokens, phrase->tokens)) continue;
      return InvalidRequest(PartOf(form.phrase, *phrase));
    }
  }
  std::vector<size_t> key(allowed.begin(), allowed.end());
  std::shared_ptr<const ForbiddenTable>& table = without_[key];
  if (table == nullptr) {
    std::vector<std::vector<int32_t>> rest;
    for (const Form& form : forms_) {
      if (!allowed.contains(form.phrase)) rest.push_back(form.tokens);
    }
    table = std::make_shared<ForbiddenTable>(rest, excluded_);
  }
  return table;
}

}  // namespace dragoman::engine

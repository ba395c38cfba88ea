// The options of a search as the caller gave them. The table proto/options/decoding_options.inc
// defines the numbers, enums and lists. The functions here check the ranges of the table.
//
// Plain data and pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/field_error.h"
#include "kernels/search/options.h"
#include "options/decoding_options.h"

namespace dragoman::engine {

// The profile whose rules set the options that a request leaves unset (SEARCH.md a.7).
enum class Profile { kHf, kCt2, kMarian, kPaper, kArticle };

// The pruning heuristics of Freitag & Al-Onaizan (a.2): absolute_delta, relative, max_candidates.
struct Pruning {
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) std::optional<type> name;
#include "options/decoding_options.inc"

  bool any() const {
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) \
  if (name.has_value()) return true;
#include "options/decoding_options.inc"
    return false;
  }
};

struct RequiredPhrase {
  std::string text;
  bool at_end = false;  // the translation must end with the phrase
};

// top_k, top_p, seed. If there is no seed, the engine draws one and returns it.
struct Sampling {
#define DRAGOMAN_SAMPLING_NUMBER(type, name, ...) std::optional<type> name;
#include "options/decoding_options.inc"
};

// The options of a request. The profile sets those that are unset. An empty list has no effect.
struct DecodingOptions {
#define DRAGOMAN_NUMBER(type, name, ...) std::optional<type> name;
#define DRAGOMAN_CHOICE(type, name, ...) std::optional<type> name;
#define DRAGOMAN_LIST(type, name, ...) std::vector<type> name;
#include "options/decoding_options.inc"
  Pruning pruning;
  std::optional<Sampling> sampling;
};

// Calls visit(path on the wire, range, std::optional<number>&) for each number of `options`, which
// may be const. Skips the numbers of an absent group.
template <typename Options, typename Visit>
void VisitNumbers(Options& options, const Visit& visit) {
#define DRAGOMAN_NUMBER(type, name, ...) \
  visit("decoding." #name, OptionNamed(#name).range, options.name);
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) \
  visit("decoding.pruning." #name, OptionNamed("pruning." #name).range, options.pruning.name);
#define DRAGOMAN_SAMPLING_NUMBER(type, name, ...)                           \
  if (options.sampling.has_value()) {                                       \
    visit("decoding.sampling." #name, OptionNamed("sampling." #name).range, \
          options.sampling->name);                                          \
  }
#include "options/decoding_options.inc"
}

// Reports whether the caller has given an option.
template <typename T>
bool IsGiven(const std::optional<T>& member) {
  return member.has_value();
}
template <typename T>
bool IsGiven(const std::vector<T>& list) {
  return !list.empty();
}

// Calls visit(row of the option, member&) for each option of `options`, which may be const. Numbers
// and enums are std::optional, lists are std::vector. Skips the members of an absent group.
template <typename Options, typename Visit>
void VisitOptions(Options& options, const Visit& visit) {
#define DRAGOMAN_NUMBER(type, name, ...) visit(OptionNamed(#name), options.name);
#define DRAGOMAN_CHOICE(type, name, ...) visit(OptionNamed(#name), options.name);
#define DRAGOMAN_LIST(type, name, ...) visit(OptionNamed(#name), options.name);
#define DRAGOMAN_SWITCH(name, ...) visit(OptionNamed(#name), options.name);
#define DRAGOMAN_PRUNING_NUMBER(type, name, ...) \
  visit(OptionNamed("pruning." #name), options.pruning.name);
#define DRAGOMAN_SAMPLING_NUMBER(type, name, ...) \
  if (options.sampling.has_value()) visit(OptionNamed("sampling." #name), options.sampling->name);
#include "options/decoding_options.inc"
}

// Returns the error for a `value` of `field` that is not in `range`. If the model or the machine
// narrows the range, `why` is the reason ("the rows of this server's batch").
FieldError OutOfRange(std::string field, double value, const NumberRange& range,
                      const std::string& why = "");

// Returns an error for every number that is out of its range.
std::vector<FieldError> CheckRanges(const DecodingOptions& options);

// The same, and unsets these numbers so that later checks ignore them. Entries of lists stay.
std::vector<FieldError> TakeOutOfRange(DecodingOptions* options);

}  // namespace dragoman::engine

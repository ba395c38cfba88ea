// Defines the decoding options of a request as the caller gave them, and checks their ranges. The
// table proto/options/decoding_options.inc lists all options with their types and ranges.
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

// Where a term's target may begin (SEARCH.md d.7).
enum class TermPlacement {
  kAnywhere,
  kAligned,  // where the model's attention is on the term's source words
};

// The pruning heuristics of Freitag & Al-Onaizan (SEARCH.md a.2). The members are absolute_delta,
// relative and max_candidates.
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

// The members are top_k, top_p and seed. If the request has no seed, the engine draws one and
// returns it with the result.
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

// Calls visit(path of the field in the request, range, std::optional<number>&) for each number of
// `options`, which may be const. Skips the numbers of `sampling` if the request has none.
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

// Calls visit(row, member&) for each option of `options`, which may be const. `row` is the option's
// row in the table decoding_options.inc. `member` is a std::optional for a number or an enum, and a
// std::vector for a list. Skips the members of `sampling` if the request has none.
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
// sets the range, `why` names the reason: "the rows of this server's batch".
FieldError OutOfRange(std::string field, double value, const NumberRange& range,
                      const std::string& why = "");

// Returns an error for every number that is out of its range.
std::vector<FieldError> CheckRanges(const DecodingOptions& options);

// Unsets the numbers that are out of range, so that later checks ignore them. Does not remove wrong
// entries of lists. Returns the errors that CheckRanges returns for the original options.
std::vector<FieldError> TakeOutOfRange(DecodingOptions* options);

}  // namespace dragoman::engine

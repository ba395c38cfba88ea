#include "engine/api/decoding_options.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/api/glossary_terms.h"

namespace dragoman::engine {
namespace {

// The limits in the table of options must equal the limits of the search.
static_assert(OptionNamed("beam_size").range.high == kernels::kMaxBeam);
static_assert(OptionNamed("num_alternatives").range.high == kernels::kMaxBeam);
static_assert(OptionNamed("required_phrases").most == kernels::kMaxConstraintTokens);
static_assert(OptionNamed("required_phrases").range.high == int64_t{kMaxTermBytes});
static_assert(OptionNamed("forbidden_phrases").most == kernels::kMaxForbiddenNodes);
static_assert(OptionNamed("forbidden_phrases").range.high == int64_t{kMaxTermBytes});

void CheckHeads(const DecodingOptions& options, std::vector<FieldError>* errors) {
  constexpr NumberRange kRange = OptionNamed("alignment_heads").range;
  for (size_t i = 0; i < options.alignment_heads.size(); ++i) {
    const int head = options.alignment_heads[i];
    if (kRange.Contains(head)) continue;
    errors->push_back(OutOfRange(absl::StrCat("decoding.alignment_heads[", i, "]"), head, kRange));
  }
}

}  // namespace

FieldError OutOfRange(std::string field, double value, const NumberRange& range,
                      const std::string& why) {
  FieldError error;
  error.field = std::move(field);
  // Prints whole numbers with all digits, other numbers with the digits of a float.
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  error.found = is_whole ? absl::StrCat(static_cast<int64_t>(value))
                         : absl::StrCat(static_cast<float>(value));
  error.expected = why.empty() ? range.Words() : absl::StrCat(range.Words(), ", ", why);
  return error;
}

std::vector<FieldError> CheckRanges(const DecodingOptions& options) {
  std::vector<FieldError> errors;
  VisitNumbers(options, [&errors](const char* field, const NumberRange& range, const auto& number) {
    if (!number.has_value() || range.Contains(*number)) return;
    errors.push_back(OutOfRange(field, static_cast<double>(*number), range));
  });
  CheckHeads(options, &errors);
  return errors;
}

std::vector<FieldError> TakeOutOfRange(DecodingOptions* options) {
  std::vector<FieldError> errors = CheckRanges(*options);
  VisitNumbers(*options, [](const char*, const NumberRange& range, auto& number) {
    if (number.has_value() && !range.Contains(*number)) number.reset();
  });
  return errors;
}

}  // namespace dragoman::engine

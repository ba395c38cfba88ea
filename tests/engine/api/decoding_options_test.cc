// Tests the table of options: each number below, at and above the ends of its range.
#include "engine/api/decoding_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns options with the number `field` set to `value`, and its group present.
DecodingOptions With(const std::string& field, double value) {
  DecodingOptions options;
  options.sampling.emplace();
  bool found = false;
  VisitNumbers(options, [&](const char* name, const NumberRange&, auto& number) {
    if (field != name) return;
    found = true;
    using T = typename std::decay_t<decltype(number)>::value_type;
    number = static_cast<T>(value);
  });
  EXPECT_TRUE(found) << field;
  return options;
}

void ExpectTaken(const std::string& field, double value) {
  EXPECT_THAT(CheckRanges(With(field, value)), IsEmpty()) << field << " " << value;
}

void ExpectRefused(const std::string& field, double value, const std::string& found,
                   const std::string& expected) {
  const std::vector<FieldError> errors = CheckRanges(With(field, value));
  EXPECT_THAT(errors, ElementsAre(FieldError{field, found, expected})) << field << " " << value;
  DecodingOptions options = With(field, value);
  EXPECT_EQ(TakeOutOfRange(&options), errors);
  EXPECT_THAT(CheckRanges(options), IsEmpty()) << "still set: " << field;
}

TEST(DecodingOptions, EveryNumberIsHeldToItsRange) {
  int numbers = 0;
  for (const DecodingOption& row : kDecodingOptions) {
    if (row.kind != DecodingOption::Kind::kNumber) continue;
    ++numbers;
    const std::string field = absl::StrCat("decoding.", std::string(row.name));
    const std::string expected = row.range.Words();
    const auto low = static_cast<double>(row.range.low);
    const auto high = static_cast<double>(row.range.high);
    switch (row.range.kind) {
      case NumberRange::Kind::kBetween:
        ExpectTaken(field, low);
        ExpectTaken(field, high);
        ExpectRefused(field, low - 1, absl::StrCat(row.range.low - 1), expected);
        ExpectRefused(field, high + 1, absl::StrCat(row.range.high + 1), expected);
        break;
      case NumberRange::Kind::kAboveZero:
        ExpectTaken(field, std::numeric_limits<float>::min());
        ExpectTaken(field, high);
        ExpectRefused(field, 0, "0", expected);
        ExpectRefused(field, high + 0.5, absl::StrCat(static_cast<float>(high + 0.5)), expected);
        ExpectRefused(field, NAN, "nan", expected);
        break;
      case NumberRange::Kind::kAtLeast:
        ExpectTaken(field, low);
        ExpectTaken(field, std::numeric_limits<int>::max());
        ExpectRefused(field, low - 1, absl::StrCat(row.range.low - 1), expected);
        break;
      case NumberRange::Kind::kFiniteFrom:
        ExpectTaken(field, low);
        ExpectTaken(field, std::numeric_limits<float>::max());
        ExpectRefused(field, low - 0.5, absl::StrCat(low - 0.5), expected);
        ExpectRefused(field, INFINITY, "inf", expected);
        break;
      case NumberRange::Kind::kAny:
        ExpectTaken(field, 0);
        break;
    }
  }
  EXPECT_EQ(numbers, 20);
}

TEST(DecodingOptions, RangesAreSaidAsTheWireSaysThem) {
  EXPECT_EQ(OptionNamed("beam_size").range.Words(), "1..64");
  EXPECT_EQ(OptionNamed("length_penalty").range.Words(), "-10..10");
  EXPECT_EQ(OptionNamed("patience").range.Words(), "a number above 0, at most 64");
  EXPECT_EQ(OptionNamed("sampling.top_k").range.Words(), "at least 0");
  EXPECT_EQ(OptionNamed("pruning.absolute_delta").range.Words(), "a finite number from 0");
}

TEST(DecodingOptions, ASeedIsAnyNumber) {
  DecodingOptions options;
  options.sampling.emplace().seed = ~uint64_t{0};
  EXPECT_THAT(TakeOutOfRange(&options), IsEmpty());
  EXPECT_EQ(options.sampling->seed, ~uint64_t{0});
}

TEST(DecodingOptions, HeadsAreCheckedOneByOne) {
  DecodingOptions options;
  options.alignment_heads = {0, -2, 7, -1};
  EXPECT_THAT(CheckRanges(options),
              ElementsAre(FieldError{"decoding.alignment_heads[1]", "-2", "at least 0"},
                          FieldError{"decoding.alignment_heads[3]", "-1", "at least 0"}));
}

TEST(DecodingOptions, ADefaultIsInItsRange) {
  std::set<std::string> names;
  for (const DecodingOption& row : kDecodingOptions) {
    EXPECT_TRUE(names.insert(std::string(row.name)).second) << row.name;
    if (row.by_default.is_number) {
      EXPECT_TRUE(row.range.Contains(row.by_default.number)) << row.name;
    } else {
      EXPECT_FALSE(row.by_default.words.empty()) << row.name;
    }
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
  EXPECT_EQ(DefaultOf("max_length_ratio"), 3);
  EXPECT_EQ(DefaultOf("max_length_extra"), 20);
  EXPECT_EQ(DefaultOf("constraint_prune"), 20);
}

}  // namespace
}  // namespace dragoman::engine

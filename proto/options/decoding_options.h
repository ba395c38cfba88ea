// The rows of decoding_options.inc as constant data. Each row describes an option of the search, a
// field of DecodingOptions.
//
// Uses only the standard library, because server, engine and client include it. Thread-safety:
// constant data and pure functions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace dragoman {

// The set of numbers that an option accepts. Bounds are integers, but the numbers may be floats.
struct NumberRange {
  enum class Kind : uint8_t {
    kBetween,     // low..high, inclusive
    kAboveZero,   // a normal number above 0, at most high
    kAtLeast,     // an integer, at least low
    kFiniteFrom,  // a finite number, at least low
    kAny,
  };
  Kind kind = Kind::kAny;
  int64_t low = 0;
  int64_t high = 0;

  // Reports whether the number is in the range. NaN is only in the range kAny.
  template <typename T>
  constexpr bool Contains(T x) const {
    static_assert(std::is_arithmetic_v<T>);
    switch (kind) {
      case Kind::kBetween:
        return x >= static_cast<T>(low) && x <= static_cast<T>(high);
      case Kind::kAboveZero:
        return x >= std::numeric_limits<T>::min() && x > T{0} && x <= static_cast<T>(high);
      case Kind::kAtLeast:
        return x >= static_cast<T>(low);
      case Kind::kFiniteFrom:
        return x >= static_cast<T>(low) && x <= std::numeric_limits<T>::max();
      case Kind::kAny:
        break;
    }
    return true;
  }

  // Returns the range as text for an error message: "1..64".
  std::string Words() const {
    switch (kind) {
      case Kind::kBetween:
        return std::to_string(low) + ".." + std::to_string(high);
      case Kind::kAboveZero:
        return "a number above 0, at most " + std::to_string(high);
      case Kind::kAtLeast:
        return "at least " + std::to_string(low);
      case Kind::kFiniteFrom:
        return "a finite number from " + std::to_string(low);
      case Kind::kAny:
        break;
    }
    return "any number";
  }
};

// The default of an option: a number, or words that describe it if other code decides it.
struct OptionDefault {
  // NOLINTNEXTLINE(google-explicit-constructor): the rows say 3 or "off"
  constexpr OptionDefault(int value) : is_number(true), number(value) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr OptionDefault(const char* text) : words(text) {}

  bool is_number = false;
  int number = 0;
  std::string_view words;

  std::string Words() const { return is_number ? std::to_string(number) : std::string(words); }
};

struct DecodingOption {
  enum class Kind : uint8_t { kNumber, kChoice, kList, kSwitch };
  // A pivot translates with two models, one after the other. Each is a leg. Legs says to which legs
  // the option applies.
  enum class Legs : uint8_t { kBoth, kSecond, kNone };
  std::string_view name;  // the field's path in DecodingOptions, such as "pruning.absolute_delta"
  Kind kind;
  Legs legs;
  NumberRange range;  // the range of the number, or of each element of a list
  int most;           // the maximum number of elements of a list
  OptionDefault by_default;
  std::string_view alias;  // an older or shorter flag without "--"; "": none
  std::string_view value;
  std::string_view help;

  // Returns the name of the option's flag, without "--": "pruning-absolute-delta".
  std::string Flag() const {
    std::string flag(name);
    for (char& c : flag) {
      if (c == '_' || c == '.') c = '-';
    }
    return flag;
  }
};

namespace option_rows {

constexpr NumberRange Between(int64_t low, int64_t high) {
  return {NumberRange::Kind::kBetween, low, high};
}
constexpr NumberRange AboveZero(int64_t high) { return {NumberRange::Kind::kAboveZero, 0, high}; }
constexpr NumberRange AtLeast(int64_t low) { return {NumberRange::Kind::kAtLeast, low, 0}; }
constexpr NumberRange FiniteFrom(int64_t low) { return {NumberRange::Kind::kFiniteFrom, low, 0}; }
constexpr NumberRange Any() { return {}; }

using Kind = DecodingOption::Kind;
using enum DecodingOption::Legs;

// clang-format off
inline constexpr DecodingOption kRows[] = {
#define DRAGOMAN_NUMBER(type, name, legs, range, by_default, alias, value, help) \
    {#name, Kind::kNumber, legs, range, 0, by_default, alias, value, help},
#define DRAGOMAN_PRUNING_NUMBER(type, name, legs, range, by_default, alias, value, help) \
    {"pruning." #name, Kind::kNumber, legs, range, 0, by_default, alias, value, help},
#define DRAGOMAN_SAMPLING_NUMBER(type, name, legs, range, by_default, alias, value, help) \
    {"sampling." #name, Kind::kNumber, legs, range, 0, by_default, alias, value, help},
#define DRAGOMAN_CHOICE(type, name, legs, by_default, alias, help) \
    {#name, Kind::kChoice, legs, Any(), 0, by_default, alias, "", help},
#define DRAGOMAN_LIST(type, name, legs, most, range, by_default, alias, value, help) \
    {#name, Kind::kList, legs, range, most, by_default, alias, value, help},
#define DRAGOMAN_SWITCH(name, legs, by_default, alias, help) \
    {#name, Kind::kSwitch, legs, Any(), 0, by_default, alias, "", help},
#include "options/decoding_options.inc"
};
// clang-format on

}  // namespace option_rows

inline constexpr auto& kDecodingOptions = option_rows::kRows;

// Returns the row with this name. Does not compile if there is none.
consteval DecodingOption OptionNamed(std::string_view name) {
  for (const DecodingOption& row : kDecodingOptions) {
    if (row.name == name) return row;
  }
  throw "no such option";  // not a constant expression
}

// Returns the default of the option with this name. Does not compile if the default is not a
// number.
consteval int DefaultOf(std::string_view name) {
  const OptionDefault by_default = OptionNamed(name).by_default;
  if (!by_default.is_number) throw "its default is not a constant";
  return by_default.number;
}

}  // namespace dragoman

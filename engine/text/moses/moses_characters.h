// Character classes and abbreviations of Moses's scripts (moses.h). The classes are those of
// sacremoses: Perl's for Unicode 7, without Han and Hangul. Pure functions; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <unicode/uniset.h>

namespace dragoman::engine::moses {

// Frozen sets. They live as long as the process.
struct CharacterClasses {
  icu::UnicodeSet alpha;          // for the detokenizer
  icu::UnicodeSet alpha_or_sign;  // for the tokenizer: with viramas and nuktas
  icu::UnicodeSet alnum_or_sign;
  icu::UnicodeSet number;
  icu::UnicodeSet lower;
  icu::UnicodeSet currency;
  icu::UnicodeSet cjk;    // joined without spaces
  icu::UnicodeSet space;  // Python's str.isspace()
};
const CharacterClasses& Classes();

// Words that keep their full stop.
struct Abbreviations {
  std::vector<std::u16string> always;
  std::vector<std::u16string> before_number;  // only if a number follows
};
// Returns nullptr for a language without a list.
const Abbreviations* AbbreviationsOf(std::string_view language);

// The languages that have a list, for messages.
inline constexpr std::string_view kLanguages = "de, en, ru";

}  // namespace dragoman::engine::moses

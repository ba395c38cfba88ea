// Character classes and abbreviations of Moses's scripts (moses.h). The classes are those of
// sacremoses 0.2.0: Perl's character classes of Unicode 7, without Han and Hangul. Thread-safety:
// pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <unicode/uniset.h>

namespace dragoman::engine::moses {

// Sets of characters, which do not change and live as long as the process.
struct CharacterClasses {
  icu::UnicodeSet alpha;          // letters; for the detokenizer
  icu::UnicodeSet alpha_or_sign;  // letters, Indic viramas and nuktas; for the tokenizer
  icu::UnicodeSet alnum_or_sign;
  icu::UnicodeSet number;
  icu::UnicodeSet lower;
  icu::UnicodeSet currency;
  icu::UnicodeSet cjk;    // words of these characters are joined without spaces
  icu::UnicodeSet space;  // Python's str.isspace()
};
const CharacterClasses& Classes();

// Words whose full stop stays a part of the word: `always`, or only if a number follows.
struct Abbreviations {
  std::vector<std::u16string> always;
  std::vector<std::u16string> before_number;
};
// Returns nullptr for a language without a list.
const Abbreviations* AbbreviationsOf(std::string_view language);

// The languages that have a list of abbreviations, as text for error messages.
inline constexpr std::string_view kLanguages = "de, en, ru";

}  // namespace dragoman::engine::moses

// Character classes and abbreviations of Moses's scripts (moses.h): those of sacremoses, which are
// Perl's of Unicode 7 without Han and Hangul. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <unicode/uniset.h>

namespace dragoman::engine::moses {

// Frozen sets, which live as long as the process.
struct CharacterClasses {
  icu::UnicodeSet alpha;          // of the detokenizer
  icu::UnicodeSet alpha_or_sign;  // of the tokenizer: with viramas and nuktas
  icu::UnicodeSet alnum_or_sign;
  icu::UnicodeSet number;
  icu::UnicodeSet lower;
  icu::UnicodeSet currency;
  icu::UnicodeSet cjk;    // which is written without spaces
  icu::UnicodeSet space;  // Python's
};
const CharacterClasses& Classes();

// Words before whose full stop no space goes.
struct Abbreviations {
  std::vector<std::u16string> always;
  std::vector<std::u16string> before_number;  // only there
};
// nullptr for a language that has no list here.
const Abbreviations* AbbreviationsOf(std::string_view language);

// Ids of languages that have one, for messages.
inline constexpr std::string_view kLanguages = "de, en, ru";

}  // namespace dragoman::engine::moses

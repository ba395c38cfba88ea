#include "engine/text/moses/moses_characters.h"

#include <map>
#include <span>

namespace dragoman::engine::moses {
namespace {

struct CharacterRange {
  UChar32 first;
  UChar32 last;
};

struct Abbreviation {
  std::string_view language;
  std::string_view word;
};

#include "engine/text/moses_data.inc"

constexpr std::string_view kNumericOnly = " #NUMERIC_ONLY#";

// Python's str.isspace(), which is also \s of its regular expressions.
constexpr CharacterRange kSpace[] = {
    {0x9, 0xD},       {0x1C, 0x20},     {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
    {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};

// The ranges of CJKChars in sacremoses.
constexpr CharacterRange kCjk[] = {
    {0x1100, 0x11FF},   {0x2E80, 0xA4CF},   {0xA840, 0xA87F},   {0xAC00, 0xD7AF},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE4F},   {0xFF65, 0xFFDC},   {0x16FE0, 0x18AFF},
    {0x1B000, 0x1B12F}, {0x1B170, 0x1B2FF}, {0x20000, 0x2FFFF},
};

void Add(icu::UnicodeSet& set, std::span<const CharacterRange> ranges) {
  for (const CharacterRange& range : ranges) set.add(range.first, range.last);
}

const CharacterClasses* MakeClasses() {
  auto* made = new CharacterClasses;
  Add(made->alpha, kAlpha);
  made->alpha_or_sign.addAll(made->alpha);
  Add(made->alpha_or_sign, kIndicSigns);
  made->alnum_or_sign.addAll(made->alpha_or_sign);
  Add(made->alnum_or_sign, kAlnumNoAlpha);
  Add(made->number, kNumber);
  Add(made->lower, kLower);
  Add(made->currency, kCurrency);
  Add(made->cjk, kCjk);
  Add(made->space, kSpace);
  for (icu::UnicodeSet* set :
       {&made->alpha, &made->alpha_or_sign, &made->alnum_or_sign, &made->number, &made->lower,
        &made->currency, &made->cjk, &made->space}) {
    set->freeze();
  }
  return made;
}

std::u16string Wide(std::string_view text) {
  const auto wide = icu::UnicodeString::fromUTF8({text.data(), static_cast<int32_t>(text.size())});
  return {wide.getBuffer(), static_cast<size_t>(wide.length())};
}

}  // namespace

const CharacterClasses& Classes() {
  static const CharacterClasses* const classes = MakeClasses();
  return *classes;
}

const Abbreviations* AbbreviationsOf(std::string_view language) {
  static const auto* const lists = [] {
    auto* made = new std::map<std::string_view, Abbreviations>;
    for (const Abbreviation& entry : kAbbreviations) {
      Abbreviations& list = (*made)[entry.language];
      if (entry.word.ends_with(kNumericOnly)) {
        list.before_number.push_back(
            Wide(entry.word.substr(0, entry.word.size() - kNumericOnly.size())));
      } else {
        list.always.push_back(Wide(entry.word));
      }
    }
    return made;
  }();
  const auto found = lists->find(language);
  return found == lists->end() ? nullptr : &found->second;
}

}  // namespace dragoman::engine::moses

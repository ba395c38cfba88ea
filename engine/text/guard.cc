#include "engine/text/guard.h"

#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/language_code.h"

namespace dragoman::engine {
namespace {

using Characters = std::vector<UChar32>;

Characters CharactersOf(std::string_view text) {
  Characters characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    characters.push_back(
        u_foldCase(static_cast<UChar32>(NextCodePoint(text, at)), U_FOLD_CASE_DEFAULT));
  }
  return characters;
}

UScriptCode ScriptOf(UChar32 c) {
  UErrorCode error = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(c, &error);
  return U_SUCCESS(error) != 0 ? script : USCRIPT_INVALID_CODE;
}

// --- repeats ---

constexpr size_t kLongestPeriod = 100;
constexpr size_t kRepeats = 3;
constexpr size_t kRepeatedCharacters = 24;

// Returns the size of the longest stretch with letters that repeats a part of at most
// kLongestPeriod characters kRepeats times or more; 0 if there is none.
size_t LongestRepeat(const Characters& text) {
  size_t longest = 0;
  for (size_t period = 1; period <= std::min(kLongestPeriod, text.size() / kRepeats); ++period) {
    size_t equal = 0;
    bool has_letter = false;
    for (size_t i = period; i < text.size(); ++i) {
      if (text[i] != text[i - period]) {
        equal = 0;
        has_letter = false;
        continue;
      }
      ++equal;
      has_letter = has_letter || u_isalpha(text[i]) != 0;
      const size_t size = equal + period;
      if (has_letter && size >= kRepeats * period) longest = std::max(longest, size);
    }
  }
  return longest;
}

bool Repeats(const Characters& source, const Characters& target) {
  const size_t repeated = LongestRepeat(target);
  return repeated >= kRepeatedCharacters && repeated > 2 * LongestRepeat(source);
}

// --- length ---

int LengthOf(const Characters& text) {
  int length = 0;
  for (const UChar32 c : text) {
    const UScriptCode script = ScriptOf(c);
    const bool is_dense = script == USCRIPT_HAN || script == USCRIPT_HIRAGANA ||
                          script == USCRIPT_KATAKANA || script == USCRIPT_HANGUL;
    length += is_dense ? 3 : 1;
  }
  return length;
}

Suspicion JudgeLength(int source, int target) {
  constexpr int kShort = 40;
  if (target > 3 * source && target > source + kShort) return Suspicion::kTooLong;
  if (4 * target < source && source > target + kShort) return Suspicion::kTooShort;
  return Suspicion::kNone;
}

// --- copies ---

// Languages in which a sentence may have the same words.
constexpr std::string_view kAlike[][6] = {
    {"dan", "nob", "nno", "nor", "swe", ""}, {"hrv", "bos", "srp", "cnr", "hbs", ""},
    {"ind", "msa", "zsm", "zlm", "", ""},    {"zho", "cmn", "yue", "wuu", "lzh", ""},
    {"ces", "slk", "", "", "", ""},          {"glg", "por", "spa", "ast", "", ""},
};

bool AreAlike(const LanguageCode& a, const LanguageCode& b) {
  if (a.language == b.language) return true;
  return std::ranges::any_of(kAlike, [&](const auto& group) {
    const auto has = [&](const std::string& language) {
      return std::ranges::find(group, language) != std::end(group);
    };
    return has(a.language) && has(b.language);
  });
}

// The letters and digits of the text, in lower case.
Characters WordCharacters(const Characters& text) {
  Characters words;
  std::ranges::copy_if(text, std::back_inserter(words),
                       [](UChar32 c) { return u_isalnum(c) != 0; });
  return words;
}

// Returns the number of different words of two letters or more that are in lower case: those of a
// sentence, not of a list of names.
int LowerCaseWords(std::string_view text) {
  std::set<std::string_view> words;
  for (const std::string_view word : SplitWhiteSpace(text)) {
    int letters = 0;
    bool is_lower = true;
    for (size_t at = 0; at < word.size();) {
      const auto c = static_cast<UChar32>(NextCodePoint(word, at));
      if (u_isalpha(c) == 0) continue;
      ++letters;
      is_lower = is_lower && u_isupper(c) == 0 && u_istitle(c) == 0;
    }
    if (letters >= 2 && is_lower) words.insert(word);
  }
  return static_cast<int>(words.size());
}

bool IsCopy(std::string_view source, const Characters& source_characters,
            const Characters& target) {
  constexpr int kWords = 4;
  return WordCharacters(source_characters) == WordCharacters(target) &&
         LowerCaseWords(source) >= kWords;
}

// --- scripts ---

// Returns the scripts in which the language is written; none if they are not known.
std::vector<UScriptCode> ScriptsOf(const LanguageCode& code) {
  UErrorCode error = U_ZERO_ERROR;
  std::array<UScriptCode, 8> scripts{};
  const std::string locale = ToBcp47(code);
  const int count = uscript_getCode(locale.c_str(), scripts.data(), scripts.size(), &error);
  if (U_FAILURE(error) != 0 || count <= 0) return {};
  std::vector<UScriptCode> found(scripts.begin(), scripts.begin() + count);
  // Serbian and others have two; which one a model writes is not known.
  for (const auto& [one, other] : {std::pair{USCRIPT_CYRILLIC, USCRIPT_LATIN}}) {
    if (code.script.empty() && std::ranges::find(found, one) != found.end() &&
        (code.language == "srp" || code.language == "uzb" || code.language == "kaz" ||
         code.language == "bos" || code.language == "mon" || code.language == "tat")) {
      found.push_back(other);
    }
  }
  return found;
}

std::set<std::string> WordSet(const Characters& text) {
  std::set<std::string> words;
  std::string word;
  for (const UChar32 c : text) {
    if (u_isalpha(c) != 0) {
      AppendUtf8(static_cast<char32_t>(c), word);
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  words.insert(word);
  return words;
}

bool IsInWrongScript(const Characters& source, const Characters& target,
                     const std::vector<UScriptCode>& expected) {
  constexpr int kLetters = 10;
  if (expected.empty()) return false;
  const std::set<std::string> known = WordSet(source);
  int right = 0;
  int wrong = 0;
  std::string word;
  int in_word_right = 0;
  int in_word_wrong = 0;
  const auto end_word = [&] {
    if (!known.contains(word)) {
      right += in_word_right;
      wrong += in_word_wrong;
    }
    word.clear();
    in_word_right = in_word_wrong = 0;
  };
  for (const UChar32 c : target) {
    if (u_isalpha(c) == 0) {
      end_word();
      continue;
    }
    AppendUtf8(static_cast<char32_t>(c), word);
    const UScriptCode script = ScriptOf(c);
    if (script == USCRIPT_COMMON || script == USCRIPT_INHERITED) continue;
    ++(std::ranges::find(expected, script) != expected.end() ? in_word_right : in_word_wrong);
  }
  end_word();
  return wrong >= kLetters && wrong > right;
}

}  // namespace

const SuspicionWords& WordsOf(Suspicion suspicion) {
  static constexpr SuspicionWords kWords[] = {
      {"", ""},
      {"repeats", "repeats itself"},
      {"too_long", "is far longer than the text"},
      {"too_short", "is far shorter than the text"},
      {"copied", "has the words of the text"},
      {"wrong_script", "is in a script of another language"},
  };
  return kWords[static_cast<size_t>(suspicion)];
}

Suspicion JudgeTranslation(std::string_view source, std::string_view source_language,
                           std::string_view target, std::string_view target_language) {
  const Characters before = CharactersOf(source);
  const Characters after = CharactersOf(target);
  if (Repeats(before, after)) return Suspicion::kRepeats;
  if (const Suspicion found = JudgeLength(LengthOf(before), LengthOf(after));
      found != Suspicion::kNone) {
    return found;
  }
  const std::optional<LanguageCode> from = ParseLanguageCode(source_language);
  const std::optional<LanguageCode> to = ParseLanguageCode(target_language);
  if (from && to && !AreAlike(*from, *to) && IsCopy(source, before, after))
    return Suspicion::kCopied;
  if (to && IsInWrongScript(before, after, ScriptsOf(*to))) return Suspicion::kWrongScript;
  return Suspicion::kNone;
}

}  // namespace dragoman::engine

#include "engine/text/guard.h"

#include <unicode/uchar.h>
#include <unicode/uloc.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/utf8.h"
#include "engine/text/language_code.h"

namespace dragoman::engine {
namespace {

// A character after case folding.
struct Character {
  UChar32 code = 0;
  UScriptCode script = USCRIPT_INVALID_CODE;
  bool is_letter = false;
  bool is_letter_or_digit = false;

  static Character Of(UChar32 unfolded) {
    const UChar32 c = u_foldCase(unfolded, U_FOLD_CASE_DEFAULT);
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(c, &error);
    return {.code = c,
            .script = U_SUCCESS(error) != 0 ? script : USCRIPT_INVALID_CODE,
            .is_letter = u_isalpha(c) != 0,
            .is_letter_or_digit = u_isalnum(c) != 0};
  }
};

using Characters = std::vector<Character>;

Characters CharactersOf(std::string_view text) {
  // Has the characters of most texts (Latin, Greek, Cyrillic, Hebrew), because ICU's functions are
  // slow.
  constexpr UChar32 kKnown = 0x600;
  static const Characters known = [] {
    Characters all;
    for (UChar32 c = 0; c < kKnown; ++c) all.push_back(Character::Of(c));
    return all;
  }();
  const Character* const table = known.data();
  Characters characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(NextCodePoint(text, at));
    characters.push_back(c < kKnown ? table[c] : Character::Of(c));
  }
  return characters;
}

// --- repeats ---

constexpr size_t kLongestPeriod = 100;
constexpr size_t kRepeats = 3;
constexpr size_t kRepeatedCharacters = 24;

// Returns the size of the longest stretch with letters that repeats a part of at most
// kLongestPeriod characters kRepeats times or more; 0 if there is none of at least `least`.
size_t LongestRepeat(const Characters& text, size_t least) {
  size_t longest = 0;
  for (size_t period = 1; period <= std::min(kLongestPeriod, text.size() / kRepeats); ++period) {
    // Characters [begin, end) are equal to those one period before. A stretch that counts has
    // `need` such characters, so one of every `need` is among them.
    const size_t need = std::max({least, longest + 1, kRepeats * period}) - period;
    const auto is_equal = [&](size_t i) { return text[i].code == text[i - period].code; };
    for (size_t i = period + need - 1; i < text.size(); i += need) {
      if (!is_equal(i)) continue;
      size_t begin = i;
      while (begin > period && is_equal(begin - 1)) --begin;
      size_t end = i + 1;
      while (end < text.size() && is_equal(end)) ++end;
      const auto equal = std::span(text).subspan(begin, end - begin);
      if (equal.size() >= need && std::ranges::any_of(equal, &Character::is_letter)) {
        longest = std::max(longest, equal.size() + period);
      }
      i = std::max(i, end - 1);
    }
  }
  return longest;
}

bool Repeats(const Characters& source, const Characters& target) {
  const size_t repeated = LongestRepeat(target, kRepeatedCharacters);
  return repeated > 0 && repeated > 2 * LongestRepeat(source, (repeated + 1) / 2);
}

// --- length ---

int LengthOf(const Characters& text) {
  int length = 0;
  for (const Character& c : text) {
    const bool is_dense = c.script == USCRIPT_HAN || c.script == USCRIPT_HIRAGANA ||
                          c.script == USCRIPT_KATAKANA || c.script == USCRIPT_HANGUL;
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

// Reports whether the texts have the same letters and digits, in this order.
bool HaveSameWords(const Characters& a, const Characters& b) {
  const auto skip = [](const Characters& text, Characters::const_iterator at) {
    return std::find_if(at, text.end(), [](const Character& c) { return c.is_letter_or_digit; });
  };
  auto in_a = skip(a, a.begin());
  auto in_b = skip(b, b.begin());
  while (in_a != a.end() && in_b != b.end() && in_a->code == in_b->code) {
    in_a = skip(a, in_a + 1);
    in_b = skip(b, in_b + 1);
  }
  return in_a == a.end() && in_b == b.end();
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
  return HaveSameWords(source_characters, target) && LowerCaseWords(source) >= kWords;
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
  for (const Character& c : text) {
    if (c.is_letter) {
      AppendUtf8(static_cast<char32_t>(c.code), word);
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
  const auto has_script = [](const Character& c) {
    return c.is_letter && c.script != USCRIPT_COMMON && c.script != USCRIPT_INHERITED;
  };
  const auto is_wrong = [&](const Character& c) {
    return has_script(c) && std::ranges::find(expected, c.script) == expected.end();
  };
  // Words of the source count less, not more.
  if (std::ranges::count_if(target, is_wrong) < kLetters) return false;
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
  for (const Character& c : target) {
    if (!c.is_letter) {
      end_word();
      continue;
    }
    AppendUtf8(static_cast<char32_t>(c.code), word);
    if (has_script(c)) ++(is_wrong(c) ? in_word_wrong : in_word_right);
  }
  end_word();
  return wrong >= kLetters && wrong > right;
}

// Keeps what is known of the last language. Each thread has its own.
struct LanguageFacts {
  std::string tag;
  std::optional<LanguageCode> code;
  std::vector<UScriptCode> scripts;

  void Set(std::string_view language) {
    if (tag == language) return;
    tag = std::string(language);
    code = ParseLanguageCode(language);
    scripts = code ? ScriptsOf(*code) : std::vector<UScriptCode>();
  }
};

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
  thread_local LanguageFacts from;
  thread_local LanguageFacts to;
  from.Set(source_language);
  to.Set(target_language);
  if (from.code && to.code && !AreAlike(*from.code, *to.code) && IsCopy(source, before, after)) {
    return Suspicion::kCopied;
  }
  if (to.code && IsInWrongScript(before, after, to.scripts)) return Suspicion::kWrongScript;
  return Suspicion::kNone;
}

}  // namespace dragoman::engine

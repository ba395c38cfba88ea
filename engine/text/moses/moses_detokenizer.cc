#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/utf8.h"
#include "engine/text/moses/moses.h"
#include "engine/text/moses/moses_characters.h"

namespace dragoman::engine {
namespace {

using moses::Classes;

// The entities and their characters, in the order in which they are replaced.
constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
    {"&bar;", "|"}, {"&#124;", "|"}, {"&lt;", "<"},    {"&gt;", ">"},
    {"&bra;", "["}, {"&ket;", "]"},  {"&quot;", "\""}, {"&apos;", "'"},
    {"&#91;", "["}, {"&#93;", "]"},  {"&amp;", "&"},
};

// Replaces every occurrence of `what` by `with`, from left to right. New bytes get the owner of the
// byte what[owner_at] that they replace.
void ReplaceAll(std::string_view what, std::string_view with, size_t owner_at, OwnedText* words) {
  size_t found = words->text.find(what);
  if (found == std::string::npos) return;
  OwnedText replaced;
  size_t done = 0;
  const auto append = [&](size_t end) {
    replaced.text.append(words->text, done, end - done);
    replaced.owner.insert(replaced.owner.end(),
                          words->owner.begin() + static_cast<std::ptrdiff_t>(done),
                          words->owner.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (; found != std::string::npos; found = words->text.find(what, done)) {
    append(found);
    replaced.text += with;
    replaced.owner.resize(replaced.text.size(), words->owner[found + owner_at]);
    done = found + what.size();
  }
  append(words->text.size());
  *words = std::move(replaced);
}

std::vector<UChar32> CodePoints(std::string_view word) {
  std::vector<UChar32> points;
  for (size_t at = 0; at < word.size();) {
    points.push_back(static_cast<UChar32>(NextCodePoint(word, at)));
  }
  return points;
}

bool IsOneOf(UChar32 c, std::u32string_view set) {
  return set.find(static_cast<char32_t>(c)) != std::u32string_view::npos;
}

bool IsAll(std::span<const UChar32> word, std::u32string_view set) {
  return std::ranges::all_of(word, [&](UChar32 c) { return IsOneOf(c, set); });
}

// Reports whether the word has only currency signs, opening brackets and inverted marks. Then the
// next word follows without a space.
bool OpensWord(std::span<const UChar32> word) {
  return std::ranges::all_of(word, [](UChar32 c) {
    return moses::Classes().currency.contains(c) || IsOneOf(c, U"([{¿¡");
  });
}

bool IsContraction(std::span<const UChar32> word) {
  return word.size() > 1 && word[0] == '\'' && moses::Classes().alpha.contains(word[1]);
}

// A kind of quotation mark, and the number of such marks that have been written.
struct QuoteCount {
  std::string mark;
  int count = 0;
};

}  // namespace

OwnedText JoinMosesWords(OwnedText words, bool is_english, bool after_text, bool is_prefix) {
  constexpr std::string_view kHyphen = " @-@ ";
  // Put a space before and after the text, as the script does.
  words.text.insert(words.text.begin(), ' ');
  words.owner.insert(words.owner.begin(), -1);
  words.text += ' ';
  words.owner.push_back(-1);
  ReplaceAll(kHyphen, "-", 1, &words);
  for (const auto& [entity, character] : kEntities) ReplaceAll(entity, character, 0, &words);

  std::vector<std::string_view> list = SplitWhiteSpace(words.text);
  // Leave out the last word, because a hyphen that follows may join it with the next word.
  if (is_prefix && !list.empty()) list.pop_back();
  OwnedText joined;
  std::vector<QuoteCount> quotes;
  bool has_space = true;  // whether a space goes before the next word
  std::vector<UChar32> before;
  for (const std::string_view text : list) {
    const std::vector<UChar32> word = CodePoints(text);
    bool takes_space = has_space;
    has_space = true;
    if (moses::Classes().cjk.contains(word[0])) {
      if (!before.empty() && moses::Classes().cjk.contains(before.back())) takes_space = false;
    } else if (OpensWord(word)) {
      has_space = false;
    } else if (IsAll(word, U",.?!:;\\%}])") ||
               (is_english && !before.empty() && IsContraction(word))) {
      takes_space = false;
    } else if (IsAll(word, U"'\"„“`")) {
      const std::string mark = IsAll(word, U"„“”") ? std::string("\"") : std::string(text);
      auto quote = std::ranges::find(quotes, mark, &QuoteCount::mark);
      if (quote == quotes.end()) quote = quotes.insert(quotes.end(), {.mark = mark});
      const bool is_possessive = is_english && mark == "'" && !before.empty() &&
                                 before.back() == 's' && quote->count % 2 == 0;
      if (is_possessive) {  // "The Jones' house"
        takes_space = false;
      } else {
        const bool opens = quote->count++ % 2 == 0;
        takes_space = takes_space && opens;
        has_space = !opens;
      }
    }
    if (takes_space && (after_text || !joined.text.empty())) {
      joined.text += ' ';
      joined.owner.push_back(-1);
    }
    joined.text += text;
    const auto owner = words.owner.begin() + (text.data() - words.text.data());
    joined.owner.insert(joined.owner.end(), owner,
                        owner + static_cast<std::ptrdiff_t>(text.size()));
    before = word;
  }
  return joined;
}

}  // namespace dragoman::engine

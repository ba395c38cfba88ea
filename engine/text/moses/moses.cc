#include "engine/text/moses/moses.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/text/moses/moses_characters.h"
#include "engine/text/pipeline/rewrite_rule.h"

namespace dragoman::engine {
namespace {

using moses::Classes;

struct RuleText {
  std::u16string_view pattern;
  std::u16string_view replacement;
};

// The rules of replace-unicode-punctuation.perl as transformers has them. In a pattern of this
// file, <space> stands for Python's white space, and <alpha>, <alnum> and <number> for classes of
// moses_characters.h.
constexpr RuleText kUnicodePunctuation[] = {
    {u"[，、]", u","},
    {u"[。．]<space>*", u". "},
    {u"[”“《》」「]", u"\""},
    {u"[∶：]", u":"},
    {u"？", u"?"},
    {u"）", u")"},
    {u"！", u"!"},
    {u"（", u"("},
    {u"；", u";"},
    {u"０", u"0"},
    {u"１", u"1"},
    {u"２", u"2"},
    {u"３", u"3"},
    {u"４", u"4"},
    {u"５", u"5"},
    {u"６", u"6"},
    {u"７", u"7"},
    {u"８", u"8"},
    {u"９", u"9"},
    {u"～", u"~"},
    {u"’", u"'"},
    {u"…", u"..."},
    {u"━", u"-"},
    {u"〈", u"<"},
    {u"〉", u">"},
    {u"【", u"["},
    {u"】", u"]"},
    {u"％", u"%"},
};

// The rules of normalize-punctuation.perl, with the quotes of the Penn Treebank.
constexpr RuleText kPunctuation[] = {
    {u"\\r", u""},
    {u"\\(", u" ("},
    {u"\\)", u") "},
    {u" +", u" "},
    {u"\\) ([.!:?;,])", u")\\1"},
    {u"\\( ", u"("},
    {u" \\)", u")"},
    {u"(\\d) %", u"\\1%"},
    {u" :", u":"},
    {u" ;", u";"},
    {u"`", u"'"},
    {u"''", u" \" "},
    {u"[„“”]", u"\""},
    {u"–", u"-"},
    {u"—", u" - "},
    {u" +", u" "},
    {u"´", u"'"},
    {u"([a-zA-Z])‘([a-zA-Z])", u"\\1'\\2"},
    {u"([a-zA-Z])’([a-zA-Z])", u"\\1'\\2"},
    {u"[‘‚’]", u"'"},
    {u"''", u"\""},
    {u"´´", u"\""},
    {u"…", u"..."},
    {u"\\xA0«\\xA0", u"\""},
    {u"«\\xA0", u"\""},
    {u"«", u"\""},
    {u"\\xA0»\\xA0", u"\""},
    {u"\\xA0»", u"\""},
    {u"»", u"\""},
    {u"\\xA0%", u"%"},
    {u"nº\\xA0", u"nº "},
    {u"\\xA0:", u":"},
    {u"\\xA0ºC", u" ºC"},
    {u"\\xA0cm", u" cm"},
    {u"\\xA0\\?", u"?"},
    {u"\\xA0!", u"!"},
    {u"\\xA0;", u";"},
    {u",\\xA0", u", "},
    {u" +", u" "},
};
constexpr RuleText kEnglishPunctuation[] = {
    {u"\"([,.]+)", u"\\1\""},
    {u"(\\d)\\xA0(\\d)", u"\\1.\\2"},
};
constexpr RuleText kGermanPunctuation[] = {
    {u",\"", u"\","},
    // The script's pattern also tries to match from the middle of a run of dots, which takes
    // quadratic time. This pattern matches only from the beginning of a run.
    {u"(?:\\G|(?<!\\.))(\\.+)\"(<space>*[^<])", u"\"\\1\\2"},
    {u"(\\d)\\xA0(\\d)", u"\\1,\\2"},
};
constexpr RuleText kOtherPunctuation[] = {{u"(\\d)\\xA0(\\d)", u"\\1.\\2"}};

// The rules of tokenizer.perl. The rules of kSigns apply before runs of dots are replaced
// (WithDotsAside). The other rules apply afterwards.
constexpr RuleText kSigns[] = {
    {u"([^<alnum><space>.'`,\\-])", u" \\1 "},
    {u"([<alnum>])-(?=[<alnum>])", u"\\1 @-@ "},
};
constexpr RuleText kCommas[] = {
    {u"([^<number>]),", u"\\1 , "},
    {u",([^<number>])", u" , \\1"},
    {u"([<number>]),$", u"\\1 , "},
};
constexpr RuleText kEnglishApostrophes[] = {
    {u"([^<alpha>])'([^<alpha>])", u"\\1 ' \\2"},
    {u"([^<alpha><number>])'([<alpha>])", u"\\1 ' \\2"},
    {u"([<alpha>])'([^<alpha>])", u"\\1 ' \\2"},
    {u"([<alpha>])'([<alpha>])", u"\\1 '\\2"},
    {u"([<number>])'(s)", u"\\1 '\\2"},
};
constexpr RuleText kOtherApostrophes[] = {{u"'", u" ' "}};
constexpr RuleText kLastQuote[] = {{u"\\.' ?$", u" . ' "}};
constexpr RuleText kEscapes[] = {
    {u"&", u"&amp;"},  {u"\\|", u"&#124;"}, {u"<", u"&lt;"},    {u">", u"&gt;"},
    {u"'", u"&apos;"}, {u"\"", u"&quot;"},  {u"\\[", u"&#91;"}, {u"\\]", u"&#93;"},
};

// Returns the set as a pattern to put inside the brackets of a regular expression.
icu::UnicodeString Members(const icu::UnicodeSet& set) {
  icu::UnicodeString pattern;
  set.toPattern(pattern, /*escapeUnprintable=*/true);
  return pattern;
}

std::vector<RewriteRule> Compiled(std::initializer_list<std::span<const RuleText>> lists) {
  const std::pair<icu::UnicodeString, icu::UnicodeString> names[] = {
      {u"<space>", Members(moses::Classes().space)},
      {u"<alpha>", Members(moses::Classes().alpha_or_sign)},
      {u"<alnum>", Members(moses::Classes().alnum_or_sign)},
      {u"<number>", Members(moses::Classes().number)},
  };
  std::vector<RewriteRule> rules;
  for (const std::span<const RuleText> list : lists) {
    for (const RuleText& rule : list) {
      icu::UnicodeString pattern(rule.pattern.data(), static_cast<int32_t>(rule.pattern.size()));
      for (const auto& [name, members] : names) pattern.findAndReplace(name, members);
      rules.emplace_back(pattern, rule.replacement);
    }
  }
  return rules;
}

void ApplyAll(const std::vector<RewriteRule>& rules, TracedText* traced) {
  for (const RewriteRule& rule : rules) rule.Apply(traced);
}

// Returns false for a character whose unicodedata.category in Python begins with "C": control,
// format, unassigned, private use, surrogate.
bool IsPrinted(UChar32 c) {
  const int8_t category = u_charType(c);
  return category != U_CONTROL_CHAR && category != U_FORMAT_CHAR && category != U_UNASSIGNED &&
         category != U_PRIVATE_USE_CHAR && category != U_SURROGATE;
}

bool IsSpace(char16_t unit) { return moses::Classes().space.contains(unit); }

TracedText Printed(const TracedText& traced) {
  TracedText kept;
  for (int32_t at = 0; at < traced.text.length();) {
    const int32_t next = traced.text.moveIndex32(at, 1);
    if (IsPrinted(traced.text.char32At(at))) kept.Append(traced, at, next);
    at = next;
  }
  return kept;
}

// Replaces each run of white space by one space, and removes white space at the ends.
TracedText Spaced(const TracedText& traced) {
  TracedText spaced;
  const int32_t size = traced.text.length();
  for (int32_t at = 0; at < size;) {
    int32_t end = at;
    while (end < size && IsSpace(traced.text[end])) ++end;
    if (end > at && at > 0 && end < size) spaced.Append(u" ", traced, at, end);
    at = end;
    while (end < size && !IsSpace(traced.text[end])) ++end;
    spaced.Append(traced, at, end);
    at = end;
  }
  return spaced;
}

constexpr std::u16string_view kDot = u"DOT";
constexpr std::u16string_view kMulti = u"MULTI";

// Replaces "..." by " DOTDOTDOTMULTI ", so that the following rules see a word.
TracedText WithDotsAside(const TracedText& traced) {
  TracedText aside;
  const int32_t size = traced.text.length();
  for (int32_t at = 0; at < size;) {
    int32_t end = at;
    while (end < size && traced.text[end] == u'.') ++end;
    if (end - at < 2) {
      end = std::max(end, at + 1);
      aside.Append(traced, at, end);
    } else {
      aside.Append(u" ", traced, at, at);
      for (int32_t dot = at; dot < end; ++dot) aside.Append(kDot, traced, dot, dot + 1);
      aside.Append(kMulti, traced, end, end);
      if (end < size) aside.Append(u" ", traced, end, end);
    }
    at = end;
  }
  return aside;
}

// Replaces each "DOTDOTDOTMULTI" by its dots. Like the script, also does so if the text itself
// contains such a word.
TracedText WithDotsBack(const TracedText& traced) {
  TracedText back;
  const int32_t size = traced.text.length();
  const auto is_at = [&](std::u16string_view word, int32_t at) {
    const auto length = static_cast<int32_t>(word.size());
    return at + length <= size && traced.text.compare(at, length, word.data(), 0, length) == 0;
  };
  const auto dot_size = static_cast<int32_t>(kDot.size());
  for (int32_t at = 0; at < size;) {
    int32_t end = at;
    while (is_at(kDot, end)) end += dot_size;
    if (end > at && is_at(kMulti, end)) {
      for (; at < end; at += dot_size) back.Append(u".", traced, at, at + dot_size);
      at = end + static_cast<int32_t>(kMulti.size());
    } else {
      end = std::max(end, at + 1);
      back.Append(traced, at, end);
      at = end;
    }
  }
  return back;
}

}  // namespace

struct MosesTokenizer::Rules {
  const moses::Abbreviations* abbreviations;
  std::vector<RewriteRule> normalize;
  std::vector<RewriteRule> signs;
  std::vector<RewriteRule> commas_and_apostrophes;
  std::vector<RewriteRule> last_quote;
  std::vector<RewriteRule> escapes;

  bool KeepsFullStop(std::u16string_view before, std::u16string_view next) const;
  TracedText WithFullStops(const TracedText& spaced) const;
};

// Reports whether the full stop after the word `before` stays a part of the word. Returns true for
// an abbreviation with another full stop ("e.g.") and for an abbreviation of the list. Some
// abbreviations of the list need a number after them. Also returns true if the next word, `next`,
// begins with a lower-case letter.
bool MosesTokenizer::Rules::KeepsFullStop(std::u16string_view before,
                                          std::u16string_view next) const {
  const icu::UnicodeString prefix(false, before.data(), static_cast<int32_t>(before.size()));
  if (prefix.indexOf(u'.') >= 0) {
    for (int32_t at = 0; at < prefix.length(); at = prefix.moveIndex32(at, 1)) {
      if (moses::Classes().alpha_or_sign.contains(prefix.char32At(at))) return true;
    }
  }
  const bool is_before_number = std::ranges::count(abbreviations->before_number, before) > 0;
  if (!is_before_number && std::ranges::count(abbreviations->always, before) > 0) return true;
  if (next.empty()) return false;
  const icu::UnicodeString word(false, next.data(), static_cast<int32_t>(next.size()));
  return moses::Classes().lower.contains(word.char32At(0)) ||
         (is_before_number && next[0] >= u'0' && next[0] <= u'9');
}

TracedText MosesTokenizer::Rules::WithFullStops(const TracedText& spaced) const {
  TracedText apart;
  const int32_t size = spaced.text.length();
  const std::u16string_view text(spaced.text.getBuffer(), static_cast<size_t>(size));
  for (int32_t at = 0; at < size;) {
    const int32_t space = spaced.text.indexOf(u' ', at);
    const int32_t end = space < 0 ? size : space;
    const int32_t next = std::min(end + 1, size);
    const int32_t next_space = spaced.text.indexOf(u' ', next);
    const auto word = text.substr(static_cast<size_t>(at), static_cast<size_t>(end - at));
    const auto following =
        text.substr(static_cast<size_t>(next),
                    static_cast<size_t>((next_space < 0 ? size : next_space) - next));
    if (word.size() > 1 && word.back() == u'.' &&
        !KeepsFullStop(word.substr(0, word.size() - 1), following)) {
      apart.Append(spaced, at, end - 1);
      apart.Append(u" ", spaced, end - 1, end - 1);
      apart.Append(spaced, end - 1, next);
    } else {
      apart.Append(spaced, at, next);
    }
    at = next;
  }
  return apart;
}

MosesTokenizer::MosesTokenizer(std::unique_ptr<const Rules> rules) : rules_(std::move(rules)) {}

MosesTokenizer::~MosesTokenizer() = default;

absl::StatusOr<std::unique_ptr<MosesTokenizer>> MosesTokenizer::Create(std::string_view language) {
  const moses::Abbreviations* abbreviations = moses::AbbreviationsOf(language);
  if (abbreviations == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("Moses's tokenizer of language '", std::string(language),
                     "\' is not supported; expected one of ", std::string(moses::kLanguages)));
  }
  const bool is_english = language == "en";
  auto rules = std::make_unique<Rules>();
  rules->abbreviations = abbreviations;
  rules->normalize = Compiled({kUnicodePunctuation, kPunctuation,
                               is_english         ? std::span<const RuleText>(kEnglishPunctuation)
                               : language == "de" ? std::span<const RuleText>(kGermanPunctuation)
                                                  : std::span<const RuleText>(kOtherPunctuation)});
  rules->signs = Compiled({kSigns});
  rules->commas_and_apostrophes =
      Compiled({kCommas, is_english ? std::span<const RuleText>(kEnglishApostrophes)
                                    : std::span<const RuleText>(kOtherApostrophes)});
  rules->last_quote = Compiled({kLastQuote});
  rules->escapes = Compiled({kEscapes});
  return std::unique_ptr<MosesTokenizer>(new MosesTokenizer(std::move(rules)));
}

std::vector<MosesWord> MosesTokenizer::Words(std::string_view text) const {
  TracedText traced = TracedText::Of(text);
  ApplyAll(rules_->normalize, &traced);
  traced = Spaced(Printed(traced));
  ApplyAll(rules_->signs, &traced);
  traced = WithDotsAside(traced);
  ApplyAll(rules_->commas_and_apostrophes, &traced);
  traced = rules_->WithFullStops(Spaced(traced));
  ApplyAll(rules_->last_quote, &traced);
  traced = WithDotsBack(traced);
  ApplyAll(rules_->escapes, &traced);

  std::vector<MosesWord> words;
  bool is_inside = false;
  for (int32_t at = 0; at < traced.text.length();) {
    const int32_t next = traced.text.moveIndex32(at, 1);
    if (IsSpace(traced.text[at])) {
      is_inside = false;
    } else {
      if (!is_inside) words.emplace_back();
      is_inside = true;
      traced.text.tempSubStringBetween(at, next).toUTF8String(words.back().text);
      words.back().origin.resize(words.back().text.size(), traced.origin[static_cast<size_t>(at)]);
    }
    at = next;
  }
  return words;
}

}  // namespace dragoman::engine

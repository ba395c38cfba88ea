#include "server/doors/languages.h"

#include <unicode/locdspnm.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <memory>

namespace dragoman {
namespace {

constexpr size_t kMaxCodeBytes = 64;

// Argos Translate's words, which LibreTranslate's clients send, and a code that CLDR keeps apart
// from the one that models have.
struct Alias {
  std::string_view written;
  const char* tag;
};
constexpr Alias kAliases[] = {{"pb", "pt-BR"}, {"zt", "zh-Hant"}, {"nb", "no"}};

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Two or three letters, and subtags of letters and digits after them.
bool LooksLikeCode(std::string_view code) {
  const size_t language = std::min(code.find_first_of("-_"), code.size());
  if (code.size() > kMaxCodeBytes || language < 2 || language > 3) return false;
  if (!std::all_of(code.begin(), code.begin() + static_cast<ptrdiff_t>(language), IsAlpha)) {
    return false;
  }
  return std::all_of(code.begin(), code.end(),
                     [](char c) { return IsAlpha(c) || IsDigit(c) || c == '-' || c == '_'; });
}

// Nothing if it does not look like a code.
std::optional<icu::Locale> LocaleOf(std::string_view code) {
  if (!LooksLikeCode(code)) return std::nullopt;
  std::string tag(code);
  for (const Alias& alias : kAliases) {
    if (Lower(code) == alias.written) tag = alias.tag;
  }
  std::replace(tag.begin(), tag.end(), '-', '_');
  icu::Locale locale = icu::Locale::createCanonical(tag.c_str());
  if (locale.isBogus() || locale.getLanguage()[0] == '\0') return std::nullopt;
  return locale;
}

// How well a served language fits what is wanted, 0 best; nothing if they contradict each other.
std::optional<int> Distance(const icu::Locale& wanted, const icu::Locale& served) {
  UErrorCode error = U_ZERO_ERROR;
  icu::Locale wanted_full = wanted;
  icu::Locale served_full = served;
  wanted_full.addLikelySubtags(error);
  served_full.addLikelySubtags(error);
  if (U_FAILURE(error) != 0) return std::nullopt;
  const std::string_view language = wanted_full.getLanguage();
  if (language != served_full.getLanguage()) return std::nullopt;
  if (std::string_view(wanted_full.getScript()) != served_full.getScript()) return std::nullopt;
  const std::string_view wanted_region = wanted.getCountry();
  const std::string_view served_region = served.getCountry();
  if (wanted_region == served_region) return 0;
  if (!wanted_region.empty() && !served_region.empty()) return std::nullopt;
  // "en" is nearer to "en-US", where most of it is spoken, than to "en-GB".
  return std::string_view(wanted_full.getCountry()) == served_full.getCountry() ? 1 : 2;
}

}  // namespace

std::string NormalTag(std::string_view code) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  if (!locale.has_value()) return std::string(code);
  UErrorCode error = U_ZERO_ERROR;
  std::string tag = locale->toLanguageTag<std::string>(error);
  return U_FAILURE(error) != 0 || tag.empty() ? std::string(code) : tag;
}

std::string BaseLanguage(std::string_view code) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  return locale.has_value() ? std::string(locale->getLanguage()) : std::string(code);
}

std::string DisplayName(std::string_view code, std::string_view in) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  if (!locale.has_value()) return std::string(code);
  const icu::Locale reader = LocaleOf(in).value_or(icu::Locale::getEnglish());
  icu::UnicodeString name;
  locale->getDisplayName(reader, name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? std::string(code) : text;
}

std::string DialectName(std::string_view code, std::string_view in) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  if (!locale.has_value()) return std::string(code);
  const icu::Locale reader = LocaleOf(in).value_or(icu::Locale::getEnglish());
  const std::unique_ptr<icu::LocaleDisplayNames> names(
      icu::LocaleDisplayNames::createInstance(reader, ULDN_DIALECT_NAMES));
  icu::UnicodeString name;
  if (names != nullptr) names->localeDisplayName(*locale, name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? std::string(code) : text;
}

std::optional<std::string> FindLanguage(std::string_view code,
                                        const std::vector<std::string>& served) {
  const auto same = std::find(served.begin(), served.end(), code);
  if (same != served.end()) return *same;
  const std::optional<icu::Locale> wanted = LocaleOf(code);
  if (!wanted.has_value()) return std::nullopt;
  const std::string* best = nullptr;
  int best_distance = 0;
  for (const std::string& candidate : served) {
    const std::optional<icu::Locale> locale = LocaleOf(candidate);
    if (!locale.has_value()) continue;
    const std::optional<int> distance = Distance(*wanted, *locale);
    if (!distance.has_value() || (best != nullptr && *distance >= best_distance)) continue;
    best = &candidate;
    best_distance = *distance;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace dragoman

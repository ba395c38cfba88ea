#include "server/api/languages.h"

#include <unicode/locdspnm.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "engine/base/mutex.h"
#include "server/api/absl_view.h"
#include "server/base/work_count.h"

namespace dragoman::server {
namespace {

constexpr size_t kMaxCodeBytes = 64;
constexpr size_t kMaxNameBytes = 128;

// A cache of ICU's results for language codes, because lists need the same codes again and again.
// Clients can make up codes, so a full cache is emptied.
//
// Thread-safe.
class KnownCodes {
 public:
  // Returns make(code), from the cache if possible. Returns a code of more than 64 bytes unchanged.
  std::string Get(std::string_view code, std::string (*make)(std::string_view)) {
    constexpr size_t kMaxKnown = 4096;
    std::string key(code);
    if (code.size() > kMaxCodeBytes) return key;
    {
      engine::MutexLock lock(&mu_);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    std::string made = make(code);
    engine::MutexLock lock(&mu_);
    if (known_.size() >= kMaxKnown) known_.clear();
    return known_.emplace(std::move(key), std::move(made)).first->second;
  }

 private:
  engine::Mutex mu_;
  std::unordered_map<std::string, std::string> known_ ABSL_GUARDED_BY(mu_);
};

// Codes that ICU does not know, and their tags. These are Argos Translate's codes, which
// LibreTranslate's clients send, and "nb", which CLDR does not map to "no".
struct Alias {
  std::string_view written;
  const char* tag;
};
constexpr Alias kAliases[] = {{"pb", "pt-BR"}, {"zt", "zh-Hant"}, {"nb", "no"}};

std::string Lower(std::string_view text) { return absl::AsciiStrToLower(View(text)); }

// Reports whether `code` is two or three letters, optionally with subtags of letters and digits.
bool LooksLikeCode(std::string_view code) {
  const size_t language = std::min(code.find_first_of("-_"), code.size());
  if (code.size() > kMaxCodeBytes || language < 2 || language > 3) return false;
  if (!std::all_of(code.begin(), code.begin() + static_cast<ptrdiff_t>(language),
                   absl::ascii_isalpha)) {
    return false;
  }
  return std::all_of(code.begin(), code.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '_';
  });
}

// Returns ICU's locale for `code`; nothing if `code` does not look like a code.
std::optional<icu::Locale> LocaleOf(std::string_view code) {
  if (!LooksLikeCode(code)) return std::nullopt;
  CountNames(1);
  std::string tag(code);
  for (const Alias& alias : kAliases) {
    if (Lower(code) == alias.written) tag = alias.tag;
  }
  std::replace(tag.begin(), tag.end(), '-', '_');
  icu::Locale locale = icu::Locale::createCanonical(tag.c_str());
  if (locale.isBogus() || locale.getLanguage()[0] == '\0') return std::nullopt;
  return locale;
}

// Returns the parts of `code`; nothing if `code` does not look like a code.
std::optional<LanguageTag> TagOf(std::string_view code) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  if (!locale.has_value()) return std::nullopt;
  icu::Locale full = *locale;
  UErrorCode error = U_ZERO_ERROR;
  full.addLikelySubtags(error);
  if (U_FAILURE(error) != 0) return std::nullopt;
  return LanguageTag{.language = full.getLanguage(),
                     .script = full.getScript(),
                     .region = locale->getCountry(),
                     .likely_region = full.getCountry()};
}

// Returns the name of `code` that `write` writes for a reader of the language `in`. Returns `code`
// if ICU has no name.
template <typename Write>
std::string WriteName(std::string_view code, std::string_view in, Write write) {
  const std::optional<icu::Locale> locale = LocaleOf(code);
  if (!locale.has_value()) return std::string(code);
  icu::UnicodeString name;
  write(*locale, LocaleOf(in).value_or(icu::Locale::getEnglish()), &name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() ? std::string(code) : text;
}

// Returns the name of `code` in English with ICU's own names of dialects: "Brazilian Portuguese",
// "Simplified Chinese".
std::string DialectName(std::string_view code) {
  return WriteName(
      code, "en",
      [](const icu::Locale& locale, const icu::Locale& reader, icu::UnicodeString* name) {
        const std::unique_ptr<icu::LocaleDisplayNames> names(
            icu::LocaleDisplayNames::createInstance(reader, ULDN_DIALECT_NAMES));
        if (names != nullptr) names->localeDisplayName(locale, *name);
      });
}

std::string LanguageAndScript(const LanguageTag& tag) { return tag.language + "-" + tag.script; }

// Returns how far `served` is from `wanted`, which has the same language and script; 0 is best.
// Returns nothing if both have a region and the regions differ.
std::optional<int> Distance(const LanguageTag& wanted, const LanguageTag& served) {
  if (wanted.region == served.region) return 0;
  if (!wanted.region.empty() && !served.region.empty()) return std::nullopt;
  // "en" is closer to "en-US", where it is spoken most, than to "en-GB".
  return wanted.likely_region == served.likely_region ? 1 : 2;
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
  static auto* const known = new KnownCodes();
  return known->Get(code, [](std::string_view asked) {
    const std::optional<icu::Locale> locale = LocaleOf(asked);
    return locale.has_value() ? std::string(locale->getLanguage()) : std::string(asked);
  });
}

std::string DisplayName(std::string_view code, std::string_view in) {
  return WriteName(
      code, in, [](const icu::Locale& locale, const icu::Locale& reader, icu::UnicodeString* name) {
        locale.getDisplayName(reader, *name);
      });
}

LanguageIndex::LanguageIndex(std::vector<std::string> codes, Names names)
    : codes_(std::move(codes)) {
  for (size_t i = 0; i < codes_.size(); ++i) {
    const std::string& code = codes_[i];
    by_code_.emplace(code, i);
    tags_.push_back(TagOf(code));
    if (tags_[i].has_value()) by_language_[LanguageAndScript(*tags_[i])].push_back(i);
    if (names == Names::kNone) continue;
    for (const std::string& name :
         {code, DisplayName(code, "en"), DialectName(code), DisplayName(code, code),
          DisplayName(BaseLanguage(code), "en")}) {
      std::vector<size_t>& named = by_name_[Lower(name)];
      if (named.empty() || named.back() != i) named.push_back(i);
    }
  }
}

std::optional<std::string> LanguageIndex::Find(std::string_view code) const {
  if (code.size() > kMaxNameBytes) return std::nullopt;
  if (const auto same = by_code_.find(std::string(code)); same != by_code_.end()) {
    return codes_[same->second];
  }
  const std::optional<LanguageTag> wanted = TagOf(code);
  if (!wanted.has_value()) return std::nullopt;
  const auto candidates = by_language_.find(LanguageAndScript(*wanted));
  if (candidates == by_language_.end()) return std::nullopt;
  std::optional<size_t> best;
  int best_distance = 0;
  for (const size_t i : candidates->second) {
    CountNames(1);
    const std::optional<int> distance = Distance(*wanted, *tags_[i]);
    if (!distance.has_value() || (best.has_value() && *distance >= best_distance)) continue;
    best = i;
    best_distance = *distance;
  }
  return best.has_value() ? std::optional(codes_[*best]) : std::nullopt;
}

std::optional<std::string> LanguageIndex::FindName(std::string_view name) const {
  if (name.size() > kMaxNameBytes) return std::nullopt;
  const auto found = by_name_.find(Lower(name));
  return found == by_name_.end() ? Find(name) : std::optional(codes_[found->second.front()]);
}

bool LanguageIndex::CanMean(std::string_view name, std::string_view code) const {
  if (name.size() > kMaxNameBytes) return false;
  if (const auto found = by_name_.find(Lower(name)); found != by_name_.end()) {
    for (const size_t i : found->second) {
      if (codes_[i] == code) return true;
    }
  }
  const auto at = by_code_.find(std::string(code));
  const std::optional<LanguageTag> wanted = TagOf(name);
  if (at == by_code_.end() || !wanted.has_value() || !tags_[at->second].has_value()) return false;
  const LanguageTag& served = *tags_[at->second];
  return LanguageAndScript(*wanted) == LanguageAndScript(served) &&
         Distance(*wanted, served).has_value();
}

std::optional<std::string> FindLanguage(std::string_view code,
                                        const std::vector<std::string>& served) {
  return LanguageIndex(served, LanguageIndex::Names::kNone).Find(code);
}

namespace {

constexpr size_t kScriptLetters = 4;

std::string MakeShortTag(std::string_view code) {
  const std::string tag = NormalTag(code);
  const std::vector<std::string> parts = absl::StrSplit(tag, '-');
  if (parts.size() < 2 || parts[1].size() != kScriptLetters) return tag;
  std::string without = parts[0];
  for (size_t i = 2; i < parts.size(); ++i) absl::StrAppend(&without, "-", parts[i]);
  return FindLanguage(tag, {without}).has_value() ? without : tag;
}

}  // namespace

std::string ShortTag(std::string_view code) {
  if (code.size() == 2) return absl::AsciiStrToLower(View(code));
  static auto* const known = new KnownCodes();
  return known->Get(code, MakeShortTag);
}

}  // namespace dragoman::server

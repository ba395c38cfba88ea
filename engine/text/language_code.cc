#include "engine/text/language_code.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace dragoman::engine {
namespace {

struct IsoLanguage {
  std::string_view two;
  std::string_view three;
  std::string_view bibliographic;
  std::string_view script;
};

constexpr IsoLanguage kIsoLanguages[] = {
#include "engine/text/language_table.inc"
};

struct Alias {
  std::string_view code;
  std::string_view language;
};

// Codes that the standards have replaced but that are still in use, and the ISO 639-3 code to use.
constexpr Alias kReplaced[] = {{"iw", "heb"}, {"in", "ind"},  {"ji", "yid"}, {"jw", "jav"},
                               {"mo", "ron"}, {"mol", "ron"}, {"fil", "tgl"}};

// A code of Argos Translate for which BCP-47 uses two subtags, and its parts.
struct WholeCode {
  std::string_view written;
  std::string_view language;
  std::string_view script;
  std::string_view region;
};
constexpr WholeCode kArgosCodes[] = {{"zt", "zho", "Hant", ""}, {"pb", "por", "", "BR"}};

// Macrolanguages and the member that each commonly means. Some models use the code of the
// macrolanguage, others that of the member.
constexpr Alias kMacrolanguages[] = {
    {"zho", "cmn"}, {"ara", "arb"}, {"nor", "nob"}, {"fas", "pes"}, {"msa", "zsm"},
    {"est", "ekk"}, {"lav", "lvs"}, {"swa", "swh"}, {"aze", "azj"}, {"uzb", "uzn"},
    {"mon", "khk"}, {"sqi", "als"}, {"orm", "gaz"}, {"yid", "ydd"}, {"mlg", "plt"},
    {"nep", "npi"}, {"ori", "ory"}, {"pus", "pbt"}, {"kur", "kmr"}, {"grn", "gug"},
};

bool IsAll(std::string_view text, bool (*test)(unsigned char)) {
  return std::all_of(text.begin(), text.end(),
                     [test](char c) { return test(static_cast<unsigned char>(c)); });
}

// Returns the ISO 639-3 code of a language, or `subtag` if the tables do not have the language.
// `subtag` is in lower case.
std::string_view CanonicalLanguage(std::string_view subtag) {
  for (const Alias& alias : kReplaced) {
    if (alias.code == subtag) return alias.language;
  }
  for (const IsoLanguage& row : kIsoLanguages) {
    if (row.two == subtag || row.bibliographic == subtag) return row.three;
  }
  return subtag;
}

}  // namespace

std::optional<LanguageCode> ParseLanguageCode(std::string_view text) {
  if (text.empty() || text.size() > kMaxCodeBytes) return std::nullopt;
  const std::vector<std::string> subtags = absl::StrSplit(std::string(text), absl::ByAnyChar("-_"));
  LanguageCode code;
  for (const WholeCode& whole : kArgosCodes) {
    if (absl::AsciiStrToLower(std::string(text)) != whole.written) continue;
    return LanguageCode{.language = std::string(whole.language),
                        .script = std::string(whole.script),
                        .region = std::string(whole.region)};
  }
  for (size_t i = 0; i < subtags.size(); ++i) {
    const std::string lower = absl::AsciiStrToLower(subtags[i]);
    const bool letters = IsAll(lower, absl::ascii_isalpha);
    if (lower.empty() || !IsAll(lower, absl::ascii_isalnum)) return std::nullopt;
    if (i == 0) {
      if (!letters || lower.size() < 2) return std::nullopt;
      code.language = std::string(CanonicalLanguage(lower));
    } else if (letters && lower.size() == 4 && code.script.empty() && code.region.empty()) {
      code.script = lower;
      code.script[0] = absl::ascii_toupper(static_cast<unsigned char>(lower[0]));
    } else if (code.region.empty() && code.variant.empty() &&
               ((letters && lower.size() == 2) ||
                (lower.size() == 3 && IsAll(lower, absl::ascii_isdigit)))) {
      code.region = absl::AsciiStrToUpper(lower);
    } else {
      code.variant += (code.variant.empty() ? "" : "-") + lower;
    }
  }
  return code;
}

std::string ToBcp47(const LanguageCode& code) {
  std::string text = code.language;
  for (const IsoLanguage& row : kIsoLanguages) {
    if (row.three == code.language) text = std::string(row.two);
  }
  for (const std::string* part : {&code.script, &code.region, &code.variant}) {
    if (!part->empty()) text += "-" + *part;
  }
  return text;
}

std::string_view EquivalentLanguage(std::string_view language) {
  for (const Alias& alias : kMacrolanguages) {
    if (alias.code == language) return alias.language;
    if (alias.language == language) return alias.code;
  }
  return {};
}

std::string_view DefaultScript(std::string_view language) {
  const std::string_view other = EquivalentLanguage(language);
  for (const IsoLanguage& row : kIsoLanguages) {
    if (row.three == language || row.three == other) return row.script;
  }
  return {};
}

std::string_view ScriptOfRegion(const LanguageCode& code) {
  if (code.language != "zho" && code.language != "cmn") return {};
  if (code.region == "CN" || code.region == "SG" || code.region == "MY") return "Hans";
  if (code.region == "TW" || code.region == "HK" || code.region == "MO") return "Hant";
  return {};
}

}  // namespace dragoman::engine

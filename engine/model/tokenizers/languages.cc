#include "engine/model/tokenizers/languages.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/base/concat.h"
#include "engine/base/field_error.h"
#include "engine/text/sentencepiece/spm_normalizer.h"

namespace dragoman::engine {
namespace {

// The names of groups of languages in model files: the codes of ISO 639-5, "mul", "und", and names
// that OPUS-MT has chosen.
constexpr std::string_view kGroups[] = {
    "mul", "und", "romance", "north_eu", "scandinavia", "celtic", "norway", "sami", "aav", "afa",
    "alg", "alv", "apa",     "aqa",      "aql",         "art",    "ath",    "auf",  "aus", "awd",
    "azc", "bad", "bai",     "bat",      "ber",         "bih",    "bnt",    "btk",  "cai", "cau",
    "cba", "ccn", "ccs",     "cdc",      "cdd",         "cel",    "cmc",    "cpe",  "cpf", "cpp",
    "crp", "csu", "cus",     "day",      "dmn",         "dra",    "egx",    "esx",  "euq", "fiu",
    "fox", "gem", "gme",     "gmq",      "gmw",         "grk",    "hmx",    "hok",  "hyx", "iir",
    "ijo", "inc", "ine",     "ira",      "iro",         "itc",    "jpx",    "kar",  "kdo", "khi",
    "kro", "map", "mkh",     "mno",      "mun",         "myn",    "nah",    "nai",  "ngf", "nic",
    "nub", "omq", "omv",     "oto",      "paa",         "phi",    "plf",    "poz",  "pqe", "pqw",
    "pra", "qwe", "roa",     "sai",      "sal",         "sdv",    "sem",    "sgn",  "sio", "sit",
    "sla", "smi", "son",     "sqj",      "ssa",         "syd",    "tai",    "tbq",  "trk", "tup",
    "tut", "tuw", "urj",     "wak",      "wen",         "xgn",    "xnd",    "ypk",  "zhx", "zle",
    "zls", "zlw", "znd"};

// Returns the error for a request that must name a source or target language but does not.
absl::Status NoneOf(std::string_view side, size_t count) {
  return InvalidRequest(
      {.field = Concat(side, "_language_code"),
       .found = "none",
       .expected = "one of the model's",
       .predicate = Concat("is missing: the model has ", count, " ", side, " languages")});
}

bool IsGroup(std::string_view code) {
  const std::string lower = absl::AsciiStrToLower(std::string(code));
  return std::find(std::begin(kGroups), std::end(kGroups), lower) != std::end(kGroups);
}

// Returns the distance between `wanted`, the code of a request, and `has`, a code of the model.
// Returns nullopt if they are different languages. A script, region or variant that only one code
// names adds 1. A macrolanguage and its member, such as "zho" and "cmn", add 10.
std::optional<int> Distance(LanguageCode wanted, const LanguageCode& has) {
  int distance = 0;
  if (wanted.language != has.language) {
    if (EquivalentLanguage(wanted.language) != has.language) return std::nullopt;
    distance += 10;
  }
  if (wanted.script.empty()) wanted.script = std::string(ScriptOfRegion(wanted));
  if (wanted.script != has.script) {
    const bool fits = has.script.empty() ? wanted.script == DefaultScript(wanted.language)
                                         : wanted.script.empty();
    if (!fits) return std::nullopt;
    ++distance;
  }
  for (const auto part : {&LanguageCode::region, &LanguageCode::variant}) {
    if (wanted.*part == has.*part) continue;
    if (!(has.*part).empty() && !(wanted.*part).empty()) return std::nullopt;
    ++distance;
  }
  return distance;
}

}  // namespace

std::vector<LanguageTag> LanguageTags(const Vocabulary& vocabulary) {
  std::vector<LanguageTag> tags;
  for (int id = 0; id < vocabulary.size(); ++id) {
    std::string_view piece = vocabulary.PieceOf(id);
    if (piece.size() <= 4 || !piece.starts_with(">>") || !piece.ends_with("<<")) continue;
    piece = piece.substr(2, piece.size() - 4);
    if (ParseLanguageCode(piece)) tags.push_back({.code = std::string(piece), .id = id});
  }
  return tags;
}

std::string_view LanguageOfPrompt(std::string_view piece) {
  if (piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
  if (piece.size() <= 3 || !piece.starts_with("<2") || !piece.ends_with('>')) return {};
  piece = piece.substr(2, piece.size() - 3);
  constexpr size_t kLongestLanguage = 3;
  const bool is_code = piece.find_first_of("-_") <= kLongestLanguage || piece.size() <= 3;
  return is_code && ParseLanguageCode(piece) ? piece : std::string_view();
}

std::vector<LanguagePrompt> PromptsOfPieces(const Vocabulary& vocabulary) {
  std::vector<LanguagePrompt> prompts;
  for (int id = 0; id < vocabulary.size(); ++id) {
    const std::string_view code = LanguageOfPrompt(vocabulary.PieceOf(id));
    if (!code.empty()) prompts.push_back({"", std::string(code), Concat("<2", code, ">")});
  }
  return prompts;
}

LanguageMap::Language LanguageMap::MakeLanguage(std::string_view written, std::optional<int> tag) {
  Language language{.written = std::string(written), .shown = std::string(written), .tag = tag};
  if (!IsGroup(written)) language.code = ParseLanguageCode(written);
  return language;
}

LanguageMap::LanguageMap(std::string_view source, std::string_view target,
                         const std::vector<LanguageTag>& tags) {
  const std::vector<std::string> sources =
      absl::StrSplit(std::string(source), '+', absl::SkipEmpty());
  if (std::none_of(sources.begin(), sources.end(), IsGroup)) {
    for (const std::string& code : sources) sources_.push_back(MakeLanguage(code, std::nullopt));
  }
  for (const LanguageTag& tag : tags) targets_.push_back(MakeLanguage(tag.code, tag.id));
  // Without language tokens, a request cannot choose among target languages, so a list or group of
  // languages counts as one target.
  if (targets_.empty() && !target.empty()) targets_.push_back(MakeLanguage(target, std::nullopt));
  ShowLanguages(false);
  MakePairs();
}

LanguageMap::LanguageMap(const std::vector<LanguageTag>& languages,
                         LanguageTokenPlacement placement)
    : placement_(placement) {
  for (const LanguageTag& language : languages) {
    targets_.push_back(MakeLanguage(language.code, language.id));
  }
  // If only one of the model's codes has this language ("de_DE"), the code's region distinguishes
  // nothing. Removes the region, so that codes with other regions match too.
  for (Language& language : targets_) {
    const auto has_it = [&](const Language& other) {
      return other.code && other.code->language == language.code->language;
    };
    if (!language.code || std::count_if(targets_.begin(), targets_.end(), has_it) > 1) continue;
    if (language.code->script.empty()) language.code->script = ScriptOfRegion(*language.code);
    language.code->region.clear();
  }
  sources_ = targets_;
  ShowLanguages(true);
  MakePairs();
}

LanguageMap::LanguageMap(const std::vector<LanguagePrompt>& prompts, bool must_be_told)
    : must_be_told_(must_be_told) {
  const auto index_of = [](const std::string& written, std::vector<Language>* side) {
    for (size_t i = 0; i < side->size(); ++i) {
      if ((*side)[i].written == written) return i;
    }
    side->push_back(MakeLanguage(written, std::nullopt));
    return side->size() - 1;
  };
  for (const LanguagePrompt& prompt : prompts) {
    Prompt made{.target = index_of(prompt.target, &targets_), .text = prompt.text};
    absl::StripAsciiWhitespace(&made.text);
    if (!prompt.source.empty()) made.source = index_of(prompt.source, &sources_);
    prompts_.push_back(std::move(made));
  }
  ShowLanguages(false);
  for (const Prompt& prompt : prompts_) {
    pairs_.push_back({.source = prompt.source ? sources_[*prompt.source].shown : "",
                      .target = targets_[prompt.target].shown});
  }
}

absl::StatusOr<std::string> LanguageMap::PromptOf(const ResolvedPair& pair) const {
  std::string sources;
  const Prompt* found = nullptr;
  for (const Prompt& prompt : prompts_) {
    if (targets_[prompt.target].shown != pair.target) continue;
    const std::string source = prompt.source ? sources_[*prompt.source].shown : "";
    if (!prompt.source || source == pair.source) found = &prompt;
    sources += Concat(sources.empty() ? "" : ", ", source);
  }
  if (found != nullptr) return found->text;
  if (pair.source.empty()) return NoneOf("source", sources_.size());
  return InvalidRequest(
      {.field = "source_language_code",
       .found = Concat("'", pair.source, "'"),
       .expected = Concat("one that the model translates into '", pair.target, "'"),
       .predicate = Concat("is '", pair.source, "', but the model translates into '", pair.target,
                           "' from: ", sources)});
}

void LanguageMap::ShowLanguages(bool all_have_scripts) {
  for (std::vector<Language>* side : {&sources_, &targets_}) {
    for (Language& language : *side) {
      if (!language.code) continue;
      std::vector<std::string> names = {ToBcp47(*language.code)};
      if (all_have_scripts) {
        LanguageCode shorter = *language.code;
        shorter.script.clear();
        names.push_back(ToBcp47(shorter));
      }
      for (const std::string& bcp47 : names) {
        const absl::StatusOr<const Language*> found = Match(bcp47, "", *side);
        if (found.ok() && *found == &language) language.shown = bcp47;
      }
    }
  }
  for (const auto& [side, names] :
       {std::pair(&sources_, &source_names_), std::pair(&targets_, &target_names_)}) {
    for (size_t i = 0; i < side->size(); ++i) names->emplace((*side)[i].written, i);
    for (size_t i = 0; i < side->size(); ++i) names->emplace((*side)[i].shown, i);
  }
}

void LanguageMap::MakePairs() {
  for (const Language& to : targets_) {
    if (sources_.empty()) pairs_.push_back({.source = "", .target = to.shown});
    for (const Language& from : sources_) {
      if (from.tag.has_value() && from.written == to.written) continue;
      pairs_.push_back({.source = from.shown, .target = to.shown});
    }
  }
}

absl::StatusOr<const LanguageMap::Language*> LanguageMap::Find(std::string_view wanted,
                                                               std::string_view side,
                                                               std::span<const Language> languages,
                                                               const Names& names) {
  const auto named = names.find(wanted);
  return named != names.end() ? &languages[named->second] : Match(wanted, side, languages);
}

absl::StatusOr<const LanguageMap::Language*> LanguageMap::Match(
    std::string_view wanted, std::string_view side, std::span<const Language> languages) {
  const auto refused = [&](std::string_view why, std::span<const Language* const> among) {
    constexpr size_t kShown = 20;
    std::vector<std::string> names;
    for (const Language* language : among.first(std::min(among.size(), kShown))) {
      names.push_back(language->shown);
    }
    FieldError error;
    error.field = Concat(side, "_language_code");
    error.found = Concat("'", absl::CHexEscape(std::string(wanted.substr(0, kMaxCodeBytes))), "'");
    error.expected = "a language that the model has";
    error.words = Concat(error.found, " ", why, absl::StrJoin(names, ", "),
                         among.size() > kShown ? ", ..." : "");
    return InvalidRequest(std::move(error));
  };
  // Several languages fit equally well. Compares the spelling of `wanted` with that of the model's
  // codes, where '-' equals '_'. Prefers a code with the same spelling, then one that differs only
  // in case.
  const std::string written = absl::StrReplaceAll(std::string(wanted), {{"-", "_"}});
  std::vector<const Language*> best;
  for (const Language& language : languages) {
    const std::string has = absl::StrReplaceAll(language.written, {{"-", "_"}});
    if (has == written) return &language;
    if (absl::AsciiStrToLower(has) == absl::AsciiStrToLower(written)) best.push_back(&language);
  }
  if (best.size() == 1) return best[0];

  best.clear();
  int least = std::numeric_limits<int>::max();
  const std::optional<LanguageCode> code = ParseLanguageCode(wanted);
  for (const Language& language : languages) {
    if (!code || !language.code) continue;
    const std::optional<int> distance = Distance(*code, *language.code);
    if (!distance || *distance > least) continue;
    if (*distance < least) best.clear();
    least = *distance;
    best.push_back(&language);
  }
  if (best.size() == 1) return best[0];
  if (!best.empty()) return refused("is ambiguous, it fits: ", best);
  for (const Language& language : languages) best.push_back(&language);
  if (best.empty()) return refused("cannot be chosen: the model does not name its languages", best);
  return refused("is not one of the model's: ", best);
}

absl::StatusOr<ResolvedPair> LanguageMap::Resolve(std::string_view source,
                                                  std::string_view target) const {
  ResolvedPair pair{.first = first_};
  if (!prompts_.empty() && !must_be_told_ && source.empty() && target.empty()) return pair;
  if (source.empty()) {
    if (placement_ != LanguageTokenPlacement::kTargetInSource)
      return NoneOf("source", sources_.size());
    if (sources_.size() == 1) pair.source = sources_[0].shown;
  } else if (sources_.empty()) {
    const std::optional<LanguageCode> code = ParseLanguageCode(source);
    if (!code) {
      return InvalidRequest(
          {.field = "source_language_code",
           .found =
               Concat("'", absl::CHexEscape(std::string(source.substr(0, kMaxCodeBytes))), "'"),
           .expected = "a language code"});
    }
    pair.source = ToBcp47(*code);
  } else {
    const absl::StatusOr<const Language*> found = Find(source, "source", sources_, source_names_);
    if (!found.ok()) return found.status();
    pair.source = (*found)->shown;
    if (placement_ == LanguageTokenPlacement::kBoth) {
      pair.tag = (*found)->tag;
    } else if (placement_ != LanguageTokenPlacement::kTargetInSource) {
      pair.last_tag = (*found)->tag;
    }
  }

  const Language* to = targets_.size() == 1 ? targets_.data() : nullptr;
  if (!target.empty()) {
    const absl::StatusOr<const Language*> found = Find(target, "target", targets_, target_names_);
    if (!found.ok()) return found.status();
    to = *found;
  } else if (targets_.size() > 1) {
    return NoneOf("target", targets_.size());
  }
  if (to == nullptr) return pair;
  pair.target = to->shown;
  if (!prompts_.empty()) {
    absl::StatusOr<std::string> prompt = PromptOf(pair);
    if (!prompt.ok()) return prompt.status();
    pair.prompt = *std::move(prompt);
    return pair;
  }
  switch (placement_) {
    case LanguageTokenPlacement::kTargetInSource:
      pair.tag = to->tag;
      break;
    case LanguageTokenPlacement::kBoth:
    case LanguageTokenPlacement::kEndAndFirst:
      pair.first = to->tag;
      break;
    case LanguageTokenPlacement::kEndAndStart:
      pair.start = to->tag;
      break;
  }
  return pair;
}

}  // namespace dragoman::engine

// Which languages a model translates between, and how a caller's codes select them.
//
// A caller may write a language as BCP-47 or as ISO 639-1, 639-2 or 639-3, with script and region,
// with '-' or '_', in any case: "de", "deu", "ger", "de-DE", "pt_BR", "zh-Hans", "cmn_Hans". Models
// write theirs as they like (">>cmn_Hans<<"). What fits several targets equally well is refused,
// never guessed.
//
// Immutable, so any thread may read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/tokenizers/vocabulary.h"

namespace dragoman {

// A code taken apart. The language is its ISO 639-3 code where the table knows it, else as written
// in lower case; script "Hans", region "DE"; what follows them is in `variant`.
struct LanguageCode {
  std::string language;
  std::string script;
  std::string region;
  std::string variant;

  bool operator==(const LanguageCode&) const = default;
};

// Nothing when `text` does not look like a language code at all.
std::optional<LanguageCode> ParseLanguageCode(std::string_view text);

// BCP-47: two letters where they exist, "zh-Hans", "pt-BR".
std::string ToBcp47(const LanguageCode& code);

// The token of a language, put where LanguageTokenPlacement says: ">>fra<<", "fra_Latn", "__fr__".
struct LanguageTag {
  std::string code;  // without brackets or underscores around it, as the model writes it
  int id = 0;
};

// How a model is told between which languages to translate.
enum class LanguageTokenPlacement {
  kTargetInSource,  // the target's token is the first of the source: OPUS-MT, SMaLL-100
  kBoth,            // the source's is the first of the source, the target's of the output: NLLB
  kEndAndFirst,     // the source's is behind the source's end: NLLB with legacy_behaviour
  // The source's is behind the source's end, and the target's is the token that a search of the output
  // begins with, before its first: mBART-25.
  kEndAndStart,
};

// What is put in front of every source in a language to be told what to translate it into: "<2de>",
// "translate English to German: ".
struct LanguagePrompt {
  std::string source;  // as the model's files name them; "" = any
  std::string target;
  std::string text;
};

// The tags among the pieces of a vocabulary, by id.
std::vector<LanguageTag> LanguageTags(const Vocabulary& vocabulary);

// The language that a piece of MADLAD-400 names, "de" of "<2de>", which may begin with the mark of a
// space; "" of another piece.
std::string_view LanguageOfPrompt(std::string_view piece);

// The prompts of those among the pieces of a vocabulary, by id: "<2de>", from any source.
std::vector<LanguagePrompt> PromptsOfPieces(const Vocabulary& vocabulary);

struct ModelLanguagePair {
  std::string source;  // BCP-47; "" = any
  std::string target;  // BCP-47, or the model's own word where BCP-47 would not tell it apart
};

struct ResolvedPair {
  std::string source;           // BCP-47, for rules of the language; "" when nobody said
  std::string target;           // as Pairs() has it
  std::optional<int> tag;       // token to put first in the source
  std::optional<int> last_tag;  // token to put behind the source's end
  std::optional<int> first;     // token that every output begins with
  std::optional<int> start;     // token that its search starts with, in place of the model's
  std::string prompt;           // text to put before the source, without white space at its ends
};

class LanguageMap {
 public:
  // `source` and `target` as the model's files name them: one code, several joined by '+', a group
  // ("mul", "ROMANCE", "gmq"), or "". A group of sources stands for any source. With tags the
  // targets are those of the tags.
  LanguageMap(std::string_view source, std::string_view target,
              const std::vector<LanguageTag>& tags);

  // Of a model from and to each of `languages`, which have tokens.
  LanguageMap(const std::vector<LanguageTag>& languages, LanguageTokenPlacement placement);

  // Of a model that is told by prompts. Unless it `must_be_told`, a request that names no language
  // has no prompt: its text says what is wanted.
  LanguageMap(const std::vector<LanguagePrompt>& prompts, bool must_be_told);

  // Every output begins with this token, into whichever language. REQUIRES: no marks of the output.
  void BeginOutputsWith(int token) { first_ = token; }

  // INVALID_ARGUMENT naming the code and what the model has, when it does not fit, or fits several.
  // An empty source is taken unless the model has to be told, an empty target when the model has
  // only one.
  absl::StatusOr<ResolvedPair> Resolve(std::string_view source, std::string_view target) const;

  // Every pair that Resolve takes, in the order of the model's files; but none of a language with
  // itself.
  const std::vector<ModelLanguagePair>& Pairs() const { return pairs_; }

 private:
  struct Language {
    std::string written;
    std::string shown;  // as in Pairs
    std::optional<LanguageCode> code;
    std::optional<int> tag;
  };

  // One of `prompts_`.
  struct Prompt {
    std::optional<size_t> source;  // in sources_; none: any
    size_t target = 0;
    std::string text;
  };

  static Language MakeLanguage(std::string_view written, std::optional<int> tag);
  // The prompt of a pair that was found; INVALID_ARGUMENT when there is none.
  absl::StatusOr<std::string> PromptOf(const ResolvedPair& pair) const;
  // What is shown of each, BCP-47 where it leads back to the same language, and without the script
  // where that does and `all_have_scripts`.
  void ShowLanguages(bool all_have_scripts);
  // Of every source into every target.
  void MakePairs();
  static absl::StatusOr<const Language*> Match(std::string_view wanted, std::string_view side,
                                               std::span<const Language> languages);

  LanguageTokenPlacement placement_ = LanguageTokenPlacement::kTargetInSource;
  std::vector<Language> sources_;  // empty: any
  std::vector<Language> targets_;
  std::vector<Prompt> prompts_;
  bool must_be_told_ = false;
  std::optional<int> first_;
  std::vector<ModelLanguagePair> pairs_;
};

}  // namespace dragoman

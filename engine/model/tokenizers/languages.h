// Which languages a model translates between, and how a caller's codes select them.
//
// A caller may write a language in any of the ways of engine/text/language_code.h. Models write
// theirs as they like (">>cmn_Hans<<"). A code that fits several targets equally well is refused,
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
#include "engine/text/language_code.h"

namespace dragoman::engine {

// The token of a language, put where LanguageTokenPlacement says: ">>fra<<", "fra_Latn", "__fr__".
struct LanguageTag {
  std::string code;  // without brackets or underscores around it, as the model writes it
  int id = 0;
};

// Where the tokens of the source's and the target's language are put.
enum class LanguageTokenPlacement {
  kTargetInSource,  // the target's token is the first of the source: OPUS-MT, SMaLL-100
  kBoth,            // the source's is the first of the source, the target's of the output: NLLB
  // The source's is after the source's end, the target's is the first of the output: NLLB with
  // legacy_behaviour.
  kEndAndFirst,
  // The source's is after the source's end, and the target's is the start token of the search, before
  // the first token of the output: mBART-25.
  kEndAndStart,
};

// The text in front of every source that tells the model which language to translate into: "<2de>",
// "translate English to German: ".
struct LanguagePrompt {
  std::string source;  // as the model's files name them; "" = any
  std::string target;
  std::string text;
};

// The language tags among the pieces of a vocabulary, sorted by id.
std::vector<LanguageTag> LanguageTags(const Vocabulary& vocabulary);

// The language that a piece of MADLAD-400 names, "de" of "<2de>", which may begin with the mark of a
// space; "" of another piece.
std::string_view LanguageOfPrompt(std::string_view piece);

// The prompts made of such pieces of a vocabulary, sorted by id: "<2de>", from any source.
std::vector<LanguagePrompt> PromptsOfPieces(const Vocabulary& vocabulary);

struct ModelLanguagePair {
  std::string source;  // BCP-47; "" = any
  std::string target;  // BCP-47, or the model's own word where BCP-47 would not tell it apart
};

struct ResolvedPair {
  std::string source;           // BCP-47, for rules of the language; "" if it was not given
  std::string target;           // as Pairs() has it
  std::optional<int> tag;       // token to put first in the source
  std::optional<int> last_tag;  // token to put after the source's end
  std::optional<int> first;     // token that every output begins with
  std::optional<int> start;     // start token of the search, in place of the model's
  std::string prompt;           // text to put before the source, without white space at its ends
};

class LanguageMap {
 public:
  // `source` and `target` as the model's files name them: one code, several joined by '+', a group
  // ("mul", "ROMANCE", "gmq"), or "". A group of sources stands for any source. With tags the
  // targets are those of the tags.
  LanguageMap(std::string_view source, std::string_view target,
              const std::vector<LanguageTag>& tags);

  // The map of a model that translates from and to each of `languages`, which have tokens.
  LanguageMap(const std::vector<LanguageTag>& languages, LanguageTokenPlacement placement);

  // The map of a model whose languages are selected by prompts. Unless it `must_be_told`, a request
  // that names no language has no prompt, for its text may say what is wanted.
  LanguageMap(const std::vector<LanguagePrompt>& prompts, bool must_be_told);

  // Makes every output begin with this token, in any language. REQUIRES: the output has no language
  // token.
  void BeginOutputsWith(int token) { first_ = token; }

  // INVALID_ARGUMENT naming the code and what the model has, when it does not fit, or fits several.
  // An empty source is accepted unless the model needs a prompt or a token for it, an empty target when
  // the model has only one.
  absl::StatusOr<ResolvedPair> Resolve(std::string_view source, std::string_view target) const;

  // Every pair that Resolve accepts, in the order of the model's files, except those of a language with
  // itself.
  const std::vector<ModelLanguagePair>& Pairs() const { return pairs_; }

 private:
  struct Language {
    std::string written;
    std::string shown;  // as Pairs() has it
    std::optional<LanguageCode> code;
    std::optional<int> tag;
  };

  // One of `prompts_`.
  struct Prompt {
    std::optional<size_t> source;  // index in sources_; none: any source
    size_t target = 0;
    std::string text;
  };

  static Language MakeLanguage(std::string_view written, std::optional<int> tag);
  // The prompt of a pair that was found; INVALID_ARGUMENT when there is none.
  absl::StatusOr<std::string> PromptOf(const ResolvedPair& pair) const;
  // Sets the shown name of each language: BCP-47 where that resolves to the same language, and without
  // the script if `all_have_scripts` and that resolves to the same language, too.
  void ShowLanguages(bool all_have_scripts);
  // Makes the pairs of every source with every target.
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

}  // namespace dragoman::engine

// The languages that a model translates between, and how a caller's codes select them.
//
// A caller may write a language in any way of engine/text/language_code.h. Models have their own
// codes (">>cmn_Hans<<"). A code that fits several languages equally well is refused.
//
// Immutable, so any thread may read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/tokenizers/vocabulary.h"
#include "engine/text/language_code.h"

namespace dragoman::engine {

// The token of a language: ">>fra<<", "fra_Latn", "__fr__".
struct LanguageTag {
  std::string code;  // as the model writes it, without brackets or underscores around it
  int id = 0;
};

// Where the tokens of the source's and the target's language are.
enum class LanguageTokenPlacement {
  kTargetInSource,  // the target's is the first of the source: OPUS-MT, SMaLL-100
  kBoth,            // the source's is the first of the source, the target's of the output: NLLB
  // The source's is after its end, the target's is the output's first: NLLB with legacy_behaviour.
  kEndAndFirst,
  // The source's is after the source's end, the target's is the start token of the search, before
  // the first token of the output: mBART-25.
  kEndAndStart,
};

// A text before every source that names the target: "<2de>", "translate English to German: ".
struct LanguagePrompt {
  std::string source;  // as the model's files name them; "" = any
  std::string target;
  std::string text;
};

// Returns the language tags among the pieces of a vocabulary, sorted by id.
std::vector<LanguageTag> LanguageTags(const Vocabulary& vocabulary);

// Returns the language that a piece of MADLAD-400 names: "de" for "<2de>", which may begin with the
// mark of a space. Returns "" for other pieces.
std::string_view LanguageOfPrompt(std::string_view piece);

// Returns the prompts of such pieces of a vocabulary, sorted by id: "<2de>", from any source.
std::vector<LanguagePrompt> PromptsOfPieces(const Vocabulary& vocabulary);

struct ModelLanguagePair {
  std::string source;  // BCP-47; "" = any
  std::string target;  // BCP-47, or the model's own word if BCP-47 is ambiguous
};

struct ResolvedPair {
  std::string source;           // BCP-47, for the rules of the language; "" if it was not given
  std::string target;           // as in Pairs()
  std::optional<int> tag;       // first token of the source
  std::optional<int> last_tag;  // token after the source's end
  std::optional<int> first;     // first token of every output
  std::optional<int> start;     // start token of the search, instead of the model's
  std::string prompt;           // text before the source, without white space at its ends
};

class LanguageMap {
 public:
  // `source` and `target` are the names in the model's files: one code, several codes joined by
  // '+', a group ("mul", "ROMANCE", "gmq"), or "". A group of sources means any source. If there
  // are tags, they are the targets.
  LanguageMap(std::string_view source, std::string_view target,
              const std::vector<LanguageTag>& tags);

  // The map of a model that translates between all `languages`, which have tokens.
  LanguageMap(const std::vector<LanguageTag>& languages, LanguageTokenPlacement placement);

  // The map of a model whose languages are selected by prompts. Unless `must_be_told`, a request
  // without languages has no prompt, because its text may contain one.
  LanguageMap(const std::vector<LanguagePrompt>& prompts, bool must_be_told);

  // Makes this token begin every output in any language. REQUIRES: outputs have no language token.
  void BeginOutputsWith(int token) { first_ = token; }

  // Finds the languages of a request. Returns INVALID_ARGUMENT naming the code and the model's
  // languages if a code fits none or several of them. `source` may be empty unless the model needs
  // a prompt or token for it. `target` may be empty if the model has only one.
  absl::StatusOr<ResolvedPair> Resolve(std::string_view source, std::string_view target) const;

  // Returns every pair of different languages that Resolve accepts, in the model files' order.
  const std::vector<ModelLanguagePair>& Pairs() const { return pairs_; }

 private:
  struct Language {
    std::string written;
    std::string shown;  // as Pairs() has it
    std::optional<LanguageCode> code;
    std::optional<int> tag;
  };

  // An element of `prompts_`.
  struct Prompt {
    std::optional<size_t> source;  // index of sources_; nullopt: any source
    size_t target = 0;
    std::string text;
  };

  static Language MakeLanguage(std::string_view written, std::optional<int> tag);
  // Returns the prompt of a pair, or INVALID_ARGUMENT if there is none.
  absl::StatusOr<std::string> PromptOf(const ResolvedPair& pair) const;
  // Sets the shown name of each language: its BCP-47 code, if that resolves to this language. If
  // `all_have_scripts`, prefers the code without the script. Fills the tables of names.
  void ShowLanguages(bool all_have_scripts);
  // Makes the pairs of every source with every target.
  void MakePairs();
  // Index of a language by its written and its shown name.
  using Names = std::map<std::string, size_t, std::less<>>;

  static absl::StatusOr<const Language*> Find(std::string_view wanted, std::string_view side,
                                              std::span<const Language> languages,
                                              const Names& names);
  // Compares with every language.
  static absl::StatusOr<const Language*> Match(std::string_view wanted, std::string_view side,
                                               std::span<const Language> languages);

  LanguageTokenPlacement placement_ = LanguageTokenPlacement::kTargetInSource;
  std::vector<Language> sources_;  // empty: any
  std::vector<Language> targets_;
  Names source_names_, target_names_;
  std::vector<Prompt> prompts_;
  bool must_be_told_ = false;
  std::optional<int> first_;
  std::vector<ModelLanguagePair> pairs_;
};

}  // namespace dragoman::engine

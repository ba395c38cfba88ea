// Describes the languages that a model translates between, and finds them for the language codes of
// a request.
//
// A caller may write a language in any form that engine/text/language_code.h reads. Models have
// their own codes (">>cmn_Hans<<"). A code that fits several of the model's languages equally well
// is an error.
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
  std::string code;  // the model's code, without the brackets or underscores around it
  int id = 0;
};

// Where a model expects the tokens that name the source's and the target's language. "First" is the
// first token of the source or of the output.
enum class LanguageTokenPlacement {
  kTargetInSource,  // target language first in the source: OPUS-MT, SMaLL-100
  kBoth,  // source language first in the source, target language first in the output: NLLB
  // Source language after the source's EOS, target language first in the output: NLLB with
  // legacy_behaviour.
  kEndAndFirst,
  // Source language after the source's EOS. The target language is the start token of the search,
  // which precedes the first token of the output: mBART-25.
  kEndAndStart,
};

// A text before every source that names the target language to the model: "<2de>", "translate
// English to German: ".
struct LanguagePrompt {
  std::string source;  // the language's name in the model's files; "": any source language
  std::string target;
  std::string text;
};

// Returns the languages whose tokens look like ">>fra<<", sorted by id.
std::vector<LanguageTag> LanguageTags(const Vocabulary& vocabulary);

// Returns the language that a piece of MADLAD-400 names: "de" for "<2de>", with or without a space
// mark before it. Returns "" for other pieces.
std::string_view LanguageOfPrompt(std::string_view piece);

// Returns a prompt for each piece of the form "<2de>" in a vocabulary, sorted by id. The prompts
// are for any source language.
std::vector<LanguagePrompt> PromptsOfPieces(const Vocabulary& vocabulary);

struct ModelLanguagePair {
  std::string source;  // BCP-47; "": any language
  std::string target;  // BCP-47, or the model's own code if BCP-47 would be ambiguous
};

struct ResolvedPair {
  std::string source;           // BCP-47, which selects the rules for sentences; "": not known
  std::string target;           // as in ModelLanguagePair
  std::optional<int> tag;       // the language token before the source
  std::optional<int> last_tag;  // the language token after the source's EOS
  std::optional<int> first;     // the first token of every output
  std::optional<int> start;     // the start token of the search, if it is not the model's
  std::string prompt;           // the prompt before the source, without white space at its ends
};

class LanguageMap {
 public:
  // Makes the map of a model that needs no token for the source language. `source` and `target` are
  // the languages' names in the model's files: one code, several codes joined by '+', a group
  // ("mul", "ROMANCE", "gmq"), or "". If `source` is a group, any source language is accepted. The
  // target languages are those of `tags` or, if there are no tags, `target`.
  LanguageMap(std::string_view source, std::string_view target,
              const std::vector<LanguageTag>& tags);

  // Makes the map of a model that translates between all `languages`. Each language has a token.
  // `placement` says where the tokens go.
  LanguageMap(const std::vector<LanguageTag>& languages, LanguageTokenPlacement placement);

  // Makes the map of a model whose languages are selected by prompts. With `must_be_told`, a
  // request must name the languages that select the prompt. Without it, a request may leave them
  // out. Then no prompt is added, because the text of the request may contain one.
  LanguageMap(const std::vector<LanguagePrompt>& prompts, bool must_be_told);

  // Sets ResolvedPair::first to this token for every pair. REQUIRES: outputs have no language
  // token.
  void BeginOutputsWith(int token) { first_ = token; }

  // Finds the model's languages for the codes of a request. Returns INVALID_ARGUMENT, which names
  // the code and the model's languages, if a code fits none of them or several. `source` may be ""
  // unless the model needs a prompt or token for the source language. `target` may be "" if the
  // model has only one target language.
  absl::StatusOr<ResolvedPair> Resolve(std::string_view source, std::string_view target) const;

  // Returns every pair of different languages that Resolve accepts, in the order of the model's
  // files.
  const std::vector<ModelLanguagePair>& Pairs() const { return pairs_; }

 private:
  struct Language {
    std::string written;
    std::string shown;  // the code that Pairs() returns
    std::optional<LanguageCode> code;
    std::optional<int> tag;
  };

  // An element of `prompts_`.
  struct Prompt {
    std::optional<size_t> source;  // index into sources_; nullopt: any source language
    size_t target = 0;
    std::string text;
  };

  static Language MakeLanguage(std::string_view written, std::optional<int> tag);
  // Returns the prompt of a pair, or INVALID_ARGUMENT if there is none.
  absl::StatusOr<std::string> PromptOf(const ResolvedPair& pair) const;
  // Sets Language::shown of each language to its BCP-47 code, if this code resolves to the
  // language. If `all_have_scripts`, prefers the code without the script. Also fills source_names_
  // and target_names_.
  void ShowLanguages(bool all_have_scripts);
  // Makes pairs_ from every source with every target.
  void MakePairs();
  // Maps both names of a language, Language::written and Language::shown, to its index.
  using Names = std::map<std::string, size_t, std::less<>>;

  static absl::StatusOr<const Language*> Find(std::string_view wanted, std::string_view side,
                                              std::span<const Language> languages,
                                              const Names& names);
  // Find looks the code up in `names` first. If it is not there, Match compares it with every
  // language.
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

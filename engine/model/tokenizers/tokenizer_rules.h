// Chooses which of transformers' two tokenizers this program imitates: the slow one (in Python) or
// the fast one (in Rust, with tokenizer.json). The choice depends on the operator's setting, the
// tokenizer's class and the existing files.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/text/pipeline/added_tokens.h"

namespace dragoman::engine {

// The tokenizers that a model directory offers: the kinds that its tokenizer class has, and the
// files that exist.
struct TokenizerOffer {
  enum Kinds { kBoth, kSlowOnly, kFastOnly };
  Kinds kinds = kBoth;
  std::string tokenizer_class;  // for messages
  std::string slow_file;        // the file of the slow tokenizer
  bool has_slow = false;        // whether slow_file exists
  bool has_fast = false;        // whether tokenizer.json exists
};

// Returns the rules of the chosen tokenizer. Returns UNIMPLEMENTED if the class does not have the
// chosen kind, and NOT_FOUND, which names the file, if the file of the chosen kind is missing. With
// kAuto, adds a note if both files exist. With kAuto and no file, returns kSlow if the class has
// this kind, because the reader of the slow tokenizer then reports the missing file.
absl::StatusOr<TokenizerRules> RulesOf(TokenizerChoice choice, const TokenizerOffer& offer,
                                       std::vector<std::string>* notes);

// Returns UNIMPLEMENTED if `choice` is kFast. Used for a layout, `what`, that has no
// tokenizer.json.
absl::Status RequireSlow(TokenizerChoice choice, std::string_view what);

// Reports whether the class is "TokenizersBackend" of transformers 5 or "PreTrainedTokenizerFast"
// of transformers 4. These classes run any tokenizer.json and have no code for a model family. What
// tokenizer.json does not define, the engine takes from the conventions of the model's family.
bool IsTokenizersBackend(std::string_view tokenizer_class);

}  // namespace dragoman::engine

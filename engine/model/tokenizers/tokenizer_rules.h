// Chooses between transformers' two tokenizers by the setting, the class and the existing files.
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

// The kinds that a directory's tokenizer class has, and which of their files exist.
struct TokenizerOffer {
  enum Kinds { kBoth, kSlowOnly, kFastOnly };
  Kinds kinds = kBoth;
  std::string tokenizer_class;  // for messages
  std::string slow_file;        // the file of the slow tokenizer
  bool has_slow = false;        // slow_file exists
  bool has_fast = false;        // tokenizer.json exists
};

// Returns the rules to follow. Returns UNIMPLEMENTED for a kind that the class does not have, and
// NOT_FOUND naming the missing file of the chosen kind. With kAuto, adds a note if both files are
// there, and if neither is, returns the slow tokenizer if the class has it: its reader reports the
// missing file.
absl::StatusOr<TokenizerRules> RulesOf(TokenizerChoice choice, const TokenizerOffer& offer,
                                       std::vector<std::string>* notes);

// The same as RulesOf for a layout, `what`, that supports only SentencePiece.
absl::Status RequireSlow(TokenizerChoice choice, std::string_view what);

// Reports whether the class is "TokenizersBackend" of transformers 5 or "PreTrainedTokenizerFast"
// of 4: tokenizer.json itself, with the conventions of the family.
bool IsTokenizersBackend(std::string_view tokenizer_class);

}  // namespace dragoman::engine

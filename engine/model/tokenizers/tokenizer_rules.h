// Decides which of transformers' two tokenizers is followed, by the setting, the class, and the files
// that are there.
//
// Pure function; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/text/pipeline/added_tokens.h"

namespace dragoman::engine {

// Which kinds a directory's class of tokenizers has, and the files of which of them are there.
struct TokenizerOffer {
  enum Kinds { kBoth, kSlowOnly, kFastOnly };
  Kinds kinds = kBoth;
  std::string tokenizer_class;  // for messages
  std::string slow_file;        // the file that the slow one reads
  bool has_slow = false;        // that file is there
  bool has_fast = false;        // tokenizer.json is there
};

// UNIMPLEMENTED for a kind that the class does not have, NOT_FOUND naming the missing file that the
// chosen kind reads. Where both are there, a note for the log says which was chosen. Where neither file
// is there and the choice is kAuto, it is the slow one if the class has it: its reader says what is
// missing.
absl::StatusOr<TokenizerRules> RulesOf(TokenizerChoice choice, const TokenizerOffer& offer,
                                       std::vector<std::string>* notes);

// The same as RulesOf for a layout, `what`, that supports SentencePiece only.
absl::Status RequireSlow(TokenizerChoice choice, std::string_view what);

// Whether the class is "TokenizersBackend" of transformers 5 or "PreTrainedTokenizerFast" of 4:
// tokenizer.json as it is, with the conventions of the family.
bool IsTokenizersBackend(std::string_view tokenizer_class);

}  // namespace dragoman::engine

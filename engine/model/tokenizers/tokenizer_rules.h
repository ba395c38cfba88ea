// Which of transformers' two tokenizers is followed: by the setting, the class, and the files that
// are there.
//
// Pure function; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/tokenizer_choice.h"
#include "engine/text/added_tokens.h"

namespace dragoman {

// Of a directory's files and its class of tokenizers, by which kinds of it there are.
struct TokenizerOffer {
  enum Kinds { kBoth, kSlowOnly, kFastOnly };
  Kinds kinds = kBoth;
  std::string tokenizer_class;  // for messages
  std::string slow_file;        // that the slow one reads
  bool has_slow = false;        // it is there
  bool has_fast = false;        // tokenizer.json is
};

// UNIMPLEMENTED for a kind that the class does not have, NOT_FOUND naming the file that the chosen
// one reads and that is not there. A note for the log says what was chosen where there was a
// choice. Where neither file is there, and nothing was asked, it is the slow one if the class has
// it: its reader says what is missing.
absl::StatusOr<TokenizerRules> RulesOf(TokenizerChoice choice, const TokenizerOffer& offer,
                                       std::vector<std::string>* notes);

// Of a layout that knows SentencePiece alone: as RulesOf, `what` being the layout.
absl::Status RequireSlow(TokenizerChoice choice, std::string_view what);

// "TokenizersBackend" of transformers 5 and "PreTrainedTokenizerFast" of 4: tokenizer.json as it
// is, with the conventions of the family.
bool IsTokenizersBackend(std::string_view tokenizer_class);

}  // namespace dragoman

// tokenizer_config.json and added_tokens.json of a MarianTokenizer.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/model/json.h"

namespace dragoman {

struct HfTokenizerConfig {
  std::string source_language;  // as written there or in config.json; "" when neither says
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // tokens; at most the model's positions
};

// Overwrites the fields that the file names. Errors are recorded in `fields`.
void ReadTokenizerConfig(JsonFields* fields, HfTokenizerConfig* tokenizer);

// added_tokens.json (piece -> id): UNIMPLEMENTED when it has a token besides the special ones,
// which would be cut out of the text before SentencePiece sees it.
absl::Status CheckAddedTokens(std::string_view text, std::string_view file,
                              const HfTokenizerConfig& tokenizer);

}  // namespace dragoman

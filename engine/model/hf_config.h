// Reader of the JSON files of a Hugging Face MarianMT directory: config.json,
// generation_config.json and tokenizer_config.json become a ModelSpec and what the tokenizer needs.
//
// Every field that changes the computation, the search or the tokens is honoured or must hold its
// neutral value; else loading is refused with the field's name. The lists are in hf_config.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/model_spec.h"

namespace dragoman {

// The texts of the files.
struct HfConfigTexts {
  std::string config;
  std::optional<std::string> generation;  // without it its fields are read from config.json
  std::optional<std::string> tokenizer;
};

struct HfTokenizerConfig {
  std::string source_language;  // as written there or in config.json; "" when neither says
  std::string target_language;
  std::string unk_piece = "<unk>";
  std::string eos_piece = "</s>";
  std::string pad_piece = "<pad>";
  bool separate_vocabularies = false;
  int model_max_length = 0;  // tokens; at most the model's positions
};

struct HfConfig {
  ModelSpec spec;  // but tokens.unk, which the vocabulary tells
  HfTokenizerConfig tokenizer;
};

// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for what is well-formed and not supported;
// both name the file and the field, what was found and what was expected.
absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts);

// added_tokens.json (piece -> id): UNIMPLEMENTED when it has a token besides the special ones,
// which would be cut out of the text before SentencePiece sees it.
absl::Status CheckAddedTokens(std::string_view text, std::string_view file,
                              const HfTokenizerConfig& tokenizer);

}  // namespace dragoman

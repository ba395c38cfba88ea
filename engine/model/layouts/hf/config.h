// Reader of the JSON files of a Hugging Face directory: config.json, generation_config.json,
// tokenizer_config.json and the files that belong to it become a ModelSpec and the settings of the
// tokenizer.
//
// Every field that changes the computation, the search or the tokens is honoured or must hold its
// neutral value; else loading is refused with the field's name. The lists are at the top of
// layouts/hf/config.cc and layouts/hf/generation.cc.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_config.h"

namespace dragoman {

// The contents of the files.
struct HfConfigTexts {
  std::string config;
  std::optional<std::string> generation;  // without it its fields are read from config.json
  TokenizerConfigTexts tokenizer;
};

// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for what is well-formed and not supported;
// both name the file and the field, what was found and what was expected.
absl::StatusOr<CheckpointConfig> ParseHfConfig(const HfConfigTexts& texts);

}  // namespace dragoman

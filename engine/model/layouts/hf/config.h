// Reader of the JSON files of a Hugging Face directory: config.json, generation_config.json,
// tokenizer_config.json and what belongs to it become a ModelSpec and what the tokenizer needs.
//
// Every field that changes the computation, the search or the tokens is honoured or must hold its
// neutral value; else loading is refused with the field's name. The lists are at the top of
// layouts/hf/config.cc and layouts/hf/generation.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/layouts/hf/tokenizer.h"
#include "engine/model/spec/model_spec.h"

namespace dragoman {

// The texts of the files.
struct HfConfigTexts {
  std::string config;
  std::optional<std::string> generation;  // without it its fields are read from config.json
  std::optional<std::string> tokenizer;
  std::optional<std::string> special_tokens_map;
  std::optional<std::string> added_tokens;
};

struct HfConfig {
  ModelSpec spec;  // but tokens.unk, which the vocabulary tells
  HfTokenizerConfig tokenizer;
  std::vector<std::string> notes;  // fields that say something and change nothing; for the log
};

// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for what is well-formed and not supported;
// both name the file and the field, what was found and what was expected.
absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts);

}  // namespace dragoman

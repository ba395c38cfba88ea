// Reads the JSON files of a Hugging Face directory (config.json, generation_config.json,
// tokenizer_config.json and related files) into a ModelSpec and the settings of the tokenizer.
//
// Every field that changes the computation, the search or the tokens is applied or must hold its
// neutral value; else loading fails with the field's name. The lists are at the top of
// layouts/hf/config.cc and layouts/hf/generation.cc.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"

namespace dragoman::engine {

struct HfConfigTexts {
  std::string config;
  std::optional<std::string> generation;  // if absent, its fields are read from config.json
  TokenizerConfigTexts tokenizer;
};

struct HfConfig {
  ModelSpec spec;  // without tokens.unk, which comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // for the log: fields that are set and have no effect
};

// Returns INVALID_ARGUMENT for malformed files and UNIMPLEMENTED for unsupported fields. Both name
// the file and the field, what was found and what was expected.
absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts);

// Reads the tokenizer, completes config->spec from its vocabularies, and checks that the two agree.
// Errors are those of ReadCheckpointTokenizer.
absl::StatusOr<ModelTokenizer> ReadHfTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               HfConfig* config);

// The following read the fields of the search (generation.cc).
//
// Reads eos_token_id, an id or a list. The first id becomes tokens->eos, the others
// tokens->more_eos. If the field is absent, both stay unchanged.
void ReadEndIds(JsonFields* fields, int vocabulary, SpecialIds* tokens);

// Sets spec->generation, and the members of spec->tokens that the file names. Records errors in
// `fields`. REQUIRES: spec->shape is set.
void ReadGeneration(JsonFields* fields, ModelSpec* spec);

// Fits spec->generation to the tokenizer. Returns UNIMPLEMENTED for a forced end that is not the
// tokenizer's EOS, and for rules that compare output and source if the sources have other ids.
absl::Status FitGeneration(const ModelTokenizer& read, const TokenizerSettings& tokenizer,
                           ModelSpec* spec);

// Reports whether the generation fields of config.json are used instead of generation_config.json.
// `config` includes the fields that the family's class derives.
bool ConfigOverrides(const Family& family, const nlohmann::json& config,
                     const nlohmann::json& generation);

}  // namespace dragoman::engine

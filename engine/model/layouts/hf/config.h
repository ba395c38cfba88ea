// Reader of the JSON files of a Hugging Face directory: config.json, generation_config.json,
// tokenizer_config.json and the files that belong to it become a ModelSpec and the settings of the
// tokenizer.
//
// Every field that changes the computation, the search or the tokens is honoured or must hold its
// neutral value; else loading is refused with the field's name. The lists are at the top of
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

// The contents of the files.
struct HfConfigTexts {
  std::string config;
  std::optional<std::string> generation;  // without it its fields are read from config.json
  TokenizerConfigTexts tokenizer;
};

struct HfConfig {
  ModelSpec spec;  // without tokens.unk, which comes from the vocabulary
  TokenizerSettings tokenizer;
  std::vector<std::string> notes;  // for the log: fields that are set and have no effect
};

// INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for what is well-formed and not supported;
// both name the file and the field, what was found and what was expected.
absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts);

// Reads the tokenizer, whose vocabularies complete config->spec, and checks that the two agree. Errors
// as ReadCheckpointTokenizer.
absl::StatusOr<ModelTokenizer> ReadHfTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               HfConfig* config);

// The following are the fields of the search (generation.cc).
//
// Reads eos_token_id, an id or a list: the first becomes tokens->eos, the others tokens->more_eos. If it
// is absent both stay as they are.
void ReadEndIds(JsonFields* fields, int vocabulary, SpecialIds* tokens);

// Fills in spec->generation, and the members of spec->tokens that the file names. REQUIRES: spec->shape
// is set. Errors are recorded in `fields`.
void ReadGeneration(JsonFields* fields, ModelSpec* spec);

// Fits spec->generation to the tokenizer that was read. UNIMPLEMENTED for a forced end that is not the
// tokenizer's, and for rules that compare the tokens of an output with those of its source where
// sources have ids of their own.
absl::Status FitGeneration(const ModelTokenizer& read, const TokenizerSettings& tokenizer,
                           ModelSpec* spec);

// Whether the generation fields of config.json count and not those of generation_config.json. `config`
// has the fields that the family's class makes of others.
bool ConfigOverrides(const Family& family, const nlohmann::json& config,
                     const nlohmann::json& generation);

}  // namespace dragoman::engine

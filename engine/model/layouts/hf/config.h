// Reads the JSON files of a Hugging Face directory (config.json, generation_config.json,
// tokenizer_config.json and related files) into a ModelSpec and the settings of the tokenizer.
//
// A field that changes the computation, the search or the tokens is either applied or must have its
// neutral value. Otherwise loading fails and names the field. The lists of neutral values are at
// the top of layouts/hf/config.cc and layouts/hf/generation.cc.
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
  // Lines for the log: the field dragoman_note, and fields that have no effect.
  std::vector<std::string> notes;
};

// Returns INVALID_ARGUMENT for a malformed file and UNIMPLEMENTED for an unsupported field.
// Messages name the file and the field, what was found and what was expected.
absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts);

// Reads the tokenizer, sets the members of config->spec that depend on its vocabularies, and checks
// that configuration and vocabularies agree. Errors are those of ReadCheckpointTokenizer.
absl::StatusOr<ModelTokenizer> ReadHfTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               HfConfig* config);

// The following functions (generation.cc) read the fields of the search.
//
// Reads eos_token_id, which is an id or a list of ids. The first id becomes tokens->eos. The others
// become tokens->more_eos. If the field is absent, both stay unchanged.
void ReadEndIds(JsonFields* fields, int vocabulary, SpecialIds* tokens);

// Sets spec->generation. Also sets those members of spec->tokens for which the file has a field.
// Records errors in `fields`. REQUIRES: spec->shape is set.
void ReadGeneration(JsonFields* fields, ModelSpec* spec);

// Adapts spec->generation to the tokenizer. Returns UNIMPLEMENTED if forced_eos_token_id is not the
// tokenizer's EOS. Also returns UNIMPLEMENTED if a rule such as encoder_no_repeat_ngram_size
// compares the tokens of translation and source, but source and target have different vocabularies.
absl::Status FitGeneration(const ModelTokenizer& read, const TokenizerSettings& tokenizer,
                           ModelSpec* spec);

// Reports whether transformers would read the fields of the search from config.json although
// generation_config.json exists. `config` must also have the fields that the family's configuration
// class computes from other fields.
bool ConfigOverrides(const Family& family, const nlohmann::json& config,
                     const nlohmann::json& generation);

}  // namespace dragoman::engine

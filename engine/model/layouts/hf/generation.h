// Reads the search defaults of a checkpoint from generation_config.json, or from config.json in its
// place. Private to engine/model.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/model/formats/json.h"
#include "engine/model/spec/model_spec.h"

namespace dragoman {

// Reads eos_token_id, an id or a list: the first becomes tokens->eos, the others tokens->more_eos. If it
// is absent both stay as they are.
void ReadEndIds(JsonFields* fields, int vocabulary, SpecialIds* tokens);

// Fills in spec->generation, and the members of spec->tokens that the file names. REQUIRES: spec->shape
// is set. Errors are recorded in `fields`.
void ReadGeneration(JsonFields* fields, ModelSpec* spec);

// Whether the generation fields of config.json count and not those of generation_config.json.
bool ConfigOverrides(const nlohmann::json& config, const nlohmann::json& generation);

}  // namespace dragoman

// What config.json says of a T5 model and of no other family: its network, and the prompts of its
// tasks. Private to engine/model.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/model/formats/json.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/languages.h"

namespace dragoman {

// Errors are recorded in `fields`.
void ReadT5Network(JsonFields* fields, bool is_mt5, ModelSpec* spec);

// The translations among task_specific_params: "translation_en_to_de" with its `prefix`.
std::vector<LanguagePrompt> ReadTranslationTasks(JsonFields* fields);

// `generation` with the fields that all translation tasks of config.json set alike (max_length,
// num_beams, ...) in place of its own, as a translation pipeline of transformers takes them.
nlohmann::json WithFieldsOfTasks(const nlohmann::json& config, const nlohmann::json& generation);

}  // namespace dragoman

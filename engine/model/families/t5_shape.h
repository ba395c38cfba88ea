// What config.json says of a T5 model and of no other family: its network, and the prompts of its
// tasks.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/model/families/family.h"
#include "engine/model/tokenizers/languages.h"

namespace dragoman {

// Family::read_shape of T5 and mT5, whose defaults differ in the activation and in the output layer.
void ReadT5Shape(const Family& family, JsonFields* fields, ModelSpec* spec);

// The translations among task_specific_params: "translation_en_to_de" with its `prefix`.
std::vector<LanguagePrompt> ReadTranslationTasks(JsonFields* fields);

// `generation` with the fields that all translation tasks of config.json set alike (max_length,
// num_beams, ...) in place of its own, as a translation pipeline of transformers takes them.
nlohmann::json WithFieldsOfTasks(const nlohmann::json& config, const nlohmann::json& generation);

}  // namespace dragoman

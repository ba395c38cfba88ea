// Reads the fields of config.json that only models of T5's kind have: those of the network, and the
// prompts of the tasks.
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

// Returns `generation` in which the fields that all translation tasks of config.json set to the same
// value (max_length, num_beams, ...) replace its own, as in a translation pipeline of transformers.
nlohmann::json WithFieldsOfTasks(const nlohmann::json& config, const nlohmann::json& generation);

}  // namespace dragoman

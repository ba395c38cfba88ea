// Defines Family, the record of a family of models. A family is a value of the field `model_type`
// of config.json. The record has the defaults of the family's configuration class, its tokenizers,
// and the function that makes its network. Each family has a file with its record, and a row in
// family.cc.
//
// Thread-safety: constants and pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/families/model_spec.h"
#include "engine/model/families/network.h"
#include "engine/model/formats/json.h"
#include "engine/model/tokenizers/tokenizer_scheme.h"

namespace dragoman::engine {

// The values to use for fields that config.json lacks. They are the defaults of the family's
// configuration class in transformers 4.57. This class leaves out fields that equal their defaults
// when it writes config.json.
struct ConfigDefaults {
  std::string_view activation = "gelu";
  bool scale_embedding = false;
  bool tie_output = true;
  std::optional<int> eos;
  std::optional<int> pad;
  std::optional<int> decoder_start;
  bool starts_with_bos = false;  // if decoder_start_token_id is absent, use bos_token_id, or 0
  // A JSON object with defaults for the fields of the search. Used if the model has no file
  // generation_config.json.
  std::string_view generation = "{}";
};

// Functions that read the translation tasks that a config.json may list (task_specific_params).
struct TranslationTasks {
  // Returns the prompts of "translation_en_to_de" and similar tasks. Records errors in `fields`.
  std::vector<LanguagePrompt> (*prompts)(JsonFields* fields);
  // Returns `generation` with changes: a field (max_length, num_beams, ...) that all translation
  // tasks of config.json set to the same value gets this value, as in a translation pipeline of
  // transformers.
  nlohmann::json (*with_their_fields)(const nlohmann::json& config,
                                      const nlohmann::json& generation);
};

struct Family {
  std::string_view model_type;    // the family's name in config.json
  std::string_view architecture;  // transformers' class for translation, as config.json names it
  ConfigDefaults defaults;
  // Reads into `spec` all fields that the network depends on. Records errors in `fields`.
  void (*read_shape)(const Family& family, JsonFields* fields, ModelSpec* spec);
  // The tokenizer classes of the family. A model that names no class uses the scheme of the first
  // one.
  std::span<const TokenizerClass> tokenizers;
  // Makes the network. Returns INVALID_ARGUMENT if sizes in spec.shape contradict each other.
  absl::StatusOr<Network> (*make)(const ModelSpec& spec);

  // nullptr if config.json has no tasks in this family. T5 and similar families have tasks.
  const TranslationTasks* tasks = nullptr;
  // The following members say whether the family reads certain fields that other families ignore.
  bool has_forced_bos_of_old = false;  // field force_bos_token_to_be_generated of old BART files
  // Writes a note to the log about BART's fields, which the family ignores.
  bool notes_fields_of_bart = false;
  bool has_scale_field = false;  // field scale_decoder_outputs, which transformers 5 writes for T5
};

// Reports whether config.json says that transformers 5 or later wrote it.
bool IsByTransformers5(const JsonFields& fields);

// Returns nullptr for a family that is not supported.
const Family* FindFamily(std::string_view model_type);

// Returns the names of the supported families, separated by commas.
std::string FamilyNames();

// Returns the activation that has this name in transformers' ACT2FN, or nullopt if it is not
// supported.
std::optional<kernels::Activation> FindActivation(std::string_view name);

// Returns the names of the supported activations, separated by commas.
std::string ActivationNames();

}  // namespace dragoman::engine

// A family of models: what the class of its configuration says, the tokenizers that it may have, the
// network that a configuration describes, and under which names a checkpoint keeps the weights. One
// file each, which has a record, and one row of family.cc.
//
// Constants and pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/families/network.h"
#include "engine/model/formats/json.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/tokenizer_scheme.h"

namespace dragoman {

// What config.json means where a field is absent: the defaults of the family's configuration class
// in transformers 4.57, which are those that a file leaves out.
struct ConfigDefaults {
  std::string_view activation = "gelu";
  bool scale_embedding = false;
  bool tie_output = true;
  std::optional<int> eos;
  std::optional<int> pad;
  std::optional<int> decoder_start;
  bool starts_with_bos = false;  // without decoder_start_token_id it is bos_token_id, or 0
  // Fields of the search, as an object of JSON, where there is no generation_config.json.
  std::string_view generation = "{}";
};

struct Family {
  std::string_view model_type;    // as config.json names it
  std::string_view architecture;  // the class that translates
  ConfigDefaults defaults;
  // Reads the shape, and what else the network is made of, into the spec. Errors are recorded in
  // `fields`.
  void (*read_shape)(const Family& family, JsonFields* fields, ModelSpec* spec);
  // Its classes; the scheme of the first is that of a model that names none.
  std::span<const TokenizerClass> tokenizers;
  // INVALID_ARGUMENT for a shape that makes no network.
  absl::StatusOr<Network> (*make)(const ModelSpec& spec);

  // Fields of old files, and of tasks, that this family alone reads.
  bool has_tasks = false;              // task_specific_params with prompts: T5's
  bool has_forced_bos_of_old = false;  // force_bos_token_to_be_generated: BART's
  bool notes_fields_of_bart = false;   // says in the log which fields of BART's it never asks
};

// nullptr for one that is not served.
const Family* FindFamily(std::string_view model_type);

// The families that are served, separated by commas.
std::string FamilyNames();

}  // namespace dragoman

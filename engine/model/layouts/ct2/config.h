// Reader of config.json of a CTranslate2 directory: what describes the model besides the weights.
//
// Fields that ask for another network or other tokens must hold their neutral value. Pure functions;
// thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/tokenizers/ct2_vocabularies.h"

namespace dragoman::engine {

struct Ct2Config {
  Ct2Tokens tokens;
  std::optional<float> norm_epsilon;  // empty: the default of the kind of norm
};

// Errors as ModelSource::Load; both name the file and the field, what was found and what was
// expected.
absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text);

// Before version 6 variables of model.bin describe the tokens, whatever config.json says. Errors name
// `file`, the model's file, and the variable.
absl::StatusOr<Ct2Config> ReadOlderCt2Config(const Ct2ModelFile& model, std::string_view file);

// Whether a variable describes tokens in this way.
bool IsOfOlderCt2Config(std::string_view variable);

}  // namespace dragoman::engine

// Reads config.json of a CTranslate2 directory: the description of the model without its weights.
//
// A field that could change the network or the tokens in an unsupported way must have its neutral
// value. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/tokenizers/ct2_vocabularies.h"

namespace dragoman::engine {

struct Ct2Config {
  Ct2Tokens tokens;
  std::optional<float> norm_epsilon;  // if absent, the default for the kind of norm applies
};

// Parses config.json. Errors are those of ModelSource::Load.
absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text);

// Reads the variables of a model.bin that describe the tokens. Files of versions before 6 have
// these variables, which override config.json. Errors name `file`, the model's file, and the
// variable.
absl::StatusOr<Ct2Config> ReadOlderCt2Config(const Ct2ModelFile& model, std::string_view file);

// Reports whether a variable with this name is one that ReadOlderCt2Config reads.
bool IsOfOlderCt2Config(std::string_view variable);

}  // namespace dragoman::engine

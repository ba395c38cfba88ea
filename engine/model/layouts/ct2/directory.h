// CTranslate2 directories, as its converters write them: model.bin, config.json, the vocabularies
// (tokenizers/ct2_vocabularies.h), and the checkpoint's tokenizer files. Compute type int8 packs
// int8 weights as they are. All other weights become float32. Fields of config.json for another
// network or other tokens must be neutral.
//
// Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/layouts/base/layout.h"
#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/tokenizers/ct2_vocabularies.h"

namespace dragoman::engine {

// The description of a model without its weights.
struct Ct2Config {
  Ct2Tokens tokens;
  std::optional<float> norm_epsilon;  // empty: the default of the kind of norm
};

// Errors are those of ModelLayout::load.
absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text);

// Reads the variables that describe the tokens in a model.bin before version 6, which override
// config.json. Errors name `file`, the model's file, and the variable.
absl::StatusOr<Ct2Config> ReadOlderCt2Config(const Ct2ModelFile& model, std::string_view file);

// Reports whether a variable describes tokens in this way.
bool IsOfOlderCt2Config(std::string_view variable);

// Loads the model of such a folder, with the tokenizer's files of another folder. Does not set name
// and layout. Errors are those of ModelLayout::load; not all messages begin with a path.
absl::StatusOr<LoadedModel> LoadCt2Model(const ModelFolder& folder, const ModelFolder& tokenizer,
                                         const TokenizerConfig& fields, TokenizerChoice choice);

extern const ModelLayout kCt2Layout;

}  // namespace dragoman::engine

// Makes the network that the variables of a CTranslate2 model describe: one of BART's kind or a T5.
//
// Every attribute that changes the computation is honoured or must hold its neutral value; a variable
// that has no place in the network is refused by its name. Pure functions; thread-safe.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"
#include "engine/model/layouts/ct2/config.h"
#include "engine/model/layouts/ct2/model_file.h"

namespace dragoman::engine {

struct Ct2Network {
  ModelSpec spec;  // without `tokens`
  Network network;
  bool starts_empty = false;  // an output begins with the empty token (BartTraits::empty_token)
};

// The last id of the target's vocabulary is always the empty token: where no output begins with it, it
// stands for the padding that a model may not have. Variables that the network needs in parts are
// replaced by these parts in `model`. Errors as ModelSource::Load; UNIMPLEMENTED for the first variable
// that is neither an attribute nor a weight.
absl::StatusOr<Ct2Network> ReadCt2Network(std::string_view file, const Ct2Config& config,
                                          Ct2ModelFile* model);

}  // namespace dragoman::engine

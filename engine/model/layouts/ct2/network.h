// Makes the network that the variables of a CTranslate2 model describe: one of BART's kind or a T5.
//
// Every attribute that changes the computation is applied or must hold its neutral value. A
// variable that the network does not have is refused by name. Thread-safety: pure functions.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/model/families/family.h"
#include "engine/model/layouts/ct2/directory.h"
#include "engine/model/layouts/ct2/model_file.h"

namespace dragoman::engine {

struct Ct2Network {
  ModelSpec spec;  // without `tokens`
  Network network;
  bool starts_empty = false;  // an output begins with the empty token (BartTraits::empty_token)
};

// Returns the network. The last id of the target's vocabulary is always the empty token. If no
// output begins with it, it stands for the padding, which the model may lack. Replaces variables in
// `model` by their parts if the network needs the parts. Errors are those of ModelSource::Load;
// UNIMPLEMENTED for the first variable that is neither an attribute nor a weight.
absl::StatusOr<Ct2Network> ReadCt2Network(std::string_view file, const Ct2Config& config,
                                          Ct2ModelFile* model);

}  // namespace dragoman::engine

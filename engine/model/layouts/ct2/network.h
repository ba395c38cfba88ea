// Makes the network that the variables of a CTranslate2 model describe, which is of BART's or of
// T5's kind (transformer_network.h).
//
// An attribute that changes the computation is either applied or must have its neutral value. A
// variable that the network does not use is an error. Thread-safety: pure functions.
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
  bool starts_empty = false;  // whether an output begins with the empty token
};

// Returns the network. The last id of the target's vocabulary is always the empty token
// (NetworkTraits::empty_token). If translations do not begin with it, it serves as <pad>, because
// the model may have no <pad>. If the network needs parts of a variable, replaces the variable in
// `model` by its parts. Errors are those of ModelLayout::load. Returns UNIMPLEMENTED if a variable
// is neither an attribute nor a weight.
absl::StatusOr<Ct2Network> ReadCt2Network(std::string_view file, const Ct2Config& config,
                                          Ct2ModelFile* model);

}  // namespace dragoman::engine

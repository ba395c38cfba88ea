// What a CTranslate2 directory says of its model besides the weights: the variables of model.bin
// that are attributes, and config.json.
//
// Every attribute and field that changes the computation is honoured or must hold its neutral
// value; a variable that has no place in the network is refused by its name. Pure functions;
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/ct2_model_file.h"
#include "engine/model/families/bart_network.h"
#include "engine/model/model_spec.h"

namespace dragoman {

// config.json; before version 6 of model.bin there may be none.
struct Ct2Config {
  std::string unk_piece = "<unk>";
  std::string bos_piece = "<s>";
  std::string eos_piece = "</s>";
  // Nothing: the caller's prefix begins an output.
  std::optional<std::string> decoder_start_piece;
  float norm_epsilon = 1e-5F;
};

// Errors as ModelSource::Load; both name the file and the field, what was found and what was
// expected.
absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text);

struct Ct2Network {
  ModelSpec spec;  // without `tokens`
  BartTraits traits;
  bool starts_empty = false;  // an output begins with the empty token (BartTraits::empty_token)
};

// The last id of the target's vocabulary is the empty token, always: where nothing begins with it,
// it stands for the padding that a model may not have.
absl::StatusOr<Ct2Network> ReadCt2Network(const Ct2ModelFile& model, std::string_view file,
                                          const Ct2Config& config);

// UNIMPLEMENTED for the first variable that is neither an attribute nor a weight of the network.
absl::Status CheckCt2Variables(const Ct2ModelFile& model, std::string_view file,
                               const Network& network);

}  // namespace dragoman

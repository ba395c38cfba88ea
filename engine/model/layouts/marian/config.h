// Reads what Marian's files say of a model besides the weights: the options that it was trained with
// (special:model.yml), and the configuration of a decoder (decoder.yml).
//
// Every option that changes the computation is honoured or must hold its neutral value; a tensor
// that has no place in the network is refused by its name. Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/families/bart_network.h"
#include "engine/model/layouts/marian/file.h"

namespace dragoman::engine {

// The fields of decoder.yml; without that file all are empty.
struct MarianDecoder {
  std::vector<std::string> models;  // paths, as written
  std::vector<std::string> vocabularies;
  std::optional<int> beam_size;
  std::optional<double> normalize;  // the length penalty
  bool allow_unk = false;
  std::string shortlist;  // a path, as written; "": none
};

// Errors as ModelSource::Load; both name the file and the field, what was found and what was
// expected.
absl::StatusOr<MarianDecoder> ParseMarianDecoder(std::string_view text, std::string_view file);

struct MarianNetwork {
  ModelSpec spec;  // without `tokens`, and without bad_words, which hold one of them
  BartTraits traits;
};

// `options` is the text of special:model.yml, `file` the name of the model's file. The last id of
// the target's vocabulary is the empty token, with which an output begins (BartTraits::empty_token).
absl::StatusOr<MarianNetwork> ReadMarianNetwork(const MarianFile& model, std::string_view options,
                                                std::string_view file,
                                                const MarianDecoder& decoder);

// UNIMPLEMENTED names the first tensor that is not a weight of the network.
absl::Status CheckMarianTensors(const MarianFile& model, std::string_view file,
                                const Network& network);

}  // namespace dragoman::engine

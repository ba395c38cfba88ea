// Reads a Marian model's options (special:model.yml) and its decoder's configuration (decoder.yml).
//
// An option that changes the computation is either applied or must have its neutral value. A tensor
// that the network does not use is an error. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/model/families/transformer_network.h"
#include "engine/model/layouts/marian/file.h"

namespace dragoman::engine {

// The fields of decoder.yml. All are empty if there is no such file.
struct MarianDecoder {
  std::vector<std::string> models;  // paths as in the file
  std::vector<std::string> vocabularies;
  std::optional<int> beam_size;
  std::optional<double> normalize;  // the length penalty
  bool allow_unk = false;
  std::string shortlist;  // a path as in the file; "": none
};

// Parses decoder.yml. `file` is its name in messages. Errors are those of ModelLayout::load.
absl::StatusOr<MarianDecoder> ParseMarianDecoder(std::string_view text, std::string_view file);

struct MarianNetwork {
  ModelSpec spec;  // without `tokens` and bad_words, which need the vocabulary
  NetworkTraits traits;
};

// Reads the model's options and makes the description of its network. `options` is the text of
// special:model.yml. `file` is the name of the model's file. The last id of the target's vocabulary
// is the empty token (NetworkTraits::empty_token). Every output begins with it.
absl::StatusOr<MarianNetwork> ReadMarianNetwork(const MarianFile& model, std::string_view options,
                                                std::string_view file,
                                                const MarianDecoder& decoder);

// Returns UNIMPLEMENTED, which names the tensor, if a tensor is not a weight of the network.
absl::Status CheckMarianTensors(const MarianFile& model, std::string_view file,
                                const Network& network);

}  // namespace dragoman::engine

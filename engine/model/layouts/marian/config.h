// Reads a Marian model's options (special:model.yml) and its decoder's configuration (decoder.yml).
//
// Every option that changes the computation is applied or must hold its neutral value. A tensor
// that the network does not have is refused by name. Thread-safety: pure functions.
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

// The fields of decoder.yml; all empty without that file.
struct MarianDecoder {
  std::vector<std::string> models;  // paths, as written
  std::vector<std::string> vocabularies;
  std::optional<int> beam_size;
  std::optional<double> normalize;  // the length penalty
  bool allow_unk = false;
  std::string shortlist;  // a path, as written; "": none
};

// Errors are those of ModelSource::Load.
absl::StatusOr<MarianDecoder> ParseMarianDecoder(std::string_view text, std::string_view file);

struct MarianNetwork {
  ModelSpec spec;  // without `tokens` and bad_words, which need the vocabulary
  BartTraits traits;
};

// Makes the network. `options` is the text of special:model.yml, `file` the model's file name. The
// target's last id is the empty token, which begins an output (BartTraits::empty_token).
absl::StatusOr<MarianNetwork> ReadMarianNetwork(const MarianFile& model, std::string_view options,
                                                std::string_view file,
                                                const MarianDecoder& decoder);

// Returns UNIMPLEMENTED naming the first tensor that is not a weight of the network.
absl::Status CheckMarianTensors(const MarianFile& model, std::string_view file,
                                const Network& network);

}  // namespace dragoman::engine

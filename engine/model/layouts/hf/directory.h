// Loads model directories in the form in which Hugging Face offers them for download. They have
// config.json, generation_config.json (optional), tokenizer_config.json (optional),
// model.safetensors or pytorch_model.bin, and the tokenizer's files
// (tokenizers/checkpoint_tokenizer.h).
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/tensor_file.h"
#include "engine/model/layouts/base/layout.h"

namespace dragoman::engine {

extern const ModelLayout kHfLayout;

struct ShardIndex {
  std::vector<std::string> files;                      // each once, in order of name
  std::map<std::string, size_t, std::less<>> file_of;  // tensor -> index of `files`
};

// Reads an index file: {"weight_map": {tensor: file, ...}}. Shards must be next to it and end in
// `suffix` (".safetensors", ".bin"). Returns INVALID_ARGUMENT naming `file` and the tensor.
absl::StatusOr<ShardIndex> ParseShardIndex(std::string_view text, std::string_view file,
                                           std::string_view suffix);

// Maps the files of the weights, at most `max_bytes` in all, and reads their tensors. Leaves out
// tensors that the index does not name. Returns NOT_FOUND for a missing file, and INVALID_ARGUMENT
// for a broken file, a tensor that its shard lacks, or one that two shards have.
absl::StatusOr<Checkpoint> ReadCheckpoint(const ModelFolder& folder, size_t max_bytes);

}  // namespace dragoman::engine

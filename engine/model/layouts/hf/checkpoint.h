// Finds the files that hold the weights of a Hugging Face directory, and reads their tensors into one
// table: model.safetensors, its shards (model.safetensors.index.json), pytorch_model.bin, its shards
// (pytorch_model.bin.index.json). The first of them that is there is read, as transformers does.
//
// Thread-safety: pure functions; the directory is only read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/tensor_file.h"

namespace dragoman::engine {

struct ShardIndex {
  std::vector<std::string> files;                      // each once, in order of name
  std::map<std::string, size_t, std::less<>> file_of;  // tensor -> place in `files`
};

// Reads an index file: {"weight_map": {tensor: file, ...}}. Shards must lie beside it and end in `suffix`
// (".safetensors", ".bin"). INVALID_ARGUMENT names `file`, the tensor and what is wrong.
absl::StatusOr<ShardIndex> ParseShardIndex(std::string_view text, std::string_view file,
                                           std::string_view suffix);

// Maps the files of the weights and reads what tensors they have; at most `max_bytes` in all.
// NOT_FOUND when a file is missing, INVALID_ARGUMENT for broken ones, a tensor that its shard does
// not have, or one that two shards have. A tensor that the index does not name is left out.
absl::StatusOr<Checkpoint> ReadCheckpoint(const ModelFolder& folder, size_t max_bytes);

}  // namespace dragoman::engine

// Finds the weight files of a Hugging Face directory and reads their tensors into one table. The
// weights may be in model.safetensors, its shards (model.safetensors.index.json),
// pytorch_model.bin, its shards, or the fp16 variants of these. Like transformers, reads only the
// first of these that exists.
//
// Thread-safety: pure functions.
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
  std::vector<std::string> files;  // the shards, sorted, without repeats
  // Maps a tensor's name to an index into `files`.
  std::map<std::string, size_t, std::less<>> file_of;
};

// Reads an index file: {"weight_map": {tensor: file, ...}}. Names of shards must end in `suffix`
// (".safetensors", ".bin") and have no folder. If the index is invalid, returns INVALID_ARGUMENT,
// which names `file` and the tensor.
absl::StatusOr<ShardIndex> ParseShardIndex(std::string_view text, std::string_view file,
                                           std::string_view suffix);

// Maps the files of the weights into memory and reads their tensors. The files may have at most
// `max_bytes` together. Leaves out tensors that the index does not name. Returns NOT_FOUND if a
// file is missing. Returns INVALID_ARGUMENT if a file is invalid, a shard lacks a tensor that the
// index promises, or two shards have the same tensor.
absl::StatusOr<Checkpoint> ReadCheckpoint(const ModelFolder& folder, size_t max_bytes);

}  // namespace dragoman::engine

#include "engine/model/layouts/hf/directory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/base/file_record.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/tensor_file.h"
#include "engine/model/layouts/base/weights_loader.h"
#include "engine/model/layouts/hf/config.h"

namespace dragoman::engine {
namespace {

constexpr JsonLimits kIndexLimits = {.max_bytes = 8 << 20, .max_depth = 8, .max_values = 1 << 18};
constexpr size_t kMaxShards = 256;
// The most tensors in all shards together. The size of its header limits those of one file.
constexpr size_t kMaxTensors = 1 << 17;

struct Format {
  std::string_view name;
  std::string_view index;
  std::string_view suffix;
  absl::StatusOr<TensorTable> (*parse)(std::span<const uint8_t>, std::string_view);
};

// The first that exists is read. The last two are variants in transformers' terms.
constexpr std::array<Format, 4> kFormats = {{
    {"model.safetensors", "model.safetensors.index.json", ".safetensors", &ParseSafetensors},
    {"pytorch_model.bin", "pytorch_model.bin.index.json", ".bin", &ParseTorchFile},
    {"model.fp16.safetensors", "model.safetensors.index.fp16.json", ".safetensors",
     &ParseSafetensors},
    {"pytorch_model.fp16.bin", "pytorch_model.bin.index.fp16.json", ".bin", &ParseTorchFile},
}};

std::string Shown(std::string_view name) { return DescribeJson(nlohmann::json(std::string(name))); }

// Returns the first weight file, by name, of another program; "" if there is none.
std::string WeightsOfAnother(const std::string& directory) {
  const std::vector<std::string> names =
      ListNames(directory, {".h5", ".msgpack", ".ot", ".onnx", ".gguf", ".pt", ".ckpt"});
  return names.empty() ? "" : names.front();
}

absl::StatusOr<TensorTable> ReadFile(const ModelFolder& folder, const std::string& name,
                                     const Format& format, size_t max_bytes,
                                     Checkpoint* checkpoint) {
  const size_t used = checkpoint->bytes();
  absl::StatusOr<MappedFile> file = folder.Map(name, max_bytes - used);
  if (!file.ok()) return file.status();
  absl::StatusOr<TensorTable> tensors = format.parse(file->bytes(), name);
  // Reports a change of the file before errors in its bytes, which the change may have caused.
  if (absl::Status status = file->Check(); !status.ok()) return status;
  if (!tensors.ok()) return tensors.status();
  for (auto& [tensor, view] : *tensors) view.file = checkpoint->files.size();
  checkpoint->names.push_back(name);
  checkpoint->files.push_back(*std::move(file));
  return tensors;
}

absl::StatusOr<Checkpoint> ReadShards(const ModelFolder& folder, const Format& format,
                                      size_t max_bytes) {
  const absl::StatusOr<std::string> text = folder.Read(format.index, kIndexLimits.max_bytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<ShardIndex> index = ParseShardIndex(*text, format.index, format.suffix);
  if (!index.ok()) return index.status();
  Checkpoint checkpoint;
  for (size_t shard = 0; shard < index->files.size(); ++shard) {
    absl::StatusOr<TensorTable> tensors =
        ReadFile(folder, index->files[shard], format, max_bytes, &checkpoint);
    if (!tensors.ok()) return tensors.status();
    const size_t all = checkpoint.tensors.size() + checkpoint.unlisted.size() + tensors->size();
    if (all > kMaxTensors) {
      return absl::InvalidArgumentError(Concat(index->files[shard], ": with this shard there are ",
                                               all, " tensors, expected at most ", kMaxTensors));
    }
    for (auto& [tensor, view] : *tensors) {
      const auto listed = index->file_of.find(tensor);
      if (listed == index->file_of.end()) {
        checkpoint.unlisted.push_back(tensor);
      } else if (listed->second == shard) {
        checkpoint.tensors.emplace(tensor, std::move(view));
      } else {
        return absl::InvalidArgumentError(
            Concat(index->files[shard], ": tensor '", tensor, "' is here, though ", format.index,
                   " places it in '", index->files[listed->second], "'"));
      }
    }
  }
  for (const auto& [tensor, shard] : index->file_of) {
    if (!checkpoint.tensors.contains(tensor)) {
      return absl::InvalidArgumentError(Concat(index->files[shard], ": tensor '", tensor,
                                               "' is missing, though ", format.index,
                                               " places it there"));
    }
  }
  return checkpoint;
}

absl::StatusOr<HfConfig> ReadConfig(const ModelFolder& folder) {
  HfConfigTexts texts;
  absl::StatusOr<std::string> config = folder.Read("config.json", kMaxConfigBytes);
  if (!config.ok()) return config.status();
  texts.config = *std::move(config);
  absl::StatusOr<std::optional<std::string>> generation =
      folder.ReadOptional("generation_config.json", kMaxConfigBytes);
  if (!generation.ok()) return generation.status();
  texts.generation = *std::move(generation);
  absl::StatusOr<TokenizerConfigTexts> tokenizer = ReadTokenizerConfigTexts(folder);
  if (!tokenizer.ok()) return tokenizer.status();
  texts.tokenizer = *std::move(tokenizer);
  return ParseHfConfig(texts);
}

// Returns the maximum size of all weight files together, in bytes: four times the size of all
// parameters in float64, plus 64 MiB. This has room for tied matrices under several names and for
// unused tensors. But a file that is far too large is refused before it is read.
size_t MaxWeightBytes(const Program& program) {
  int64_t elements = 0;
  for (const Weight& weight : program.weights) elements += weight.elements();
  return 4 * sizeof(double) * static_cast<size_t>(elements) + (size_t{64} << 20);
}

std::string NoteOfUnused(const std::vector<std::string>& tensors) {
  constexpr size_t kNamed = 5;
  std::string note =
      Concat(tensors.size(), tensors.size() == 1 ? " tensor" : " tensors",
             " of the checkpoint not used, because the network that config.json describes has no ",
             "place for them: ");
  for (size_t i = 0; i < std::min(kNamed, tensors.size()); ++i) {
    note += Concat(i == 0 ? "" : ", ", tensors[i].substr(0, 128));
  }
  if (tensors.size() > kNamed) note += ", ...";
  return note;
}

absl::Status LoadInto(const ModelFolder& folder, LoadedModel* model, HfConfig config) {
  ModelSpec& spec = model->spec;
  spec = std::move(config.spec);
  const Family& family = *FindFamily(spec.family);
  absl::StatusOr<Network> network = family.make(spec);
  if (!network.ok()) return network.status();
  absl::StatusOr<Checkpoint> checkpoint = ReadCheckpoint(folder, MaxWeightBytes(network->program));
  if (!checkpoint.ok()) return checkpoint.status();
  if (spec.tie_output && spec.stored_output_wins && HasOtherSpare(*checkpoint, *network)) {
    spec.tie_output = false;
    network = family.make(spec);
    if (!network.ok()) return network.status();
  }
  absl::StatusOr<OpenedWeights> loaded = OpenWeights(folder, *std::move(checkpoint), *network);
  if (!loaded.ok()) return loaded.status();
  model->program = std::move(network->program);
  model->weights = std::move(loaded->weights);
  model->notes = std::move(config.notes);
  if (!loaded->unused.empty()) model->notes.push_back(NoteOfUnused(loaded->unused));
  for (const std::string& tensor : loaded->replaced) {
    model->notes.push_back(
        Concat("tensor ", tensor.substr(0, 128),
               " of the checkpoint not used, because config.json ties the output "
               "layer to the embedding"));
  }
  return absl::OkStatus();
}

bool Recognises(const DiskFolder& folder) { return folder.Has("config.json"); }

absl::StatusOr<LoadedModel> Load(const DiskFolder& folder, TokenizerChoice tokenizer) {
  absl::StatusOr<HfConfig> config = ReadConfig(folder);
  if (!config.ok()) return config.status();
  absl::StatusOr<ModelTokenizer> texts = ReadHfTokenizer(folder, tokenizer, &*config);
  if (!texts.ok()) return texts.status();
  LoadedModel model(*std::move(texts));
  absl::Status status = LoadInto(folder, &model, *std::move(config));
  if (!status.ok()) return status;
  return model;
}

}  // namespace

absl::StatusOr<ShardIndex> ParseShardIndex(std::string_view text, std::string_view file,
                                           std::string_view suffix) {
  const auto invalid = [file](std::string_view what) {
    return absl::InvalidArgumentError(Concat(file, ": ", what));
  };
  const absl::StatusOr<nlohmann::json> root = ParseJsonObject(text, file, kIndexLimits);
  if (!root.ok()) return root.status();
  const auto map = root->find("weight_map");
  if (map == root->end() || !map->is_object() || map->empty()) {
    return invalid(Concat("field 'weight_map' is ",
                          map == root->end() ? "missing" : DescribeJson(*map),
                          ", expected an object of tensors and their files"));
  }
  std::set<std::string> names;
  for (const auto& [tensor, shard] : map->items()) {
    if (tensor.size() > kMaxTensorNameBytes) {
      return invalid(Concat("a tensor's name has ", tensor.size(), " bytes, expected at most ",
                            kMaxTensorNameBytes));
    }
    const std::string name = shard.is_string() ? shard.get<std::string>() : "";
    // Only files next to the index: a path could lead anywhere.
    if (name.size() <= suffix.size() || name.size() > kMaxTensorNameBytes ||
        !name.ends_with(suffix) || name.find('/') != std::string::npos ||
        name.find('\0') != std::string::npos) {
      return invalid(Concat("tensor ", Shown(tensor), " is in ", DescribeJson(shard),
                            ", expected the name of a file here that ends in ", suffix));
    }
    names.insert(name);
  }
  if (names.size() > kMaxShards) {
    return invalid(Concat(names.size(), " files, expected at most ", kMaxShards));
  }
  ShardIndex index;
  index.files.assign(names.begin(), names.end());
  for (const auto& [tensor, shard] : map->items()) {
    const auto at = names.find(shard.get<std::string>());
    index.file_of.emplace(tensor, static_cast<size_t>(std::distance(names.begin(), at)));
  }
  return index;
}

absl::StatusOr<Checkpoint> ReadCheckpoint(const ModelFolder& folder, size_t max_bytes) {
  for (const Format& format : kFormats) {
    if (folder.Has(format.name)) {
      Checkpoint checkpoint;
      absl::StatusOr<TensorTable> tensors =
          ReadFile(folder, std::string(format.name), format, max_bytes, &checkpoint);
      if (!tensors.ok()) return tensors.status();
      checkpoint.tensors = *std::move(tensors);
      return checkpoint;
    }
    if (folder.Has(format.index)) return ReadShards(folder, format, max_bytes);
  }
  const std::string other = WeightsOfAnother(folder.path());
  return absl::NotFoundError(Concat(
      "found no weights", other.empty() ? "" : Concat(" but ", Shown(other), ", which is not read"),
      ", expected model.safetensors, pytorch_model.bin or the index of their shards"));
}

const ModelLayout kHfLayout = {.name = "huggingface", .recognises = Recognises, .load = Load};

}  // namespace dragoman::engine

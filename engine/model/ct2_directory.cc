#include "engine/model/ct2_directory.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "engine/model/concat.h"
#include "engine/model/ct2_config.h"
#include "engine/model/ct2_model_file.h"
#include "engine/model/ct2_vocabularies.h"
#include "engine/model/families/bart_network.h"
#include "engine/model/file_bytes.h"
#include "engine/model/model_files.h"
#include "engine/model/weights_loader.h"

namespace dragoman {
namespace {

constexpr std::string_view kModelFile = "model.bin";
constexpr std::string_view kConfigFile = "config.json";
// The shape is known only from the file itself: 64 GiB is 16 billion parameters in float32.
constexpr size_t kMaxModelBytes = size_t{64} << 30;
// Older versions have no config.json; what is in it was fixed then.
constexpr int kFirstWithConfig = 6;

absl::StatusOr<Ct2Config> ReadConfig(const std::string& directory, int version) {
  if (version < kFirstWithConfig && !Exists(directory, kConfigFile)) {
    Ct2Config config;
    config.decoder_start_piece = config.bos_piece;
    return config;
  }
  const absl::StatusOr<std::string> text = ReadModelFile(directory, kConfigFile, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  return ParseCt2Config(*text);
}

absl::StatusOr<LoadedModel> LoadFrom(const std::string& directory) {
  absl::StatusOr<FileBytes> bytes = FileBytes::Read(PathOf(directory, kModelFile), kMaxModelBytes);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Ct2ModelFile> file = ParseCt2ModelFile(bytes->bytes(), kModelFile);
  if (!file.ok()) return file.status();
  const absl::StatusOr<Ct2Config> config = ReadConfig(directory, file->version);
  if (!config.ok()) return config.status();
  const absl::StatusOr<Ct2Network> read = ReadCt2Network(*file, kModelFile, *config);
  if (!read.ok()) return read.status();
  absl::StatusOr<Network> network = MakeBartNetwork(read->spec, read->traits);
  if (!network.ok()) return network.status();
  absl::Status status = CheckCt2Variables(*file, kModelFile, *network);
  if (!status.ok()) return status;
  absl::StatusOr<LoadedModel> model = ReadCt2Vocabularies(directory, *config, *read);
  if (!model.ok()) return model.status();

  Checkpoint checkpoint;
  checkpoint.names.emplace_back(kModelFile);
  checkpoint.files.push_back(*std::move(bytes));
  checkpoint.tensors = std::move(file->tensors);
  // An element takes a byte or more, and its aliases are at most two; see ParseCt2ModelFile.
  checkpoint.elements_per_byte = 3;
  absl::StatusOr<LoadedWeights> loaded = LoadWeights(checkpoint, *network);
  if (!loaded.ok()) return loaded.status();
  model->program = std::move(network->program);
  model->weights = std::move(loaded->weights);
  return model;
}

}  // namespace

bool Ct2DirectorySource::Recognises(const std::string& directory) const {
  return Exists(directory, kModelFile);
}

absl::StatusOr<LoadedModel> Ct2DirectorySource::Load(const std::string& directory) const {
  absl::StatusOr<LoadedModel> model = LoadFrom(directory);
  if (!model.ok()) return InDirectory(directory, model.status());
  model->name = NameOf(directory);
  model->layout = std::string(layout());
  return model;
}

}  // namespace dragoman

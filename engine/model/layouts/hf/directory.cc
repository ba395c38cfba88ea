#include "engine/model/layouts/hf/directory.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/layouts/base/weights_loader.h"
#include "engine/model/layouts/hf/checkpoint.h"
#include "engine/model/layouts/hf/config.h"

namespace dragoman::engine {
namespace {

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

}  // namespace

bool HfDirectorySource::Recognises(const DiskFolder& folder) const {
  return folder.Has("config.json");
}

absl::StatusOr<LoadedModel> HfDirectorySource::Load(const DiskFolder& folder,
                                                    const LoadOptions& options) const {
  // Puts the path in front of the message if it is not there yet.
  const auto in_directory = [&folder](const absl::Status& status) {
    return InDirectory(folder.path(), status);
  };
  absl::StatusOr<HfConfig> config = ReadConfig(folder);
  if (!config.ok()) return in_directory(config.status());
  absl::StatusOr<ModelTokenizer> texts = ReadHfTokenizer(folder, options.tokenizer, &*config);
  if (!texts.ok()) return in_directory(texts.status());
  LoadedModel model(*std::move(texts));
  model.name = NameOf(folder.path());
  model.layout = std::string(layout());
  absl::Status status = LoadInto(folder, &model, *std::move(config));
  if (!status.ok()) return in_directory(status);
  return model;
}

}  // namespace dragoman::engine

#include "engine/model/layouts/ct2/directory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/model/formats/json.h"
#include "engine/model/layouts/base/weights_loader.h"
#include "engine/model/layouts/ct2/model_file.h"
#include "engine/model/layouts/ct2/network.h"
#include "engine/model/layouts/ct2/variables.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kConfigFile = "config.json";

// Fields of config.json. Other values require another network or other tokens.
constexpr std::array<NeutralField, 4> kNeutralFields = {{
    {"multi_query_attention", Neutral::kFalse},
    {"quantization_type", Neutral::kZero},
    {"quantization_bits", Neutral::kZero},
    {"quantization_group_size", Neutral::kZero},
}};

// The names of the variables for tokens before version 6.
constexpr std::string_view kUnk = "unk_token";
constexpr std::string_view kBos = "bos_token";
constexpr std::string_view kEos = "eos_token";
constexpr std::string_view kSourceBos = "with_source_bos";
constexpr std::string_view kSourceEos = "with_source_eos";
constexpr std::string_view kTargetBos = "with_target_bos";
constexpr std::string_view kUserStart = "user_decoder_start_tokens";
constexpr std::array<std::string_view, 7> kVariables = {
    kUnk, kBos, kEos, kSourceBos, kSourceEos, kTargetBos, kUserStart};

constexpr std::string_view kModelFile = "model.bin";
// Only the file itself has the shape. 64 GiB is 16 billion parameters in float32.
constexpr size_t kMaxModelBytes = size_t{64} << 30;
// The first version that describes the tokens in config.json. Older versions describe them in
// model.bin.
constexpr int kFirstWithConfig = 6;

absl::StatusOr<Ct2Config> ReadConfig(const ModelFolder& folder, const Ct2ModelFile& model) {
  const bool is_older = model.version < kFirstWithConfig;
  if (is_older && !folder.Has(kConfigFile)) return ReadOlderCt2Config(model, kModelFile);
  const absl::StatusOr<std::string> text = folder.Read(kConfigFile, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Ct2Config> config = ParseCt2Config(*text);
  if (!config.ok() || !is_older) return config;
  absl::StatusOr<Ct2Config> older = ReadOlderCt2Config(model, kModelFile);
  if (older.ok()) older->norm_epsilon = config->norm_epsilon;
  return older;
}

bool Recognises(const DiskFolder& folder) { return folder.Has(kModelFile); }

absl::StatusOr<LoadedModel> Load(const DiskFolder& folder, TokenizerChoice choice) {
  const absl::StatusOr<TokenizerConfig> fields = ReadTokenizerConfig(folder);
  if (!fields.ok()) return fields.status();
  return LoadCt2Model(folder, folder, *fields, choice);
}

}  // namespace

absl::StatusOr<Ct2Config> ParseCt2Config(std::string_view text) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, kConfigFile);
  if (!root.ok()) return root.status();
  JsonFields fields(kConfigFile, *root);
  RequireNeutral(kNeutralFields, &fields);
  Ct2Config config;
  Ct2Tokens& tokens = config.tokens;
  tokens.unk_piece = fields.String("unk_token", tokens.unk_piece);
  tokens.bos_piece = fields.String("bos_token", tokens.bos_piece);
  tokens.eos_piece = fields.String("eos_token", tokens.eos_piece);
  if (fields.Has("decoder_start_token")) {
    tokens.decoder_start_piece = fields.String("decoder_start_token", "");
  }
  tokens.adds_source_begin = fields.Bool("add_source_bos", false);
  tokens.adds_source_end = fields.Bool("add_source_eos", false);
  if (const std::optional<double> epsilon = fields.OptionalNumber("layer_norm_epsilon")) {
    config.norm_epsilon = static_cast<float>(*epsilon);
    if (!(*epsilon >= 0 && *epsilon < 1)) {
      fields.Fail("layer_norm_epsilon", "a number from 0 to 1");
    }
  }
  if (!fields.status().ok()) return fields.status();
  return config;
}

absl::StatusOr<Ct2Config> ReadOlderCt2Config(const Ct2ModelFile& model, std::string_view file) {
  Ct2Variables in(model, file);
  Ct2Config config;
  Ct2Tokens& tokens = config.tokens;
  tokens.unk_piece = in.Text(kUnk, tokens.unk_piece);
  tokens.bos_piece = in.Text(kBos, tokens.bos_piece);
  tokens.eos_piece = in.Text(kEos, tokens.eos_piece);
  tokens.adds_source_end = in.Number(kSourceEos, 0) != 0;
  tokens.adds_source_begin = in.Number(kSourceBos, 0) != 0;
  if (in.Number(kUserStart, 0) == 0) {
    tokens.decoder_start_piece =
        in.Number(kTargetBos, 1) != 0 ? tokens.bos_piece : tokens.eos_piece;
  }
  if (!in.status().ok()) return in.status();
  return config;
}

bool IsOfOlderCt2Config(std::string_view variable) {
  return std::find(kVariables.begin(), kVariables.end(), variable) != kVariables.end();
}

absl::StatusOr<LoadedModel> LoadCt2Model(const ModelFolder& folder, const ModelFolder& tokenizer,
                                         const TokenizerConfig& fields, TokenizerChoice choice) {
  absl::StatusOr<MappedFile> bytes = folder.Map(kModelFile, kMaxModelBytes);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<Ct2ModelFile> file = ParseCt2ModelFile(bytes->bytes(), kModelFile);
  if (absl::Status status = bytes->Check(); !status.ok()) return status;
  if (!file.ok()) return file.status();
  absl::StatusOr<Ct2Config> config = ReadConfig(folder, *file);
  if (!config.ok()) return config.status();
  absl::StatusOr<Ct2Network> read = ReadCt2Network(kModelFile, *config, &*file);
  if (!read.ok()) return read.status();
  const Ct2NetworkTokens network = {.file = kModelFile,
                                    .sizes = read->spec.embedding_sizes(),
                                    .is_t5 = read->spec.family == "t5",
                                    .starts_empty = read->starts_empty};
  std::vector<std::string> notes;
  absl::StatusOr<ModelTokenizer> texts = ReadCt2Vocabularies(
      folder, tokenizer, fields, choice, config->tokens, network, &read->spec.tokens, &notes);
  if (!texts.ok()) return texts.status();
  LoadedModel model(*std::move(texts));
  model.spec = std::move(read->spec);
  model.notes = std::move(notes);

  Checkpoint checkpoint;
  checkpoint.names.emplace_back(kModelFile);
  checkpoint.files.push_back(*std::move(bytes));
  checkpoint.tensors = std::move(file->tensors);
  // An element has at least one byte, and variables with their aliases have at most three times as
  // many elements as the variables alone (ParseCt2ModelFile).
  checkpoint.elements_per_byte = 3;
  absl::StatusOr<OpenedWeights> loaded = OpenWeights(folder, std::move(checkpoint), read->network);
  if (!loaded.ok()) return loaded.status();
  model.program = std::move(read->network.program);
  model.weights = std::move(loaded->weights);
  return model;
}

const ModelLayout kCt2Layout = {.name = "ctranslate2", .recognises = Recognises, .load = Load};

}  // namespace dragoman::engine

#include "engine/model/hf_directory.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/hf_config.h"
#include "engine/model/mapped_file.h"
#include "engine/model/name_map.h"
#include "engine/model/safetensors.h"
#include "engine/model/tensor_file.h"
#include "engine/model/torch_file.h"
#include "engine/model/weights_loader.h"

namespace dragoman {
namespace {

constexpr size_t kMaxConfigBytes = 1 << 20;
constexpr size_t kMaxVocabularyBytes = 64 << 20;
constexpr size_t kMaxSentencePieceBytes = 64 << 20;

std::string PathOf(const std::string& directory, std::string_view file) {
  return (std::filesystem::path(directory) / file).string();
}

bool Exists(const std::string& directory, std::string_view file) {
  std::error_code error;
  return std::filesystem::exists(PathOf(directory, file), error);
}

absl::StatusOr<std::optional<std::string>> ReadOptional(const std::string& directory,
                                                        std::string_view file, size_t max_bytes) {
  if (!Exists(directory, file)) return std::nullopt;
  absl::StatusOr<std::string> text = ReadWholeFile(PathOf(directory, file), max_bytes);
  if (!text.ok()) return text.status();
  return *std::move(text);
}

absl::StatusOr<HfConfig> ReadConfig(const std::string& directory) {
  HfConfigTexts texts;
  absl::StatusOr<std::string> config =
      ReadWholeFile(PathOf(directory, "config.json"), kMaxConfigBytes);
  if (!config.ok()) return config.status();
  texts.config = *std::move(config);
  for (const auto& [file, text] : {std::pair("generation_config.json", &texts.generation),
                                   std::pair("tokenizer_config.json", &texts.tokenizer)}) {
    absl::StatusOr<std::optional<std::string>> read =
        ReadOptional(directory, file, kMaxConfigBytes);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  return ParseHfConfig(texts);
}

absl::StatusOr<TransformerWeights> ReadWeights(const std::string& directory,
                                               const ModelSpec& spec) {
  const bool safetensors = Exists(directory, "model.safetensors");
  if (!safetensors && !Exists(directory, "pytorch_model.bin")) {
    if (Exists(directory, "model.safetensors.index.json") ||
        Exists(directory, "pytorch_model.bin.index.json")) {
      return absl::UnimplementedError("the weights are split over several files, expected one");
    }
    return absl::NotFoundError("neither model.safetensors nor pytorch_model.bin is there");
  }
  const char* name = safetensors ? "model.safetensors" : "pytorch_model.bin";
  absl::StatusOr<MappedFile> file = MappedFile::Open(PathOf(directory, name));
  if (!file.ok()) return file.status();
  absl::StatusOr<TensorTable> tensors =
      safetensors ? ParseSafetensors(file->bytes(), name) : ParseTorchFile(file->bytes(), name);
  if (!tensors.ok()) return tensors.status();
  const TensorFile tensor_file{
      .name = name, .file = *std::move(file), .tensors = *std::move(tensors)};
  return LoadTransformerWeights(tensor_file, MarianNameMap(), spec);
}

absl::StatusOr<Vocabulary> ReadVocabulary(const std::string& directory, std::string_view file,
                                          int size) {
  const absl::StatusOr<std::string> text =
      ReadWholeFile(PathOf(directory, file), kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  return Vocabulary::Parse(*text, file, size);
}

absl::StatusOr<int> SpecialId(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece) {
  const std::optional<int> id = vocabulary.IdOf(piece);
  if (id) return *id;
  return absl::InvalidArgumentError(Concat(file, ": the special token '", piece, "' is not in it"));
}

// Fills in what the vocabularies say about the special tokens, and checks that they and the
// configuration agree.
absl::Status ReadSpecialTokens(const HfTokenizerConfig& config, LoadedModel* model) {
  const bool separate = model->own_target_vocabulary.has_value();
  const std::string_view target_file = separate ? "target_vocab.json" : "vocab.json";
  const Vocabulary& source = model->source_vocabulary;
  const Vocabulary& target = model->TargetVocabulary();

  const absl::StatusOr<int> source_eos = SpecialId(source, "vocab.json", config.eos_piece);
  if (!source_eos.ok()) return source_eos.status();
  const absl::StatusOr<int> source_unk = SpecialId(source, "vocab.json", config.unk_piece);
  if (!source_unk.ok()) return source_unk.status();
  model->tokenizer.source_eos = *source_eos;
  model->tokenizer.source_unk = *source_unk;

  const absl::StatusOr<int> unk = SpecialId(target, target_file, config.unk_piece);
  if (!unk.ok()) return unk.status();
  model->spec.tokens.unk = *unk;
  for (const auto& [piece, field, id] :
       {std::tuple(&config.eos_piece, "eos_token_id", model->spec.tokens.eos),
        std::tuple(&config.pad_piece, "pad_token_id", model->spec.tokens.pad)}) {
    const absl::StatusOr<int> found = SpecialId(target, target_file, *piece);
    if (!found.ok()) return found.status();
    if (*found != id) {
      return absl::InvalidArgumentError(Concat(target_file, ": piece '", *piece, "' has id ",
                                               *found, ", expected ", id, ", the ", field,
                                               " of the configuration"));
    }
  }
  return absl::OkStatus();
}

// added_tokens.json may repeat the special tokens; others would change how text is cut.
absl::Status RefuseAddedTokens(const std::string& directory, const HfTokenizerConfig& config) {
  constexpr std::string_view kFile = "added_tokens.json";
  const absl::StatusOr<std::optional<std::string>> text =
      ReadOptional(directory, kFile, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  if (!text->has_value()) return absl::OkStatus();
  return CheckAddedTokens(**text, kFile, config);
}

absl::Status LoadInto(const std::string& directory, LoadedModel* model, HfConfig config) {
  model->spec = std::move(config.spec);
  model->tokenizer.max_source_tokens = config.tokenizer.model_max_length;
  if (absl::Status status = RefuseAddedTokens(directory, config.tokenizer); !status.ok()) {
    return status;
  }
  if (absl::Status status = ReadSpecialTokens(config.tokenizer, model); !status.ok()) {
    return status;
  }
  for (const auto& [file, bytes] : {std::pair("source.spm", &model->tokenizer.source_spm),
                                    std::pair("target.spm", &model->tokenizer.target_spm)}) {
    absl::StatusOr<std::string> read =
        ReadWholeFile(PathOf(directory, file), kMaxSentencePieceBytes);
    if (!read.ok()) return read.status();
    *bytes = *std::move(read);
  }
  absl::StatusOr<TransformerWeights> weights = ReadWeights(directory, model->spec);
  if (!weights.ok()) return weights.status();
  model->weights = *std::move(weights);
  return absl::OkStatus();
}

}  // namespace

bool HfDirectorySource::Recognises(const std::string& directory) const {
  return Exists(directory, "config.json");
}

absl::StatusOr<LoadedModel> HfDirectorySource::Load(const std::string& directory) const {
  // Paths are named in the messages once, in front of all.
  const auto in_directory = [&directory](const absl::Status& status) {
    const bool named = status.message().substr(0, directory.size()) == directory;
    return named ? status : absl::Status(status.code(), Concat(directory, ": ", status.message()));
  };
  absl::StatusOr<HfConfig> config = ReadConfig(directory);
  if (!config.ok()) return in_directory(config.status());
  absl::StatusOr<Vocabulary> source =
      ReadVocabulary(directory, "vocab.json", config->spec.shape.source_vocab);
  if (!source.ok()) return in_directory(source.status());
  std::optional<Vocabulary> target;
  if (config->tokenizer.separate_vocabularies) {
    absl::StatusOr<Vocabulary> read =
        ReadVocabulary(directory, "target_vocab.json", config->spec.shape.target_vocab);
    if (!read.ok()) return in_directory(read.status());
    target = *std::move(read);
  } else if (config->spec.shape.target_vocab != config->spec.shape.source_vocab) {
    return in_directory(absl::InvalidArgumentError(
        Concat("config.json: field 'decoder_vocab_size' is ", config->spec.shape.target_vocab,
               ", expected vocab_size ", config->spec.shape.source_vocab,
               ", as tokenizer_config.json has no separate_vocabs")));
  }
  LanguageMap languages(config->tokenizer.source_language, config->tokenizer.target_language,
                        LanguageTags(*source));
  std::filesystem::path path(directory);
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  LoadedModel model{.name = path.filename().string(),
                    .layout = std::string(layout()),
                    .source_vocabulary = *std::move(source),
                    .own_target_vocabulary = std::move(target),
                    .languages = std::move(languages)};
  absl::Status status = LoadInto(directory, &model, *std::move(config));
  if (!status.ok()) return in_directory(status);
  return model;
}

}  // namespace dragoman

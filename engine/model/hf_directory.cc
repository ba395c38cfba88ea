#include "engine/model/hf_directory.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/families/family.h"
#include "engine/model/file_bytes.h"
#include "engine/model/hf_checkpoint.h"
#include "engine/model/hf_config.h"
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

// What the files of the weights may have: every parameter four times over in float64, so that tied
// matrices under several names and tensors of no use find room, but a file of the wrong kind is
// refused before it fills the memory.
size_t MaxWeightBytes(const Program& program) {
  int64_t elements = 0;
  for (const Weight& weight : program.weights) elements += weight.elements();
  return 4 * sizeof(double) * static_cast<size_t>(elements) + (size_t{64} << 20);
}

// For the log: the first few names.
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

absl::StatusOr<LoadedWeights> ReadWeights(const std::string& directory, const Network& network) {
  const absl::StatusOr<Checkpoint> checkpoint =
      ReadCheckpoint(directory, MaxWeightBytes(network.program));
  if (!checkpoint.ok()) return checkpoint.status();
  return LoadWeights(*checkpoint, network);
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
  if (target.size() < 4) {
    return absl::InvalidArgumentError(
        Concat(target_file, ": ", target.size(), " pieces, expected one besides '",
               config.eos_piece, "', '", config.unk_piece, "' and '", config.pad_piece, "'"));
  }
  model->tokenizer.source_eos = *source_eos;
  model->tokenizer.source_unk = *source_unk;

  // Of several ends the tokenizer's is the one that the source has, and that may be forced.
  SpecialIds& tokens = model->spec.tokens;
  if (const std::optional<int> own = target.IdOf(config.eos_piece)) {
    const auto at = std::find(tokens.more_eos.begin(), tokens.more_eos.end(), *own);
    if (at != tokens.more_eos.end()) std::swap(*at, tokens.eos);
  }
  if (const std::optional<int> forced = model->spec.generation.forced_eos;
      forced && *forced != tokens.eos) {
    return absl::UnimplementedError(Concat("forced_eos_token_id is ", *forced,
                                           ", which is not supported; supported: null or ",
                                           tokens.eos, ", the id of '", config.eos_piece, "'"));
  }

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
  const int needed = LanguageTags(model->source_vocabulary).empty() ? 2 : 3;
  if (model->tokenizer.max_source_tokens < needed) {
    const bool by_tokenizer = model->tokenizer.max_source_tokens < model->spec.shape.max_positions;
    return absl::InvalidArgumentError(
        Concat(by_tokenizer ? "tokenizer_config.json: field 'model_max_length'"
                            : "config.json: field 'max_position_embeddings'",
               " is ", model->tokenizer.max_source_tokens, ", expected at least ", needed,
               ": a token, the end of sentence", needed == 3 ? " and the language tag" : ""));
  }
  TokenizerFacts& facts = model->tokenizer;
  facts.source_path = PathOf(directory, "source.spm");
  facts.target_path = PathOf(directory, "target.spm");
  for (const auto& [path, bytes] : {std::pair(&facts.source_path, &facts.source_spm),
                                    std::pair(&facts.target_path, &facts.target_spm)}) {
    absl::StatusOr<std::string> read = ReadWholeFile(*path, kMaxSentencePieceBytes);
    if (!read.ok()) return read.status();
    *bytes = *std::move(read);
  }
  absl::StatusOr<Network> network = FindFamily(model->spec.family)->make(model->spec);
  if (!network.ok()) return network.status();
  absl::StatusOr<LoadedWeights> loaded = ReadWeights(directory, *network);
  if (!loaded.ok()) return loaded.status();
  model->program = std::move(network->program);
  model->weights = std::move(loaded->weights);
  model->notes = std::move(config.notes);
  if (!loaded->unused.empty()) model->notes.push_back(NoteOfUnused(loaded->unused));
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

#include "engine/model/tokenizer_files.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "engine/model/concat.h"
#include "engine/model/hf_fields.h"
#include "engine/model/json.h"
#include "engine/model/model_files.h"
#include "engine/text/byte_bpe.h"
#include "engine/text/spm_file.h"

namespace dragoman {
namespace {

constexpr std::string_view kTokenizerConfig = "tokenizer_config.json";
constexpr std::string_view kVocabularyFile = "vocab.json";
constexpr std::string_view kMergesFile = "merges.txt";

}  // namespace

absl::StatusOr<TokenizerFields> ReadTokenizerFields(const ModelFolder& folder) {
  TokenizerFields read;
  const absl::StatusOr<std::optional<std::string>> text =
      folder.ReadOptional(kTokenizerConfig, kMaxConfigBytes);
  if (!text.ok()) return text.status();
  if (!text->has_value()) return read;
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(**text, kTokenizerConfig);
  if (!root.ok()) return root.status();
  JsonFields fields(kTokenizerConfig, *root);
  read.tokenizer_class = fields.String("tokenizer_class", "");
  read.source_language = fields.String("source_lang", "");
  read.target_language = fields.String("target_lang", "");
  read.legacy = fields.Bool("legacy_behaviour", false);
  read.add_prefix_space = fields.Bool("add_prefix_space", false);
  if (!fields.status().ok()) return fields.status();
  return read;
}

absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  const absl::StatusOr<SpmFile> parsed = ParseSpmFile(spm, spm_file);
  if (!parsed.ok()) return parsed.status();
  std::vector<std::string> pieces;
  pieces.reserve(parsed->pieces.size());
  for (const SpmPiece& piece : parsed->pieces) pieces.push_back(piece.text);
  return CheckBelongs(pieces, spm_file, vocabulary, vocabulary_file);
}

absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  const auto known = std::count_if(pieces.begin(), pieces.end(), [&](const std::string& piece) {
    return vocabulary.IdOf(piece).has_value();
  });
  if (static_cast<size_t>(known) * 2 >= pieces.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(file, ": ", known, " of its ", pieces.size(),
                                           " pieces are in ", vocabulary_file,
                                           ", expected at least half: it is another model's"));
}

absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder, TokenizerFacts* facts) {
  absl::StatusOr<std::string> text = folder.Read(kTokenizerJsonFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<TokenizerJson> json = ParseTokenizerJson(*text, kTokenizerJsonFile);
  if (!json.ok()) return json.status();
  facts->source_path = facts->target_path = PathOf(folder.path(), kTokenizerJsonFile);
  facts->source_spm = *std::move(text);
  facts->model = json->model;
  return json;
}

absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space, TokenizerFacts* facts) {
  const absl::StatusOr<std::string> text = folder.Read(kVocabularyFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Vocabulary> vocabulary =
      Vocabulary::Parse(*text, kVocabularyFile, std::nullopt);
  if (!vocabulary.ok()) return vocabulary.status();
  const absl::StatusOr<std::string> merges = folder.Read(kMergesFile, kMaxVocabularyBytes);
  if (!merges.ok()) return merges.status();
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<size_t>(vocabulary->size()));
  for (int id = 0; id < vocabulary->size(); ++id) pieces.emplace_back(vocabulary->PieceOf(id));
  absl::StatusOr<std::unique_ptr<ByteBpe>> model =
      ByteBpe::Create(pieces, *merges, kMergesFile, add_prefix_space);
  if (!model.ok()) return model.status();
  facts->source_path = facts->target_path = PathOf(folder.path(), kVocabularyFile);
  facts->source_spm = *text + *merges;
  facts->model = *std::move(model);
  return pieces;
}

absl::Status RequireTextAndEnd(const TokenizerJson& json) {
  if (json.layout.size() == 2 && json.layout[0] == "$A") return absl::OkStatus();
  return absl::UnimplementedError(
      Concat(kTokenizerJsonFile, ": field 'post_processor' has ", json.layout.size(),
             " parts, which is not supported; supported: the text and the end of sentence"));
}

absl::Status RequireSpecialAdded(const TokenizerJson& json) {
  for (const TokenizerJson::Added& added : json.added) {
    if (added.special) continue;
    return absl::UnimplementedError(
        Concat(kTokenizerJsonFile, ": field 'added_tokens' has '", added.piece.substr(0, 64),
               "', which is not special; supported: special tokens and languages"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman

#include "engine/model/tokenizer_files.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engine/model/concat.h"
#include "engine/model/hf_fields.h"
#include "engine/model/json.h"
#include "engine/model/model_files.h"
#include "engine/text/spm_file.h"

namespace dragoman {
namespace {

constexpr std::string_view kTokenizerConfig = "tokenizer_config.json";

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
  if (!fields.status().ok()) return fields.status();
  return read;
}

absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  const absl::StatusOr<SpmFile> parsed = ParseSpmFile(spm, spm_file);
  if (!parsed.ok()) return parsed.status();
  const std::vector<SpmPiece>& pieces = parsed->pieces;
  const auto known = std::count_if(pieces.begin(), pieces.end(), [&](const SpmPiece& piece) {
    return vocabulary.IdOf(piece.text).has_value();
  });
  if (static_cast<size_t>(known) * 2 >= pieces.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(spm_file, ": ", known, " of its ", pieces.size(),
                                           " pieces are in ", vocabulary_file,
                                           ", expected at least half: it is another model's"));
}

}  // namespace dragoman

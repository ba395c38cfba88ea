#include "engine/model/tokenizers/side_vocabularies.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/yaml.h"
#include "engine/text/sentencepiece/spm_file.h"

namespace dragoman::engine {
namespace {

using Pieces = std::vector<std::string>;

constexpr JsonLimits kVocabularyLimits = {.max_bytes = kMaxVocabularyBytes,
                                          .max_depth = 2,
                                          .max_values = static_cast<size_t>(kMaxVocabulary) + 1};
constexpr size_t kMaxPieceBytes = 1024;

absl::StatusOr<Pieces> ParseYamlPieces(std::string_view text, std::string_view file) {
  const absl::StatusOr<YamlMap> map = ParseYaml(text, file);
  if (!map.ok()) return map.status();
  Pieces pieces(map->size());
  std::vector<bool> is_there(map->size());
  for (const auto& [piece, value] : *map) {
    size_t at = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [read, failed] = std::from_chars(value.text.data(), end, at);
    if (value.is_list || failed != std::errc() || read != end || at >= pieces.size() ||
        piece.size() > kMaxPieceBytes) {
      return absl::InvalidArgumentError(Concat(file, ": line ", value.line, ": '",
                                               std::string_view(piece).substr(0, 64),
                                               "' has no id from 0 to ", pieces.size() - 1,
                                               ", or more than ", kMaxPieceBytes, " bytes"));
    }
    if (is_there[at]) {
      return absl::InvalidArgumentError(Concat(file, ": line ", value.line, ": '",
                                               std::string_view(piece).substr(0, 64),
                                               "' has the id of another piece, ", at));
    }
    is_there[at] = true;
    pieces[at] = piece;
  }
  return pieces;
}

Pieces ParseLines(std::string_view text) {
  Pieces pieces;
  bool has_returns = true;  // whether every line ends with CR LF; if not, a CR is part of its piece
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    pieces.emplace_back(text.substr(0, end));
    has_returns = has_returns && pieces.back().ends_with('\r');
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (has_returns) {
    for (std::string& piece : pieces) piece.pop_back();
  }
  return pieces;
}

absl::StatusOr<Pieces> ParseJsonPieces(std::string_view text, std::string_view file) {
  const absl::StatusOr<nlohmann::json> root = ParseJson(text, file, kVocabularyLimits);
  if (!root.ok()) return root.status();
  if (!root->is_array()) {
    return absl::InvalidArgumentError(
        Concat(file, ": is ", DescribeJson(*root), ", expected an array of pieces"));
  }
  Pieces pieces;
  for (const nlohmann::json& piece : *root) {
    if (!piece.is_string()) {
      return absl::InvalidArgumentError(Concat(file, ": piece ", pieces.size(), " is ",
                                               DescribeJson(piece), ", expected a string"));
    }
    pieces.push_back(piece.get<std::string>());
  }
  return pieces;
}

absl::Status ReadSpm(const ModelFolder& folder, VocabularySide* side) {
  absl::StatusOr<std::string> bytes = folder.Read(side->file, kMaxSentencePieceBytes);
  if (!bytes.ok()) return bytes.status();
  side->spm = *std::move(bytes);
  side->spm_file = side->file;
  const absl::StatusOr<SpmFile> parsed = ParseSpmFile(side->spm, side->file);
  if (!parsed.ok()) return parsed.status();
  for (const SpmPiece& piece : parsed->pieces) {
    const auto id = static_cast<int>(side->pieces.size());
    if (piece.type == SpmPiece::kUnknown) side->unk = id;
    if (piece.type == SpmPiece::kControl) side->control.push_back(id);
    side->pieces.push_back(piece.text);
  }
  return absl::OkStatus();
}

// In a T5 model, CTranslate2's converter gives the rows without a piece the names <extra_id_0> and
// so on, even if pieces with these names exist. If a name occurs twice, CTranslate2 uses the first
// piece, so this makes the second one empty.
void DropSecondExtraIds(Pieces* pieces) {
  std::set<std::string_view> seen;
  for (std::string& piece : *pieces) {
    if (piece.starts_with(kExtraId) && !seen.insert(piece).second) piece.clear();
  }
}

// Makes the vocabulary of a side. It has `rows` ids. With `has_empty`, the last id is the empty
// token.
absl::StatusOr<Vocabulary> MakeVocabulary(VocabularySide* side, int rows, bool has_empty,
                                          const EmbeddingRule& rule) {
  Pieces pieces = std::move(side->pieces);
  const int most = has_empty ? rows - 1 : rows;
  const bool lacks_unk =
      !rule.unk.empty() && std::find(pieces.begin(), pieces.end(), rule.unk) == pieces.end();
  if (lacks_unk) pieces.emplace_back(rule.unk);
  const int fewest = rule.fewest > 0 ? rule.fewest : most;
  const auto found = static_cast<int64_t>(pieces.size());
  if (found < fewest || found > most) {
    return absl::InvalidArgumentError(
        Concat(side->file, ": ", found, " pieces",
               lacks_unk ? Concat(" with '", rule.unk.substr(0, 64), "'") : "", ", expected ",
               rule.fewest > 0 ? Concat(fewest, " to ") : "", most,
               ", the rows of its embedding in ", rule.model_file));
  }
  DropSecondExtraIds(&pieces);
  pieces.resize(static_cast<size_t>(rows));
  return Vocabulary::FromPieces(std::move(pieces), side->file);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParsePieces(std::string_view text, std::string_view file) {
  if (file.ends_with(".yml")) return ParseYamlPieces(text, file);
  absl::StatusOr<Pieces> pieces =
      file.ends_with(".txt") ? ParseLines(text) : ParseJsonPieces(text, file);
  if (!pieces.ok()) return pieces.status();
  if (pieces->size() > static_cast<size_t>(kMaxVocabulary)) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", pieces->size(), " pieces, expected at most ", kMaxVocabulary));
  }
  for (size_t i = 0; i < pieces->size(); ++i) {
    if ((*pieces)[i].size() > kMaxPieceBytes) {
      return absl::InvalidArgumentError(Concat(file, ": piece ", i, " has ", (*pieces)[i].size(),
                                               " bytes, expected at most ", kMaxPieceBytes));
    }
  }
  return pieces;
}

absl::StatusOr<VocabularySide> ReadVocabularySide(const ModelFolder& folder,
                                                  const std::string& file) {
  VocabularySide side{.file = file};
  if (file.ends_with(".spm")) {
    if (absl::Status status = ReadSpm(folder, &side); !status.ok()) return status;
    return side;
  }
  const absl::StatusOr<std::string> text = folder.Read(file, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<Pieces> pieces = ParsePieces(*text, file);
  if (!pieces.ok()) return pieces.status();
  side.pieces = *std::move(pieces);
  return side;
}

absl::StatusOr<SideVocabularies> MakeSideVocabularies(VocabularySide* source,
                                                      VocabularySide* target,
                                                      const EmbeddingSizes& sizes,
                                                      const EmbeddingRule& rule) {
  // If both sides share one embedding, their vocabularies must be equal. The reverse is not
  // required: two embeddings may have one vocabulary file.
  if (sizes.shared && source->pieces != target->pieces) {
    return absl::InvalidArgumentError(Concat(target->file, ": differs from ", source->file,
                                             ", though ", rule.model_file,
                                             " has one embedding for both"));
  }
  absl::StatusOr<Vocabulary> made = MakeVocabulary(source, sizes.source, sizes.shared, rule);
  if (!made.ok()) return made.status();
  SideVocabularies both{*std::move(made), std::nullopt};
  if (sizes.shared) return both;
  made = MakeVocabulary(target, sizes.target, true, rule);
  if (!made.ok()) return made.status();
  both.own_target = *std::move(made);
  return both;
}

absl::StatusOr<int> IdOfPiece(const Vocabulary& vocabulary, std::string_view file,
                              std::string_view piece, std::string_view role) {
  if (const std::optional<int> id = vocabulary.IdOf(piece)) return *id;
  return absl::InvalidArgumentError(
      Concat(file, ": has no '", piece.substr(0, 64), "'", role.empty() ? "" : ", the ", role));
}

}  // namespace dragoman::engine

// A PegasusTokenizer: spiece.model, whose ids are 103 less than the model's. The ids below 105 are
// <pad>, </s>, two masks and <unk_2> to <unk_102>, of which the training alone knew. A source is
// X </s>.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_rules.h"
#include "engine/text/spm_file.h"

namespace dragoman {
namespace {

constexpr std::string_view kSpmFile = "spiece.model";
constexpr std::string_view kMaskOfSentence = "<mask_1>";
constexpr int kOffset = 103;
// How many of SentencePiece's pieces, <pad> and </s>, have other ids before SentencePiece's.
constexpr size_t kReplaced = 2;

// Requires the class's own offset of the ids: other values belong to relatives (BigBird-Pegasus).
void CheckFields(const TokenizerConfig& config, JsonFields* fields) {
  if (config.offset.value_or(kOffset) != kOffset) fields->Unsupported("offset", Concat(kOffset));
  if (config.sentence_mask_piece.value_or(std::string(kMaskOfSentence)) != kMaskOfSentence) {
    fields->Unsupported("mask_token_sent", kMaskOfSentence);
  }
}

// The pieces of the ids before SentencePiece's.
std::vector<std::string> FirstPieces(const TokenizerSettings& config) {
  std::vector<std::string> pieces = {config.pad_piece, config.eos_piece,
                                     std::string(kMaskOfSentence), config.mask_piece};
  for (int i = 2; i < kOffset; ++i) pieces.push_back(Concat("<unk_", i, ">"));
  return pieces;
}

// Tokens that users added would be cut out of the text before SentencePiece sees it.
absl::Status CheckAdded(const TokenizerSettings& config, const std::vector<std::string>& first) {
  const auto refused = [](std::string_view file, std::string_view field, const std::string& piece) {
    return absl::UnimplementedError(Concat(file, ": field '", field, "' has '", piece.substr(0, 64),
                                           "'; supported: special tokens in their places"));
  };
  for (const auto& [id, token] : config.added) {
    const std::string& piece = token.text;
    const bool is_unk = piece == config.unk_piece;
    const bool is_first =
        static_cast<size_t>(id) < first.size() && first[static_cast<size_t>(id)] == piece;
    if (!is_unk && !is_first) return refused(config.added_file, "added_tokens_decoder", piece);
  }
  for (const AddedToken& token : config.listed) {
    if (std::find(first.begin(), first.end(), token.text) == first.end()) {
      return refused(config.listed_file, "additional_special_tokens", token.text);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelTokenizer> ReadPegasusTokenizer(const ModelFolder& folder,
                                                    TokenizerChoice choice,
                                                    CheckpointConfig* config) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  std::vector<std::string> pieces = FirstPieces(tokenizer);
  absl::Status status = RequireSlow(choice, "a PegasusTokenizer");
  if (status.ok()) status = CheckAdded(tokenizer, pieces);
  if (!status.ok()) return status;
  TokenizerDescription facts;
  for (int id = 2; id < static_cast<int>(pieces.size()); ++id) facts.special.push_back(id);

  absl::StatusOr<std::string> spm = folder.Read(kSpmFile, kMaxSentencePieceBytes);
  if (!spm.ok()) return spm.status();
  facts.source_path = facts.target_path = PathOf(folder.path(), kSpmFile);
  facts.source_spm = facts.target_spm = *std::move(spm);
  const absl::StatusOr<SpmFile> file = ParseSpmFile(facts.source_spm, kSpmFile);
  if (!file.ok()) return file.status();
  for (size_t i = kReplaced; i < file->pieces.size(); ++i) {
    pieces.push_back(file->pieces[i].text);
  }
  const auto size = static_cast<size_t>(config->sizes.source);
  if (pieces.size() > size) {
    return absl::InvalidArgumentError(
        Concat("config.json: field 'vocab_size' is ", size, ", expected at least ", pieces.size(),
               ": the pieces of ", kSpmFile, " and ", kOffset, " tokens"));
  }
  pieces.resize(size);
  absl::StatusOr<Vocabulary> vocabulary = Vocabulary::FromPieces(std::move(pieces), kSpmFile);
  if (!vocabulary.ok()) return vocabulary.status();

  const absl::StatusOr<int> unk = SpecialId(*vocabulary, kSpmFile, tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  config->ids.unk = *unk;
  status = CheckSpecialIds(*vocabulary, kSpmFile, *config);
  if (status.ok()) status = CheckSourceRoom(*config, 1);
  if (!status.ok()) return status;
  facts.source_eos = config->ids.eos;
  facts.source_unk = *unk;
  facts.max_source_tokens = tokenizer.model_max_length;
  return ModelTokenizer{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(tokenizer.source_language, tokenizer.target_language, {})};
}

}  // namespace

const TokenizerScheme kPegasusTokenizer = {.read = ReadPegasusTokenizer,
                                           .has_json = false,
                                           .mask_piece = "<mask_2>",
                                           .check = CheckFields};

}  // namespace dragoman

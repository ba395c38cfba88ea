// Reads the files of a PegasusTokenizer: spiece.model or tokenizer.json. An id in tokenizer.json is
// the network's id, and an id in spiece.model is the network's id minus 103. The network's ids
// below 105 are <pad>, </s>, two masks and <unk_2> to <unk_102>. Only training uses the masks and
// these <unk>. A source is the text and </s>.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/text/sentencepiece/spm_file.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kMaskOfSentence = "<mask_1>";
constexpr int kOffset = 103;
// The number of SentencePiece's pieces that have other ids in the network: <pad> and </s>.
constexpr size_t kReplaced = 2;

// Requires the default values of `offset` and `mask_token_sent`. Related models, such as
// BigBird-Pegasus, have other values.
void CheckPegasusFields(const TokenizerConfig& config, JsonFields* fields) {
  if (config.offset.value_or(kOffset) != kOffset) fields->Unsupported("offset", Concat(kOffset));
  if (config.sentence_mask_piece.value_or(std::string(kMaskOfSentence)) != kMaskOfSentence) {
    fields->Unsupported("mask_token_sent", kMaskOfSentence);
  }
}

// Returns the pieces of the network's first ids, which are not pieces of SentencePiece.
std::vector<std::string> FirstPieces(const TokenizerSettings& config) {
  std::vector<std::string> pieces = {config.pad_piece, config.eos_piece,
                                     std::string(kMaskOfSentence), config.mask_piece};
  for (int i = 2; i < kOffset; ++i) pieces.push_back(Concat("<unk_", i, ">"));
  return pieces;
}

// Refuses tokens that users have added. transformers would cut them out of the text before it
// applies SentencePiece.
absl::Status CheckAdded(const TokenizerSettings& config, const std::vector<std::string>& first,
                        const std::vector<TokenizerJson::Added>& json) {
  const auto refused = [](std::string_view file, std::string_view field, const std::string& piece) {
    return absl::UnimplementedError(Concat(file, ": field '", field, "' has '", piece.substr(0, 64),
                                           "'; supported: special tokens in their places"));
  };
  const auto is_known = [&](int id, const std::string& piece) {
    const auto at = static_cast<size_t>(id);
    return piece == config.unk_piece || (at < first.size() && first[at] == piece);
  };
  for (const auto& [id, token] : config.added) {
    if (is_known(id, token.text)) continue;
    return refused(config.added_file, "added_tokens_decoder", token.text);
  }
  for (const TokenizerJson::Added& added : json) {
    if (is_known(added.id, added.token.text)) continue;
    return refused(kTokenizerJsonFile, "added_tokens", added.token.text);
  }
  for (const AddedToken& token : config.listed) {
    if (std::find(first.begin(), first.end(), token.text) == first.end()) {
      return refused(config.listed_file, "additional_special_tokens", token.text);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PiecesOfSpm(const ModelFolder& folder,
                                                     const TokenizerSettings& config,
                                                     TokenizerDescription* facts) {
  std::vector<std::string> pieces = FirstPieces(config);
  if (absl::Status status = CheckAdded(config, pieces, {}); !status.ok()) return status;
  const absl::StatusOr<SpmFile> file = ReadSharedSpm(folder, kSpieceFile, facts);
  if (!file.ok()) return file.status();
  for (size_t i = kReplaced; i < file->pieces.size(); ++i) {
    pieces.push_back(file->pieces[i].text);
  }
  return pieces;
}

absl::StatusOr<std::vector<std::string>> PiecesOfJson(const ModelFolder& folder,
                                                      const TokenizerSettings& config,
                                                      TokenizerDescription* facts) {
  absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, facts);
  if (!json.ok()) return json.status();
  absl::Status status = RequireMetaspace(*json);
  if (status.ok()) status = RequireTextAndEnd(*json);
  if (status.ok()) status = CheckAdded(config, FirstPieces(config), json->added);
  if (!status.ok()) return status;
  return std::move(json->pieces);
}

absl::StatusOr<ModelTokenizer> ReadPegasusTokenizer(const ModelFolder& folder,
                                                    TokenizerChoice choice,
                                                    CheckpointConfig* config) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  const absl::StatusOr<TokenizerRules> rules = RulesOfFiles(folder, choice, kSpieceFile, config);
  if (!rules.ok()) return rules.status();
  const bool is_json = *rules == TokenizerRules::kFast;
  const std::string_view file = is_json ? kTokenizerJsonFile : kSpieceFile;
  TokenizerDescription facts;
  absl::StatusOr<std::vector<std::string>> pieces =
      is_json ? PiecesOfJson(folder, tokenizer, &facts) : PiecesOfSpm(folder, tokenizer, &facts);
  if (!pieces.ok()) return pieces.status();
  for (int id = 2; id < kOffset + static_cast<int>(kReplaced); ++id) facts.special.push_back(id);
  const auto size = static_cast<size_t>(config->sizes.source);
  if (pieces->size() > size) {
    return absl::InvalidArgumentError(
        Concat("config.json: field 'vocab_size' is ", size, ", expected at least ", pieces->size(),
               ": the pieces of ", file, is_json ? "" : Concat(" and ", kOffset, " tokens")));
  }
  pieces->resize(size);
  absl::StatusOr<Vocabulary> vocabulary = Vocabulary::FromPieces(*std::move(pieces), file);
  if (!vocabulary.ok()) return vocabulary.status();

  absl::Status status = SetSharedTokens(*vocabulary, file, 1, config, &facts);
  if (!status.ok()) return status;
  return ModelTokenizer{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(tokenizer.source_language, tokenizer.target_language, {})};
}

}  // namespace

const TokenizerScheme kPegasusTokenizer = {
    .read = ReadPegasusTokenizer, .mask_piece = "<mask_2>", .check = CheckPegasusFields};

}  // namespace dragoman::engine

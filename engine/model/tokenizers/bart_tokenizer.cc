// Reads the files of a BartTokenizer, which is GPT-2's byte-level BPE: vocab.json and merges.txt,
// or tokenizer.json. A source is <s>, the text and </s>.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_files.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kVocabularyFile = "vocab.json";

// Makes a vocabulary. `pieces` is indexed by id. The vocabulary has as many ids as the embedding
// has rows.
absl::StatusOr<Vocabulary> MakeVocabulary(const CheckpointConfig& config, std::string_view file,
                                          std::vector<std::string> pieces) {
  const TokenizerSettings& tokenizer = config.tokenizer;
  const auto size = static_cast<size_t>(config.sizes.source);
  // The embedding may lack a row for <mask>, the last piece, because translation does not need it.
  if (pieces.size() == size + 1 && pieces.back() == tokenizer.mask_piece) pieces.pop_back();
  if (pieces.size() > size) {
    return absl::InvalidArgumentError(Concat(file, ": ", pieces.size(),
                                             " pieces, expected at most ", size,
                                             ", the vocab_size of config.json"));
  }
  for (const auto& [id, token] : tokenizer.added) {
    if (static_cast<size_t>(id) >= size && token.text == tokenizer.mask_piece) continue;
    absl::Status status =
        PlaceAddedToken(id, token, tokenizer.added_file, static_cast<int>(size), &pieces);
    if (!status.ok()) return status;
  }
  pieces.resize(size);
  return Vocabulary::FromPieces(std::move(pieces), file);
}

struct BartFiles {
  std::vector<std::string> pieces;  // by id
  std::vector<TokenizerJson::Added> added;
};

absl::StatusOr<BartFiles> ReadFiles(const ModelFolder& folder, const TokenizerSettings& config,
                                    bool is_json, TokenizerDescription* facts) {
  BartFiles files;
  if (!is_json) {
    absl::StatusOr<std::vector<std::string>> pieces =
        ReadByteBpe(folder, config.add_prefix_space.value_or(false), facts);
    if (!pieces.ok()) return pieces.status();
    files.pieces = *std::move(pieces);
    return files;
  }
  absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, facts);
  if (!json.ok()) return json.status();
  // Only the class TokenizersBackend uses add_prefix_space of tokenizer.json. The classes of
  // transformers 4 ignore it and have a setting of their own.
  const bool of_file = config.is_backend && !config.add_prefix_space && json->adds_prefix_space;
  absl::Status status = UseByteBpe(*json, config.bos_piece, config.eos_piece,
                                   of_file || config.add_prefix_space.value_or(false), facts);
  if (!status.ok()) return status;
  files.pieces = std::move(json->pieces);
  files.added = std::move(json->added);
  return files;
}

// Adds to `facts` the special tokens that users have added to the model. `facts` already has the
// special tokens of the family.
void AddSpecialTokens(const std::vector<TokenizerJson::Added>& json, const Vocabulary& vocabulary,
                      CheckpointConfig* config, TokenizerDescription* facts) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  const auto is_own = [&](const std::string& piece) {
    return piece == tokenizer.bos_piece || piece == tokenizer.pad_piece ||
           piece == tokenizer.eos_piece || piece == tokenizer.unk_piece ||
           piece == tokenizer.mask_piece;
  };
  std::vector<std::string> noted;
  const auto add = [&](const AddedToken& token) {
    const std::optional<int> id = vocabulary.IdOf(token.text);
    if (!token.special || !id || is_own(token.text)) return;
    if (std::find(facts->special.begin(), facts->special.end(), *id) != facts->special.end())
      return;
    facts->special.push_back(*id);
    noted.push_back(token.text);
  };
  for (const TokenizerJson::Added& added : json) add(added.token);
  for (const auto& [id, token] : tokenizer.added) add(token);
  for (const AddedToken& token : tokenizer.listed) add(token);
  std::sort(facts->special.begin(), facts->special.end());
  NoteSpecialTokens(noted, json.empty() ? tokenizer.added_file : kTokenizerJsonFile,
                    &config->notes);
}

absl::StatusOr<ModelTokenizer> ReadBartTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                                 CheckpointConfig* config) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  const absl::StatusOr<TokenizerRules> rules = RulesOfFiles(folder, choice, kMergesFile, config);
  if (!rules.ok()) return rules.status();
  const bool is_json = *rules == TokenizerRules::kFast;
  const std::string_view file = is_json ? kTokenizerJsonFile : kVocabularyFile;
  TokenizerDescription facts;
  absl::StatusOr<BartFiles> files = ReadFiles(folder, tokenizer, is_json, &facts);
  if (!files.ok()) return files.status();
  absl::StatusOr<Vocabulary> vocabulary = MakeVocabulary(*config, file, std::move(files->pieces));
  if (!vocabulary.ok()) return vocabulary.status();

  absl::Status status = SetSharedTokens(*vocabulary, file, 2, config, &facts);
  if (status.ok()) {
    status = CheckListed(tokenizer.listed, tokenizer.listed_file, *vocabulary,
                         "pieces of the vocabulary");
  }
  if (!status.ok()) return status;
  const absl::StatusOr<int> bos = SpecialId(*vocabulary, file, tokenizer.bos_piece);
  if (!bos.ok()) return bos.status();
  facts.source_bos = *bos;
  facts.special.push_back(*bos);
  if (const auto mask = vocabulary->IdOf(tokenizer.mask_piece)) facts.special.push_back(*mask);
  AddSpecialTokens(files->added, *vocabulary, config, &facts);
  SetAddedTokens(files->added, tokenizer.added, tokenizer.listed, *vocabulary, config->ids, false,
                 &facts);
  return ModelTokenizer{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(tokenizer.source_language, tokenizer.target_language, {})};
}

}  // namespace

const TokenizerScheme kBartTokenizer = {.read = ReadBartTokenizer};

}  // namespace dragoman::engine

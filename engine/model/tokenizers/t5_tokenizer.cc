// Reads the tokenizer of T5's models. The first ids are those of spiece.model. The ids of
// <extra_id_N> follow, with descending N. Further ids have no piece. A prompt in the text names the
// target language. MADLAD-400 has a piece "<2de>" for each language. T5's config.json has a prompt
// for each pair, "translate English to German: ". FLAN-T5 and mT5 have no prompts, so the user's
// text must name the language.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_json.h"

namespace dragoman::engine {
namespace {

constexpr int kUsualExtraIds = 100;

std::string ExtraId(int number) { return Concat("<extra_id_", number, ">"); }

// The pieces by id. special[id] says that a text is never tokenized into the piece.
struct PieceList {
  std::vector<std::string> pieces;
  std::vector<bool> special;  // as long as `pieces`
  std::vector<TokenizerJson::Added> added;
};

// Adds the pieces <extra_id_N> after SentencePiece's.
absl::Status AddExtraIds(const CheckpointConfig& config, std::string_view file, bool has_them,
                         std::vector<std::string>* pieces) {
  const auto size = static_cast<size_t>(config.sizes.source);
  const size_t known = pieces->size();
  // T5Tokenizer adds 100 of these pieces unless the field `extra_ids` has another number. If the
  // field is absent and the embedding has no rows for 100 pieces, this adds none.
  int extra = config.tokenizer.extra_ids.value_or(kUsualExtraIds);
  if (!config.tokenizer.extra_ids && known + static_cast<size_t>(extra) > size) extra = 0;
  if (has_them) extra = 0;
  for (int i = extra - 1; i >= 0; --i) pieces->push_back(ExtraId(i));
  if (pieces->size() > size) {
    return absl::InvalidArgumentError(
        Concat("config.json: field 'vocab_size' is ", size, ", expected at least ", pieces->size(),
               ": the ", known, " pieces of ", file, " and ", extra, " extra_ids"));
  }
  for (const auto& [id, token] : config.tokenizer.added) {
    absl::Status status =
        PlaceAddedToken(id, token, config.tokenizer.added_file, static_cast<int>(size), pieces);
    if (!status.ok()) return status;
  }
  pieces->resize(size);
  return absl::OkStatus();
}

// Checks that the longest source has room for the longest prompt, a token of text and EOS.
absl::Status CheckRoom(const CheckpointConfig& config, const std::vector<LanguagePrompt>& prompts) {
  // A prompt has at most one token per byte, and one for the space mark before it.
  size_t longest = 0;
  for (const LanguagePrompt& prompt : prompts) longest = std::max(longest, prompt.text.size() + 1);
  const int length = config.tokenizer.model_max_length;
  if (static_cast<size_t>(length) >= longest + 2) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(length < config.sizes.positions ? "tokenizer_config.json: field 'model_max_length'"
                                             : "config.json: field 'n_positions'",
             " is ", length, ", expected at least ", longest + 2,
             ": the longest prompt, a token and the end of sentence"));
}

absl::StatusOr<PieceList> PiecesOfSpm(const ModelFolder& folder, const CheckpointConfig& config,
                                      TokenizerDescription* facts) {
  const absl::StatusOr<SpmFile> file = ReadSharedSpm(folder, kSpieceFile, facts);
  if (!file.ok()) return file.status();
  if (!config.tokenizer.is_legacy_t5) {
    absl::Status status =
        UseT5Spaces(config.tokenizer.unk_piece, config.tokenizer.add_prefix_space, facts);
    if (!status.ok()) return status;
  }
  PieceList list;
  for (const SpmPiece& piece : file->pieces) {
    list.pieces.push_back(piece.text);
    list.special.push_back(piece.type == SpmPiece::kControl);
  }
  return list;
}

// Reads tokenizer.json. Its ids and template are used unchanged, as T5TokenizerFast does.
absl::StatusOr<PieceList> PiecesOfJson(const ModelFolder& folder, const CheckpointConfig& config,
                                       TokenizerDescription* facts) {
  const absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, facts);
  if (!json.ok()) return json.status();
  absl::Status status = RequireMetaspace(*json);
  if (status.ok()) status = RequireTextAndEnd(*json);
  if (!status.ok()) return status;
  PieceList list;
  list.pieces = json->pieces;
  list.special.resize(list.pieces.size());
  for (const TokenizerJson::Added& added : json->added) {
    if (!added.token.special || added.token.text == config.tokenizer.unk_piece) continue;
    list.special[static_cast<size_t>(added.id)] = true;
  }
  list.added = json->added;
  return list;
}

// Reports whether a text is never tokenized into this piece. Such pieces are <extra_id_N>, language
// tokens and added special tokens.
bool IsSpecial(const TokenizerSettings& config, const PieceList& list, size_t id,
               const std::string& piece) {
  if (piece.empty()) return false;
  if (id < list.special.size() && list.special[id]) return true;
  if (piece.starts_with("<extra_id_") && id >= list.pieces.size()) return true;
  if (!LanguageOfPrompt(piece).empty()) return true;
  if (piece == config.unk_piece) return false;
  const auto added = config.added.find(static_cast<int>(id));
  return added != config.added.end() && added->second.special;
}

absl::StatusOr<ModelTokenizer> ReadT5Tokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               CheckpointConfig* config) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  const absl::StatusOr<TokenizerRules> rules = RulesOfFiles(folder, choice, kSpieceFile, config);
  if (!rules.ok()) return rules.status();
  TokenizerDescription facts;
  const bool is_json = *rules == TokenizerRules::kFast;
  const std::string_view file_name = is_json ? kTokenizerJsonFile : kSpieceFile;
  const absl::StatusOr<PieceList> list =
      is_json ? PiecesOfJson(folder, *config, &facts) : PiecesOfSpm(folder, *config, &facts);
  if (!list.ok()) return list.status();
  std::vector<std::string> pieces = list->pieces;
  absl::Status status = AddExtraIds(*config, file_name, is_json, &pieces);
  if (!status.ok()) return status;

  std::vector<std::string> noted;
  for (size_t id = 0; id < pieces.size(); ++id) {
    if (!IsSpecial(tokenizer, *list, id, pieces[id])) continue;
    facts.special.push_back(static_cast<int>(id));
    const bool is_new = id >= list->pieces.size() || list->pieces[id].empty();
    if (is_new && !pieces[id].starts_with("<extra_id_")) noted.push_back(pieces[id]);
  }
  NoteSpecialTokens(noted, tokenizer.added_file, &config->notes);

  absl::StatusOr<Vocabulary> vocabulary = Vocabulary::FromPieces(std::move(pieces), file_name);
  if (!vocabulary.ok()) return vocabulary.status();
  status = CheckListed(tokenizer.listed, tokenizer.listed_file, *vocabulary,
                       Concat("pieces of ", file_name, ", <extra_id_...>"));
  if (!status.ok()) return status;
  std::vector<LanguagePrompt> prompts = PromptsOfPieces(*vocabulary);
  const bool must_be_told = !prompts.empty();
  if (!must_be_told) prompts = config->tokenizer.prompts;
  const absl::StatusOr<int> unk = SpecialId(*vocabulary, file_name, config->tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  const absl::StatusOr<int> eos = SpecialId(*vocabulary, file_name, config->tokenizer.eos_piece);
  if (!eos.ok()) return eos.status();
  SpecialIds& tokens = config->ids;
  if (*eos != tokens.eos) {
    return absl::InvalidArgumentError(Concat(file_name, ": piece '", config->tokenizer.eos_piece,
                                             "' has id ", *eos, ", expected ", tokens.eos,
                                             ", the eos_token_id of the configuration"));
  }
  tokens.unk = *unk;
  facts.source_eos = *eos;
  facts.source_unk = *unk;
  facts.max_source_tokens = config->tokenizer.model_max_length;
  status = CheckRoom(*config, prompts);
  if (!status.ok()) return status;
  SetAddedTokens(list->added, tokenizer.added, tokenizer.listed, *vocabulary, tokens,
                 !prompts.empty(), &facts);
  return ModelTokenizer{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(prompts, must_be_told)};
}

}  // namespace

const TokenizerScheme kT5Tokenizer = {.read = ReadT5Tokenizer};

}  // namespace dragoman::engine

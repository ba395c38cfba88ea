// Reads the tokenizer files of fairseq's models. Source and target share one SentencePiece model,
// and each language has a token. NllbTokenizer, MBart50Tokenizer and MBartTokenizer number their
// tokens in this order: <s>, <pad>, </s>, <unk>, the pieces, the languages, <mask>. The id of a
// piece is its id in SentencePiece's file plus one. An M2M100Tokenizer has the ids of vocab.json,
// followed by the languages.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/fairseq_languages.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_json.h"
#include "engine/model/tokenizers/tokenizer_rules.h"
#include "engine/text/sentencepiece/spm_file.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kBpeSpmFile = "sentencepiece.bpe.model";

// The pieces by id, including the language tokens.
class PieceList {
 public:
  PieceList(const CheckpointConfig& config, std::vector<std::string> pieces)
      : config_(config), size_(config.sizes.source), pieces_(std::move(pieces)) {}

  bool HasRoom() const { return pieces_.size() < static_cast<size_t>(size_); }
  absl::Status Append(const std::string& piece) {
    return Put(static_cast<int64_t>(pieces_.size()), piece);
  }
  absl::Status AppendLanguage(std::string_view code) {
    languages_.push_back({std::string(code), static_cast<int>(pieces_.size())});
    return Append(PieceOf(code));
  }

  // Adds a token that a user of the checkpoint has added to it. The token may repeat an existing
  // piece, be new, or be a language token. In the last case `id` becomes the id of the language.
  absl::Status Add(int id, const AddedToken& token) {
    const auto at = static_cast<size_t>(id);
    const bool is_there = at < pieces_.size() && pieces_[at] == token.text;
    absl::Status status = PlaceAddedToken(id, token, config_.tokenizer.added_file, size_, &pieces_);
    if (!status.ok() || is_there) return status;
    const std::string_view code = CodeOf(token.text);
    if (!code.empty()) {
      languages_.push_back({std::string(code), id});
    } else if (token.special && token.text != config_.tokenizer.mask_piece) {
      special_.push_back(token.text);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Vocabulary> Finish(std::string_view file) {
    pieces_.resize(static_cast<size_t>(size_));  // the embedding may have rows without a piece
    return Vocabulary::FromPieces(std::move(pieces_), file);
  }

  // Returns the added special tokens, without those of the family and those of languages.
  const std::vector<std::string>& special() const { return special_; }

  // Returns the languages, sorted by id.
  std::vector<LanguageTag> languages() const {
    std::vector<LanguageTag> sorted = languages_;
    std::sort(sorted.begin(), sorted.end(),
              [](const LanguageTag& a, const LanguageTag& b) { return a.id < b.id; });
    return sorted;
  }

 private:
  bool is_of_spm() const { return config_.tokenizer.scheme->has_ids_of_spm; }

  std::string PieceOf(std::string_view code) const {
    return is_of_spm() ? std::string(code) : Concat("__", code, "__");
  }
  // Returns the language code that a piece names, or "" if it names none.
  std::string_view CodeOf(std::string_view piece) const {
    std::string_view code = piece;
    if (!is_of_spm()) {
      if (piece.size() <= 4 || !piece.starts_with("__") || !piece.ends_with("__")) return {};
      code = piece.substr(2, piece.size() - 4);
    } else if (piece.find('_') == std::string_view::npos) {
      return {};
    }
    return ParseLanguageCode(code) ? code : std::string_view();
  }

  absl::Status Put(int64_t id, const std::string& piece) {
    if (id >= size_) {
      return absl::InvalidArgumentError(Concat("config.json: field 'vocab_size' is ", size_,
                                               ", expected more than ", id, ", the id of '",
                                               piece.substr(0, 64), "'"));
    }
    if (static_cast<size_t>(id) >= pieces_.size()) pieces_.resize(static_cast<size_t>(id) + 1);
    pieces_[static_cast<size_t>(id)] = piece;
    return absl::OkStatus();
  }

  const CheckpointConfig& config_;
  const int size_;
  std::vector<std::string> pieces_;
  std::vector<LanguageTag> languages_;
  std::vector<std::string> special_;
};

absl::StatusOr<std::vector<std::string>> PiecesOfSpm(const SpmFile& file,
                                                     const TokenizerSettings& config) {
  // fairseq's special tokens take the place of the first three pieces.
  const std::vector<SpmPiece>& known = file.pieces;
  const bool fits = known.size() > 3 && known[0].type == SpmPiece::kUnknown &&
                    known[1].type == SpmPiece::kControl && known[2].type == SpmPiece::kControl;
  if (!fits) {
    return absl::UnimplementedError(Concat(
        kBpeSpmFile, ": does not begin with <unk>, <s> and </s>, which is not supported with ",
        "ids from SentencePiece"));
  }
  std::vector<std::string> pieces = {config.bos_piece, config.pad_piece, config.eos_piece,
                                     config.unk_piece};
  for (size_t i = 3; i < known.size(); ++i) pieces.push_back(known[i].text);
  return pieces;
}

// Returns the codes of the model's languages in the order of their tokens' ids. Used if no file of
// the model has these ids.
std::vector<std::string> CodesOf(const TokenizerSettings& config) {
  std::span<const std::string_view> known = config.scheme->languages;
  if (config.is_wmt21 && !config.scheme->has_ids_of_spm) known = kWmt21Languages;
  std::vector<std::string> codes(known.begin(), known.end());
  // Only an NllbTokenizer accepts other languages.
  if (config.scheme->lists_languages && !config.listed.empty()) {
    codes.clear();
    for (const AddedToken& token : config.listed) {
      // A token is not a language but a user's special token if it has an id in added_tokens and is
      // no language code.
      const bool has_id =
          std::any_of(config.added.begin(), config.added.end(),
                      [&](const auto& one) { return one.second.text == token.text; });
      if (ParseLanguageCode(token.text) || !has_id) codes.push_back(token.text);
    }
  }
  return codes;
}

// Returns the pieces of tokenizer.json without the language tokens and other added tokens. Adds the
// tokens that are left out to config->added, with their ids.
absl::StatusOr<std::vector<std::string>> PiecesOfJson(const TokenizerJson& json,
                                                      TokenizerSettings* config) {
  std::vector<std::string> pieces = json.pieces;
  for (const TokenizerJson::Added& added : json.added) {
    if (config->added_file.empty()) config->added_file = kTokenizerJsonFile;
    const std::string& piece = added.token.text;
    const auto [at, is_new] = config->added.emplace(added.id, added.token);
    if (!is_new && at->second.text != piece) {
      return absl::InvalidArgumentError(Concat(
          config->added_file, " has '", at->second.text.substr(0, 64), "' with id ", added.id,
          ", expected '", piece.substr(0, 64), "', as ", kTokenizerJsonFile, " has it"));
    }
    // An added token that is not special and is a piece of the model stays a piece.
    const bool is_text = !added.token.special && !added.is_new;
    if (!is_text && piece != config->bos_piece && piece != config->pad_piece &&
        piece != config->eos_piece && piece != config->unk_piece) {
      pieces[static_cast<size_t>(added.id)].clear();
    }
  }
  // In some files, the language tokens are not added tokens but pieces of the model.
  const std::vector<std::string> codes = CodesOf(*config);
  for (size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].find('_') == std::string::npos) continue;
    if (std::find(codes.begin(), codes.end(), pieces[id]) == codes.end()) continue;
    config->added.emplace(static_cast<int>(id), AddedToken{.text = pieces[id], .special = true});
    pieces[id].clear();
  }
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

absl::StatusOr<std::vector<std::string>> PiecesOfVocabulary(const ModelFolder& folder) {
  const absl::StatusOr<Vocabulary> vocabulary = ReadVocabulary(folder, "vocab.json", std::nullopt);
  if (!vocabulary.ok()) return vocabulary.status();
  return vocabulary->pieces();
}

absl::Status UnknownListed(const TokenizerSettings& config, std::string_view piece) {
  return absl::UnimplementedError(
      Concat(config.listed_file, ": field 'additional_special_tokens' has '", piece.substr(0, 64),
             "'; supported: the model's languages, and tokens with ids"));
}

absl::Status AddLanguages(const TokenizerSettings& config, PieceList* pieces) {
  const bool is_of_spm = config.scheme->has_ids_of_spm;
  const std::vector<std::string> codes = CodesOf(config);
  // If the ids come from SentencePiece and a file has the id of one language's token, the files
  // must have the ids of all languages.
  const bool by_id =
      is_of_spm && std::any_of(config.added.begin(), config.added.end(), [&](const auto& token) {
        return std::find(codes.begin(), codes.end(), token.second.text) != codes.end();
      });
  if (!by_id) {
    for (const std::string& code : codes) {
      if (!ParseLanguageCode(code)) return UnknownListed(config, code);
      if (absl::Status status = pieces->AppendLanguage(code); !status.ok()) return status;
    }
    if (is_of_spm && pieces->HasRoom()) {
      if (absl::Status status = pieces->Append(config.mask_piece); !status.ok()) return status;
    }
  }
  for (const auto& [id, token] : config.added) {
    if (absl::Status status = pieces->Add(id, token); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelTokenizer> ReadFairseqTokenizer(const ModelFolder& folder,
                                                    TokenizerChoice choice,
                                                    CheckpointConfig* config) {
  TokenizerSettings& tokenizer = config->tokenizer;
  const TokenizerScheme* const other = tokenizer.scheme->without_vocabulary;
  if (other != nullptr && !tokenizer.scheme_given && !folder.Has("vocab.json")) {
    tokenizer.scheme = other;
  }
  const bool is_of_spm = tokenizer.scheme->has_ids_of_spm;
  const absl::StatusOr<TokenizerRules> rules =
      is_of_spm ? RulesOfFiles(folder, choice, kBpeSpmFile, config)
                : RulesOf(choice,
                          {.kinds = TokenizerOffer::kSlowOnly,
                           .tokenizer_class = "an M2M100Tokenizer",
                           .slow_file = std::string(kBpeSpmFile),
                           .has_slow = folder.Has(kBpeSpmFile)},
                          &config->notes);
  if (!rules.ok()) return rules.status();
  TokenizerDescription facts;
  const bool is_json = *rules == TokenizerRules::kFast;
  absl::StatusOr<std::vector<std::string>> read = std::vector<std::string>();
  std::vector<TokenizerJson::Added> added;
  if (is_json) {
    const absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, &facts);
    if (!json.ok()) return json.status();
    if (absl::Status status = RequireMetaspace(*json); !status.ok()) return status;
    read = PiecesOfJson(*json, &tokenizer);
    added = json->added;
  } else {
    const absl::StatusOr<SpmFile> spm = ReadSharedSpm(folder, kBpeSpmFile, &facts);
    if (!spm.ok()) return spm.status();
    read = is_of_spm ? PiecesOfSpm(*spm, tokenizer) : PiecesOfVocabulary(folder);
  }
  if (!read.ok()) return read.status();
  std::string_view file = is_of_spm ? kBpeSpmFile : "vocab.json";
  if (is_json) file = kTokenizerJsonFile;
  if (read->size() > static_cast<size_t>(config->sizes.source)) {
    return absl::InvalidArgumentError(Concat(file, ": ", read->size(), " pieces, expected at most ",
                                             config->sizes.source,
                                             ", the vocab_size of config.json"));
  }
  const TokenizerScheme* const fewer = tokenizer.scheme->fewer_languages;
  if (fewer != nullptr && !tokenizer.scheme_given) {
    // The number of ids after the pieces is the number of languages plus one for <mask>.
    const auto rest = static_cast<size_t>(config->sizes.source) - read->size();
    if (rest == fewer->languages.size() + 1) tokenizer.scheme = fewer;
  }
  PieceList pieces(*config, *std::move(read));
  if (absl::Status status = AddLanguages(tokenizer, &pieces); !status.ok()) return status;
  const std::vector<LanguageTag> languages = pieces.languages();
  absl::StatusOr<Vocabulary> vocabulary = pieces.Finish(file);
  if (!vocabulary.ok()) return vocabulary.status();
  for (const AddedToken& token : tokenizer.listed) {
    if (!vocabulary->IdOf(token.text)) return UnknownListed(tokenizer, token.text);
  }
  NoteSpecialTokens(pieces.special(), tokenizer.added_file, &config->notes);

  absl::Status status = SetSharedTokens(*vocabulary, file, 2, config, &facts);
  if (!status.ok()) return status;
  for (const std::string* piece : {&tokenizer.bos_piece, &tokenizer.mask_piece}) {
    if (const std::optional<int> id = vocabulary->IdOf(*piece)) facts.special.push_back(*id);
  }
  for (const LanguageTag& language : languages) facts.special.push_back(language.id);
  for (const std::string& piece : pieces.special()) {
    facts.special.push_back(*vocabulary->IdOf(piece));
  }
  std::sort(facts.special.begin(), facts.special.end());
  SetAddedTokens(added, tokenizer.added, tokenizer.listed, *vocabulary, config->ids, false, &facts);
  LanguageTokenPlacement placement = tokenizer.scheme->placement;
  if (tokenizer.legacy) placement = tokenizer.scheme->legacy_placement.value_or(placement);
  return ModelTokenizer{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(languages, placement)};
}

}  // namespace

const TokenizerScheme kSmall100Tokenizer = {.read = ReadFairseqTokenizer,
                                            .languages = kM2m100Languages,
                                            .placement = LanguageTokenPlacement::kTargetInSource};

const TokenizerScheme kNllbTokenizer = {.read = ReadFairseqTokenizer,
                                        .has_ids_of_spm = true,
                                        .languages = kNllbLanguages,
                                        .lists_languages = true,
                                        .legacy_placement = LanguageTokenPlacement::kEndAndFirst};

const TokenizerScheme kM2m100Tokenizer = {.read = ReadFairseqTokenizer,
                                          .languages = kM2m100Languages,
                                          .without_vocabulary = &kNllbTokenizer};

const TokenizerScheme kMbart25Tokenizer = {.read = ReadFairseqTokenizer,
                                           .has_ids_of_spm = true,
                                           .languages = kMbart25Languages,
                                           .placement = LanguageTokenPlacement::kEndAndStart};

const TokenizerScheme kMbart50Tokenizer = {.read = ReadFairseqTokenizer,
                                           .has_ids_of_spm = true,
                                           .languages = kMbart50Languages,
                                           .fewer_languages = &kMbart25Tokenizer};

}  // namespace dragoman::engine

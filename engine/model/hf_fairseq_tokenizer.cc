// Tokenizers of fairseq's models: one SentencePiece model for both sides, and a token for each
// language. NllbTokenizer, MBart50Tokenizer and MBartTokenizer have their ids from SentencePiece,
// moved by one: <s>, <pad>, </s>, <unk>, the pieces, the languages, <mask>. An M2M100Tokenizer has
// them from vocab.json, and the languages behind those.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/fairseq_languages.h"
#include "engine/model/hf_vocabularies.h"
#include "engine/model/model_files.h"
#include "engine/model/model_folder.h"
#include "engine/model/tokenizer_files.h"
#include "engine/model/tokenizer_json.h"
#include "engine/text/spm_file.h"

namespace dragoman {
namespace {

constexpr std::string_view kSpmFile = "sentencepiece.bpe.model";
constexpr std::string_view kConfigFile = "tokenizer_config.json";

bool HasIdsOfSpm(HfTokenizerKind kind) {
  return kind == HfTokenizerKind::kNllb || kind == HfTokenizerKind::kMbart50 ||
         kind == HfTokenizerKind::kMbart25;
}

// Pieces by id, with the languages among them.
class PieceList {
 public:
  PieceList(const HfConfig& config, std::vector<std::string> pieces)
      : config_(config), size_(config.spec.shape.source_vocab), pieces_(std::move(pieces)) {}

  // For a next id.
  bool HasRoom() const { return pieces_.size() < static_cast<size_t>(size_); }
  // As the next id.
  absl::Status Append(const std::string& piece) {
    return Put(static_cast<int64_t>(pieces_.size()), piece);
  }
  absl::Status AppendLanguage(std::string_view code) {
    languages_.push_back({std::string(code), static_cast<int>(pieces_.size())});
    return Append(PieceOf(code));
  }

  // What tokenizer_config.json says of ids must be so; a language that is not there yet gets its
  // place by it.
  absl::Status Add(int id, const std::string& piece) {
    const auto at = static_cast<size_t>(id);
    if (at < pieces_.size() && pieces_[at] == piece) return absl::OkStatus();
    const bool is_new = at >= pieces_.size() || pieces_[at].empty();
    const std::string_view code = CodeOf(piece);
    if (is_new && (!code.empty() || piece == config_.tokenizer.mask_piece)) {
      if (!code.empty()) languages_.push_back({std::string(code), id});
      return Put(id, piece);
    }
    const std::string found =
        is_new ? "" : Concat(", which is the id of '", pieces_[at].substr(0, 64), "'");
    return absl::UnimplementedError(Concat(
        kConfigFile, ": field 'added_tokens_decoder' has '", piece.substr(0, 64), "' with id ", id,
        found, "; supported: special tokens and languages in their places"));
  }

  absl::StatusOr<Vocabulary> Finish(std::string_view file) {
    pieces_.resize(static_cast<size_t>(size_));  // the checkpoint has rows that nobody names
    return Vocabulary::FromPieces(std::move(pieces_), file);
  }

  // By id.
  std::vector<LanguageTag> languages() const {
    std::vector<LanguageTag> sorted = languages_;
    std::sort(sorted.begin(), sorted.end(),
              [](const LanguageTag& a, const LanguageTag& b) { return a.id < b.id; });
    return sorted;
  }

 private:
  bool is_of_spm() const { return HasIdsOfSpm(config_.tokenizer.kind); }

  std::string PieceOf(std::string_view code) const {
    return is_of_spm() ? std::string(code) : Concat("__", code, "__");
  }
  // "" of a piece that names no language.
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

  const HfConfig& config_;
  const int size_;
  std::vector<std::string> pieces_;
  std::vector<LanguageTag> languages_;
};

absl::StatusOr<std::vector<std::string>> PiecesOfSpm(std::string_view spm,
                                                     const HfTokenizerConfig& config) {
  const absl::StatusOr<SpmFile> file = ParseSpmFile(spm, kSpmFile);
  if (!file.ok()) return file.status();
  // Where fairseq's own come to lie.
  const std::vector<SpmPiece>& known = file->pieces;
  const bool fits = known.size() > 3 && known[0].type == SpmPiece::kUnknown &&
                    known[1].type == SpmPiece::kControl && known[2].type == SpmPiece::kControl;
  if (!fits) {
    return absl::UnimplementedError(
        Concat(kSpmFile, ": does not begin with <unk>, <s> and </s>, which is not supported with ",
               "ids from SentencePiece"));
  }
  std::vector<std::string> pieces = {config.bos_piece, config.pad_piece, config.eos_piece,
                                     config.unk_piece};
  for (size_t i = 3; i < known.size(); ++i) pieces.push_back(known[i].text);
  return pieces;
}

// The model's languages, in their order, where no ids are said.
std::vector<std::string> CodesOf(const HfTokenizerConfig& config) {
  std::span<const std::string_view> known = kM2m100Languages;
  if (config.is_wmt21) known = kWmt21Languages;
  if (config.kind == HfTokenizerKind::kNllb) known = kNllbLanguages;
  if (config.kind == HfTokenizerKind::kMbart50) known = kMbart50Languages;
  if (config.kind == HfTokenizerKind::kMbart25) {
    known = std::span(kMbart50Languages).first(kMbart25LanguageCount);
  }
  std::vector<std::string> codes(known.begin(), known.end());
  // NllbTokenizer alone takes other languages than these.
  if (config.kind == HfTokenizerKind::kNllb && !config.listed.empty()) codes = config.listed;
  return codes;
}

// Those of tokenizer.json but the languages, which go into config->added with the other tokens that
// the file has added: those say where they are.
absl::StatusOr<std::vector<std::string>> PiecesOfJson(const TokenizerJson& json,
                                                      HfTokenizerConfig* config) {
  std::vector<std::string> pieces = json.pieces;
  for (const TokenizerJson::Added& added : json.added) {
    const auto [at, is_new] = config->added.emplace(added.id, added.piece);
    if (!is_new && at->second != added.piece) {
      return absl::InvalidArgumentError(Concat(kConfigFile, ": field 'added_tokens_decoder' has '",
                                               at->second.substr(0, 64), "' with id ", added.id,
                                               ", expected '", added.piece.substr(0, 64), "', as ",
                                               kTokenizerJsonFile, " has it"));
    }
    if (added.piece != config->bos_piece && added.piece != config->pad_piece &&
        added.piece != config->eos_piece && added.piece != config->unk_piece) {
      pieces[static_cast<size_t>(added.id)].clear();
    }
  }
  // Some files have languages among the model's pieces and nowhere else.
  const std::vector<std::string> codes = CodesOf(*config);
  for (size_t id = 0; id < pieces.size(); ++id) {
    if (pieces[id].find('_') == std::string::npos) continue;
    if (std::find(codes.begin(), codes.end(), pieces[id]) == codes.end()) continue;
    config->added.emplace(static_cast<int>(id), pieces[id]);
    pieces[id].clear();
  }
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  return pieces;
}

absl::StatusOr<std::vector<std::string>> PiecesOfVocabulary(const ModelFolder& folder) {
  constexpr std::string_view kFile = "vocab.json";
  const absl::StatusOr<std::string> text = folder.Read(kFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Vocabulary> vocabulary = Vocabulary::Parse(*text, kFile, std::nullopt);
  if (!vocabulary.ok()) return vocabulary.status();
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<size_t>(vocabulary->size()));
  for (int id = 0; id < vocabulary->size(); ++id) pieces.emplace_back(vocabulary->PieceOf(id));
  return pieces;
}

// Tokens that users added would be cut out of the text before SentencePiece sees it.
absl::Status UnknownListed(const HfTokenizerConfig& config, std::string_view piece) {
  return absl::UnimplementedError(
      Concat(config.listed_file, ": field 'additional_special_tokens' has '", piece.substr(0, 64),
             "'; supported: the model's languages"));
}

absl::Status AddLanguages(const HfTokenizerConfig& config, PieceList* pieces) {
  const bool is_of_spm = HasIdsOfSpm(config.kind);
  const std::vector<std::string> codes = CodesOf(config);
  // A directory that gives ids to some of SentencePiece's gives them to its languages too.
  const bool by_id =
      is_of_spm && std::any_of(config.added.begin(), config.added.end(), [&](const auto& token) {
        return std::find(codes.begin(), codes.end(), token.second) != codes.end();
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
  for (const auto& [id, piece] : config.added) {
    if (absl::Status status = pieces->Add(id, piece); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HfVocabularies> ReadFairseqTokenizer(const ModelFolder& folder, HfConfig* config) {
  HfTokenizerConfig& tokenizer = config->tokenizer;
  if (tokenizer.kind == HfTokenizerKind::kM2m100 && !tokenizer.kind_given &&
      !folder.Has("vocab.json")) {
    tokenizer.kind = HfTokenizerKind::kNllb;
  }
  const absl::StatusOr<std::optional<std::string>> map =
      folder.ReadOptional("special_tokens_map.json", kMaxConfigBytes);
  if (!map.ok()) return map.status();
  if (map->has_value()) {
    absl::Status status = ReadSpecialTokensMap(**map, "special_tokens_map.json", &tokenizer);
    if (!status.ok()) return status;
  }
  TokenizerFacts facts;
  const bool is_of_spm = HasIdsOfSpm(tokenizer.kind);
  const bool is_json = is_of_spm && !folder.Has(kSpmFile) && folder.Has(kTokenizerJsonFile);
  absl::StatusOr<std::vector<std::string>> read = std::vector<std::string>();
  if (is_json) {
    const absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, &facts);
    if (!json.ok()) return json.status();
    if (absl::Status status = RequireSpecialAdded(*json); !status.ok()) return status;
    read = PiecesOfJson(*json, &tokenizer);
  } else {
    absl::StatusOr<std::string> spm = folder.Read(kSpmFile, kMaxSentencePieceBytes);
    if (!spm.ok()) return spm.status();
    facts.source_path = facts.target_path = PathOf(folder.path(), kSpmFile);
    facts.source_spm = facts.target_spm = *std::move(spm);
    read = is_of_spm ? PiecesOfSpm(facts.source_spm, tokenizer) : PiecesOfVocabulary(folder);
  }
  if (!read.ok()) return read.status();
  std::string_view file = is_of_spm ? kSpmFile : "vocab.json";
  if (is_json) file = kTokenizerJsonFile;
  if (read->size() > static_cast<size_t>(config->spec.shape.source_vocab)) {
    return absl::InvalidArgumentError(Concat(file, ": ", read->size(), " pieces, expected at most ",
                                             config->spec.shape.source_vocab,
                                             ", the vocab_size of config.json"));
  }
  if (tokenizer.kind == HfTokenizerKind::kMbart50 && !tokenizer.kind_given) {
    // Behind the pieces are the languages and <mask>.
    const auto rest = static_cast<size_t>(config->spec.shape.source_vocab) - read->size();
    if (rest == kMbart25LanguageCount + 1) tokenizer.kind = HfTokenizerKind::kMbart25;
  }
  PieceList pieces(*config, *std::move(read));
  if (absl::Status status = AddLanguages(tokenizer, &pieces); !status.ok()) return status;
  const std::vector<LanguageTag> languages = pieces.languages();
  absl::StatusOr<Vocabulary> vocabulary = pieces.Finish(file);
  if (!vocabulary.ok()) return vocabulary.status();
  for (const std::string& piece : tokenizer.listed) {
    if (!vocabulary->IdOf(piece)) return UnknownListed(tokenizer, piece);
  }

  const absl::StatusOr<int> unk = SpecialId(*vocabulary, file, tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  config->spec.tokens.unk = *unk;
  absl::Status status = CheckSpecialIds(*vocabulary, file, *config);
  if (status.ok()) status = CheckSourceRoom(*config, 2);
  if (!status.ok()) return status;
  facts.source_eos = config->spec.tokens.eos;
  facts.source_unk = *unk;
  for (const std::string* piece : {&tokenizer.bos_piece, &tokenizer.mask_piece}) {
    if (const std::optional<int> id = vocabulary->IdOf(*piece)) facts.special.push_back(*id);
  }
  for (const LanguageTag& language : languages) facts.special.push_back(language.id);
  std::sort(facts.special.begin(), facts.special.end());
  facts.max_source_tokens = tokenizer.model_max_length;
  // The target's token wins over a forced first one of the checkpoint, which is of one language.
  config->spec.generation.forced_bos.reset();
  LanguageMarks marks = LanguageMarks::kBoth;
  if (tokenizer.kind == HfTokenizerKind::kSmall100) marks = LanguageMarks::kTargetInSource;
  if (tokenizer.kind == HfTokenizerKind::kMbart25) marks = LanguageMarks::kEndAndStart;
  // The other classes do not ask for it.
  if (tokenizer.kind == HfTokenizerKind::kNllb && tokenizer.legacy) {
    marks = LanguageMarks::kEndAndFirst;
  }
  return HfVocabularies{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(languages, marks)};
}

}  // namespace dragoman

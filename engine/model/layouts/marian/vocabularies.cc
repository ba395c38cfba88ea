#include "engine/model/layouts/marian/vocabularies.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/formats/yaml.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/text/spm_file.h"

namespace dragoman {
namespace {

constexpr std::string_view kSpm = ".spm";
constexpr std::string_view kEos = "</s>";
constexpr std::string_view kUnk = "<unk>";
constexpr size_t kMaxPieceBytes = 1024;
// A token and the end of sentence.
constexpr int kMinPieces = 3;

// One side, as its file has it.
struct Side {
  std::string file;
  std::vector<std::string> pieces;
  std::string spm;           // the bytes of the SentencePiece model
  std::string spm_file;      // where they are
  std::optional<int> unk;    // of a SentencePiece model, which may call it what it likes
  std::vector<int> special;  // that are no text, </s> among them
};

absl::Status ReadSpmSide(const ModelFolder& folder, Side* side) {
  absl::StatusOr<std::string> bytes = folder.Read(side->file, kMaxSentencePieceBytes);
  if (!bytes.ok()) return bytes.status();
  side->spm = *std::move(bytes);
  side->spm_file = side->file;
  const absl::StatusOr<SpmFile> parsed = ParseSpmFile(side->spm, side->file);
  if (!parsed.ok()) return parsed.status();
  for (const SpmPiece& piece : parsed->pieces) {
    const auto id = static_cast<int>(side->pieces.size());
    if (piece.type == SpmPiece::kUnknown) side->unk = id;
    if (piece.type == SpmPiece::kControl) side->special.push_back(id);
    side->pieces.push_back(piece.text);
  }
  return absl::OkStatus();
}

absl::Status ReadYamlSide(const ModelFolder& folder, std::string_view spm_file, Side* side) {
  const absl::StatusOr<std::string> text = folder.Read(side->file, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<std::string>> pieces = ParseMarianVocabulary(*text, side->file);
  if (!pieces.ok()) return pieces.status();
  side->pieces = *std::move(pieces);
  if (!folder.Has(spm_file)) {
    return absl::NotFoundError(Concat("found no ", spm_file, ", which cuts the text for ",
                                      side->file, ", expected source.spm and target.spm (models ",
                                      "of subword-nmt, .bpe, are not supported)"));
  }
  absl::StatusOr<std::string> bytes = folder.Read(spm_file, kMaxSentencePieceBytes);
  if (!bytes.ok()) return bytes.status();
  side->spm = *std::move(bytes);
  side->spm_file = std::string(spm_file);
  return absl::OkStatus();
}

absl::StatusOr<Side> ReadSide(const ModelFolder& folder, const std::string& file,
                              std::string_view spm_file) {
  Side side{.file = file};
  absl::Status status =
      file.ends_with(kSpm) ? ReadSpmSide(folder, &side) : ReadYamlSide(folder, spm_file, &side);
  if (!status.ok()) return status;
  return side;
}

class Reader {
 public:
  Reader(const ModelFolder& folder, const MarianVocabularyFiles& files,
         const MarianDecoder& decoder, const MarianNetwork& network)
      : folder_(folder), files_(files), decoder_(decoder), spec_(network.spec) {}

  absl::StatusOr<LoadedModel> Read(std::string_view model_file) {
    absl::Status status = ReadPieces();
    if (status.ok()) status = ReadTokens();
    if (!status.ok()) return status;
    absl::StatusOr<LanguageMap> languages = ReadLanguages(model_file);
    if (!languages.ok()) return languages.status();
    return LoadedModel{.spec = std::move(spec_),
                       .source_vocabulary = *std::move(source_),
                       .own_target_vocabulary = std::move(own_target_),
                       .tokenizer = std::move(facts_),
                       .languages = *std::move(languages)};
  }

 private:
  const Vocabulary& TargetVocabulary() const { return own_target_ ? *own_target_ : *source_; }

  // Ids behind the file's have no piece; the last one is the empty token where `has_empty`.
  static absl::StatusOr<Vocabulary> MakeVocabulary(const Side& side, int rows, bool has_empty) {
    const int most = has_empty ? rows - 1 : rows;
    const size_t found = side.pieces.size();
    if (found < kMinPieces || found > static_cast<size_t>(most)) {
      return absl::InvalidArgumentError(Concat(side.file, ": ", found, " pieces, expected ",
                                               kMinPieces, " to ", most,
                                               ", the rows of the model's embedding"));
    }
    std::vector<std::string> pieces = side.pieces;
    pieces.resize(static_cast<size_t>(rows));
    return Vocabulary::FromPieces(std::move(pieces), side.file);
  }

  absl::Status ReadPieces() {
    absl::StatusOr<Side> source = ReadSide(folder_, files_.source, "source.spm");
    if (!source.ok()) return source.status();
    absl::StatusOr<Side> target = ReadSide(folder_, files_.target, "target.spm");
    if (!target.ok()) return target.status();
    source_side_ = *std::move(source);
    target_side_ = *std::move(target);
    const bool one_matrix = spec_.share_embeddings;
    if (one_matrix && source_side_.pieces != target_side_.pieces) {
      return absl::InvalidArgumentError(Concat(target_side_.file, ": differs from ",
                                               source_side_.file,
                                               ", though the model has one embedding for both"));
    }
    absl::StatusOr<Vocabulary> made =
        MakeVocabulary(source_side_, spec_.shape.source_vocab, one_matrix);
    if (!made.ok()) return made.status();
    source_ = *std::move(made);
    if (!one_matrix) {
      made = MakeVocabulary(target_side_, spec_.shape.target_vocab, true);
      if (!made.ok()) return made.status();
      own_target_ = *std::move(made);
    }
    absl::Status status =
        CheckBelongs(source_side_.spm, source_side_.spm_file, *source_, source_side_.file);
    if (status.ok()) {
      status = CheckBelongs(target_side_.spm, target_side_.spm_file, TargetVocabulary(),
                            target_side_.file);
    }
    return status;
  }

  static absl::StatusOr<int> IdOf(const Side& side, std::string_view piece) {
    const auto found = std::find(side.pieces.begin(), side.pieces.end(), piece);
    if (found != side.pieces.end()) return static_cast<int>(found - side.pieces.begin());
    return absl::InvalidArgumentError(Concat(side.file, ": has no '", piece, "'"));
  }

  absl::Status ReadTokens() {
    SpecialIds& tokens = spec_.tokens;
    for (const auto& [side, eos, unk] :
         {std::tuple(&source_side_, &facts_.source_eos, &facts_.source_unk),
          std::tuple(&target_side_, &tokens.eos, &tokens.unk)}) {
      absl::StatusOr<int> id = IdOf(*side, kEos);
      if (!id.ok()) return id.status();
      *eos = *id;
      id = side->unk ? *side->unk : IdOf(*side, kUnk);
      if (!id.ok()) return id.status();
      *unk = *id;
    }
    tokens.pad = spec_.shape.target_vocab - 1;
    tokens.decoder_start = tokens.pad;
    // Marian takes it out of the search, unless it is allowed.
    if (!decoder_.allow_unk) spec_.generation.bad_words = {{tokens.unk}};
    for (const int id : target_side_.special) {
      if (id != tokens.eos) facts_.special.push_back(id);
    }
    facts_.source_special = source_side_.special;
    facts_.source_spm = std::move(source_side_.spm);
    facts_.target_spm = std::move(target_side_.spm);
    facts_.source_path = PathOf(folder_.path(), source_side_.spm_file);
    facts_.target_path = PathOf(folder_.path(), target_side_.spm_file);
    facts_.max_source_tokens = spec_.shape.max_positions;
    return absl::OkStatus();
  }

  absl::StatusOr<LanguageMap> ReadLanguages(std::string_view model_file) const {
    absl::StatusOr<TokenizerConfig> fields = ReadTokenizerConfig(folder_);
    if (!fields.ok()) return fields.status();
    for (const std::string_view file :
         {model_file, std::string_view(files_.source), std::string_view(files_.target)}) {
      if (!fields->source_language.empty() || !fields->target_language.empty()) break;
      if (const auto named = LanguagesOfName(file)) {
        std::tie(fields->source_language, fields->target_language) = *named;
      }
    }
    return LanguageMap(fields->source_language, fields->target_language, LanguageTags(*source_));
  }

  const ModelFolder& folder_;
  const MarianVocabularyFiles& files_;
  const MarianDecoder& decoder_;
  ModelSpec spec_;
  Side source_side_;
  Side target_side_;
  std::optional<Vocabulary> source_;
  std::optional<Vocabulary> own_target_;
  TokenizerDescription facts_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseMarianVocabulary(std::string_view text,
                                                               std::string_view file) {
  const absl::StatusOr<YamlMap> map = ParseYaml(text, file);
  if (!map.ok()) return map.status();
  std::vector<std::string> pieces(map->size());
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

std::optional<std::pair<std::string, std::string>> LanguagesOfName(std::string_view file) {
  size_t begin = std::min(file.find('.'), file.size());
  while (begin < file.size()) {
    const size_t end = std::min(file.find('.', ++begin), file.size());
    const std::string_view word = file.substr(begin, end - begin);
    const bool is_pair = word.size() == 4 && std::all_of(word.begin(), word.end(), [](char c) {
                           return c >= 'a' && c <= 'z';
                         });
    if (is_pair && end < file.size()) {
      return std::pair(std::string(word.substr(0, 2)), std::string(word.substr(2)));
    }
    begin = end;
  }
  return std::nullopt;
}

absl::StatusOr<LoadedModel> ReadMarianVocabularies(const ModelFolder& folder,
                                                   const MarianVocabularyFiles& files,
                                                   std::string_view model_file,
                                                   const MarianDecoder& decoder,
                                                   const MarianNetwork& network) {
  return Reader(folder, files, decoder, network).Read(model_file);
}

}  // namespace dragoman

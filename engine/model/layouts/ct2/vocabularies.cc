#include "engine/model/layouts/ct2/vocabularies.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/model_folder.h"
#include "engine/model/layouts/ct2/languages.h"
#include "engine/model/layouts/ct2/tokenizer.h"
#include "engine/model/spec/model_spec.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_json.h"

namespace dragoman {
namespace {

constexpr JsonLimits kVocabularyLimits = {.max_bytes = kMaxVocabularyBytes,
                                          .max_depth = 2,
                                          .max_values = static_cast<size_t>(kMaxVocabulary) + 1};
constexpr size_t kMaxPieceBytes = 1024;
// The beginning of the tokens that T5's tokenizer adds.
constexpr std::string_view kExtraId = "<extra_id_";
// The padding in models of OpenNMT and of fairseq's converter, where add_source_eos says whether a
// source has an end. The other converters leave the end to the caller, and a source always has one.
constexpr std::string_view kBlank = "<blank>";
constexpr std::string_view kPad = "<pad>";
constexpr std::string_view kMask = "<mask>";

struct SideVocabulary {
  std::string file;
  std::vector<std::string> pieces;
};

absl::StatusOr<SideVocabulary> ReadSide(const ModelFolder& folder, const std::string& file) {
  const absl::StatusOr<std::string> text = folder.Read(file, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<std::string>> pieces = ParseCt2Vocabulary(*text, file);
  if (!pieces.ok()) return pieces.status();
  return SideVocabulary{file, *std::move(pieces)};
}

// The name with the ending that is there.
absl::StatusOr<std::string> FileOf(const ModelFolder& folder, const std::string& name) {
  for (const char* ending : {".json", ".txt"}) {
    if (folder.Has(name + ending)) return name + ending;
  }
  return absl::NotFoundError(
      Concat("found no vocabulary, expected shared_vocabulary.json, or source_vocabulary.json and ",
             "target_vocabulary.json, or the same in .txt"));
}

// Rows of a T5 that its tokenizer has no piece for are <extra_id_0> and so on to the converter, whether
// there are such pieces or not. CTranslate2 reads the first of two.
void DropSecondExtraIds(std::vector<std::string>* pieces) {
  std::set<std::string_view> seen;
  for (std::string& piece : *pieces) {
    if (piece.starts_with(kExtraId) && !seen.insert(piece).second) piece.clear();
  }
}

// Pieces by id, of `rows` of the embedding. The empty token has none.
absl::StatusOr<Vocabulary> MakeVocabulary(SideVocabulary side, const std::string& unk, int rows,
                                          bool has_empty) {
  const int expected = has_empty ? rows - 1 : rows;
  // CTranslate2 appends it where the file has none, as OpenNMT-tf's have none.
  const bool lacks_unk =
      std::find(side.pieces.begin(), side.pieces.end(), unk) == side.pieces.end();
  if (lacks_unk) side.pieces.push_back(unk);
  if (side.pieces.size() != static_cast<size_t>(expected)) {
    const std::string appended = lacks_unk ? Concat(" with '", unk.substr(0, 64), "'") : "";
    return absl::InvalidArgumentError(Concat(side.file, ": ", side.pieces.size(), " pieces",
                                             appended, ", expected ", expected,
                                             ", the rows of its embedding in model.bin"));
  }
  DropSecondExtraIds(&side.pieces);
  side.pieces.resize(static_cast<size_t>(rows));
  return Vocabulary::FromPieces(std::move(side.pieces), side.file);
}

absl::StatusOr<int> IdOf(const Vocabulary& vocabulary, std::string_view file,
                         std::string_view field, std::string_view piece) {
  if (const std::optional<int> id = vocabulary.IdOf(piece)) return *id;
  return absl::InvalidArgumentError(
      Concat(file, ": has no '", piece.substr(0, 64), "', the ", field, " of config.json"));
}

class Reader {
 public:
  Reader(const ModelFolder& folder, const ModelFolder& tokenizer, const TokenizerConfig& fields,
         TokenizerChoice choice, const Ct2Config& config, const Ct2Network& network)
      : folder_(folder),
        tokenizer_folder_(tokenizer),
        fields_(fields),
        choice_(choice),
        config_(config),
        network_(network),
        spec_(network.spec) {}

  absl::StatusOr<LoadedModel> Read() {
    absl::Status status = ReadPieces();
    if (status.ok()) status = ReadTokens();
    if (status.ok()) status = ReadTokenizer();
    if (!status.ok()) return status;
    absl::StatusOr<LanguageMap> languages = ReadLanguages();
    if (!languages.ok()) return languages.status();
    SetAddedTokens(tokenizer_.added, fields_.added, fields_.listed, TargetVocabulary(),
                   spec_.tokens, has_prompts_, &facts_);
    return LoadedModel{.spec = std::move(spec_),
                       .source_vocabulary = *std::move(source_),
                       .own_target_vocabulary = std::move(own_target_),
                       .tokenizer = std::move(facts_),
                       .languages = *std::move(languages),
                       .notes = std::move(notes_)};
  }

 private:
  const Vocabulary& TargetVocabulary() const { return own_target_ ? *own_target_ : *source_; }

  absl::Status ReadPieces() {
    const ModelShape& shape = spec_.shape;
    const bool is_shared =
        folder_.Has("shared_vocabulary.json") || folder_.Has("shared_vocabulary.txt");
    const absl::StatusOr<std::string> source_file =
        FileOf(folder_, is_shared ? "shared_vocabulary" : "source_vocabulary");
    if (!source_file.ok()) return source_file.status();
    const absl::StatusOr<std::string> target_file =
        is_shared ? source_file : FileOf(folder_, "target_vocabulary");
    if (!target_file.ok()) return target_file.status();
    source_file_ = *source_file;
    target_file_ = *target_file;

    absl::StatusOr<SideVocabulary> source = ReadSide(folder_, source_file_);
    if (!source.ok()) return source.status();
    // One matrix has one vocabulary, whatever the files; and two matrices may have one file.
    const bool one_matrix = spec_.share_embeddings;
    absl::StatusOr<SideVocabulary> target = is_shared ? source : ReadSide(folder_, target_file_);
    if (!target.ok()) return target.status();
    const bool is_same = target->pieces == source->pieces;
    if (one_matrix && !is_same) {
      return absl::InvalidArgumentError(Concat(target_file_, ": differs from ", source_file_,
                                               ", though model.bin has one embedding for both"));
    }
    absl::StatusOr<Vocabulary> made =
        MakeVocabulary(*std::move(source), config_.unk_piece, shape.source_vocab, one_matrix);
    if (!made.ok()) return made.status();
    source_ = *std::move(made);
    if (one_matrix) return absl::OkStatus();
    made = MakeVocabulary(*std::move(target), config_.unk_piece, shape.target_vocab, true);
    if (!made.ok()) return made.status();
    own_target_ = *std::move(made);
    return absl::OkStatus();
  }

  absl::Status ReadTokens() {
    const Vocabulary& source = *source_;
    const Vocabulary& target = TargetVocabulary();
    SpecialIds& tokens = spec_.tokens;
    struct Wanted {
      const Vocabulary& vocabulary;
      std::string_view file;
      std::string_view field;
      const std::string& piece;
      int* id;
    };
    facts_.ends_source = config_.adds_source_end || !source.IdOf(kBlank).has_value();
    // OpenNMT-py's sources, which have no end, may have a vocabulary without one.
    const std::string& source_end = config_.eos_piece;
    if (!facts_.ends_source && !source.IdOf(source_end)) facts_.source_eos = -1;
    for (const Wanted& one :
         {Wanted{source, source_file_, "eos_token", source_end, &facts_.source_eos},
          Wanted{source, source_file_, "unk_token", config_.unk_piece, &facts_.source_unk},
          Wanted{target, target_file_, "eos_token", config_.eos_piece, &tokens.eos},
          Wanted{target, target_file_, "unk_token", config_.unk_piece, &tokens.unk}}) {
      if (*one.id < 0) continue;
      const absl::StatusOr<int> id = IdOf(one.vocabulary, one.file, one.field, one.piece);
      if (!id.ok()) return id.status();
      *one.id = *id;
    }
    tokens.pad = spec_.shape.target_vocab - 1;
    tokens.decoder_start = tokens.pad;
    if (network_.starts_empty) return absl::OkStatus();
    // Where it is null the languages say what an output begins with: mBART's end of sentence, if not
    // one of them.
    const std::string& start_piece = config_.decoder_start_piece.value_or(config_.eos_piece);
    const absl::StatusOr<int> start =
        IdOf(target, target_file_, "decoder_start_token", start_piece);
    if (!start.ok()) return start.status();
    tokens.decoder_start = *start;
    return absl::OkStatus();
  }

  absl::Status ReadTokenizer() {
    const Ct2Sides sides = {*source_, TargetVocabulary(), source_file_, target_file_};
    absl::StatusOr<Ct2Tokenizer> read =
        ReadCt2Tokenizer(tokenizer_folder_, fields_, choice_, network_, sides, &facts_);
    if (!read.ok()) return read.status();
    tokenizer_ = *std::move(read);
    notes_ = std::move(tokenizer_.notes);
    if (tokenizer_.kind == Ct2Tokenizer::kSpaced) {
      notes_.push_back(
          "there is no tokenizer beside model.bin, and its vocabularies have no parts of words: a "
          "text is tokens with spaces between them");
    }
    if (folder_.Has("vmap.txt")) {
      notes_.push_back("vmap.txt is not read: translations may have any word of the vocabulary");
    }
    facts_.max_source_tokens = spec_.shape.max_positions;
    if (tokenizer_.kind != Ct2Tokenizer::kBart && !config_.adds_source_begin) {
      return absl::OkStatus();
    }
    const absl::StatusOr<int> begin = IdOf(*source_, source_file_, "bos_token", config_.bos_piece);
    if (!begin.ok()) return begin.status();
    facts_.source_bos = *begin;
    return absl::OkStatus();
  }

  // No text of their own: besides EOS, unk and pad, which is the empty token.
  std::vector<int> SpecialOf(const Vocabulary& vocabulary) const {
    std::vector<int> special;
    std::vector<std::string_view> pieces = {config_.bos_piece, kBlank, kPad, kMask};
    for (const std::string& piece : tokenizer_.special) {
      if (piece != config_.eos_piece && piece != config_.unk_piece) pieces.push_back(piece);
    }
    for (const std::string_view piece : pieces) {
      if (const std::optional<int> id = vocabulary.IdOf(piece)) special.push_back(*id);
    }
    for (const LanguageTag& language : languages_) {
      if (const auto id = vocabulary.IdOf(source_->PieceOf(language.id))) special.push_back(*id);
    }
    for (int id = 0; id < vocabulary.size(); ++id) {
      const std::string_view piece = vocabulary.PieceOf(id);
      if (piece.starts_with(kExtraId) || !LanguageOfPrompt(piece).empty()) special.push_back(id);
    }
    std::sort(special.begin(), special.end());
    special.erase(std::unique(special.begin(), special.end()), special.end());
    return special;
  }

  // Special tokens that somebody added are noted.
  void NoteAdded() {
    std::vector<std::string> noted;
    for (const std::string& piece : tokenizer_.special) {
      const std::optional<int> id = source_->IdOf(piece);
      const bool is_language =
          std::any_of(languages_.begin(), languages_.end(),
                      [&](const LanguageTag& language) { return language.id == id; });
      const bool is_own = piece == config_.bos_piece || piece == config_.eos_piece ||
                          piece == config_.unk_piece || piece == kPad || piece == kMask ||
                          piece.starts_with(kExtraId) || !LanguageOfPrompt(piece).empty();
      const bool is_noted = std::find(noted.begin(), noted.end(), piece) != noted.end();
      if (id && !is_language && !is_own && !is_noted) noted.push_back(piece);
    }
    NoteSpecialTokens(noted, "the tokenizer", &tokenizer_.notes);
  }

  absl::Status CheckStart() const {
    if (config_.decoder_start_piece || network_.starts_empty) return absl::OkStatus();
    if (AreOfMbart(languages_) && facts_.ends_source) return absl::OkStatus();
    return absl::UnimplementedError(
        "config.json: field 'decoder_start_token' is null, which is not supported without "
        "'decoder/start_from_zero_embedding' in model.bin or the languages of an mBART of Hugging "
        "Face; supported: a token");
  }

  absl::StatusOr<LanguageMap> ReadLanguages() {
    if (tokenizer_.kind == Ct2Tokenizer::kFairseq) {
      languages_ = FairseqLanguageTags(*source_);
    }
    NoteAdded();
    if (absl::Status status = CheckStart(); !status.ok()) return status;
    facts_.special = SpecialOf(TargetVocabulary());
    facts_.source_special = SpecialOf(*source_);
    const std::vector<LanguageTag> tags = LanguageTags(*source_);
    const std::vector<LanguagePrompt> prompts = PromptsOfPieces(*source_);
    // A token, the beginning and the end of sentence, and the language.
    const bool has_tag = !languages_.empty() || !tags.empty() || !prompts.empty();
    const int least = 1 + (facts_.source_bos.has_value() ? 1 : 0) + (facts_.ends_source ? 1 : 0) +
                      (has_tag ? 1 : 0);
    if (facts_.max_source_tokens < least) {
      return absl::InvalidArgumentError(
          Concat("model.bin: variable 'encoder/position_encodings/encodings' has ",
                 facts_.max_source_tokens, " rows, expected at least ", least));
    }
    has_prompts_ = !prompts.empty();
    if (has_prompts_) return LanguageMap(prompts, /*must_be_told=*/true);
    if (languages_.empty()) {
      return LanguageMap(fields_.source_language, fields_.target_language, tags);
    }
    const absl::StatusOr<LanguageTokenPlacement> placement =
        PlacementOfLanguageTokens(languages_, fields_, config_);
    if (!placement.ok()) return placement.status();
    return LanguageMap(languages_, *placement);
  }

  const ModelFolder& folder_;
  const ModelFolder& tokenizer_folder_;
  const TokenizerConfig& fields_;
  const TokenizerChoice choice_;
  const Ct2Config& config_;
  const Ct2Network& network_;
  std::string source_file_;
  std::string target_file_;
  Ct2Tokenizer tokenizer_;
  std::vector<LanguageTag> languages_;  // that have tokens of fairseq's kind
  ModelSpec spec_;
  std::optional<Vocabulary> source_;
  std::optional<Vocabulary> own_target_;
  TokenizerDescription facts_;
  std::vector<std::string> notes_;
  bool has_prompts_ = false;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseCt2Vocabulary(std::string_view text,
                                                            std::string_view file) {
  const auto invalid = [file](std::string_view what) {
    return absl::InvalidArgumentError(Concat(file, ": ", what));
  };
  std::vector<std::string> pieces;
  if (file.ends_with(".txt")) {
    bool has_returns = true;  // at the end of every line: else they are part of pieces
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      pieces.emplace_back(text.substr(0, end));
      has_returns = has_returns && pieces.back().ends_with('\r');
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (has_returns) {
      for (std::string& piece : pieces) piece.pop_back();
    }
  } else {
    const absl::StatusOr<nlohmann::json> root = ParseJson(text, file, kVocabularyLimits);
    if (!root.ok()) return root.status();
    if (!root->is_array()) {
      return invalid(Concat("is ", DescribeJson(*root), ", expected an array of pieces"));
    }
    for (const nlohmann::json& piece : *root) {
      if (!piece.is_string()) {
        return invalid(
            Concat("piece ", pieces.size(), " is ", DescribeJson(piece), ", expected a string"));
      }
      pieces.push_back(piece.get<std::string>());
    }
  }
  if (pieces.size() > static_cast<size_t>(kMaxVocabulary)) {
    return invalid(Concat(pieces.size(), " pieces, expected at most ", kMaxVocabulary));
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].size() > kMaxPieceBytes) {
      return invalid(Concat("piece ", i, " has ", pieces[i].size(), " bytes, expected at most ",
                            kMaxPieceBytes));
    }
  }
  return pieces;
}

absl::StatusOr<LoadedModel> ReadCt2Vocabularies(const ModelFolder& folder,
                                                const ModelFolder& tokenizer,
                                                const TokenizerConfig& fields,
                                                TokenizerChoice choice, const Ct2Config& config,
                                                const Ct2Network& network) {
  return Reader(folder, tokenizer, fields, choice, config, network).Read();
}

}  // namespace dragoman

#include "engine/model/tokenizers/ct2_vocabularies.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/ct2_tokenizer.h"
#include "engine/model/tokenizers/fairseq_languages.h"
#include "engine/model/tokenizers/side_vocabularies.h"

namespace dragoman::engine {
namespace {

// The padding piece in models of OpenNMT and of fairseq's converter. In these models, the field
// add_source_eos says whether a source ends with EOS. In models of other converters, every source
// ends with EOS.
constexpr std::string_view kBlank = "<blank>";
constexpr std::string_view kPad = "<pad>";
constexpr std::string_view kMask = "<mask>";

// Returns the name of a vocabulary's file, which may end in .json or .txt. Returns NOT_FOUND if
// neither file exists.
absl::StatusOr<std::string> FileOf(const ModelFolder& folder, const std::string& name) {
  for (const char* ending : {".json", ".txt"}) {
    if (folder.Has(name + ending)) return name + ending;
  }
  return absl::NotFoundError(
      Concat("found no vocabulary, expected shared_vocabulary.json, or source_vocabulary.json and ",
             "target_vocabulary.json, or the same in .txt"));
}

class Ct2VocabularyReader {
 public:
  Ct2VocabularyReader(const ModelFolder& folder, const ModelFolder& tokenizer,
                      const TokenizerConfig& fields, TokenizerChoice choice,
                      const Ct2Tokens& config, const Ct2NetworkTokens& network, SpecialIds* ids,
                      std::vector<std::string>* notes)
      : folder_(folder),
        tokenizer_folder_(tokenizer),
        fields_(fields),
        choice_(choice),
        config_(config),
        network_(network),
        ids_(*ids),
        notes_(*notes) {}

  absl::StatusOr<ModelTokenizer> Read() {
    absl::Status status = ReadPieces();
    if (status.ok()) status = ReadTokens();
    if (status.ok()) status = ReadTokenizer();
    if (!status.ok()) return status;
    absl::StatusOr<LanguageMap> languages = ReadLanguages();
    if (!languages.ok()) return languages.status();
    SetAddedTokens(tokenizer_.added, fields_.added, fields_.listed, vocabularies_->target(), ids_,
                   has_prompts_, &facts_);
    return ModelTokenizer{std::move(vocabularies_->source), std::move(vocabularies_->own_target),
                          std::move(facts_), *std::move(languages)};
  }

 private:
  absl::Status ReadPieces() {
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

    absl::StatusOr<VocabularySide> source = ReadVocabularySide(folder_, source_file_);
    if (!source.ok()) return source.status();
    absl::StatusOr<VocabularySide> target =
        is_shared ? source : ReadVocabularySide(folder_, target_file_);
    if (!target.ok()) return target.status();
    // If the file has no <unk>, CTranslate2 appends it. Files of OpenNMT-tf have none.
    absl::StatusOr<SideVocabularies> made =
        MakeSideVocabularies(&*source, &*target, network_.sizes,
                             {.model_file = network_.file, .unk = config_.unk_piece});
    if (!made.ok()) return made.status();
    vocabularies_ = *std::move(made);
    return absl::OkStatus();
  }

  absl::Status ReadTokens() {
    const Vocabulary& source = vocabularies_->source;
    const Vocabulary& target = vocabularies_->target();
    struct Wanted {
      const Vocabulary& vocabulary;
      std::string_view file;
      std::string_view role;
      const std::string& piece;
      int* id;
    };
    facts_.ends_source = config_.adds_source_end || !source.IdOf(kBlank).has_value();
    // Sources of OpenNMT-py's models do not end with EOS, so their vocabulary may lack EOS.
    const std::string& source_end = config_.eos_piece;
    if (!facts_.ends_source && !source.IdOf(source_end)) facts_.source_eos = -1;
    for (const Wanted& one :
         {Wanted{source, source_file_, "eos_token of config.json", source_end, &facts_.source_eos},
          Wanted{source, source_file_, "unk_token of config.json", config_.unk_piece,
                 &facts_.source_unk},
          Wanted{target, target_file_, "eos_token of config.json", config_.eos_piece, &ids_.eos},
          Wanted{target, target_file_, "unk_token of config.json", config_.unk_piece, &ids_.unk}}) {
      if (*one.id < 0) continue;
      const absl::StatusOr<int> id = IdOfPiece(one.vocabulary, one.file, one.piece, one.role);
      if (!id.ok()) return id.status();
      *one.id = *id;
    }
    ids_.pad = network_.sizes.target - 1;
    ids_.decoder_start = ids_.pad;
    if (network_.starts_empty) return absl::OkStatus();
    // If the field decoder_start_token is null, the start token is EOS. In some models, the token
    // of the target language replaces it for each request (LanguageTokenPlacement::kEndAndStart).
    const std::string& start_piece = config_.decoder_start_piece.value_or(config_.eos_piece);
    const absl::StatusOr<int> start =
        IdOfPiece(target, target_file_, start_piece, "decoder_start_token of config.json");
    if (!start.ok()) return start.status();
    ids_.decoder_start = *start;
    return absl::OkStatus();
  }

  absl::Status ReadTokenizer() {
    const Ct2Sides sides = {vocabularies_->source, vocabularies_->target(), source_file_,
                            target_file_,          network_.is_t5,          network_.starts_empty};
    absl::StatusOr<Ct2Tokenizer> read =
        ReadCt2Tokenizer(tokenizer_folder_, fields_, choice_, sides, &facts_);
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
    facts_.max_source_tokens = network_.sizes.positions;
    if (tokenizer_.kind != Ct2Tokenizer::kBart && !config_.adds_source_begin) {
      return absl::OkStatus();
    }
    const absl::StatusOr<int> begin = IdOfPiece(vocabularies_->source, source_file_,
                                                config_.bos_piece, "bos_token of config.json");
    if (!begin.ok()) return begin.status();
    facts_.source_bos = *begin;
    return absl::OkStatus();
  }

  // Returns the ids of tokens that are not text. Leaves out EOS, <unk> and the empty token, which
  // serves as <pad>.
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
      if (const auto id = vocabulary.IdOf(vocabularies_->source.PieceOf(language.id)))
        special.push_back(*id);
    }
    for (int id = 0; id < vocabulary.size(); ++id) {
      const std::string_view piece = vocabulary.PieceOf(id);
      if (piece.starts_with(kExtraId) || !LanguageOfPrompt(piece).empty()) special.push_back(id);
    }
    std::sort(special.begin(), special.end());
    special.erase(std::unique(special.begin(), special.end()), special.end());
    return special;
  }

  // Adds a note for the log about special tokens that users have added.
  void NoteAdded() {
    std::vector<std::string> noted;
    for (const std::string& piece : tokenizer_.special) {
      const std::optional<int> id = vocabularies_->source.IdOf(piece);
      const bool is_language =
          std::any_of(languages_.begin(), languages_.end(),
                      [&](const LanguageTag& language) { return language.id == id; });
      const bool is_own = piece == config_.bos_piece || piece == config_.eos_piece ||
                          piece == config_.unk_piece || piece == kPad || piece == kMask ||
                          piece.starts_with(kExtraId) || !LanguageOfPrompt(piece).empty();
      const bool is_noted = std::find(noted.begin(), noted.end(), piece) != noted.end();
      if (id && !is_language && !is_own && !is_noted) noted.push_back(piece);
    }
    NoteSpecialTokens(noted, "the tokenizer", &notes_);
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
      languages_ = FairseqLanguageTags(vocabularies_->source);
    }
    NoteAdded();
    if (absl::Status status = CheckStart(); !status.ok()) return status;
    facts_.special = SpecialOf(vocabularies_->target());
    facts_.source_special = SpecialOf(vocabularies_->source);
    const std::vector<LanguageTag> tags = LanguageTags(vocabularies_->source);
    const std::vector<LanguagePrompt> prompts = PromptsOfPieces(vocabularies_->source);
    // The longest source needs room for a token of text, and for <s>, EOS and the language token if
    // the model has them.
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
    const LanguageTokenPlacement placement =
        PlacementOfLanguageTokens(languages_, fields_, config_.decoder_start_piece.has_value());
    const bool is_after_end = placement == LanguageTokenPlacement::kEndAndFirst ||
                              placement == LanguageTokenPlacement::kEndAndStart;
    if (is_after_end && config_.adds_source_end) {
      return absl::UnimplementedError(
          "config.json: field 'add_source_eos' is true, which is not supported where the source's "
          "language is after its end; supported: false");
    }
    return LanguageMap(languages_, placement);
  }

  const ModelFolder& folder_;
  const ModelFolder& tokenizer_folder_;
  const TokenizerConfig& fields_;
  const TokenizerChoice choice_;
  const Ct2Tokens& config_;
  const Ct2NetworkTokens& network_;
  SpecialIds& ids_;
  std::vector<std::string>& notes_;
  std::string source_file_;
  std::string target_file_;
  std::optional<SideVocabularies> vocabularies_;
  Ct2Tokenizer tokenizer_;
  // The languages whose tokens have the form of fairseq's models (fairseq_languages.h).
  std::vector<LanguageTag> languages_;
  TokenizerDescription facts_;
  bool has_prompts_ = false;
};

}  // namespace

absl::StatusOr<ModelTokenizer> ReadCt2Vocabularies(const ModelFolder& folder,
                                                   const ModelFolder& tokenizer,
                                                   const TokenizerConfig& fields,
                                                   TokenizerChoice choice, const Ct2Tokens& tokens,
                                                   const Ct2NetworkTokens& network, SpecialIds* ids,
                                                   std::vector<std::string>* notes) {
  return Ct2VocabularyReader(folder, tokenizer, fields, choice, tokens, network, ids, notes).Read();
}

}  // namespace dragoman::engine

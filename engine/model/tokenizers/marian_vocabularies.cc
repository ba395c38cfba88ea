#include "engine/model/tokenizers/marian_vocabularies.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/side_vocabularies.h"
#include "engine/model/tokenizers/tokenizer_files.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kEos = "</s>";
constexpr std::string_view kUnk = "<unk>";
// A vocabulary needs at least a piece of text, </s> and <unk>.
constexpr int kMinPieces = 3;

// Reads the vocabulary of one side. If `file` is not a SentencePiece model, `spm_file` is the model
// that tokenizes the texts of this side.
absl::StatusOr<VocabularySide> ReadSide(const ModelFolder& folder, const std::string& file,
                                        std::string_view spm_file) {
  absl::StatusOr<VocabularySide> side = ReadVocabularySide(folder, file);
  if (!side.ok() || !side->spm_file.empty()) return side;
  if (!folder.Has(spm_file)) {
    return absl::NotFoundError(Concat("found no ", spm_file, ", which cuts the text for ", file,
                                      ", expected source.spm and target.spm (models of ",
                                      "subword-nmt, .bpe, are not supported)"));
  }
  absl::StatusOr<std::string> bytes = folder.Read(spm_file, kMaxSentencePieceBytes);
  if (!bytes.ok()) return bytes.status();
  side->spm = *std::move(bytes);
  side->spm_file = std::string(spm_file);
  return side;
}

class MarianVocabularyReader {
 public:
  MarianVocabularyReader(const ModelFolder& folder, const MarianVocabularyFiles& files,
                         const EmbeddingSizes& sizes, SpecialIds* ids)
      : folder_(folder), files_(files), sizes_(sizes), ids_(*ids) {}

  absl::StatusOr<ModelTokenizer> Read() {
    absl::Status status = ReadPieces();
    if (status.ok()) status = ReadTokens();
    if (!status.ok()) return status;
    absl::StatusOr<LanguageMap> languages = ReadLanguages();
    if (!languages.ok()) return languages.status();
    return ModelTokenizer{std::move(vocabularies_->source), std::move(vocabularies_->own_target),
                          std::move(facts_), *std::move(languages)};
  }

 private:
  absl::Status ReadPieces() {
    absl::StatusOr<VocabularySide> source = ReadSide(folder_, files_.source, "source.spm");
    if (!source.ok()) return source.status();
    absl::StatusOr<VocabularySide> target = ReadSide(folder_, files_.target, "target.spm");
    if (!target.ok()) return target.status();
    source_side_ = *std::move(source);
    target_side_ = *std::move(target);
    absl::StatusOr<SideVocabularies> made = MakeSideVocabularies(
        &source_side_, &target_side_, sizes_, {.model_file = files_.model, .fewest = kMinPieces});
    if (!made.ok()) return made.status();
    vocabularies_ = *std::move(made);
    absl::Status status = CheckBelongs(source_side_.spm, source_side_.spm_file,
                                       vocabularies_->source, source_side_.file);
    if (status.ok()) {
      status = CheckBelongs(target_side_.spm, target_side_.spm_file, vocabularies_->target(),
                            target_side_.file);
    }
    return status;
  }

  absl::Status ReadTokens() {
    for (const auto& [vocabulary, side, eos, unk] :
         {std::tuple(&std::as_const(vocabularies_->source), &source_side_, &facts_.source_eos,
                     &facts_.source_unk),
          std::tuple(&vocabularies_->target(), &target_side_, &ids_.eos, &ids_.unk)}) {
      absl::StatusOr<int> id = IdOfPiece(*vocabulary, side->file, kEos);
      if (!id.ok()) return id.status();
      *eos = *id;
      id = side->unk ? *side->unk : IdOfPiece(*vocabulary, side->file, kUnk);
      if (!id.ok()) return id.status();
      *unk = *id;
    }
    ids_.pad = sizes_.target - 1;
    ids_.decoder_start = ids_.pad;
    for (const int id : target_side_.control) {
      if (id != ids_.eos) facts_.special.push_back(id);
    }
    facts_.source_special = source_side_.control;
    facts_.source_spm = std::move(source_side_.spm);
    facts_.target_spm = std::move(target_side_.spm);
    facts_.source_path = PathOf(folder_.path(), source_side_.spm_file);
    facts_.target_path = PathOf(folder_.path(), target_side_.spm_file);
    facts_.max_source_tokens = sizes_.positions;
    return absl::OkStatus();
  }

  absl::StatusOr<LanguageMap> ReadLanguages() const {
    absl::StatusOr<TokenizerConfig> fields = ReadTokenizerConfig(folder_);
    if (!fields.ok()) return fields.status();
    for (const std::string& file : {files_.model, files_.source, files_.target}) {
      if (!fields->source_language.empty() || !fields->target_language.empty()) break;
      if (const auto named = LanguagesOfName(file)) {
        std::tie(fields->source_language, fields->target_language) = *named;
      }
    }
    return LanguageMap(fields->source_language, fields->target_language,
                       LanguageTags(vocabularies_->source));
  }

  const ModelFolder& folder_;
  const MarianVocabularyFiles& files_;
  const EmbeddingSizes& sizes_;
  SpecialIds& ids_;
  VocabularySide source_side_;
  VocabularySide target_side_;
  std::optional<SideVocabularies> vocabularies_;
  TokenizerDescription facts_;
};

}  // namespace

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

absl::StatusOr<ModelTokenizer> ReadMarianVocabularies(const ModelFolder& folder,
                                                      const MarianVocabularyFiles& files,
                                                      const EmbeddingSizes& sizes,
                                                      SpecialIds* ids) {
  return MarianVocabularyReader(folder, files, sizes, ids).Read();
}

}  // namespace dragoman::engine

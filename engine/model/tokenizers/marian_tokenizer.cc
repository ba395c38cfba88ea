// Reads the files of a MarianTokenizer: vocab.json, source.spm, target.spm and, if the sides have
// separate vocabularies, target_vocab.json.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/checkpoint_tokenizer.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman::engine {
namespace {

// Reads a vocabulary of `size` ids and adds the tokens that users have added. The last ids may have
// no piece.
absl::StatusOr<Vocabulary> ReadWithAdded(const ModelFolder& folder, std::string_view file,
                                         const TokenizerSettings& config, int size) {
  if (config.added.empty()) return ReadVocabulary(folder, file, size);
  const absl::StatusOr<Vocabulary> known = ReadVocabulary(folder, file, std::nullopt);
  if (!known.ok()) return known.status();
  std::vector<std::string> pieces = known->pieces();
  for (const auto& [id, token] : config.added) {
    absl::Status status = PlaceAddedToken(id, token, config.added_file, size, &pieces);
    if (!status.ok()) return status;
  }
  if (pieces.size() > static_cast<size_t>(size)) {
    return absl::InvalidArgumentError(Concat(file, ": ", pieces.size(),
                                             " pieces, expected at most the ", size,
                                             " of config.json's vocabulary size"));
  }
  pieces.resize(static_cast<size_t>(size));
  return Vocabulary::FromPieces(std::move(pieces), file);
}

absl::Status ReadSpecialTokens(ModelTokenizer* read, CheckpointConfig* config) {
  const TokenizerSettings& pieces = config->tokenizer;
  const std::string_view target_file =
      read->own_target_vocabulary ? "target_vocab.json" : "vocab.json";
  const Vocabulary& target = read->TargetVocabulary();

  const absl::StatusOr<int> source_eos =
      SpecialId(read->source_vocabulary, "vocab.json", pieces.eos_piece);
  if (!source_eos.ok()) return source_eos.status();
  const absl::StatusOr<int> source_unk =
      SpecialId(read->source_vocabulary, "vocab.json", pieces.unk_piece);
  if (!source_unk.ok()) return source_unk.status();
  if (target.size() < 4) {
    return absl::InvalidArgumentError(
        Concat(target_file, ": ", target.size(), " pieces, expected one besides '",
               pieces.eos_piece, "', '", pieces.unk_piece, "' and '", pieces.pad_piece, "'"));
  }
  read->tokenizer.source_eos = *source_eos;
  read->tokenizer.source_unk = *source_unk;
  if (const std::optional<int> pad = read->source_vocabulary.IdOf(pieces.pad_piece)) {
    read->tokenizer.source_special = {*pad};
  }

  // If there are several EOS ids, `eos` becomes the one of the tokenizer, because this one ends a
  // source and may be forced.
  SpecialIds& tokens = config->ids;
  if (const std::optional<int> own = target.IdOf(pieces.eos_piece)) {
    const auto at = std::find(tokens.more_eos.begin(), tokens.more_eos.end(), *own);
    if (at != tokens.more_eos.end()) std::swap(*at, tokens.eos);
  }
  const absl::StatusOr<int> unk = SpecialId(target, target_file, pieces.unk_piece);
  if (!unk.ok()) return unk.status();
  tokens.unk = *unk;
  return CheckSpecialIds(target, target_file, *config);
}

// Adds to the tokenizer's description the tokens that users have added to the model. Special tokens
// are also added to the lists of special ids.
absl::Status SetAdded(ModelTokenizer* read, CheckpointConfig* config) {
  const TokenizerSettings& tokenizer = config->tokenizer;
  absl::Status status = CheckListed(tokenizer.listed, tokenizer.listed_file,
                                    read->source_vocabulary, "pieces of vocab.json");
  if (!status.ok()) return status;
  TokenizerDescription& facts = read->tokenizer;
  std::vector<std::string> noted;
  const auto add = [&](const AddedToken& token) {
    const bool is_own = token.text == tokenizer.eos_piece || token.text == tokenizer.unk_piece ||
                        token.text == tokenizer.pad_piece;
    if (!token.special || is_own) return;
    const auto add_to = [&](const Vocabulary& vocabulary, std::vector<int>* special) {
      const std::optional<int> id = vocabulary.IdOf(token.text);
      if (!id || std::find(special->begin(), special->end(), *id) != special->end()) return;
      special->push_back(*id);
      if (special == &facts.special) noted.push_back(token.text);
    };
    add_to(read->source_vocabulary, &facts.source_special);
    add_to(read->TargetVocabulary(), &facts.special);
  };
  for (const auto& [id, token] : tokenizer.added) add(token);
  for (const AddedToken& token : tokenizer.listed) add(token);
  std::sort(facts.special.begin(), facts.special.end());
  std::sort(facts.source_special.begin(), facts.source_special.end());
  NoteSpecialTokens(noted, tokenizer.added_file, &config->notes);
  SetAddedTokens({}, tokenizer.added, tokenizer.listed, read->TargetVocabulary(), config->ids,
                 false, &facts);
  return absl::OkStatus();
}

absl::StatusOr<ModelTokenizer> ReadMarianTokenizer(const ModelFolder& folder,
                                                   TokenizerChoice choice,
                                                   CheckpointConfig* config) {
  absl::Status status = RequireSlow(choice, "a MarianTokenizer");
  if (!status.ok()) return status;
  const EmbeddingSizes& sizes = config->sizes;
  absl::StatusOr<Vocabulary> source =
      ReadWithAdded(folder, "vocab.json", config->tokenizer, sizes.source);
  if (!source.ok()) return source.status();
  std::optional<Vocabulary> target;
  if (config->tokenizer.separate_vocabularies) {
    absl::StatusOr<Vocabulary> read =
        ReadWithAdded(folder, "target_vocab.json", config->tokenizer, sizes.target);
    if (!read.ok()) return read.status();
    target = *std::move(read);
  } else if (sizes.target != sizes.source) {
    return absl::InvalidArgumentError(Concat("config.json: field 'decoder_vocab_size' is ",
                                             sizes.target, ", expected vocab_size ", sizes.source,
                                             ", as tokenizer_config.json has no separate_vocabs"));
  }
  const std::vector<LanguageTag> tags = LanguageTags(*source);
  LanguageMap languages(config->tokenizer.source_language, config->tokenizer.target_language, tags);
  ModelTokenizer read{*std::move(source), std::move(target), {}, std::move(languages)};

  status = ReadSpecialTokens(&read, config);
  if (status.ok()) status = SetAdded(&read, config);
  if (status.ok()) status = CheckSourceRoom(*config, tags.empty() ? 1 : 2);
  if (!status.ok()) return status;
  TokenizerDescription& facts = read.tokenizer;
  facts.max_source_tokens = config->tokenizer.model_max_length;
  facts.source_path = PathOf(folder.path(), "source.spm");
  facts.target_path = PathOf(folder.path(), "target.spm");
  for (const auto& [file, bytes] :
       {std::pair("source.spm", &facts.source_spm), std::pair("target.spm", &facts.target_spm)}) {
    absl::StatusOr<std::string> spm = folder.Read(file, kMaxSentencePieceBytes);
    if (!spm.ok()) return spm.status();
    *bytes = *std::move(spm);
  }
  return read;
}

}  // namespace

const TokenizerScheme kMarianTokenizer = {.read = ReadMarianTokenizer, .has_json = false};

}  // namespace dragoman::engine

// A BartTokenizer: vocab.json and merges.txt, GPT-2's byte-level BPE. A source is <s> X </s>.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/hf_vocabularies.h"
#include "engine/model/model_folder.h"
#include "engine/model/tokenizer_files.h"

namespace dragoman {
namespace {

constexpr std::string_view kVocabularyFile = "vocab.json";

// Of pieces by id, as many as the model has rows.
absl::StatusOr<Vocabulary> MakeVocabulary(const HfConfig& config, std::vector<std::string> pieces) {
  const auto size = static_cast<size_t>(config.spec.shape.source_vocab);
  // A model that was not made for filling in masks may have no row for <mask>, the last piece.
  if (pieces.size() == size + 1 && pieces.back() == config.tokenizer.mask_piece) pieces.pop_back();
  if (pieces.size() > size) {
    return absl::InvalidArgumentError(Concat(kVocabularyFile, ": ", pieces.size(),
                                             " pieces, expected at most ", size,
                                             ", the vocab_size of config.json"));
  }
  pieces.resize(size);
  return Vocabulary::FromPieces(std::move(pieces), kVocabularyFile);
}

// Tokens that users added would be cut out of the text before the BPE sees it.
absl::Status CheckAdded(const HfTokenizerConfig& config, const Vocabulary& vocabulary) {
  const auto is_special = [&](const std::string& piece) {
    return piece == config.bos_piece || piece == config.pad_piece || piece == config.eos_piece ||
           piece == config.unk_piece || piece == config.mask_piece;
  };
  for (const auto& [id, piece] : config.added) {
    // <mask> may have no row.
    const bool fits = id >= vocabulary.size() || vocabulary.PieceOf(id) == piece;
    if (is_special(piece) && fits) continue;
    return absl::UnimplementedError(
        Concat("tokenizer_config.json: field 'added_tokens_decoder' has '", piece.substr(0, 64),
               "' with id ", id, "; supported: special tokens in their places"));
  }
  for (const std::string& piece : config.listed) {
    if (is_special(piece)) continue;
    return absl::UnimplementedError(
        Concat("tokenizer_config.json: field 'additional_special_tokens' has '",
               piece.substr(0, 64), "'; supported: none"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HfVocabularies> ReadBartTokenizer(const ModelFolder& folder, HfConfig* config) {
  const HfTokenizerConfig& tokenizer = config->tokenizer;
  TokenizerFacts facts;
  absl::StatusOr<std::vector<std::string>> pieces =
      ReadByteBpe(folder, tokenizer.add_prefix_space, &facts);
  if (!pieces.ok()) return pieces.status();
  absl::StatusOr<Vocabulary> vocabulary = MakeVocabulary(*config, *std::move(pieces));
  if (!vocabulary.ok()) return vocabulary.status();

  const absl::StatusOr<int> unk = SpecialId(*vocabulary, kVocabularyFile, tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  const absl::StatusOr<int> bos = SpecialId(*vocabulary, kVocabularyFile, tokenizer.bos_piece);
  if (!bos.ok()) return bos.status();
  config->spec.tokens.unk = *unk;
  absl::Status status = CheckSpecialIds(*vocabulary, kVocabularyFile, *config);
  if (status.ok()) status = CheckAdded(tokenizer, *vocabulary);
  if (status.ok()) status = CheckSourceRoom(*config, 2);
  if (!status.ok()) return status;
  facts.source_eos = config->spec.tokens.eos;
  facts.source_unk = *unk;
  facts.source_bos = *bos;
  facts.special.push_back(*bos);
  if (const auto mask = vocabulary->IdOf(tokenizer.mask_piece)) facts.special.push_back(*mask);
  std::sort(facts.special.begin(), facts.special.end());
  facts.max_source_tokens = tokenizer.model_max_length;
  return HfVocabularies{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(tokenizer.source_language, tokenizer.target_language, {})};
}

}  // namespace dragoman

// A BartTokenizer: vocab.json and merges.txt, GPT-2's byte-level BPE. A source is <s> X </s>.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/hf_vocabularies.h"
#include "engine/model/model_files.h"
#include "engine/text/byte_bpe.h"

namespace dragoman {
namespace {

constexpr std::string_view kVocabularyFile = "vocab.json";
constexpr std::string_view kMergesFile = "merges.txt";

// Pieces by id, as many as the model has rows.
absl::StatusOr<Vocabulary> ReadVocabulary(const HfConfig& config, std::string_view text) {
  const absl::StatusOr<Vocabulary> parsed = Vocabulary::Parse(text, kVocabularyFile, std::nullopt);
  if (!parsed.ok()) return parsed.status();
  std::vector<std::string> pieces;
  for (int id = 0; id < parsed->size(); ++id) pieces.emplace_back(parsed->PieceOf(id));
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

absl::StatusOr<HfVocabularies> ReadBartTokenizer(const std::string& directory, HfConfig* config) {
  const HfTokenizerConfig& tokenizer = config->tokenizer;
  const absl::StatusOr<std::string> text =
      ReadModelFile(directory, kVocabularyFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<Vocabulary> vocabulary = ReadVocabulary(*config, *text);
  if (!vocabulary.ok()) return vocabulary.status();
  const absl::StatusOr<std::string> merges =
      ReadModelFile(directory, kMergesFile, kMaxVocabularyBytes);
  if (!merges.ok()) return merges.status();

  TokenizerFacts facts;
  facts.source_path = facts.target_path = PathOf(directory, kVocabularyFile);
  facts.source_spm = *text + *merges;
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

  std::vector<std::string> pieces;
  for (int id = 0; id < vocabulary->size(); ++id) pieces.emplace_back(vocabulary->PieceOf(id));
  absl::StatusOr<std::unique_ptr<ByteBpe>> model =
      ByteBpe::Create(std::move(pieces), *merges, kMergesFile, tokenizer.add_prefix_space);
  if (!model.ok()) return model.status();
  facts.model = *std::move(model);
  return HfVocabularies{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(tokenizer.source_language, tokenizer.target_language, {})};
}

}  // namespace dragoman

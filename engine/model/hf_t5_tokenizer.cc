// The tokenizer of T5's models: spiece.model, whose ids are the model's, behind them <extra_id_0> and
// its like in descending order, and rows that nobody names. What a model translates into is said in
// the text: MADLAD-400 has a piece "<2de>" for each language, and T5's config.json a prompt for each
// pair, "translate English to German: ". FLAN-T5 and mT5 have neither: the text is as the user says.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/hf_vocabularies.h"
#include "engine/model/model_files.h"
#include "engine/text/spm_file.h"
#include "engine/text/spm_normalizer.h"

namespace dragoman {
namespace {

constexpr std::string_view kSpmFile = "spiece.model";
constexpr int kUsualExtraIds = 100;

std::string ExtraId(int number) { return Concat("<extra_id_", number, ">"); }

// The tokens behind the pieces of SentencePiece.
absl::Status AddExtraIds(const HfConfig& config, std::vector<std::string>* pieces) {
  const auto size = static_cast<size_t>(config.spec.shape.source_vocab);
  const size_t known = pieces->size();
  // A class that is not asked otherwise adds 100; a model without room for them was made with none.
  int extra = config.tokenizer.extra_ids.value_or(kUsualExtraIds);
  if (!config.tokenizer.extra_ids && known + static_cast<size_t>(extra) > size) extra = 0;
  for (int i = extra - 1; i >= 0; --i) pieces->push_back(ExtraId(i));
  if (pieces->size() > size) {
    return absl::InvalidArgumentError(
        Concat("config.json: field 'vocab_size' is ", size, ", expected at least ", pieces->size(),
               ": the ", known, " pieces of ", kSpmFile, " and ", extra, " extra_ids"));
  }
  for (const auto& [id, piece] : config.tokenizer.added) {
    const auto at = static_cast<size_t>(id);
    if (at < pieces->size() && (*pieces)[at] == piece) continue;
    return absl::UnimplementedError(
        Concat("tokenizer_config.json: field 'added_tokens_decoder' has '", piece.substr(0, 64),
               "' with id ", id, "; supported: pieces of ", kSpmFile,
               " and <extra_id_...> in their places"));
  }
  for (const std::string& piece : config.tokenizer.listed) {
    if (std::find(pieces->begin(), pieces->end(), piece) != pieces->end()) continue;
    return absl::UnimplementedError(
        Concat("tokenizer_config.json: field ", "'additional_special_tokens' has '",
               piece.substr(0, 64), "'; supported: pieces of ", kSpmFile, " and <extra_id_...>"));
  }
  pieces->resize(size);
  return absl::OkStatus();
}

// "<2de>", which may begin with the mark of a space: "de". "" of a piece that names no language.
std::string_view CodeOf(std::string_view piece) {
  if (piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
  if (piece.size() <= 3 || !piece.starts_with("<2") || !piece.ends_with('>')) return {};
  piece = piece.substr(2, piece.size() - 3);
  constexpr size_t kLongestLanguage = 3;
  const bool is_code = piece.find_first_of("-_") <= kLongestLanguage || piece.size() <= 3;
  return is_code && ParseLanguageCode(piece) ? piece : std::string_view();
}

// A source has room for the longest prompt, a token of text and the end.
absl::Status CheckRoom(const HfConfig& config, const std::vector<LanguagePrompt>& prompts) {
  // A prompt has no more tokens than bytes, but for the mark of a space before it.
  size_t longest = 0;
  for (const LanguagePrompt& prompt : prompts) longest = std::max(longest, prompt.text.size() + 1);
  const int length = config.tokenizer.model_max_length;
  if (static_cast<size_t>(length) >= longest + 2) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      length < config.spec.shape.max_positions ? "tokenizer_config.json: field 'model_max_length'"
                                               : "config.json: field 'n_positions'",
      " is ", length, ", expected at least ", longest + 2,
      ": the longest prompt, a token and the end of sentence"));
}

}  // namespace

absl::StatusOr<HfVocabularies> ReadT5Tokenizer(const std::string& directory, HfConfig* config) {
  TokenizerFacts facts;
  absl::StatusOr<std::string> spm = ReadModelFile(directory, kSpmFile, kMaxSentencePieceBytes);
  if (!spm.ok()) return spm.status();
  facts.source_path = facts.target_path = PathOf(directory, kSpmFile);
  facts.source_spm = facts.target_spm = *std::move(spm);
  const absl::StatusOr<SpmFile> file = ParseSpmFile(facts.source_spm, kSpmFile);
  if (!file.ok()) return file.status();
  std::vector<std::string> pieces;
  for (const SpmPiece& piece : file->pieces) pieces.push_back(piece.text);
  const size_t of_spm = pieces.size();
  if (absl::Status status = AddExtraIds(*config, &pieces); !status.ok()) return status;

  std::vector<LanguagePrompt> prompts;
  for (size_t id = 0; id < of_spm; ++id) {
    const std::string_view code = CodeOf(pieces[id]);
    if (code.empty()) continue;
    prompts.push_back({"", std::string(code), Concat("<2", code, ">")});
    facts.special.push_back(static_cast<int>(id));
  }
  for (size_t id = 0; id < pieces.size(); ++id) {
    const bool is_control = id < of_spm && file->pieces[id].type == SpmPiece::kControl;
    if (is_control || (id >= of_spm && !pieces[id].empty())) {
      facts.special.push_back(static_cast<int>(id));
    }
  }
  std::sort(facts.special.begin(), facts.special.end());
  const bool must_be_told = !prompts.empty();
  if (!must_be_told) prompts = config->tokenizer.prompts;

  absl::StatusOr<Vocabulary> vocabulary = Vocabulary::FromPieces(std::move(pieces), kSpmFile);
  if (!vocabulary.ok()) return vocabulary.status();
  const absl::StatusOr<int> unk = SpecialId(*vocabulary, kSpmFile, config->tokenizer.unk_piece);
  if (!unk.ok()) return unk.status();
  const absl::StatusOr<int> eos = SpecialId(*vocabulary, kSpmFile, config->tokenizer.eos_piece);
  if (!eos.ok()) return eos.status();
  SpecialIds& tokens = config->spec.tokens;
  if (*eos != tokens.eos) {
    return absl::InvalidArgumentError(Concat(kSpmFile, ": piece '", config->tokenizer.eos_piece,
                                             "' has id ", *eos, ", expected ", tokens.eos,
                                             ", the eos_token_id of the configuration"));
  }
  tokens.unk = *unk;
  facts.source_eos = *eos;
  facts.source_unk = *unk;
  facts.max_source_tokens = config->tokenizer.model_max_length;
  if (absl::Status status = CheckRoom(*config, prompts); !status.ok()) return status;
  return HfVocabularies{*std::move(vocabulary), std::nullopt, std::move(facts),
                        LanguageMap(prompts, must_be_told)};
}

}  // namespace dragoman

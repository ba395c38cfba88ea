#include "engine/model/ct2_tokenizer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/model_files.h"
#include "engine/model/tokenizer_json.h"
#include "engine/text/spaced_tokens.h"

namespace dragoman {
namespace {

// One model for both sides, under the names that it has beside the checkpoints.
constexpr std::array<std::string_view, 3> kSharedSpm = {"sentencepiece.bpe.model", "spiece.model",
                                                        "sentencepiece.model"};
constexpr std::string_view kMergesFile = "merges.txt";

// Marks that tokenizers put into pieces where words are cut: SentencePiece's and byte-level BPE's
// before a word, the joiner of OpenNMT's Tokenizer on either side.
constexpr std::array<std::string_view, 3> kWordMarks = {"\xE2\x96\x81", "\xC4\xA0", "\xEF\xBF\xAD"};
// What subword-nmt has behind a piece, fastBPE and WordPiece.
constexpr std::string_view kContinues = "@@";
constexpr std::string_view kWordEnd = "</w>";
constexpr std::string_view kInsideWord = "##";

// Alone they may be tokens: a vocabulary of characters has one for the space.
bool IsPartOfWord(std::string_view piece) {
  for (const std::string_view mark : kWordMarks) {
    if (piece.size() > mark.size() && (piece.starts_with(mark) || piece.ends_with(mark)))
      return true;
  }
  return (piece.size() > kContinues.size() && piece.ends_with(kContinues)) ||
         (piece.size() > kWordEnd.size() && piece.ends_with(kWordEnd)) ||
         (piece.size() > kInsideWord.size() && piece.starts_with(kInsideWord));
}

// The first such piece of a vocabulary, or "".
std::string_view PartOfWord(const Vocabulary& vocabulary) {
  for (int id = 0; id < vocabulary.size(); ++id) {
    if (IsPartOfWord(vocabulary.PieceOf(id))) return vocabulary.PieceOf(id);
  }
  return "";
}

absl::Status ReadSpm(const ModelFolder& folder, std::string_view file, std::string* bytes,
                     std::string* path) {
  absl::StatusOr<std::string> read = folder.Read(file, kMaxSentencePieceBytes);
  if (!read.ok()) return read.status();
  *bytes = *std::move(read);
  *path = PathOf(folder.path(), file);
  return absl::OkStatus();
}

absl::StatusOr<Ct2Tokenizer> ReadSentencePiece(const ModelFolder& folder, std::string_view source,
                                               std::string_view target, const Ct2Sides& sides,
                                               TokenizerFacts* facts) {
  absl::Status status = ReadSpm(folder, source, &facts->source_spm, &facts->source_path);
  if (status.ok()) status = ReadSpm(folder, target, &facts->target_spm, &facts->target_path);
  if (status.ok()) {
    status = CheckBelongs(facts->source_spm, source, sides.source, sides.source_file);
  }
  if (status.ok()) {
    status = CheckBelongs(facts->target_spm, target, sides.target, sides.target_file);
  }
  if (!status.ok()) return status;
  Ct2Tokenizer tokenizer;
  if (source == kSharedSpm[0]) tokenizer.kind = Ct2Tokenizer::kFairseq;
  return tokenizer;
}

absl::Status CheckBothSides(const std::vector<std::string>& pieces, std::string_view file,
                            const Ct2Sides& sides) {
  absl::Status status = CheckBelongs(pieces, file, sides.source, sides.source_file);
  if (status.ok()) status = CheckBelongs(pieces, file, sides.target, sides.target_file);
  return status;
}

absl::StatusOr<Ct2Tokenizer> ReadJson(const ModelFolder& folder, const Ct2Network& network,
                                      const Ct2Sides& sides, TokenizerFacts* facts) {
  if (network.starts_empty) {
    return absl::UnimplementedError(
        Concat(kTokenizerJsonFile, ": is not supported with a model of Marian's, ",
               "'decoder/start_from_zero_embedding' in model.bin; supported: source.spm and ",
               "target.spm"));
  }
  const absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, facts);
  if (!json.ok()) return json.status();
  const bool is_t5 = network.spec.family == "t5";
  absl::Status status = CheckBothSides(json->pieces, kTokenizerJsonFile, sides);
  if (status.ok()) status = is_t5 ? RequireTextAndEnd(*json) : RequireSpecialAdded(*json);
  if (!status.ok()) return status;
  Ct2Tokenizer tokenizer;
  if (!is_t5) tokenizer.kind = Ct2Tokenizer::kFairseq;
  for (const TokenizerJson::Added& added : json->added) {
    if (added.special) tokenizer.special.push_back(added.piece);
  }
  return tokenizer;
}

// Which all come from vocab.json.
absl::Status CheckPieces(const std::vector<std::string>& pieces, const Vocabulary& vocabulary,
                         std::string_view vocabulary_file) {
  for (int id = 0; id < vocabulary.size(); ++id) {
    const std::string_view piece = vocabulary.PieceOf(id);
    if (piece.empty()) continue;
    if (static_cast<size_t>(id) >= pieces.size()) {
      return absl::UnimplementedError(
          Concat(vocabulary_file, ": has '", piece.substr(0, 64), "' with id ", id,
                 ", which vocab.json does not have; supported: no added tokens"));
    }
    const std::string_view found = pieces[static_cast<size_t>(id)];
    if (found == piece) continue;
    return absl::InvalidArgumentError(Concat("vocab.json: has '", found.substr(0, 64), "' with id ",
                                             id, ", expected '", piece.substr(0, 64), "', as ",
                                             vocabulary_file, " has it: it is another model's"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ct2Tokenizer> ReadBart(const ModelFolder& folder, const TokenizerFields& fields,
                                      const Ct2Sides& sides, TokenizerFacts* facts) {
  // Others put other tokens around a source.
  const std::string_view name = fields.tokenizer_class;
  if (!name.empty() && name != "BartTokenizer" && name != "BartTokenizerFast") {
    return absl::UnimplementedError(Concat("tokenizer_config.json: field 'tokenizer_class' is '",
                                           name.substr(0, 64), "', which is not supported with ",
                                           kMergesFile,
                                           "; supported: BartTokenizer, BartTokenizerFast"));
  }
  const absl::StatusOr<std::vector<std::string>> pieces =
      ReadByteBpe(folder, fields.add_prefix_space, facts);
  if (!pieces.ok()) return pieces.status();
  absl::Status status = CheckPieces(*pieces, sides.source, sides.source_file);
  if (status.ok()) status = CheckPieces(*pieces, sides.target, sides.target_file);
  if (!status.ok()) return status;
  return Ct2Tokenizer{.kind = Ct2Tokenizer::kBart};
}

}  // namespace

absl::StatusOr<Ct2Tokenizer> ReadCt2Tokenizer(const ModelFolder& folder,
                                              const TokenizerFields& fields,
                                              const Ct2Network& network, const Ct2Sides& sides,
                                              TokenizerFacts* facts) {
  if (folder.Has("source.spm") || folder.Has("target.spm")) {
    return ReadSentencePiece(folder, "source.spm", "target.spm", sides, facts);
  }
  for (const std::string_view file : kSharedSpm) {
    if (folder.Has(file)) return ReadSentencePiece(folder, file, file, sides, facts);
  }
  if (folder.Has(kMergesFile)) return ReadBart(folder, fields, sides, facts);
  if (folder.Has(kTokenizerJsonFile)) return ReadJson(folder, network, sides, facts);
  for (const auto& [vocabulary, file] :
       {std::pair(&sides.source, sides.source_file), std::pair(&sides.target, sides.target_file)}) {
    const std::string_view piece = PartOfWord(*vocabulary);
    if (piece.empty()) continue;
    return absl::NotFoundError(Concat(
        "found no tokenizer, expected source.spm and target.spm, or one of ",
        "sentencepiece.bpe.model, spiece.model, sentencepiece.model and ", kTokenizerJsonFile,
        ", or BART's vocab.json and ", kMergesFile, ", from the checkpoint that was converted: ",
        file, " has parts of words, such as '", piece.substr(0, 64), "'"));
  }
  facts->model = std::make_shared<SpacedTokens>();
  return Ct2Tokenizer{.kind = Ct2Tokenizer::kSpaced};
}

}  // namespace dragoman

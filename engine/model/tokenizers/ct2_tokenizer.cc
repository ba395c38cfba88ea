#include "engine/model/tokenizers/ct2_tokenizer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_files.h"
#include "engine/model/tokenizers/tokenizer_rules.h"
#include "engine/text/spaced_tokens.h"

namespace dragoman::engine {
namespace {

// The possible file names of a SentencePiece model that source and target share.
constexpr std::array<std::string_view, 3> kSharedSpm = {"sentencepiece.bpe.model", "spiece.model",
                                                        "sentencepiece.model"};

// The marks in the pieces of tokenizers that cut words. SentencePiece and byte-level BPE put a mark
// before a word. OpenNMT's Tokenizer puts one on the side where pieces are joined.
constexpr std::array<std::string_view, 3> kWordMarks = {"\xE2\x96\x81", "\xC4\xA0", "\xEF\xBF\xAD"};
// The marks of other tokenizers. subword-nmt and fastBPE put kContinues after a piece whose word
// continues. They put kWordEnd after the last piece of a word. WordPiece puts kInsideWord before a
// piece inside a word.
constexpr std::string_view kContinues = "@@";
constexpr std::string_view kWordEnd = "</w>";
constexpr std::string_view kInsideWord = "##";

// Reports whether a piece has a mark, so that it may be a part of a word. A mark alone does not
// count, because it may be an ordinary character.
bool IsPartOfWord(std::string_view piece) {
  for (const std::string_view mark : kWordMarks) {
    if (piece.size() > mark.size() && (piece.starts_with(mark) || piece.ends_with(mark)))
      return true;
  }
  return (piece.size() > kContinues.size() && piece.ends_with(kContinues)) ||
         (piece.size() > kWordEnd.size() && piece.ends_with(kWordEnd)) ||
         (piece.size() > kInsideWord.size() && piece.starts_with(kInsideWord));
}

// Returns the first piece of a vocabulary that has a mark (IsPartOfWord), or "".
std::string_view PartOfWord(const Vocabulary& vocabulary) {
  for (int id = 0; id < vocabulary.size(); ++id) {
    if (IsPartOfWord(vocabulary.PieceOf(id))) return vocabulary.PieceOf(id);
  }
  return "";
}

// If there are no tokenizer files, spaces separate the tokens. Returns NOT_FOUND if a piece has a
// mark of a tokenizer that cuts words, because then its files are missing.
absl::Status RequireWholeWords(const Ct2Sides& sides) {
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
  return absl::OkStatus();
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
                                               TokenizerDescription* facts) {
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

// Reports whether `name` is a tokenizer class of BART, or names no class of a family.
bool IsBartClass(std::string_view name) {
  return name.empty() || IsTokenizersBackend(name) || name == "BartTokenizer" ||
         name == "BartTokenizerFast";
}

absl::Status NoBartClass(std::string_view name, std::string_view file) {
  return absl::UnimplementedError(Concat("tokenizer_config.json: field 'tokenizer_class' is '",
                                         name.substr(0, 64), "', which is not supported with ",
                                         file, "; supported: BartTokenizer, BartTokenizerFast"));
}

absl::StatusOr<Ct2Tokenizer> ReadJson(const ModelFolder& folder, const TokenizerConfig& fields,
                                      const Ct2Sides& sides, TokenizerDescription* facts) {
  if (sides.starts_empty) {
    return absl::UnimplementedError(
        Concat(kTokenizerJsonFile, ": is not supported with a model of Marian's, ",
               "'decoder/start_from_zero_embedding' in model.bin; supported: source.spm and ",
               "target.spm"));
  }
  const absl::StatusOr<TokenizerJson> json = ReadTokenizerJson(folder, facts);
  if (!json.ok()) return json.status();
  const bool is_t5 = sides.is_t5;
  const bool is_bart = json->model == nullptr && !is_t5;
  absl::Status status = CheckBothSides(json->pieces, kTokenizerJsonFile, sides);
  if (status.ok() && is_bart && !IsBartClass(fields.tokenizer_class)) {
    status = NoBartClass(fields.tokenizer_class, "a tokenizer.json of bytes");
  }
  if (status.ok() && is_bart) {
    const bool of_file = fields.tokenizer_class == "TokenizersBackend" && json->adds_prefix_space;
    status = UseByteBpe(*json, fields.bos_piece.value_or("<s>"), fields.eos_piece.value_or("</s>"),
                        fields.add_prefix_space.value_or(of_file), facts);
  }
  if (status.ok() && is_t5) status = RequireMetaspace(*json);
  if (status.ok() && is_t5) status = RequireTextAndEnd(*json);
  if (!status.ok()) return status;
  Ct2Tokenizer tokenizer;
  if (!is_t5) tokenizer.kind = is_bart ? Ct2Tokenizer::kBart : Ct2Tokenizer::kFairseq;
  for (const TokenizerJson::Added& added : json->added) {
    if (added.token.special) tokenizer.special.push_back(added.token.text);
  }
  tokenizer.added = json->added;
  return tokenizer;
}

// Checks that each piece of the vocabulary is in vocab.json or is an added token.
absl::Status CheckPieces(const std::vector<std::string>& pieces, const TokenizerConfig& fields,
                         const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  for (int id = 0; id < vocabulary.size(); ++id) {
    const std::string_view piece = vocabulary.PieceOf(id);
    const auto added = fields.added.find(id);
    if (piece.empty() || (added != fields.added.end() && added->second.text == piece)) continue;
    if (static_cast<size_t>(id) >= pieces.size()) {
      return absl::UnimplementedError(
          Concat(vocabulary_file, ": has '", piece.substr(0, 64), "' with id ", id,
                 ", which neither vocab.json has nor tokenizer_config.json has added"));
    }
    const std::string_view found = pieces[static_cast<size_t>(id)];
    if (found == piece) continue;
    return absl::InvalidArgumentError(Concat("vocab.json: has '", found.substr(0, 64), "' with id ",
                                             id, ", expected '", piece.substr(0, 64), "', as ",
                                             vocabulary_file, " has it: it is another model's"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Ct2Tokenizer> ReadBart(const ModelFolder& folder, const TokenizerConfig& fields,
                                      const Ct2Sides& sides, TokenizerDescription* facts) {
  // A class other than BART's would put other tokens around a source.
  const std::string_view name = fields.tokenizer_class;
  if (!IsBartClass(name)) return NoBartClass(name, kMergesFile);
  const absl::StatusOr<std::vector<std::string>> pieces =
      ReadByteBpe(folder, fields.add_prefix_space.value_or(false), facts);
  if (!pieces.ok()) return pieces.status();
  absl::Status status = CheckPieces(*pieces, fields, sides.source, sides.source_file);
  if (status.ok()) status = CheckPieces(*pieces, fields, sides.target, sides.target_file);
  if (!status.ok()) return status;
  return Ct2Tokenizer{.kind = Ct2Tokenizer::kBart};
}

// Returns the name of the slow tokenizer's file, the first one that exists, or "" if there is none.
std::string_view SlowFile(const ModelFolder& folder) {
  for (const std::string_view file : {"source.spm", "target.spm"}) {
    if (folder.Has(file)) return file;
  }
  for (const std::string_view file : kSharedSpm) {
    if (folder.Has(file)) return file;
  }
  return folder.Has(kMergesFile) ? kMergesFile : "";
}

absl::StatusOr<Ct2Tokenizer> ReadSlow(const ModelFolder& folder, std::string_view file,
                                      const TokenizerConfig& fields, const Ct2Sides& sides,
                                      TokenizerDescription* facts) {
  if (file == kMergesFile) return ReadBart(folder, fields, sides, facts);
  if (file == "source.spm" || file == "target.spm") {
    return ReadSentencePiece(folder, "source.spm", "target.spm", sides, facts);
  }
  absl::StatusOr<Ct2Tokenizer> read = ReadSentencePiece(folder, file, file, sides, facts);
  if (read.ok() && sides.is_t5 && !fields.legacy.value_or(true)) {
    absl::Status status =
        UseT5Spaces(fields.unk_piece.value_or("<unk>"), fields.add_prefix_space, facts);
    if (!status.ok()) return status;
  }
  return read;
}

}  // namespace

absl::StatusOr<Ct2Tokenizer> ReadCt2Tokenizer(const ModelFolder& folder,
                                              const TokenizerConfig& fields, TokenizerChoice choice,
                                              const Ct2Sides& sides, TokenizerDescription* facts) {
  const std::string_view slow = SlowFile(folder);
  const bool has_json = folder.Has(kTokenizerJsonFile);
  if (slow.empty() && !has_json) {
    absl::Status status = RequireWholeWords(sides);
    if (status.ok()) status = RequireSlow(choice, "a directory without a tokenizer");
    if (!status.ok()) return status;
    facts->model = std::make_shared<SpacedTokens>();
    return Ct2Tokenizer{.kind = Ct2Tokenizer::kSpaced};
  }
  std::vector<std::string> notes;
  const bool is_backend = IsTokenizersBackend(fields.tokenizer_class) && has_json;
  const absl::StatusOr<TokenizerRules> rules = RulesOf(
      choice,
      {.kinds = is_backend ? TokenizerOffer::kFastOnly : TokenizerOffer::kBoth,
       .tokenizer_class = fields.tokenizer_class,
       .slow_file = slow.empty() ? "a SentencePiece model or merges.txt" : std::string(slow),
       .has_slow = !slow.empty(),
       .has_fast = has_json},
      &notes);
  if (!rules.ok()) return rules.status();
  absl::StatusOr<Ct2Tokenizer> read = *rules == TokenizerRules::kFast
                                          ? ReadJson(folder, fields, sides, facts)
                                          : ReadSlow(folder, slow, fields, sides, facts);
  if (!read.ok()) return read.status();
  for (const auto& [id, token] : fields.added) {
    if (token.special || fields.NamesSpecial(token.text)) read->special.push_back(token.text);
  }
  for (const AddedToken& token : fields.listed) read->special.push_back(token.text);
  read->notes = std::move(notes);
  return read;
}

}  // namespace dragoman::engine

#include "engine/model/tokenizers/tokenizer_files.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/concat.h"
#include "engine/text/pipeline/byte_bpe.h"
#include "engine/text/sentencepiece/sentence_piece.h"
#include "engine/text/sentencepiece/t5_sentence_piece.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kVocabularyFile = "vocab.json";

}  // namespace

absl::Status CheckBelongs(std::string_view spm, std::string_view spm_file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  const absl::StatusOr<SpmFile> parsed = ParseSpmFile(spm, spm_file);
  if (!parsed.ok()) return parsed.status();
  std::vector<std::string> pieces;
  pieces.reserve(parsed->pieces.size());
  for (const SpmPiece& piece : parsed->pieces) pieces.push_back(piece.text);
  return CheckBelongs(pieces, spm_file, vocabulary, vocabulary_file);
}

absl::Status CheckBelongs(const std::vector<std::string>& pieces, std::string_view file,
                          const Vocabulary& vocabulary, std::string_view vocabulary_file) {
  const auto known = std::count_if(pieces.begin(), pieces.end(), [&](const std::string& piece) {
    return vocabulary.IdOf(piece).has_value();
  });
  if (static_cast<size_t>(known) * 2 >= pieces.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(file, ": ", known, " of its ", pieces.size(),
                                           " pieces are in ", vocabulary_file,
                                           ", expected at least half: it is another model's"));
}

absl::StatusOr<Vocabulary> ReadVocabulary(const ModelFolder& folder, std::string_view file,
                                          std::optional<int> size) {
  const absl::StatusOr<std::string> text = folder.Read(file, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  return Vocabulary::Parse(*text, file, size);
}

absl::StatusOr<TokenizerJson> ReadTokenizerJson(const ModelFolder& folder,
                                                TokenizerDescription* facts) {
  absl::StatusOr<std::string> text = folder.Read(kTokenizerJsonFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<TokenizerJson> json = ParseTokenizerJson(*text, kTokenizerJsonFile);
  if (!json.ok()) return json.status();
  facts->source_path = facts->target_path = PathOf(folder.path(), kTokenizerJsonFile);
  facts->source_spm = *std::move(text);
  facts->model = json->model;
  facts->rules = TokenizerRules::kFast;
  return json;
}

absl::StatusOr<SpmFile> ReadSharedSpm(const ModelFolder& folder, std::string_view file,
                                      TokenizerDescription* facts) {
  absl::StatusOr<std::string> spm = folder.Read(file, kMaxSentencePieceBytes);
  if (!spm.ok()) return spm.status();
  facts->source_path = facts->target_path = PathOf(folder.path(), file);
  facts->source_spm = facts->target_spm = *std::move(spm);
  return ParseSpmFile(facts->source_spm, file);
}

absl::Status UseT5Spaces(std::string_view unk_piece, std::optional<bool> add_prefix_space,
                         TokenizerDescription* facts) {
  absl::StatusOr<std::unique_ptr<SentencePiece>> spm =
      SentencePiece::Create(facts->source_spm, facts->source_path);
  if (!spm.ok()) return spm.status();
  facts->model = std::make_shared<T5SentencePiece>(*std::move(spm), std::string(unk_piece),
                                                   add_prefix_space.value_or(true));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ReadByteBpe(const ModelFolder& folder,
                                                     bool add_prefix_space,
                                                     TokenizerDescription* facts) {
  const absl::StatusOr<std::string> text = folder.Read(kVocabularyFile, kMaxVocabularyBytes);
  if (!text.ok()) return text.status();
  const absl::StatusOr<Vocabulary> vocabulary =
      Vocabulary::Parse(*text, kVocabularyFile, std::nullopt);
  if (!vocabulary.ok()) return vocabulary.status();
  const absl::StatusOr<std::string> merges = folder.Read(kMergesFile, kMaxVocabularyBytes);
  if (!merges.ok()) return merges.status();
  absl::StatusOr<std::unique_ptr<ByteBpe>> model =
      ByteBpe::Create(vocabulary->pieces(), *merges, kMergesFile,
                      add_prefix_space ? ByteBpe::kText : ByteBpe::kNone);
  if (!model.ok()) return model.status();
  facts->source_path = facts->target_path = PathOf(folder.path(), kVocabularyFile);
  facts->source_spm = *text + *merges;
  facts->model = *std::move(model);
  return vocabulary->pieces();
}

absl::Status UseByteBpe(const TokenizerJson& json, const std::string& bos, const std::string& eos,
                        bool add_prefix_space, TokenizerDescription* facts) {
  if (json.model != nullptr) {
    return absl::UnimplementedError(
        Concat(kTokenizerJsonFile, ": field 'pre_tokenizer' is Metaspace, which is not supported ",
               "with BART's tokenizers; supported: ByteLevel"));
  }
  if (json.layout != std::vector<std::string>{bos, "$A", eos}) {
    return absl::UnimplementedError(
        Concat(kTokenizerJsonFile, ": field 'post_processor' has ", json.layout.size(),
               " parts, which is not supported; supported: '", bos, "', the text and '", eos, "'"));
  }
  absl::StatusOr<std::unique_ptr<ByteBpe>> model =
      ByteBpe::Create(json.pieces, json.byte_merges, kTokenizerJsonFile,
                      add_prefix_space ? ByteBpe::kParts : ByteBpe::kNone);
  if (!model.ok()) return model.status();
  facts->model = *std::move(model);
  return absl::OkStatus();
}

absl::Status RequireMetaspace(const TokenizerJson& json) {
  if (json.model != nullptr) return absl::OkStatus();
  return absl::UnimplementedError(
      Concat(kTokenizerJsonFile, ": field 'pre_tokenizer' is ByteLevel, which is not supported ",
             "with this family's tokenizers; supported: Metaspace, WhitespaceSplit and Metaspace"));
}

absl::Status RequireTextAndEnd(const TokenizerJson& json) {
  if (json.layout.size() == 2 && json.layout[0] == "$A") return absl::OkStatus();
  return absl::UnimplementedError(
      Concat(kTokenizerJsonFile, ": field 'post_processor' has ", json.layout.size(),
             " parts, which is not supported; supported: the text and the end of sentence"));
}

absl::Status PlaceAddedToken(int id, const AddedToken& token, std::string_view file, int rows,
                             std::vector<std::string>* pieces) {
  const auto at = static_cast<size_t>(id);
  const std::string shown = token.text.substr(0, 64);
  if (at < pieces->size() && (*pieces)[at] == token.text) return absl::OkStatus();
  if (at < pieces->size() && !(*pieces)[at].empty()) {
    return absl::UnimplementedError(Concat(file, " has '", shown, "' with id ", id,
                                           ", which is the id of '", (*pieces)[at].substr(0, 64),
                                           "'; supported: ids that no other piece has"));
  }
  if (id >= rows) {
    return absl::InvalidArgumentError(Concat("config.json: field 'vocab_size' is ", rows,
                                             ", expected more than ", id, ", the id of '", shown,
                                             "'"));
  }
  if (at >= pieces->size()) pieces->resize(at + 1);
  (*pieces)[at] = token.text;
  return absl::OkStatus();
}

absl::Status CheckListed(const std::vector<AddedToken>& listed, std::string_view file,
                         const Vocabulary& vocabulary, std::string_view supported) {
  for (const AddedToken& token : listed) {
    if (vocabulary.IdOf(token.text)) continue;
    return absl::UnimplementedError(Concat(
        file, ": field 'additional_special_tokens' has '", token.text.substr(0, 64),
        "', which has no id; supported: ", supported, " and tokens of added_tokens_decoder"));
  }
  return absl::OkStatus();
}

void SetAddedTokens(const std::vector<TokenizerJson::Added>& json, const AddedTokenMap& added,
                    const std::vector<AddedToken>& listed, const Vocabulary& vocabulary,
                    const SpecialIds& tokens, bool has_prompts, TokenizerDescription* facts) {
  // If two tokens have the same text, one from `json` or `added` replaces the earlier token. One
  // from `listed` only marks the earlier token as special.
  std::vector<AddedToken> all;
  std::unordered_map<std::string_view, size_t> places;  // views into the arguments
  const auto set = [&](const AddedToken& token, bool changes) {
    if (!vocabulary.IdOf(token.text)) return;
    const auto [place, is_new] = places.emplace(token.text, all.size());
    if (is_new) {
      all.push_back(token);
    } else if (changes) {
      all[place->second] = token;
    } else {
      all[place->second].special = true;
    }
  };
  for (const TokenizerJson::Added& one : json) set(one.token, true);
  for (const auto& [id, token] : added) set(token, true);
  for (const AddedToken& token : listed) set(token, false);
  bool cuts_texts = false;
  for (AddedToken& token : all) {
    const int id = *vocabulary.IdOf(token.text);
    const bool is_special = id == tokens.eos || id == tokens.unk || id == tokens.pad ||
                            std::binary_search(facts->special.begin(), facts->special.end(), id);
    token.special = token.special || is_special;
    cuts_texts = cuts_texts || !token.special;
  }
  if (cuts_texts || has_prompts) facts->added = std::move(all);
}

void NoteSpecialTokens(const std::vector<std::string>& pieces, std::string_view file,
                       std::vector<std::string>* notes) {
  constexpr size_t kNamed = 5;
  if (pieces.empty()) return;
  std::string note = Concat(file, " has added ", pieces.size(),
                            pieces.size() == 1 ? " special token" : " special tokens",
                            ", which are never read from a text nor written to one: ");
  for (size_t i = 0; i < std::min(kNamed, pieces.size()); ++i) {
    note += Concat(i == 0 ? "" : ", ", pieces[i].substr(0, 64));
  }
  if (pieces.size() > kNamed) note += ", ...";
  notes->push_back(std::move(note));
}

}  // namespace dragoman::engine

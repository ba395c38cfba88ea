#include "engine/model/hf_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/status/statusor.h"
#include "engine/model/hf_fields.h"

namespace dragoman {
namespace {

// A special token is its text, or an object with the text in `content`.
std::string SpecialPiece(JsonFields* fields, std::string_view name, std::string_view absent) {
  const nlohmann::json* value = fields->Find(name);
  if (value != nullptr && value->is_object()) {
    const auto content = value->find("content");
    if (content != value->end() && content->is_string()) return content->get<std::string>();
    fields->Fail(name, "a string, or an object with the string 'content'");
    return std::string(absent);
  }
  return fields->String(name, absent);
}

// Tokens that users added would be cut out of the text before SentencePiece sees it.
void RefuseAddedTokens(JsonFields* fields, const HfTokenizerConfig& tokenizer) {
  const auto known = [&](const nlohmann::json& token) {
    const nlohmann::json* text = &token;
    if (token.is_object() && token.contains("content")) text = &*token.find("content");
    return *text == tokenizer.unk_piece || *text == tokenizer.eos_piece ||
           *text == tokenizer.pad_piece;
  };
  for (const std::string_view name : {"additional_special_tokens", "added_tokens_decoder"}) {
    const nlohmann::json* tokens = fields->Find(name);
    if (tokens == nullptr) continue;
    if (!tokens->is_structured() || !std::all_of(tokens->begin(), tokens->end(), known)) {
      fields->Unsupported(name, "no tokens besides those of unk, eos and pad");
    }
  }
}

}  // namespace

void ReadTokenizerConfig(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  const std::string type = fields->String("tokenizer_class", "MarianTokenizer");
  if (type != "MarianTokenizer") fields->Unsupported("tokenizer_class", "MarianTokenizer");
  const nlohmann::json* kwargs = fields->Find("sp_model_kwargs");
  if (kwargs != nullptr && !HoldsNeutral(*kwargs, Neutral::kEmpty)) {
    fields->Unsupported("sp_model_kwargs", "null or empty");
  }
  tokenizer->source_language = fields->String("source_lang", tokenizer->source_language);
  tokenizer->target_language = fields->String("target_lang", tokenizer->target_language);
  tokenizer->unk_piece = SpecialPiece(fields, "unk_token", tokenizer->unk_piece);
  tokenizer->eos_piece = SpecialPiece(fields, "eos_token", tokenizer->eos_piece);
  tokenizer->pad_piece = SpecialPiece(fields, "pad_token", tokenizer->pad_piece);
  tokenizer->separate_vocabularies = fields->Bool("separate_vocabs", false);
  RefuseAddedTokens(fields, *tokenizer);
  // May be 1e30, for "no limit".
  const std::optional<double> max_length = fields->OptionalNumber("model_max_length");
  if (max_length && *max_length < 2.0) {
    fields->Fail("model_max_length", "at least 2, for a token and the end of sentence");
  }
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
}

absl::Status CheckAddedTokens(std::string_view text, std::string_view file,
                              const HfTokenizerConfig& tokenizer) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, file);
  if (!root.ok()) return root.status();
  JsonFields fields(file, *root);
  for (const auto& [piece, id] : root->items()) {
    if (piece != tokenizer.unk_piece && piece != tokenizer.eos_piece &&
        piece != tokenizer.pad_piece) {
      fields.Unsupported(piece.substr(0, 64), "no tokens besides those of unk, eos and pad");
    }
  }
  return fields.status();
}

}  // namespace dragoman

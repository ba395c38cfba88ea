#include "engine/model/hf_tokenizer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "engine/model/concat.h"
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

struct TokenizerClass {
  std::string_view name;
  HfTokenizerKind kind;
};
constexpr TokenizerClass kMarianClasses[] = {{"MarianTokenizer", HfTokenizerKind::kMarian}};
constexpr TokenizerClass kFairseqClasses[] = {{"M2M100Tokenizer", HfTokenizerKind::kM2m100},
                                              {"SMALL100Tokenizer", HfTokenizerKind::kSmall100},
                                              {"NllbTokenizer", HfTokenizerKind::kNllb},
                                              {"NllbTokenizerFast", HfTokenizerKind::kNllb}};
constexpr TokenizerClass kT5Classes[] = {{"T5Tokenizer", HfTokenizerKind::kT5},
                                         {"T5TokenizerFast", HfTokenizerKind::kT5},
                                         {"MT5Tokenizer", HfTokenizerKind::kT5},
                                         {"MT5TokenizerFast", HfTokenizerKind::kT5}};
constexpr TokenizerClass kMbartClasses[] = {{"MBart50Tokenizer", HfTokenizerKind::kMbart50},
                                            {"MBart50TokenizerFast", HfTokenizerKind::kMbart50},
                                            {"MBartTokenizer", HfTokenizerKind::kMbart25},
                                            {"MBartTokenizerFast", HfTokenizerKind::kMbart25}};

constexpr TokenizerClass kBartClasses[] = {{"BartTokenizer", HfTokenizerKind::kBart},
                                           {"BartTokenizerFast", HfTokenizerKind::kBart}};

constexpr TokenizerClass kPegasusClasses[] = {{"PegasusTokenizer", HfTokenizerKind::kPegasus},
                                              {"PegasusTokenizerFast", HfTokenizerKind::kPegasus}};

void ReadClass(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  std::span<const TokenizerClass> classes = kFairseqClasses;
  if (tokenizer->kind == HfTokenizerKind::kMarian) classes = kMarianClasses;
  if (tokenizer->kind == HfTokenizerKind::kMbart50) classes = kMbartClasses;
  if (tokenizer->kind == HfTokenizerKind::kT5) classes = kT5Classes;
  if (tokenizer->kind == HfTokenizerKind::kBart) classes = kBartClasses;
  if (tokenizer->kind == HfTokenizerKind::kPegasus) classes = kPegasusClasses;
  const std::string name = fields->String("tokenizer_class", "");
  if (name.empty()) return;
  std::string names;
  for (const TokenizerClass& one : classes) {
    if (name == one.name) {
      tokenizer->kind = one.kind;
      tokenizer->kind_given = true;
      return;
    }
    names += Concat(names.empty() ? "" : ", ", one.name);
  }
  fields->Unsupported("tokenizer_class", names);
}

// A list of tokens, which are texts or objects with the text in `content`.
void ReadListed(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  constexpr std::string_view kName = "additional_special_tokens";
  const nlohmann::json* tokens = fields->Find(kName);
  if (tokens == nullptr) return;
  tokenizer->listed.clear();
  tokenizer->listed_file = std::string(fields->file());
  for (const nlohmann::json& token : *tokens) {
    const nlohmann::json* text = &token;
    if (token.is_object() && token.contains("content")) text = &*token.find("content");
    if (!tokens->is_array() || !text->is_string()) {
      fields->Fail(kName, "a list of tokens");
      return;
    }
    tokenizer->listed.push_back(text->get<std::string>());
  }
}

void ReadAdded(JsonFields* fields, std::map<int, std::string>* added) {
  constexpr std::string_view kName = "added_tokens_decoder";
  const nlohmann::json* tokens = fields->Find(kName);
  if (tokens == nullptr) return;
  for (const auto& [key, token] : tokens->items()) {
    int id = -1;
    const bool is_id = absl::SimpleAtoi(key, &id) && id >= 0;
    if (!tokens->is_object() || !is_id || !token.is_object() || !token.contains("content") ||
        !token["content"].is_string()) {
      fields->Fail(kName, "an object id -> token with the string 'content'");
      return;
    }
    (*added)[id] = token["content"].get<std::string>();
  }
}

void ReadT5Fields(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  constexpr int64_t kMostExtraIds = 10'000;
  if (const auto extra = fields->OptionalInt("extra_ids", 0, kMostExtraIds)) {
    tokenizer->extra_ids = static_cast<int>(*extra);
  }
  ReadListed(fields, tokenizer);
  ReadAdded(fields, &tokenizer->added);
}

// Where its ids lie is the class's: other values are of relatives (BigBird-Pegasus).
void ReadPegasusFields(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  constexpr int64_t kOffset = 103;
  constexpr std::string_view kMaskOfSentence = "<mask_1>";
  tokenizer->mask_piece = SpecialPiece(fields, "mask_token", "<mask_2>");
  if (fields->OptionalInt("offset", 0, 1 << 20).value_or(kOffset) != kOffset) {
    fields->Unsupported("offset", Concat(kOffset));
  }
  if (SpecialPiece(fields, "mask_token_sent", kMaskOfSentence) != kMaskOfSentence) {
    fields->Unsupported("mask_token_sent", kMaskOfSentence);
  }
  ReadListed(fields, tokenizer);
  ReadAdded(fields, &tokenizer->added);
}

void ReadFairseqFields(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  tokenizer->bos_piece = SpecialPiece(fields, "bos_token", tokenizer->bos_piece);
  tokenizer->mask_piece = SpecialPiece(fields, "mask_token", tokenizer->mask_piece);
  const std::string codes = fields->String("language_codes", "m2m100");
  tokenizer->is_wmt21 = codes == "wmt21";
  if (codes != "m2m100" && codes != "wmt21") {
    fields->Unsupported("language_codes", "m2m100, wmt21");
  }
  tokenizer->legacy = fields->Bool("legacy_behaviour", false);
  ReadListed(fields, tokenizer);
  ReadAdded(fields, &tokenizer->added);
}

}  // namespace

void ReadTokenizerConfig(JsonFields* fields, HfTokenizerConfig* tokenizer) {
  ReadClass(fields, tokenizer);
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
  if (tokenizer->kind == HfTokenizerKind::kMarian) {
    RefuseAddedTokens(fields, *tokenizer);
  } else if (tokenizer->kind == HfTokenizerKind::kT5) {
    ReadT5Fields(fields, tokenizer);
  } else if (tokenizer->kind == HfTokenizerKind::kPegasus) {
    ReadPegasusFields(fields, tokenizer);
  } else if (tokenizer->kind == HfTokenizerKind::kBart) {
    tokenizer->bos_piece = SpecialPiece(fields, "bos_token", tokenizer->bos_piece);
    tokenizer->mask_piece = SpecialPiece(fields, "mask_token", tokenizer->mask_piece);
    tokenizer->add_prefix_space = fields->Bool("add_prefix_space", false);
    ReadListed(fields, tokenizer);
    ReadAdded(fields, &tokenizer->added);
  } else {
    ReadFairseqFields(fields, tokenizer);
  }
  // May be 1e30, for "no limit".
  const std::optional<double> max_length = fields->OptionalNumber("model_max_length");
  if (max_length && *max_length < 2.0) {
    fields->Fail("model_max_length", "at least 2, for a token and the end of sentence");
  }
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
}

absl::Status ReadSpecialTokensMap(std::string_view text, std::string_view file,
                                  HfTokenizerConfig* tokenizer) {
  const absl::StatusOr<nlohmann::json> root = ParseConfigObject(text, file);
  if (!root.ok()) return root.status();
  JsonFields fields(file, *root);
  if (tokenizer->listed.empty()) ReadListed(&fields, tokenizer);
  return fields.status();
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

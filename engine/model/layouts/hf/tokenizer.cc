#include "engine/model/layouts/hf/tokenizer.h"

#include <optional>
#include <span>
#include <utility>

#include "engine/base/concat.h"
#include "engine/model/tokenizers/tokenizer_rules.h"

namespace dragoman {
namespace {

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

void ReadClass(const std::string& name, JsonFields* fields, HfTokenizerConfig* tokenizer) {
  std::span<const TokenizerClass> classes = kFairseqClasses;
  if (tokenizer->kind == HfTokenizerKind::kMarian) classes = kMarianClasses;
  if (tokenizer->kind == HfTokenizerKind::kMbart50) classes = kMbartClasses;
  if (tokenizer->kind == HfTokenizerKind::kT5) classes = kT5Classes;
  if (tokenizer->kind == HfTokenizerKind::kBart) classes = kBartClasses;
  if (tokenizer->kind == HfTokenizerKind::kPegasus) classes = kPegasusClasses;
  if (name.empty()) return;
  const bool has_json =
      tokenizer->kind != HfTokenizerKind::kMarian && tokenizer->kind != HfTokenizerKind::kPegasus;
  if (IsTokenizersBackend(name) && has_json) {
    // The conventions are the family's; of M2M-100's only NllbTokenizer has such a file, and which
    // mBART it is its languages say.
    tokenizer->is_backend = true;
    if (tokenizer->kind == HfTokenizerKind::kM2m100) tokenizer->kind = HfTokenizerKind::kNllb;
    tokenizer->kind_given = tokenizer->kind != HfTokenizerKind::kMbart50;
    return;
  }
  std::string names;
  for (const TokenizerClass& one : classes) {
    if (name == one.name) {
      tokenizer->kind = one.kind;
      tokenizer->kind_given = true;
      return;
    }
    names += Concat(names.empty() ? "" : ", ", one.name);
  }
  if (has_json) {
    names += ", TokenizersBackend, PreTrainedTokenizerFast";
  }
  fields->Unsupported("tokenizer_class", names);
}

// Where its ids lie is the class's: other values are of relatives (BigBird-Pegasus).
void CheckPegasusFields(const TokenizerConfig& config, JsonFields* fields) {
  constexpr int kOffset = 103;
  constexpr std::string_view kSentenceMask = "<mask_1>";
  if (config.offset.value_or(kOffset) != kOffset) fields->Unsupported("offset", Concat(kOffset));
  if (config.sentence_mask_piece.value_or(std::string(kSentenceMask)) != kSentenceMask) {
    fields->Unsupported("mask_token_sent", kSentenceMask);
  }
}

void Overwrite(const std::optional<std::string>& piece, std::string* out) {
  if (piece) *out = *piece;
}

}  // namespace

void ApplyTokenizerConfig(TokenizerConfig config, JsonFields* fields,
                          HfTokenizerConfig* tokenizer) {
  ReadClass(config.tokenizer_class, fields, tokenizer);
  if (!config.source_language.empty()) tokenizer->source_language = config.source_language;
  if (!config.target_language.empty()) tokenizer->target_language = config.target_language;
  Overwrite(config.unk_piece, &tokenizer->unk_piece);
  Overwrite(config.eos_piece, &tokenizer->eos_piece);
  Overwrite(config.pad_piece, &tokenizer->pad_piece);
  Overwrite(config.bos_piece, &tokenizer->bos_piece);
  if (tokenizer->kind == HfTokenizerKind::kPegasus) {
    CheckPegasusFields(config, fields);
    tokenizer->mask_piece = "<mask_2>";
  }
  Overwrite(config.mask_piece, &tokenizer->mask_piece);
  tokenizer->separate_vocabularies = config.separate_vocabularies;
  tokenizer->is_wmt21 = config.is_wmt21;
  tokenizer->legacy = config.legacy_behaviour;
  tokenizer->is_legacy_t5 = config.legacy.value_or(true);
  tokenizer->add_prefix_space = config.add_prefix_space;
  tokenizer->extra_ids = config.extra_ids;
  for (auto& [id, token] : config.added) {
    token.special = token.special || config.NamesSpecial(token.text);
  }
  tokenizer->listed = std::move(config.listed);
  tokenizer->listed_file = std::move(config.listed_file);
  tokenizer->added = std::move(config.added);
  tokenizer->added_file = std::move(config.added_file);
  const std::optional<double> max_length = config.model_max_length;
  if (max_length && *max_length < 2.0) {
    fields->Fail("model_max_length", "at least 2, for a token and the end of sentence");
  }
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
}

}  // namespace dragoman

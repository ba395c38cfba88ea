#include "engine/model/hf_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/model/concat.h"
#include "engine/model/json.h"

namespace dragoman {
namespace {

constexpr std::string_view kConfigName = "config.json";
constexpr std::string_view kGenerationName = "generation_config.json";
constexpr std::string_view kTokenizerName = "tokenizer_config.json";
constexpr JsonLimits kConfigLimits = {.max_bytes = 1 << 20, .max_depth = 16, .max_values = 1 << 16};

// Far above any model of the family; they keep later arithmetic within bounds.
constexpr int64_t kMaxDim = 1 << 14;
constexpr int64_t kMaxFfn = 1 << 16;
constexpr int64_t kMaxLayers = 128;
constexpr int64_t kMaxHeads = 256;
constexpr int64_t kMaxVocabulary = 1 << 21;
constexpr int64_t kMaxPositions = 1 << 16;
constexpr int64_t kMaxBeams = 64;  // the published limit of a beam
constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();

// What transformers takes for a max_length that is nowhere said.
constexpr int64_t kDefaultMaxLength = 20;

// A field that this program does not act on: it may be absent, null, or hold this value.
enum class Neutral {
  kFalse,
  kTrue,
  kZero,
  kOne,
  kAbsent,
  kEmpty,  // [] or {}
};

struct NeutralField {
  std::string_view name;
  Neutral value;
};

// config.json. Layers are post-norm with fixed sinusoidal positions: what other values would ask
// for is another network.
constexpr std::array<NeutralField, 12> kNeutralModel = {{
    {"normalize_before", Neutral::kFalse},
    {"normalize_embedding", Neutral::kFalse},
    {"add_final_layer_norm", Neutral::kFalse},
    {"static_position_embeddings", Neutral::kTrue},
    {"do_blenderbot_90_layernorm", Neutral::kFalse},
    {"force_bos_token_to_be_generated", Neutral::kFalse},
    {"is_encoder_decoder", Neutral::kTrue},
    {"is_decoder", Neutral::kFalse},
    {"tie_encoder_decoder", Neutral::kFalse},
    {"pruned_heads", Neutral::kEmpty},
    {"quantization_config", Neutral::kAbsent},
    {"cross_attention_hidden_size", Neutral::kAbsent},
}};

// generation_config.json, or config.json in its place. temperature, top_k, top_p and their like
// act only with do_sample; output_*, use_cache and their like never change the tokens.
constexpr std::array<NeutralField, 27> kNeutralGeneration = {{
    {"do_sample", Neutral::kFalse},
    {"num_beam_groups", Neutral::kOne},
    {"diversity_penalty", Neutral::kZero},
    {"repetition_penalty", Neutral::kOne},
    {"encoder_repetition_penalty", Neutral::kOne},
    {"no_repeat_ngram_size", Neutral::kZero},
    {"encoder_no_repeat_ngram_size", Neutral::kZero},
    {"num_return_sequences", Neutral::kOne},
    {"forced_bos_token_id", Neutral::kAbsent},
    {"remove_invalid_values", Neutral::kFalse},
    {"exponential_decay_length_penalty", Neutral::kAbsent},
    {"suppress_tokens", Neutral::kEmpty},
    {"begin_suppress_tokens", Neutral::kEmpty},
    {"sequence_bias", Neutral::kEmpty},
    {"token_healing", Neutral::kFalse},
    {"guidance_scale", Neutral::kOne},
    {"watermarking_config", Neutral::kAbsent},
    {"constraints", Neutral::kEmpty},
    {"force_words_ids", Neutral::kEmpty},
    {"penalty_alpha", Neutral::kZero},
    {"dola_layers", Neutral::kAbsent},
    {"stop_strings", Neutral::kEmpty},
    {"max_time", Neutral::kAbsent},
    {"prompt_lookup_num_tokens", Neutral::kAbsent},
    {"assistant_early_exit", Neutral::kAbsent},
    {"prefix_allowed_tokens_fn", Neutral::kAbsent},
    {"forced_decoder_ids", Neutral::kAbsent},
}};

// The generation fields that transformers also looks for in config.json
// (PretrainedConfig._get_global_generation_defaults), with the defaults of a MarianConfig.
struct LegacyField {
  std::string_view name;
  std::string_view json_default;
};
constexpr std::array<LegacyField, 25> kLegacyGeneration = {{
    {"max_length", "20"},
    {"min_length", "0"},
    {"do_sample", "false"},
    {"early_stopping", "false"},
    {"num_beams", "1"},
    {"temperature", "1.0"},
    {"top_k", "50"},
    {"top_p", "1.0"},
    {"typical_p", "1.0"},
    {"repetition_penalty", "1.0"},
    {"length_penalty", "1.0"},
    {"no_repeat_ngram_size", "0"},
    {"encoder_no_repeat_ngram_size", "0"},
    {"bad_words_ids", "null"},
    {"num_return_sequences", "1"},
    {"output_scores", "false"},
    {"return_dict_in_generate", "false"},
    {"forced_bos_token_id", "null"},
    {"forced_eos_token_id", "0"},
    {"remove_invalid_values", "false"},
    {"exponential_decay_length_penalty", "null"},
    {"suppress_tokens", "null"},
    {"begin_suppress_tokens", "null"},
    {"num_beam_groups", "1"},
    {"diversity_penalty", "0.0"},
}};

bool HoldsNeutral(const nlohmann::json& value, Neutral neutral) {
  switch (neutral) {
    case Neutral::kFalse:
      return value.is_boolean() && !value.get<bool>();
    case Neutral::kTrue:
      return value.is_boolean() && value.get<bool>();
    case Neutral::kZero:
      return value.is_number() && value.get<double>() == 0.0;
    case Neutral::kOne:
      return value.is_number() && value.get<double>() == 1.0;
    case Neutral::kAbsent:
      return false;
    case Neutral::kEmpty:
      return value.is_structured() && value.empty();
  }
  return false;
}

std::string_view NeutralName(Neutral neutral) {
  switch (neutral) {
    case Neutral::kFalse:
      return "false";
    case Neutral::kTrue:
      return "true";
    case Neutral::kZero:
      return "0";
    case Neutral::kOne:
      return "1";
    case Neutral::kAbsent:
      return "null";
    case Neutral::kEmpty:
      return "null or empty";
  }
  return "";
}

void RequireNeutral(std::span<const NeutralField> list, JsonFields* fields) {
  for (const NeutralField& field : list) {
    const nlohmann::json* value = fields->Find(field.name);
    if (value != nullptr && !HoldsNeutral(*value, field.value)) {
      fields->Unsupported(field.name, NeutralName(field.value));
    }
  }
}

absl::StatusOr<nlohmann::json> ParseObject(std::string_view text, std::string_view file) {
  absl::StatusOr<nlohmann::json> root = ParseJson(text, file, kConfigLimits);
  if (root.ok() && !root->is_object()) {
    return absl::InvalidArgumentError(
        Concat(file, ": is ", DescribeJson(*root), ", expected an object"));
  }
  return root;
}

// A token id that some files write as a list of one.
std::optional<int> TokenId(JsonFields* fields, std::string_view name, int vocabulary) {
  const nlohmann::json* value = fields->Find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) {
    const std::optional<int64_t> id = fields->OptionalInt(name, 0, vocabulary - 1);
    return id ? std::optional<int>(static_cast<int>(*id)) : std::nullopt;
  }
  if (value->size() != 1 || !(*value)[0].is_number_unsigned() ||
      (*value)[0].get<uint64_t>() >= static_cast<uint64_t>(vocabulary)) {
    fields->Unsupported(name, Concat("one token id from 0 to ", vocabulary - 1));
    return std::nullopt;
  }
  return static_cast<int>((*value)[0].get<uint64_t>());
}

Activation ReadActivation(JsonFields* fields) {
  const std::string name = fields->String("activation_function", "gelu");
  if (name == "swish" || name == "silu") return Activation::kSwish;
  if (name == "relu") return Activation::kRelu;
  if (name == "gelu" || name == "gelu_python") return Activation::kGelu;
  fields->Unsupported("activation_function", "swish, silu, relu, gelu");
  return Activation::kNone;
}

void ReadArchitectures(JsonFields* fields) {
  const nlohmann::json* value = fields->Find("architectures");
  if (value == nullptr || value->empty()) return;
  if (!value->is_array() ||
      std::find(value->begin(), value->end(), "MarianMTModel") == value->end()) {
    fields->Unsupported("architectures", "a list with MarianMTModel");
  }
}

void ReadShape(JsonFields* fields, ModelSpec* spec) {
  const auto read = [fields](std::string_view name, int64_t max) {
    return static_cast<int>(fields->Int(name, 1, max));
  };
  ModelShape& shape = spec->shape;
  shape.d_model = read("d_model", kMaxDim);
  shape.encoder_layers = read("encoder_layers", kMaxLayers);
  shape.decoder_layers = read("decoder_layers", kMaxLayers);
  shape.encoder_heads = read("encoder_attention_heads", kMaxHeads);
  shape.decoder_heads = read("decoder_attention_heads", kMaxHeads);
  shape.encoder_ffn = read("encoder_ffn_dim", kMaxFfn);
  shape.decoder_ffn = read("decoder_ffn_dim", kMaxFfn);
  shape.source_vocab = read("vocab_size", kMaxVocabulary);
  shape.target_vocab = static_cast<int>(
      fields->OptionalInt("decoder_vocab_size", 1, kMaxVocabulary).value_or(shape.source_vocab));
  shape.max_positions = read("max_position_embeddings", kMaxPositions);
  if (!fields->status().ok()) return;
  if (shape.d_model % 2 != 0) fields->Fail("d_model", "an even number");
  if (shape.d_model % shape.encoder_heads != 0) {
    fields->Fail("encoder_attention_heads", Concat("a divisor of d_model ", shape.d_model));
  }
  if (shape.d_model % shape.decoder_heads != 0) {
    fields->Fail("decoder_attention_heads", Concat("a divisor of d_model ", shape.d_model));
  }
}

void ReadModel(JsonFields* fields, ModelSpec* spec) {
  spec->family = fields->String("model_type", "");
  if (spec->family != "marian") {
    fields->Unsupported("model_type", "marian");
    return;
  }
  ReadArchitectures(fields);
  RequireNeutral(kNeutralModel, fields);
  ReadShape(fields, spec);
  spec->activation = ReadActivation(fields);
  spec->embedding_scale = fields->Bool("scale_embedding", false)
                              ? std::sqrt(static_cast<float>(spec->shape.d_model))
                              : 1.0F;
  spec->share_embeddings = fields->Bool("share_encoder_decoder_embeddings", true);
  spec->tie_output = fields->Bool("tie_word_embeddings", true);
  if (spec->share_embeddings && spec->shape.target_vocab != spec->shape.source_vocab) {
    fields->Fail("decoder_vocab_size", Concat("vocab_size ", spec->shape.source_vocab,
                                              ", as share_encoder_decoder_embeddings is true"));
  }
}

void ReadEarlyStopping(JsonFields* fields, GenerationDefaults* generation) {
  const nlohmann::json* value = fields->Find("early_stopping");
  if (value == nullptr) return;
  if (value->is_boolean()) {
    generation->early_stopping = value->get<bool>() ? EarlyStopping::kTrue : EarlyStopping::kFalse;
  } else if (*value == "never") {
    generation->early_stopping = EarlyStopping::kNever;
  } else {
    fields->Fail("early_stopping", "true, false or \"never\"");
  }
}

// Lists of one token each; a ban of EOS is dropped, as transformers does.
void ReadBannedTokens(JsonFields* fields, const ModelSpec& spec, int eos,
                      std::vector<int>* banned) {
  constexpr std::string_view kName = "bad_words_ids";
  const nlohmann::json* value = fields->Find(kName);
  if (value == nullptr) return;
  if (!value->is_array()) {
    fields->Fail(kName, "a list of lists of token ids");
    return;
  }
  for (const nlohmann::json& word : *value) {
    if (!word.is_array() || word.empty()) {
      fields->Fail(kName, "a list of lists of token ids");
      return;
    }
    if (word.size() > 1) {
      fields->Unsupported(kName, "lists of one token each");
      return;
    }
    const nlohmann::json& id = word[0];
    if (!id.is_number_unsigned() ||
        id.get<uint64_t>() >= static_cast<uint64_t>(spec.shape.target_vocab)) {
      fields->Fail(kName, Concat("token ids from 0 to ", spec.shape.target_vocab - 1));
      return;
    }
    if (const int token = static_cast<int>(id.get<uint64_t>()); token != eos) {
      banned->push_back(token);
    }
  }
  std::sort(banned->begin(), banned->end());
  banned->erase(std::unique(banned->begin(), banned->end()), banned->end());
}

// max_length and min_length; max_new_tokens and min_new_tokens win and do not count the start.
void ReadLengths(JsonFields* fields, const ModelShape& shape, GenerationDefaults* generation) {
  int64_t max_length = fields->OptionalInt("max_length", 2, kMaxInt).value_or(kDefaultMaxLength);
  if (const auto added = fields->OptionalInt("max_new_tokens", 1, kMaxInt - 1)) {
    max_length = *added + 1;
  }
  int64_t min_length = fields->OptionalInt("min_length", 0, kMaxInt).value_or(0);
  if (const auto added = fields->OptionalInt("min_new_tokens", 0, kMaxInt - 1)) {
    min_length = *added + 1;
  }
  // The last token needs no position of its own; transformers fails where the table ends.
  max_length = std::min<int64_t>(max_length, shape.max_positions + int64_t{1});
  if (min_length >= max_length) {
    const bool in_new = fields->Has("min_new_tokens");
    fields->Fail(
        in_new ? "min_new_tokens" : "min_length",
        Concat("less than the longest output, ", max_length, " tokens with the start token"));
  }
  generation->max_length = static_cast<int>(max_length);
  generation->min_length = static_cast<int>(min_length);
}

// `fields` is generation_config.json, or config.json in its place.
void ReadGeneration(JsonFields* fields, ModelSpec* spec) {
  RequireNeutral(kNeutralGeneration, fields);
  GenerationDefaults& generation = spec->generation;
  generation.num_beams =
      static_cast<int>(fields->OptionalInt("num_beams", 1, kMaxBeams).value_or(1));
  const double penalty = fields->OptionalNumber("length_penalty").value_or(1.0);
  generation.length_penalty = static_cast<float>(penalty);
  if (!std::isfinite(generation.length_penalty)) fields->Fail("length_penalty", "a finite float");
  generation.renormalize_logits = fields->Bool("renormalize_logits", false);
  ReadEarlyStopping(fields, &generation);
  ReadLengths(fields, spec->shape, &generation);

  const int vocabulary = spec->shape.target_vocab;
  spec->tokens.eos = TokenId(fields, "eos_token_id", vocabulary).value_or(spec->tokens.eos);
  spec->tokens.pad = TokenId(fields, "pad_token_id", vocabulary).value_or(spec->tokens.pad);
  spec->tokens.decoder_start =
      TokenId(fields, "decoder_start_token_id", vocabulary).value_or(spec->tokens.decoder_start);
  ReadBannedTokens(fields, *spec, spec->tokens.eos, &generation.banned_tokens);
  generation.forced_eos = TokenId(fields, "forced_eos_token_id", vocabulary);
  if (generation.forced_eos && *generation.forced_eos != spec->tokens.eos) {
    fields->Unsupported("forced_eos_token_id",
                        Concat("null or the end of sentence ", spec->tokens.eos));
  }
}

// transformers reads the generation fields of config.json and not of generation_config.json when
// the latter says that it was made from the former, and the former has some that are not default
// (GenerationMixin._prepare_generation_config).
bool ConfigOverrides(const nlohmann::json& config, const nlohmann::json& generation) {
  const auto made = generation.find("_from_model_config");
  if (made == generation.end() || *made != true) return false;
  return std::any_of(kLegacyGeneration.begin(), kLegacyGeneration.end(),
                     [&](const LegacyField& field) {
                       const auto found = config.find(std::string(field.name));
                       return found != config.end() && !found->is_null() &&
                              *found != nlohmann::json::parse(field.json_default, nullptr, false);
                     });
}

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

void ReadTokenizer(JsonFields* fields, HfTokenizerConfig* tokenizer) {
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
  if (max_length && *max_length < 1.0) fields->Fail("model_max_length", "a positive number");
  if (max_length && *max_length < tokenizer->model_max_length) {
    tokenizer->model_max_length = static_cast<int>(*max_length);
  }
}

}  // namespace

absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts) {
  const absl::StatusOr<nlohmann::json> config = ParseObject(texts.config, kConfigName);
  if (!config.ok()) return config.status();
  JsonFields fields(kConfigName, *config);
  HfConfig result;
  ReadModel(&fields, &result.spec);
  const int vocabulary = result.spec.shape.target_vocab;
  if (fields.status().ok()) {
    SpecialIds& tokens = result.spec.tokens;
    tokens.eos = TokenId(&fields, "eos_token_id", vocabulary).value_or(0);
    for (const auto& [name, id] : {std::pair("pad_token_id", &tokens.pad),
                                   std::pair("decoder_start_token_id", &tokens.decoder_start)}) {
      const std::optional<int> read = TokenId(&fields, name, vocabulary);
      if (!read) fields.Fail(name, Concat("a token id from 0 to ", vocabulary - 1));
      *id = read.value_or(0);
    }
  }
  HfTokenizerConfig& tokenizer = result.tokenizer;
  tokenizer.source_language = fields.String("source_lang", "");
  tokenizer.target_language = fields.String("target_lang", "");
  tokenizer.model_max_length = result.spec.shape.max_positions;
  if (!fields.status().ok()) return fields.status();

  absl::StatusOr<nlohmann::json> generation = nlohmann::json();
  if (texts.generation) {
    generation = ParseObject(*texts.generation, kGenerationName);
    if (!generation.ok()) return generation.status();
  }
  if (!texts.generation || ConfigOverrides(*config, *generation)) {
    // A MarianConfig without the field forces EOS 0; one with null does not.
    nlohmann::json legacy = *config;
    if (!legacy.contains("forced_eos_token_id")) legacy["forced_eos_token_id"] = 0;
    JsonFields legacy_fields(kConfigName, legacy);
    ReadGeneration(&legacy_fields, &result.spec);
    if (!legacy_fields.status().ok()) return legacy_fields.status();
  } else {
    JsonFields generation_fields(kGenerationName, *generation);
    ReadGeneration(&generation_fields, &result.spec);
    if (!generation_fields.status().ok()) return generation_fields.status();
  }

  if (texts.tokenizer) {
    const absl::StatusOr<nlohmann::json> root = ParseObject(*texts.tokenizer, kTokenizerName);
    if (!root.ok()) return root.status();
    JsonFields tokenizer_fields(kTokenizerName, *root);
    ReadTokenizer(&tokenizer_fields, &tokenizer);
    if (!tokenizer_fields.status().ok()) return tokenizer_fields.status();
  }
  return result;
}

absl::Status CheckAddedTokens(std::string_view text, std::string_view file,
                              const HfTokenizerConfig& tokenizer) {
  const absl::StatusOr<nlohmann::json> root = ParseObject(text, file);
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

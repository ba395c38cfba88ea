#include "engine/model/layouts/hf/config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"
#include "engine/model/families/family.h"
#include "engine/model/formats/json.h"
#include "engine/model/formats/neutral_fields.h"
#include "engine/model/layouts/hf/activation.h"
#include "engine/model/layouts/hf/generation.h"
#include "engine/model/layouts/hf/t5_config.h"
#include "engine/model/spec/model_limits.h"

namespace dragoman {
namespace {

constexpr std::string_view kConfigName = "config.json";
constexpr std::string_view kGenerationName = "generation_config.json";

// config.json. Other values ask for another network, or a search over something else.
constexpr std::array<NeutralField, 5> kNeutralModel = {{
    {"is_encoder_decoder", Neutral::kTrue},
    {"is_decoder", Neutral::kFalse},
    {"tie_encoder_decoder", Neutral::kFalse},
    {"pruned_heads", Neutral::kEmpty},
    {"quantization_config", Neutral::kAbsent},
}};

// Fields of BART's family that MarianMTModel never asks: its layers are post-norm, its positions
// sinusoidal or as stored, whatever these say.
constexpr std::array<NeutralField, 7> kNoEffect = {{
    {"normalize_before", Neutral::kFalse},
    {"normalize_embedding", Neutral::kFalse},
    {"add_final_layer_norm", Neutral::kFalse},
    {"static_position_embeddings", Neutral::kTrue},
    {"do_blenderbot_90_layernorm", Neutral::kFalse},
    {"force_bos_token_to_be_generated", Neutral::kFalse},
    {"cross_attention_hidden_size", Neutral::kAbsent},
}};

void NoteFieldsWithoutEffect(const JsonFields& fields, std::vector<std::string>* notes) {
  for (const NeutralField& field : kNoEffect) {
    const nlohmann::json* value = fields.Find(field.name);
    if (value == nullptr || HoldsNeutral(*value, field.value)) continue;
    notes->push_back(Concat(kConfigName, ": field '", field.name, "' is ", DescribeJson(*value),
                            ", which has no effect on a MarianMTModel"));
  }
}

// What the configuration's class says where config.json does not.
struct ConfigClass {
  std::string_view model_type;
  std::string_view architecture;
  std::string_view activation;
  bool scale_embedding = false;
  std::optional<int> forced_eos;  // where there is no generation_config.json
  HfTokenizerKind tokenizer = HfTokenizerKind::kMarian;
};
constexpr std::array<ConfigClass, 7> kConfigClasses = {{
    {"marian", "MarianMTModel", "gelu", false, 0, HfTokenizerKind::kMarian},
    {"m2m_100", "M2M100ForConditionalGeneration", "relu", true, std::nullopt,
     HfTokenizerKind::kM2m100},
    {"mbart", "MBartForConditionalGeneration", "gelu", false, 2, HfTokenizerKind::kMbart50},
    {"bart", "BartForConditionalGeneration", "gelu", false, 2, HfTokenizerKind::kBart},
    {"pegasus", "PegasusForConditionalGeneration", "gelu", false, 1, HfTokenizerKind::kPegasus},
    {"t5", "T5ForConditionalGeneration", "", false, std::nullopt, HfTokenizerKind::kT5},
    {"mt5", "MT5ForConditionalGeneration", "", false, std::nullopt, HfTokenizerKind::kT5},
}};

// What a PegasusConfig has where config.json does not say.
constexpr int kPegasusEnd = 1;

// nullptr of a type that is not read.
const ConfigClass* FindClass(std::string_view model_type) {
  const auto* const found =
      std::find_if(kConfigClasses.begin(), kConfigClasses.end(),
                   [&](const ConfigClass& one) { return one.model_type == model_type; });
  return found == kConfigClasses.end() ? nullptr : found;
}

Activation ReadActivation(JsonFields* fields, std::string_view absent) {
  const auto activation = FindActivation(fields->String("activation_function", absent));
  if (!activation) fields->Unsupported("activation_function", ActivationNames());
  return activation.value_or(Activation::kNone);
}

void ReadArchitectures(JsonFields* fields, std::string_view architecture) {
  const nlohmann::json* value = fields->Find("architectures");
  if (value == nullptr || value->empty()) return;
  if (!value->is_array() || std::find(value->begin(), value->end(), architecture) == value->end()) {
    fields->Unsupported("architectures", Concat("a list with ", architecture));
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
  if (shape.max_positions < 2) {
    fields->Fail("max_position_embeddings", "at least 2: a token and the end of sentence");
  }
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
  if (spec->family == "fsmt") {
    fields->Unsupported("model_type",
                        Concat(FamilyNames(), " (FSMT's tokenizer is Moses' rules and fastBPE, ",
                               "which are not had here exactly; OPUS-MT has such pairs)"));
    return;
  }
  const ConfigClass* const defaults = FindClass(spec->family);
  if (defaults == nullptr) {
    fields->Unsupported("model_type", FamilyNames());
    return;
  }
  ReadArchitectures(fields, defaults->architecture);
  RequireNeutral(kNeutralModel, fields);
  if (defaults->tokenizer == HfTokenizerKind::kT5) {
    ReadT5Network(fields, spec->family == "mt5", spec);
    return;
  }
  ReadShape(fields, spec);
  spec->activation = ReadActivation(fields, defaults->activation);
  spec->embedding_scale = fields->Bool("scale_embedding", defaults->scale_embedding)
                              ? std::sqrt(static_cast<float>(spec->shape.d_model))
                              : 1.0F;
  spec->share_embeddings = fields->Bool("share_encoder_decoder_embeddings", true);
  spec->tie_output = fields->Bool("tie_word_embeddings", true);
  if (spec->share_embeddings && spec->shape.target_vocab != spec->shape.source_vocab) {
    fields->Fail("decoder_vocab_size", Concat("vocab_size ", spec->shape.source_vocab,
                                              ", as share_encoder_decoder_embeddings is true"));
  }
}

}  // namespace

absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts) {
  const absl::StatusOr<nlohmann::json> config = ParseConfigObject(texts.config, kConfigName);
  if (!config.ok()) return config.status();
  JsonFields fields(kConfigName, *config);
  HfConfig result;
  ReadModel(&fields, &result.spec);
  if (!fields.status().ok()) return fields.status();
  const int vocabulary = result.spec.shape.target_vocab;
  SpecialIds& tokens = result.spec.tokens;
  if (result.spec.family == "pegasus") {
    tokens.eos = kPegasusEnd;
    if (vocabulary <= kPegasusEnd) fields.Fail("vocab_size", "room for the end of sentence, 1");
  }
  ReadEndIds(&fields, vocabulary, &tokens);
  for (const auto& [name, id] : {std::pair("pad_token_id", &tokens.pad),
                                 std::pair("decoder_start_token_id", &tokens.decoder_start)}) {
    std::optional<int> read = ReadTokenId(&fields, name, vocabulary);
    // What generate() begins with then. An mBART-25 is given the target's token in its place.
    if (!read && id == &tokens.decoder_start && result.spec.family == "mbart") {
      read = ReadTokenId(&fields, "bos_token_id", vocabulary).value_or(0);
    }
    // A PegasusConfig has <pad>, 0, for both.
    if (!read && result.spec.family == "pegasus") read = 0;
    if (!read) fields.Fail(name, Concat("a token id from 0 to ", vocabulary - 1));
    *id = read.value_or(0);
  }
  HfTokenizerConfig& tokenizer = result.tokenizer;
  const ConfigClass& config_class = *FindClass(result.spec.family);
  tokenizer.kind = config_class.tokenizer;
  tokenizer.source_language = fields.String("source_lang", "");
  tokenizer.target_language = fields.String("target_lang", "");
  tokenizer.model_max_length = result.spec.shape.max_positions;
  if (tokenizer.kind == HfTokenizerKind::kT5) tokenizer.prompts = ReadTranslationTasks(&fields);
  if (!fields.status().ok()) return fields.status();
  if (config_class.architecture == "MarianMTModel") {
    NoteFieldsWithoutEffect(fields, &result.notes);
  }

  absl::StatusOr<nlohmann::json> generation = nlohmann::json();
  if (texts.generation) {
    generation = ParseConfigObject(*texts.generation, kGenerationName);
    if (!generation.ok()) return generation.status();
  }
  if (!texts.generation || ConfigOverrides(*config, *generation)) {
    // A MarianConfig without the field forces EOS 0; one with null does not.
    nlohmann::json legacy = *config;
    if (config_class.forced_eos && !legacy.contains("forced_eos_token_id")) {
      legacy["forced_eos_token_id"] = *config_class.forced_eos;
    }
    // As a BartConfig reads what it once was called.
    const auto forced_bos = legacy.find("force_bos_token_to_be_generated");
    if (tokenizer.kind == HfTokenizerKind::kBart && forced_bos != legacy.end() &&
        *forced_bos == true && !legacy.contains("forced_bos_token_id")) {
      legacy["forced_bos_token_id"] = legacy.value("bos_token_id", nlohmann::json(0));
    }
    if (tokenizer.kind == HfTokenizerKind::kT5) legacy = WithFieldsOfTasks(*config, legacy);
    JsonFields legacy_fields(kConfigName, legacy);
    ReadGeneration(&legacy_fields, &result.spec);
    if (!legacy_fields.status().ok()) return legacy_fields.status();
  } else {
    if (tokenizer.kind == HfTokenizerKind::kT5)
      generation = WithFieldsOfTasks(*config, *generation);
    JsonFields generation_fields(kGenerationName, *generation);
    ReadGeneration(&generation_fields, &result.spec);
    if (!generation_fields.status().ok()) return generation_fields.status();
  }

  const absl::StatusOr<nlohmann::json> root =
      ParseConfigObject(texts.tokenizer.value_or("{}"), kTokenizerConfigFile);
  if (!root.ok()) return root.status();
  JsonFields tokenizer_fields(kTokenizerConfigFile, *root);
  TokenizerConfig read = ReadTokenizerConfig(&tokenizer_fields);
  absl::Status status = tokenizer_fields.status();
  if (status.ok() && texts.special_tokens_map) {
    status = ReadSpecialTokensMap(*texts.special_tokens_map, kSpecialTokensMapFile, &read);
  }
  if (status.ok() && texts.added_tokens) {
    status = ReadAddedTokens(*texts.added_tokens, kAddedTokensFile, &read);
  }
  if (!status.ok()) return status;
  ApplyTokenizerConfig(std::move(read), &tokenizer_fields, &tokenizer);
  if (!tokenizer_fields.status().ok()) return tokenizer_fields.status();
  return result;
}

}  // namespace dragoman

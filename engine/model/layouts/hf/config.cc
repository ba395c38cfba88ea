#include "engine/model/layouts/hf/config.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

constexpr std::string_view kConfigName = "config.json";
constexpr std::string_view kGenerationName = "generation_config.json";

// Fields of config.json and their only supported values. Other values would require another
// network, or a model that is not an encoder and a decoder.
constexpr std::array<NeutralField, 6> kNeutralModel = {{
    {"is_encoder_decoder", Neutral::kTrue},
    {"is_decoder", Neutral::kFalse},
    {"tie_encoder_decoder", Neutral::kFalse},
    {"pruned_heads", Neutral::kEmpty},
    {"quantization_config", Neutral::kAbsent},
    {"per_layer_config", Neutral::kEmpty},
}};

// Fields of BART's family that MarianMTModel ignores, because its layers are always post-norm.
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

void ReadArchitectures(JsonFields* fields, std::string_view architecture) {
  const nlohmann::json* value = fields->Find("architectures");
  if (value == nullptr || value->empty()) return;
  if (!value->is_array() || std::find(value->begin(), value->end(), architecture) == value->end()) {
    fields->Unsupported("architectures", Concat("a list with ", architecture));
  }
}

// Returns the family that config.json names. If it is not supported, returns nullptr and records an
// error in `fields`.
const Family* ReadFamily(JsonFields* fields, ModelSpec* spec) {
  spec->family = fields->String("model_type", "");
  const Family* const family = FindFamily(spec->family);
  if (family == nullptr) fields->Unsupported("model_type", FamilyNames());
  return family;
}

void ReadSpecialIds(const ConfigDefaults& defaults, JsonFields* fields, ModelSpec* spec) {
  const int vocabulary = spec->shape.target_vocab;
  SpecialIds& tokens = spec->tokens;
  tokens.eos = defaults.eos.value_or(0);
  if (defaults.eos.has_value() && vocabulary <= *defaults.eos) {
    fields->Fail("vocab_size", Concat("room for the end of sentence, ", *defaults.eos));
  }
  ReadEndIds(fields, vocabulary, &tokens);
  const auto require = [&](std::string_view name, std::optional<int> id) {
    if (!id.has_value()) fields->Fail(name, Concat("a token id from 0 to ", vocabulary - 1));
    return id.value_or(0);
  };
  constexpr std::string_view kPad = "pad_token_id";
  std::optional<int> pad = ReadTokenId(fields, kPad, vocabulary);
  if (!pad.has_value()) pad = defaults.pad;
  tokens.pad = require(kPad, pad);
  constexpr std::string_view kStart = "decoder_start_token_id";
  std::optional<int> start = ReadTokenId(fields, kStart, vocabulary);
  if (!start.has_value()) start = defaults.decoder_start;
  // If no field names the start token, transformers' generate() starts with BOS. For mBART-25, the
  // token of the target language replaces BOS later.
  if (!start.has_value() && defaults.starts_with_bos) {
    start = ReadTokenId(fields, "bos_token_id", vocabulary).value_or(0);
  }
  tokens.decoder_start = require(kStart, start);
}

// The JSON object that has the defaults of the search, and the name of its file:
// generation_config.json or config.json.
struct GenerationObject {
  std::string_view file;
  nlohmann::json object;
};

absl::StatusOr<GenerationObject> FindGeneration(const Family& family, const nlohmann::json& config,
                                                const std::optional<std::string>& text) {
  absl::StatusOr<nlohmann::json> generation = nlohmann::json();
  if (text.has_value()) {
    generation = ParseConfigObject(*text, kGenerationName);
    if (!generation.ok()) return generation.status();
  }
  GenerationObject found{kGenerationName, *std::move(generation)};
  const bool is_by_5 = IsByTransformers5(JsonFields(kConfigName, config));
  nlohmann::json object = config;
  const auto forced_bos = object.find("force_bos_token_to_be_generated");
  if ((family.has_forced_bos_of_old || is_by_5) && forced_bos != object.end() &&
      *forced_bos == true && object.value("forced_bos_token_id", nlohmann::json()).is_null()) {
    object["forced_bos_token_id"] = object.value("bos_token_id", nlohmann::json(0));
  }
  if (!text.has_value() || ConfigOverrides(family, object, found.object)) {
    // A field that is null overrides the default of the family's class. For example, token 0 is
    // forced if a MarianConfig lacks forced_eos_token_id, but no token is forced if the field is
    // null. transformers 5 writes all defaults to the file, so there a missing field has no
    // default.
    nlohmann::json defaults = nlohmann::json::object();
    if (!is_by_5) defaults = nlohmann::json::parse(family.defaults.generation);
    defaults.update(object);
    found = {kConfigName, std::move(defaults)};
  }
  if (family.tasks != nullptr) {
    found.object = family.tasks->with_their_fields(config, found.object);
  }
  return found;
}

}  // namespace

absl::StatusOr<HfConfig> ParseHfConfig(const HfConfigTexts& texts) {
  const absl::StatusOr<nlohmann::json> config = ParseConfigObject(texts.config, kConfigName);
  if (!config.ok()) return config.status();
  JsonFields fields(kConfigName, *config);
  HfConfig result;
  const Family* const family = ReadFamily(&fields, &result.spec);
  if (family == nullptr) return fields.status();
  ReadArchitectures(&fields, family->architecture);
  RequireNeutral(kNeutralModel, &fields);
  family->read_shape(*family, &fields, &result.spec);
  if (!fields.status().ok()) return fields.status();
  ReadSpecialIds(family->defaults, &fields, &result.spec);
  TokenizerSettings& tokenizer = result.tokenizer;
  tokenizer.scheme = family->tokenizers.front().scheme;
  tokenizer.source_language = fields.String("source_lang", "");
  tokenizer.target_language = fields.String("target_lang", "");
  tokenizer.model_max_length = result.spec.shape.max_positions;
  if (family->tasks != nullptr) tokenizer.prompts = family->tasks->prompts(&fields);
  if (!fields.status().ok()) return fields.status();
  if (std::string note = fields.String("dragoman_note", ""); !note.empty()) {
    result.notes.push_back(std::move(note));
  }
  if (family->notes_fields_of_bart) NoteFieldsWithoutEffect(fields, &result.notes);

  const absl::StatusOr<GenerationObject> generation =
      FindGeneration(*family, *config, texts.generation);
  if (!generation.ok()) return generation.status();
  JsonFields generation_fields(generation->file, generation->object);
  ReadGeneration(&generation_fields, &result.spec);
  if (!generation_fields.status().ok()) return generation_fields.status();

  absl::StatusOr<TokenizerConfig> read = ParseTokenizerConfig(texts.tokenizer);
  if (!read.ok()) return read.status();
  const nlohmann::json root = std::move(read->root);
  JsonFields tokenizer_fields(kTokenizerConfigFile, root);
  ApplyTokenizerConfig(*std::move(read), family->tokenizers, &tokenizer_fields, &tokenizer);
  if (!tokenizer_fields.status().ok()) return tokenizer_fields.status();
  return result;
}

absl::StatusOr<ModelTokenizer> ReadHfTokenizer(const ModelFolder& folder, TokenizerChoice choice,
                                               HfConfig* config) {
  ModelSpec& spec = config->spec;
  CheckpointConfig tokens{spec.embedding_sizes(), spec.tokens, std::move(config->tokenizer), {}};
  absl::StatusOr<ModelTokenizer> read = ReadCheckpointTokenizer(folder, choice, &tokens);
  if (!read.ok()) return read;
  spec.tokens = std::move(tokens.ids);
  config->tokenizer = std::move(tokens.tokenizer);
  config->notes.insert(config->notes.end(), tokens.notes.begin(), tokens.notes.end());
  absl::Status status = FitGeneration(*read, config->tokenizer, &spec);
  if (!status.ok()) return status;
  return read;
}

}  // namespace dragoman::engine

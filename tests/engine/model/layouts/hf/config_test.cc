#include "engine/model/layouts/hf/config.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json Config() {
  return json::parse(R"({
    "architectures": ["MarianMTModel"], "model_type": "marian",
    "d_model": 8, "encoder_layers": 2, "decoder_layers": 1,
    "encoder_attention_heads": 2, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 16, "decoder_ffn_dim": 12, "vocab_size": 10,
    "max_position_embeddings": 64, "activation_function": "swish", "scale_embedding": true,
    "eos_token_id": 0, "pad_token_id": 9, "decoder_start_token_id": 9})");
}

json Generation() {
  return json::parse(R"({"num_beams": 6, "max_length": 64, "bad_words_ids": [[9]],
                         "forced_eos_token_id": 0, "eos_token_id": [0], "pad_token_id": 9,
                         "decoder_start_token_id": 9, "renormalize_logits": true})");
}

absl::StatusOr<HfConfig> Parse(const json& config, const std::optional<json>& generation = {},
                               const std::optional<json>& tokenizer = {}) {
  HfConfigTexts texts{.config = config.dump()};
  if (generation) texts.generation = generation->dump();
  if (tokenizer) texts.tokenizer.config = tokenizer->dump();
  return ParseHfConfig(texts);
}

// Returns the status of a refused configuration as text, with its code.
std::string Refusal(const absl::StatusOr<HfConfig>& config) {
  EXPECT_FALSE(config.ok());
  return config.status().ToString();
}

std::string RefusalOf(const std::string& field, const json& value) {
  json config = Config();
  config[field] = value;
  return Refusal(Parse(config));
}

std::string GenerationRefusalOf(const std::string& field, const json& value) {
  json generation = Generation();
  generation[field] = value;
  return Refusal(Parse(Config(), generation));
}

GenerationDefaults GenerationOf(const json& generation) {
  const auto config = ExpectOk(Parse(Config(), generation));
  return config.ok() ? config->spec.generation : GenerationDefaults{};
}

TEST(HfConfig, ReadsTheShape) {
  const auto config = ExpectOk(Parse(Config()));
  const ModelSpec& spec = config->spec;
  EXPECT_EQ(spec.family, "marian");
  EXPECT_EQ(spec.shape.d_model, 8);
  EXPECT_EQ(spec.shape.encoder_layers, 2);
  EXPECT_EQ(spec.shape.decoder_layers, 1);
  EXPECT_EQ(spec.shape.encoder_heads, 2);
  EXPECT_EQ(spec.shape.decoder_heads, 4);
  EXPECT_EQ(spec.shape.encoder_ffn, 16);
  EXPECT_EQ(spec.shape.decoder_ffn, 12);
  EXPECT_EQ(spec.shape.source_vocab, 10);
  EXPECT_EQ(spec.shape.target_vocab, 10);
  EXPECT_EQ(spec.shape.max_positions, 64);
  EXPECT_EQ(spec.activation, kernels::Activation::kSwish);
  EXPECT_EQ(spec.embedding_scale, std::sqrt(8.0F));
  EXPECT_TRUE(spec.share_embeddings);
  EXPECT_TRUE(spec.tie_output);
  EXPECT_EQ(spec.tokens.eos, 0);
  EXPECT_EQ(spec.tokens.pad, 9);
  EXPECT_EQ(spec.tokens.decoder_start, 9);
}

TEST(HfConfig, ReadsWhatVaries) {
  json config = Config();
  config["activation_function"] = "relu";
  config["scale_embedding"] = false;
  config["share_encoder_decoder_embeddings"] = false;
  config["tie_word_embeddings"] = false;
  config["decoder_vocab_size"] = 12;
  const auto parsed = ExpectOk(Parse(config));
  EXPECT_EQ(parsed->spec.activation, kernels::Activation::kRelu);
  EXPECT_EQ(parsed->spec.embedding_scale, 1.0F);
  EXPECT_FALSE(parsed->spec.share_embeddings);
  EXPECT_FALSE(parsed->spec.tie_output);
  EXPECT_EQ(parsed->spec.shape.target_vocab, 12);
}

TEST(HfConfig, RefusesBadShapes) {
  for (const char* field : {"d_model", "encoder_layers", "decoder_layers",
                            "encoder_attention_heads", "decoder_attention_heads", "encoder_ffn_dim",
                            "decoder_ffn_dim", "vocab_size", "max_position_embeddings"}) {
    json config = Config();
    config.erase(field);
    EXPECT_THAT(Refusal(Parse(config)),
                HasSubstr("config.json: field '" + std::string(field) + "' is missing"));
    EXPECT_THAT(RefusalOf(field, 0), HasSubstr("' is 0, expected an integer from 1 to"));
    EXPECT_THAT(RefusalOf(field, "8"), HasSubstr("' is \"8\", expected an integer"));
    EXPECT_THAT(RefusalOf(field, 1e9), HasSubstr("expected an integer"));
    EXPECT_THAT(RefusalOf(field, 1000000000), HasSubstr("expected an integer"));
  }
  EXPECT_THAT(RefusalOf("d_model", 9), HasSubstr("'d_model' is 9, expected an even number"));
  EXPECT_THAT(RefusalOf("encoder_attention_heads", 3),
              HasSubstr("expected a divisor of d_model 8"));
  EXPECT_THAT(RefusalOf("decoder_attention_heads", 3),
              HasSubstr("expected a divisor of d_model 8"));
  EXPECT_THAT(RefusalOf("decoder_vocab_size", 12), HasSubstr("expected vocab_size 10"));
  EXPECT_THAT(RefusalOf("pad_token_id", 10), HasSubstr("an integer from 0 to 9"));
  EXPECT_THAT(RefusalOf("decoder_start_token_id", nullptr), HasSubstr("is missing"));
  EXPECT_THAT(RefusalOf("scale_embedding", 1), HasSubstr("expected true or false"));
}

TEST(HfConfig, AnM2m100ConfigHasDefaultsOfItsOwn) {
  json config = Config();
  config.update(json::parse(R"({"architectures": ["M2M100ForConditionalGeneration"],
                                "model_type": "m2m_100", "max_length": 30})"));
  config.erase("activation_function");
  config.erase("scale_embedding");
  config["normalize_before"] = true;  // a field of older versions; true is supported
  const auto parsed = ExpectOk(Parse(config));
  EXPECT_EQ(parsed->spec.activation, kernels::Activation::kRelu);
  EXPECT_FLOAT_EQ(parsed->spec.embedding_scale, std::sqrt(8.0F));
  EXPECT_EQ(parsed->spec.generation.forced_eos, std::nullopt);
  EXPECT_EQ(parsed->tokenizer.scheme, &kM2m100Tokenizer);
  EXPECT_THAT(parsed->notes, IsEmpty());
  config["architectures"] = {"MarianMTModel"};
  EXPECT_THAT(Refusal(Parse(config)), HasSubstr("a list with M2M100ForConditionalGeneration"));
}

TEST(HfConfig, AnMbartConfigForcesItsEnd) {
  json config = Config();
  config.update(json::parse(R"({"architectures": ["MBartForConditionalGeneration"],
                                "model_type": "mbart", "eos_token_id": 2, "max_length": 30})"));
  config.erase("scale_embedding");
  const auto parsed = ExpectOk(Parse(config));
  EXPECT_EQ(parsed->spec.embedding_scale, 1.0F);
  EXPECT_EQ(parsed->spec.generation.forced_eos, 2);
  EXPECT_EQ(parsed->tokenizer.scheme, &kMbart50Tokenizer);
}

TEST(HfConfig, RefusesOtherModels) {
  EXPECT_EQ(RefusalOf("model_type", "longt5"),
            "UNIMPLEMENTED: config.json: field 'model_type' is \"longt5\", which is not supported; "
            "supported: marian, m2m_100, mbart, bart, pegasus, fsmt, t5, mt5, umt5");
  EXPECT_THAT(RefusalOf("model_type", nullptr), HasSubstr("'model_type' is missing"));
  EXPECT_THAT(
      RefusalOf("architectures", {"MarianForCausalLM"}),
      HasSubstr("field 'architectures' is [\"MarianForCausalLM\"], which is not supported"));
  for (const char* activation : {"prelu", "xielu", "geglu"}) {
    EXPECT_THAT(RefusalOf("activation_function", activation),
                HasSubstr("supported: swish, silu, relu, gelu, gelu_python, gelu_new"));
  }
  EXPECT_THAT(Refusal(ParseHfConfig({.config = "[]"})), HasSubstr("expected an object"));
  EXPECT_THAT(Refusal(ParseHfConfig({.config = "{"})), HasSubstr("not valid JSON"));
}

TEST(HfConfig, KnowsTheActivationsOfTransformers) {
  const std::vector<std::pair<std::string, kernels::Activation>> names = {
      {"gelu", kernels::Activation::kGelu},
      {"gelu_10", kernels::Activation::kGeluClipped},
      {"gelu_fast", kernels::Activation::kGeluTanh},
      {"gelu_new", kernels::Activation::kGeluTanh},
      {"gelu_python", kernels::Activation::kGelu},
      {"gelu_pytorch_tanh", kernels::Activation::kGeluTanh},
      {"gelu_python_tanh", kernels::Activation::kGeluTanh},
      {"gelu_accurate", kernels::Activation::kGeluTanh},
      {"laplace", kernels::Activation::kLaplace},
      {"leaky_relu", kernels::Activation::kLeakyRelu},
      {"linear", kernels::Activation::kNone},
      {"mish", kernels::Activation::kMish},
      {"quick_gelu", kernels::Activation::kQuickGelu},
      {"relu", kernels::Activation::kRelu},
      {"relu2", kernels::Activation::kReluSquared},
      {"relu6", kernels::Activation::kRelu6},
      {"sigmoid", kernels::Activation::kSigmoid},
      {"silu", kernels::Activation::kSwish},
      {"swish", kernels::Activation::kSwish},
      {"tanh", kernels::Activation::kTanh},
  };
  for (const auto& [name, activation] : names) {
    json config = Config();
    config["activation_function"] = name;
    const auto parsed = ExpectOk(Parse(config));
    EXPECT_EQ(parsed->spec.activation, activation) << name;
  }
}

TEST(HfConfig, FieldsThatMarianNeverAsksAreNoted) {
  EXPECT_THAT(Parse(Config())->notes, IsEmpty());
  const std::vector<std::pair<std::string, std::pair<json, json>>> fields = {
      {"normalize_before", {false, true}},
      {"normalize_embedding", {false, true}},
      {"add_final_layer_norm", {false, true}},
      {"static_position_embeddings", {true, false}},
      {"do_blenderbot_90_layernorm", {false, true}},
      {"force_bos_token_to_be_generated", {false, true}},
      {"cross_attention_hidden_size", {nullptr, 8}},
  };
  for (const auto& [field, values] : fields) {
    json config = Config();
    config[field] = values.first;
    EXPECT_THAT(Parse(config)->notes, IsEmpty()) << field;
    config[field] = values.second;
    const auto parsed = ExpectOk(Parse(config));
    EXPECT_THAT(parsed->notes,
                ElementsAre("config.json: field '" + field + "' is " + values.second.dump() +
                            ", which has no effect on a MarianMTModel"));
  }
}

TEST(HfConfig, FieldsThatAskForAnotherNetworkMustBeNeutral) {
  const std::vector<std::pair<std::string, std::pair<json, json>>> fields = {
      {"is_encoder_decoder", {true, false}},
      {"is_decoder", {false, true}},
      {"tie_encoder_decoder", {false, true}},
      {"pruned_heads", {json::object(), {{"0", {1}}}}},
      {"quantization_config", {nullptr, {{"bits", 8}}}},
  };
  for (const auto& [field, values] : fields) {
    json config = Config();
    config[field] = values.first;
    EXPECT_TRUE(Parse(config).ok()) << field;
    EXPECT_THAT(RefusalOf(field, values.second),
                HasSubstr("UNIMPLEMENTED: config.json: field '" + field + "' is "));
  }
}

TEST(HfConfig, IgnoresWhatChangesNothing) {
  json config = Config();
  config["encoder_layerdrop"] = 0.1;
  config["dropout"] = 0.1;
  config["add_bias_logits"] = false;
  config["extra_pos_embeddings"] = 10;
  config["id2label"] = {{"0", "LABEL_0"}};
  config["transformers_version"] = "4.22.0";
  EXPECT_TRUE(Parse(config).ok());
}

TEST(HfGeneration, IsReadFromItsOwnFile) {
  json config = Config();
  config["num_beams"] = 4;  // ignored
  json generation = Generation();
  generation["length_penalty"] = 0.6;
  generation["early_stopping"] = "never";
  generation["min_length"] = 3;
  const auto parsed = ExpectOk(Parse(config, generation));
  const GenerationDefaults& defaults = parsed->spec.generation;
  EXPECT_EQ(defaults.num_beams, 6);
  EXPECT_EQ(defaults.length_penalty, 0.6F);
  EXPECT_EQ(defaults.early_stopping, EarlyStopping::kNever);
  EXPECT_EQ(defaults.max_length, 64);
  EXPECT_EQ(defaults.min_length, 3);
  EXPECT_EQ(defaults.forced_eos, 0);
  EXPECT_THAT(defaults.bad_words, ElementsAre(std::vector<int>{9}));
  EXPECT_TRUE(defaults.renormalize_logits);
  EXPECT_EQ(parsed->spec.tokens.eos, 0);
}

TEST(HfGeneration, HasTheDefaultsOfTransformers) {
  const GenerationDefaults defaults = GenerationOf(json::object());
  EXPECT_EQ(defaults.num_beams, 1);
  EXPECT_EQ(defaults.length_penalty, 1.0F);
  EXPECT_EQ(defaults.early_stopping, EarlyStopping::kFalse);
  EXPECT_EQ(defaults.max_length, 65);  // not the default of 20 but the positions
  EXPECT_EQ(defaults.min_length, 0);
  EXPECT_EQ(defaults.forced_eos, std::nullopt);
  EXPECT_THAT(defaults.bad_words, IsEmpty());
  EXPECT_FALSE(defaults.renormalize_logits);
}

TEST(HfGeneration, IsReadFromConfigJsonWhenItHasNoFile) {
  json config = Config();
  config.update(json::parse(R"({"num_beams": 4, "max_length": 32, "bad_words_ids": [[9]],
                                "early_stopping": true})"));
  auto parsed = ExpectOk(Parse(config));
  EXPECT_EQ(parsed->spec.generation.num_beams, 4);
  EXPECT_EQ(parsed->spec.generation.max_length, 32);
  EXPECT_EQ(parsed->spec.generation.early_stopping, EarlyStopping::kTrue);
  EXPECT_THAT(parsed->spec.generation.bad_words, ElementsAre(std::vector<int>{9}));
  // MarianConfig forces EOS unless the field is null.
  EXPECT_EQ(parsed->spec.generation.forced_eos, 0);
  config["forced_eos_token_id"] = nullptr;
  EXPECT_EQ(Parse(config)->spec.generation.forced_eos, std::nullopt);
  config["no_repeat_ngram_size"] = 3;
  EXPECT_EQ(Parse(config)->spec.generation.no_repeat_ngram, 3);
}

TEST(HfGeneration, AFileMadeFromConfigJsonGivesWayToIt) {
  json generation = Generation();
  generation["_from_model_config"] = true;
  json config = Config();
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 6);
  config["num_beams"] = 1;  // the default
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 6);
  config["num_beams"] = 4;
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 4);
  generation["_from_model_config"] = false;
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 6);
}

// Every generation field in every class. The defaults are those of the classes in transformers
// 4.57.6.
TEST(HfGeneration, ClassesHaveDefaultsOfTheirOwn) {
  const json all = json::parse(R"({
      "max_length": [20, 21], "min_length": [0, 1], "do_sample": [false, true],
      "early_stopping": [false, true], "num_beams": [1, 2], "temperature": [1.0, 0.5],
      "top_k": [50, 49], "top_p": [1.0, 0.5], "typical_p": [1.0, 0.5],
      "repetition_penalty": [1.0, 1.5], "length_penalty": [1, 1.5], "no_repeat_ngram_size": [0, 3],
      "encoder_no_repeat_ngram_size": [0, 3], "bad_words_ids": [null, [[1]]],
      "num_return_sequences": [1, 2], "output_scores": [0, 1],
      "return_dict_in_generate": [false, true], "forced_bos_token_id": [null, 0],
      "forced_eos_token_id": [null, 3], "remove_invalid_values": [false, true],
      "exponential_decay_length_penalty": [null, [1, 2]], "suppress_tokens": [null, []],
      "begin_suppress_tokens": [null, [1]], "num_beam_groups": [1, 2],
      "diversity_penalty": [0.0, 0.5]})");
  ASSERT_EQ(all.size(), 25U);
  const std::map<std::string, json> own = {
      {"marian", {{"forced_eos_token_id", 0}}},
      {"m2m_100", json::object()},
      {"mbart", {{"forced_eos_token_id", 2}}},
      {"bart", {{"forced_eos_token_id", 2}}},
      {"pegasus", {{"forced_eos_token_id", 1}}},
      {"fsmt", {{"forced_eos_token_id", 2}, {"num_beams", 5}, {"max_length", 200}}},
      {"t5", json::object()},
      {"mt5", json::object()},
      {"umt5", json::object()},
  };
  json generation = {{"_from_model_config", true}, {"transformers_version", "4.57.6"}};
  for (const auto& [type, defaults] : own) {
    const Family& family = *FindFamily(type);
    json config = json::object();
    for (const auto& [field, values] : all.items()) {
      config[field] = defaults.value(field, values[0]);
    }
    EXPECT_FALSE(ConfigOverrides(family, config, generation)) << type;
    for (const auto& [field, values] : all.items()) {
      json changed = config;
      changed[field] = nullptr;
      EXPECT_FALSE(ConfigOverrides(family, changed, generation)) << type << " " << field;
      changed[field] = values[1];
      EXPECT_TRUE(ConfigOverrides(family, changed, generation)) << type << " " << field;
      if (!defaults.contains(field) || values[0].is_null()) continue;
      changed[field] = values[0];
      EXPECT_TRUE(ConfigOverrides(family, changed, generation)) << type << " " << field;
    }
  }
}

// transformers 4 writes such files when it saves facebook/mbart-large-50-many-to-many-mmt, BART,
// Pegasus or FSMT.
TEST(HfGeneration, TheForcedEndOfAClassDoesNotReplaceTheFile) {
  json config = Config();
  config.update(json::parse(R"({"architectures": ["MBartForConditionalGeneration"],
                                "model_type": "mbart", "eos_token_id": 2,
                                "forced_eos_token_id": 2})"));
  json generation = Generation();
  generation.update(json{{"_from_model_config", true},
                         {"eos_token_id", 2},
                         {"forced_eos_token_id", 2},
                         {"max_length", 60},
                         {"num_beams", 5}});
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 5);
  EXPECT_EQ(Parse(config, generation)->spec.generation.max_length, 60);
}

// If there is a generation_config.json, transformers 5 reads no generation field of config.json. It
// writes its classes' defaults into config.json, so a missing field has no class default.
TEST(HfGeneration, InADirectoryOfTransformers5ConfigJsonDoesNotCount) {
  json generation = Generation();
  generation["_from_model_config"] = true;
  generation["transformers_version"] = "5.24.0";
  json config = Config();
  config["num_beams"] = 4;
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 6);
  config["transformers_version"] = "5.24.0";
  EXPECT_EQ(Parse(config)->spec.generation.num_beams, 4);
  EXPECT_EQ(Parse(config)->spec.generation.forced_eos, std::nullopt);
  config["forced_eos_token_id"] = 0;
  EXPECT_EQ(Parse(config)->spec.generation.forced_eos, 0);
}

// BartConfig derives forced_bos_token_id from force_bos_token_to_be_generated, so the field then
// differs from the class's default.
TEST(HfGeneration, TheForcedBeginningOfOldFilesCountsAsASetting) {
  json config = Config();
  config.update(json::parse(R"({"architectures": ["BartForConditionalGeneration"],
                                "model_type": "bart", "eos_token_id": 2, "bos_token_id": 1,
                                "forced_eos_token_id": 2,
                                "force_bos_token_to_be_generated": true})"));
  json generation = Generation();
  generation.update(
      json{{"_from_model_config", true}, {"eos_token_id", 2}, {"forced_eos_token_id", 2}});
  EXPECT_EQ(Parse(config, generation)->spec.generation.forced_bos, 1);
  EXPECT_EQ(Parse(config, generation)->spec.generation.num_beams, 1);
}

TEST(HfGeneration, CountsNewTokensFromTheStartToken) {
  json generation = Generation();
  generation["max_new_tokens"] = 30;
  generation["min_new_tokens"] = 5;
  EXPECT_EQ(GenerationOf(generation).max_length, 31);
  EXPECT_EQ(GenerationOf(generation).min_length, 6);
}

// The lengths are those of outputs of transformers 4.57.1: a max_length of 20, the default, counts
// new tokens. If no file states a length, the positions limit it.
TEST(HfGeneration, TheDefaultLengthCountsNewTokens) {
  const std::vector<std::pair<json, int>> cases = {
      {json::object(), 65},
      {{{"max_length", 19}}, 19},
      {{{"max_length", 20}}, 21},
      {{{"max_length", 21}}, 21},
      {{{"max_new_tokens", 19}}, 20},
      {{{"max_new_tokens", 20}}, 21},
      {{{"max_length", 20}, {"max_new_tokens", 5}}, 6},
      {{{"max_length", nullptr}}, 65},
  };
  for (const auto& [fields, expected] : cases) {
    for (const json& forced : {json(0), json(nullptr)}) {
      json generation = Generation();
      generation.erase("max_length");
      generation["forced_eos_token_id"] = forced;
      generation.update(fields);
      EXPECT_EQ(GenerationOf(generation).max_length, expected) << generation;
      // Older directories have the same fields in config.json.
      json config = Config();
      config["forced_eos_token_id"] = forced;
      config.update(fields);
      const auto parsed = ExpectOk(Parse(config));
      EXPECT_EQ(parsed->spec.generation.max_length, expected) << config;
    }
  }
  // The length stays within the positions. transformers counts one less here than in other cases.
  json config = Config();
  config["max_position_embeddings"] = 18;
  config["max_length"] = 20;
  EXPECT_EQ(Parse(config)->spec.generation.max_length, 18);
}

TEST(HfGeneration, ALengthMustLeaveRoomForAToken) {
  const auto refusal = [](const json& fields) {
    json generation = Generation();
    generation.erase("max_length");
    generation.update(fields);
    return Refusal(Parse(Config(), generation));
  };
  EXPECT_THAT(refusal({{"max_length", 2}}),
              HasSubstr("generation_config.json: field 'max_length' is 2, expected at least 3"));
  EXPECT_THAT(refusal({{"max_length", 1}, {"forced_eos_token_id", nullptr}}),
              HasSubstr("field 'max_length' is 1, expected at least 2"));
  EXPECT_THAT(refusal({{"max_length", 3}, {"forced_bos_token_id", 4}}),
              HasSubstr("field 'max_length' is 3, expected at least 4"));
  EXPECT_THAT(refusal({{"max_new_tokens", 1}}),
              HasSubstr("field 'max_new_tokens' is 1, expected at least 2"));
  EXPECT_THAT(refusal({{"max_new_tokens", 0}, {"forced_eos_token_id", nullptr}}),
              HasSubstr("field 'max_new_tokens' is 0, expected at least 1"));
  EXPECT_THAT(RefusalOf("max_length", 2),
              HasSubstr("config.json: field 'max_length' is 2, expected at least 3"));
  EXPECT_THAT(RefusalOf("max_position_embeddings", 1),
              HasSubstr("'max_position_embeddings' is 1, expected at least 2"));
  json generation = Generation();
  generation["max_length"] = 3;
  EXPECT_EQ(GenerationOf(generation).max_length, 3);
}

TEST(HfGeneration, EveryTokenBannedIsRefused) {
  json generation = Generation();
  generation["bad_words_ids"] = json::parse("[[1], [2], [3], [4], [5], [6], [7], [8], [9]]");
  EXPECT_THAT(Refusal(Parse(Config(), generation)), HasSubstr("every one is banned"));
  generation["bad_words_ids"] = nullptr;
  generation["suppress_tokens"] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_THAT(
      Refusal(Parse(Config(), generation)),
      HasSubstr("field 'suppress_tokens' is [1,2,3,4,5,6,7,8,9], expected a token that may"));
  generation["suppress_tokens"] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(GenerationOf(generation).bad_words.size(), 8U);
}

TEST(HfGeneration, SeveralIdsMayEndAnOutput) {
  json generation = Generation();
  generation["eos_token_id"] = {0, 3, 5, 3};
  generation["bad_words_ids"] = json::parse("[[9], [3]]");  // an end of sentence is never banned
  auto parsed = ExpectOk(Parse(Config(), generation));
  EXPECT_EQ(parsed->spec.tokens.eos, 0);
  EXPECT_THAT(parsed->spec.tokens.more_eos, ElementsAre(3, 5));
  EXPECT_THAT(parsed->spec.generation.bad_words, ElementsAre(std::vector<int>{9}));
  json config = Config();
  config["eos_token_id"] = {3, 0};
  parsed = Parse(config);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(parsed->spec.tokens.more_eos, ElementsAre(0));
  EXPECT_THAT(GenerationRefusalOf("eos_token_id", {0, 1, 2, 3, 4, 5, 6, 7, 8}),
              HasSubstr("supported: at most 8 token ids"));
  EXPECT_THAT(GenerationRefusalOf("eos_token_id", {0, 10}), HasSubstr("token ids from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("eos_token_id", json::array()),
              HasSubstr("a token id, or a list"));
}

TEST(HfGeneration, TokensMayBeSuppressedAndForced) {
  json generation = Generation();
  generation["suppress_tokens"] = {7, 4};
  generation["begin_suppress_tokens"] = {0, 5};
  generation["forced_bos_token_id"] = 6;
  const GenerationDefaults defaults = GenerationOf(generation);
  EXPECT_THAT(defaults.bad_words,
              ElementsAre(std::vector<int>{4}, std::vector<int>{7}, std::vector<int>{9}));
  EXPECT_THAT(defaults.not_first, ElementsAre(0, 5));
  EXPECT_EQ(defaults.forced_bos, 6);
  EXPECT_THAT(GenerationRefusalOf("suppress_tokens", {0}),
              HasSubstr("UNIMPLEMENTED: generation_config.json: field 'suppress_tokens' is [0]"));
  EXPECT_THAT(GenerationRefusalOf("suppress_tokens", {10}), HasSubstr("token ids from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("begin_suppress_tokens", {0, 1, 2, 3, 4, 5, 6, 7, 8}),
              HasSubstr("at most 8 token ids"));
  EXPECT_THAT(GenerationRefusalOf("forced_bos_token_id", 0),
              HasSubstr("does not end the sentence"));
  EXPECT_THAT(GenerationRefusalOf("forced_bos_token_id", "x"), HasSubstr("'forced_bos_token_id'"));
  generation["suppress_tokens"] = {6};
  EXPECT_THAT(Refusal(Parse(Config(), generation)), HasSubstr("tokens that are not forced"));
}

TEST(HfGeneration, EndsWhereThePositionsEnd) {
  json generation = Generation();
  generation["max_length"] = 1000;
  EXPECT_EQ(GenerationOf(generation).max_length, 65);  // the last token needs no position
}

TEST(HfGeneration, RefusesBadValues) {
  EXPECT_THAT(GenerationRefusalOf("num_beams", 65), HasSubstr("an integer from 1 to 64"));
  EXPECT_THAT(GenerationRefusalOf("num_beams", 0), HasSubstr("an integer from 1 to 64"));
  EXPECT_THAT(GenerationRefusalOf("decoder_start_token_id", 10), HasSubstr("from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("num_beams", "4"), HasSubstr("generation_config.json: field"));
  EXPECT_THAT(GenerationRefusalOf("length_penalty", "x"), HasSubstr("a finite number"));
  EXPECT_THAT(GenerationRefusalOf("length_penalty", 1e300), HasSubstr("a finite float"));
  EXPECT_THAT(GenerationRefusalOf("early_stopping", "always"),
              HasSubstr("true, false or \"never\""));
  EXPECT_THAT(GenerationRefusalOf("max_length", -1), HasSubstr("an integer from 0 to"));
  EXPECT_THAT(GenerationRefusalOf("min_length", 64),
              HasSubstr("'min_length' is 64, expected less"));
  EXPECT_THAT(GenerationRefusalOf("min_new_tokens", 63), HasSubstr("'min_new_tokens' is 63"));
  EXPECT_THAT(GenerationRefusalOf("eos_token_id", 10), HasSubstr("an integer from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("forced_eos_token_id", {0, 1}),
              HasSubstr("supported: one token id"));
  EXPECT_THAT(GenerationRefusalOf("forced_eos_token_id", 3),
              HasSubstr("null or the end of sentence 0"));
  EXPECT_THAT(GenerationRefusalOf("bad_words_ids", 3), HasSubstr("a list of lists"));
  EXPECT_THAT(GenerationRefusalOf("bad_words_ids", {3}), HasSubstr("a list of lists"));
  EXPECT_THAT(GenerationRefusalOf("bad_words_ids", json::parse("[[10]]")),
              HasSubstr("token ids from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("bad_words_ids", json::parse("[[-1]]")),
              HasSubstr("token ids from 0 to 9"));
  EXPECT_THAT(GenerationRefusalOf("bad_words_ids", json::parse("[[9], [1, 0]]")),
              HasSubstr("UNIMPLEMENTED"));
  EXPECT_THAT(GenerationRefusalOf("repetition_penalty", 0), HasSubstr("a number above 0"));
}

TEST(HfGeneration, BadWordsMayBeSequences) {
  json generation = Generation();
  generation["bad_words_ids"] = json::parse("[[9], [1, 2], [1, 2]]");
  generation["repetition_penalty"] = 1.2;
  const GenerationDefaults defaults = GenerationOf(generation);
  EXPECT_THAT(defaults.bad_words, ElementsAre(std::vector<int>{1, 2}, std::vector<int>{9}));
  EXPECT_EQ(defaults.repetition_penalty, 1.2F);
}

TEST(HfGeneration, ABanOfEosIsDropped) {
  json generation = Generation();
  generation["bad_words_ids"] = json::parse("[[9], [0], [3], [9]]");
  EXPECT_THAT(GenerationOf(generation).bad_words,
              ElementsAre(std::vector<int>{3}, std::vector<int>{9}));
}

TEST(HfGeneration, RulesOfTheSourceAndTheNumberOfHypothesesAreRead) {
  json generation = Generation();
  EXPECT_EQ(GenerationOf(generation).encoder_no_repeat_ngram, 0);
  EXPECT_EQ(GenerationOf(generation).encoder_repetition_penalty, 1.0F);
  EXPECT_EQ(GenerationOf(generation).num_return_sequences, 1);
  generation["encoder_no_repeat_ngram_size"] = 3;
  generation["encoder_repetition_penalty"] = 1.5;
  generation["num_return_sequences"] = 4;
  EXPECT_EQ(GenerationOf(generation).encoder_no_repeat_ngram, 3);
  EXPECT_EQ(GenerationOf(generation).encoder_repetition_penalty, 1.5F);
  EXPECT_EQ(GenerationOf(generation).num_return_sequences, 4);
}

TEST(HfGeneration, FieldsThatAskForAnotherSearchMustBeNeutral) {
  const std::vector<std::pair<std::string, std::pair<json, json>>> fields = {
      {"do_sample", {false, true}},
      {"num_beam_groups", {1, 2}},
      {"diversity_penalty", {0.0, 0.5}},
      {"remove_invalid_values", {false, true}},
      {"exponential_decay_length_penalty", {nullptr, {5, 1.1}}},
      {"sequence_bias", {nullptr, {{{3}, -1.0}}}},
      {"token_healing", {false, true}},
      {"guidance_scale", {1.0, 1.5}},
      {"watermarking_config", {nullptr, json::object()}},
      {"constraints", {nullptr, {1}}},
      {"force_words_ids", {nullptr, {{3}}}},
      {"penalty_alpha", {0.0, 0.6}},
      {"dola_layers", {nullptr, "low"}},
      {"stop_strings", {nullptr, {"x"}}},
      {"max_time", {nullptr, 1.0}},
      {"prompt_lookup_num_tokens", {nullptr, 3}},
      {"assistant_early_exit", {nullptr, 3}},
      {"prefix_allowed_tokens_fn", {nullptr, "f"}},
      {"forced_decoder_ids", {nullptr, {{1, 2}}}},
  };
  for (const auto& [field, values] : fields) {
    json generation = Generation();
    generation[field] = values.first;
    EXPECT_TRUE(Parse(Config(), generation).ok()) << field;
    EXPECT_THAT(GenerationRefusalOf(field, values.second),
                HasSubstr("UNIMPLEMENTED: generation_config.json: field '" + field + "' is "));
    EXPECT_THAT(GenerationRefusalOf(field, "x"), HasSubstr("field '" + field + "'"));
  }
}

TEST(HfGeneration, SamplingFieldsAreIdleWithoutSampling) {
  json generation = Generation();
  generation.update(json::parse(R"({"temperature": 0.7, "top_k": 10, "top_p": 0.9})"));
  EXPECT_TRUE(Parse(Config(), generation).ok());
}

std::string TokenizerRefusalOf(const std::string& field, const json& value) {
  return Refusal(Parse(Config(), Generation(), json{{field, value}}));
}

TEST(HfTokenizer, IsRead) {
  const auto parsed = ExpectOk(Parse(Config(), Generation(), json::parse(R"({
      "tokenizer_class": "MarianTokenizer", "source_lang": "de", "target_lang": "en",
      "unk_token": {"__type": "AddedToken", "content": "[unk]"}, "eos_token": "</s>",
      "pad_token": "<pad>", "separate_vocabs": true, "model_max_length": 40,
      "sp_model_kwargs": {}, "additional_special_tokens": ["<pad>"],
      "added_tokens_decoder": {"0": {"content": "</s>"}, "1": {"content": "[unk]"}}})")));
  EXPECT_EQ(parsed->tokenizer.source_language, "de");
  EXPECT_EQ(parsed->tokenizer.target_language, "en");
  EXPECT_EQ(parsed->tokenizer.unk_piece, "[unk]");
  EXPECT_TRUE(parsed->tokenizer.separate_vocabularies);
  EXPECT_EQ(parsed->tokenizer.model_max_length, 40);
}

TEST(HfTokenizer, MayBeAbsent) {
  json config = Config();
  config["source_lang"] = "de";
  const auto parsed = Parse(config);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->tokenizer.source_language, "de");
  EXPECT_EQ(parsed->tokenizer.target_language, "");
  EXPECT_EQ(parsed->tokenizer.unk_piece, "<unk>");
  EXPECT_EQ(parsed->tokenizer.model_max_length, 64);
}

TEST(HfTokenizer, MayHaveNoLimit) {
  const auto parsed = Parse(Config(), Generation(), json{{"model_max_length", 1e30}});
  EXPECT_EQ(parsed->tokenizer.model_max_length, 64);
}

TEST(HfTokenizer, OfFairseqsModelsIsRead) {
  json config = Config();
  config.update(json::parse(R"({"architectures": ["M2M100ForConditionalGeneration"],
                                "model_type": "m2m_100"})"));
  json tokenizer = json::parse(R"({
      "tokenizer_class": "NllbTokenizerFast", "additional_special_tokens": ["deu_Latn", {"content": "eng_Latn"}],
      "added_tokens_decoder": {"7": {"content": "eng_Latn"}}, "legacy_behaviour": true})");
  const auto parsed = ExpectOk(Parse(config, Generation(), tokenizer));
  EXPECT_EQ(parsed->tokenizer.scheme, &kNllbTokenizer);
  EXPECT_TRUE(parsed->tokenizer.scheme_given);
  ASSERT_EQ(parsed->tokenizer.listed.size(), 2U);
  EXPECT_EQ(parsed->tokenizer.listed[0].text, "deu_Latn");
  EXPECT_EQ(parsed->tokenizer.listed[1].text, "eng_Latn");
  ASSERT_EQ(parsed->tokenizer.added.size(), 1U);
  EXPECT_EQ(parsed->tokenizer.added.at(7).text, "eng_Latn");
  EXPECT_TRUE(parsed->tokenizer.added.at(7).special);  // because additional_special_tokens lists it
  EXPECT_TRUE(parsed->tokenizer.legacy);
  const auto refusal = [&](const std::string& field, const json& value) {
    json other = tokenizer;
    other[field] = value;
    return Refusal(Parse(config, Generation(), other));
  };
  EXPECT_THAT(refusal("tokenizer_class", "MarianTokenizer"),
              HasSubstr("supported: M2M100Tokenizer, SMALL100Tokenizer, NllbTokenizer, "
                        "NllbTokenizerFast, TokenizersBackend, PreTrainedTokenizerFast"));
  EXPECT_THAT(refusal("language_codes", "fairseq"), HasSubstr("supported: m2m100, wmt21"));
  EXPECT_THAT(refusal("additional_special_tokens", {3}), HasSubstr("expected a list of tokens"));
  EXPECT_THAT(refusal("added_tokens_decoder", {{"x", {{"content", "a"}}}}),
              HasSubstr("expected an object id -> token"));
}

TEST(HfTokenizer, RefusesWhatWouldCutTextDifferently) {
  EXPECT_THAT(TokenizerRefusalOf("tokenizer_class", "T5Tokenizer"), HasSubstr("UNIMPLEMENTED"));
  EXPECT_THAT(TokenizerRefusalOf("sp_model_kwargs", {{"enable_sampling", true}}),
              HasSubstr("'sp_model_kwargs' is an object"));
  EXPECT_THAT(TokenizerRefusalOf("tokenizer_class", "TokenizersBackend"),
              HasSubstr("supported: MarianTokenizer"));
  EXPECT_THAT(TokenizerRefusalOf("additional_special_tokens", {""}),
              HasSubstr("'additional_special_tokens'"));
  EXPECT_THAT(TokenizerRefusalOf("added_tokens_decoder", {{"7", "<x>"}}),
              HasSubstr("'added_tokens_decoder'"));
  EXPECT_THAT(
      TokenizerRefusalOf("added_tokens_decoder", {{"7", {{"content", "<x>"}, {"lstrip", "yes"}}}}),
      HasSubstr("'added_tokens_decoder'"));
  EXPECT_THAT(TokenizerRefusalOf("model_max_length", 0), HasSubstr("at least 2"));
  EXPECT_THAT(TokenizerRefusalOf("model_max_length", 1), HasSubstr("at least 2"));
  EXPECT_THAT(TokenizerRefusalOf("source_lang", 3), HasSubstr("expected a string"));
  EXPECT_THAT(TokenizerRefusalOf("unk_token", {{"content", 3}}), HasSubstr("'unk_token'"));
}

// added_tokens.json and special_tokens_map.json count if tokenizer_config.json does not name the
// tokens.
TEST(HfTokenizer, HasAddedTokensOfOlderFiles) {
  HfConfigTexts texts{.config = Config().dump(), .generation = Generation().dump()};
  texts.tokenizer.config = R"({"tokenizer_class": "MarianTokenizer", "unk_token": "<unk>"})";
  texts.tokenizer.special_tokens_map = R"({"additional_special_tokens": ["<x>"]})";
  texts.tokenizer.added_tokens = R"({"<x>": 64, "Wort": 65})";
  auto parsed = ExpectOk(ParseHfConfig(texts));
  EXPECT_EQ(parsed->tokenizer.added_file, "added_tokens.json");
  ASSERT_EQ(parsed->tokenizer.added.size(), 2U);
  EXPECT_TRUE(parsed->tokenizer.added[64].special);
  EXPECT_EQ(parsed->tokenizer.added[65].text, "Wort");
  EXPECT_FALSE(parsed->tokenizer.added[65].special);
  texts.tokenizer.config = R"({"added_tokens_decoder": {"7": {"content": "Haus"}}})";
  parsed = ParseHfConfig(texts);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_EQ(parsed->tokenizer.added.size(), 1U);
  EXPECT_EQ(parsed->tokenizer.added[7].text, "Haus");
  texts.tokenizer.config.reset();
  texts.tokenizer.added_tokens = R"({"Wort": -1})";
  EXPECT_THAT(Refusal(ParseHfConfig(texts)),
              HasSubstr("added_tokens.json: has 'Wort': -1, expected piece -> id"));
}

}  // namespace
}  // namespace dragoman::engine

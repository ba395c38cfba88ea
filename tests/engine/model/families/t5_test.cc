// Tests directories of T5, FLAN-T5, mT5 and MADLAD-400: their network, their languages, and what is
// refused.
#include "engine/model/families/t5_shape.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kT5Config[] = "config.json";
constexpr char kT5Tokenizer[] = "tokenizer_config.json";

LoadedModel Load(const ModelDirectory& directory) {
  auto model = ExpectOk(directory.Load());
  return *std::move(model);
}

std::string Refusal(const std::string& model, const std::string& file, const json& changes) {
  return ModelDirectory(model).Change(file, changes).Refusal();
}

// The distances from -1500 to 1500 at which the bucket changes in transformers 4.57.1.
struct Borders {
  bool two_sided;
  int buckets;
  int max_distance;
  int first;
  std::vector<std::pair<int, int>> changes;  // the first distance of a bucket, and the bucket
};

TEST(RelativeBucket, ChangesWhereThatOfTransformersDoes) {
  const Borders all[] = {
      {true, 32, 128, 15, {{-90, 14}, {-63, 13}, {-45, 12}, {-31, 11}, {-22, 10}, {-15, 9},
                           {-11, 8},  {-7, 7},   {-6, 6},   {-5, 5},   {-4, 4},   {-3, 3},
                           {-2, 2},   {-1, 1},   {0, 0},    {1, 17},   {2, 18},   {3, 19},
                           {4, 20},   {5, 21},   {6, 22},   {7, 23},   {8, 24},   {12, 25},
                           {16, 26},  {23, 27},  {32, 28},  {46, 29},  {64, 30},  {91, 31}}},
      {true,
       16,
       20,
       7,
       {{-13, 6},
        {-8, 5},
        {-5, 4},
        {-3, 3},
        {-2, 2},
        {-1, 1},
        {0, 0},
        {1, 9},
        {2, 10},
        {3, 11},
        {4, 12},
        {6, 13},
        {9, 14},
        {14, 15}}},
      {true, 32, 1000, 15, {{-546, 14}, {-299, 13}, {-163, 12}, {-89, 11}, {-48, 10}, {-26, 9},
                            {-14, 8},   {-7, 7},    {-6, 6},    {-5, 5},   {-4, 4},   {-3, 3},
                            {-2, 2},    {-1, 1},    {0, 0},     {1, 17},   {2, 18},   {3, 19},
                            {4, 20},    {5, 21},    {6, 22},    {7, 23},   {8, 24},   {15, 25},
                            {27, 26},   {49, 27},   {90, 28},   {164, 29}, {300, 30}, {547, 31}}},
      {false, 32, 128, 31, {{-112, 30}, {-98, 29}, {-86, 28}, {-76, 27}, {-66, 26}, {-58, 25},
                            {-51, 24},  {-45, 23}, {-39, 22}, {-34, 21}, {-30, 20}, {-26, 19},
                            {-23, 18},  {-20, 17}, {-18, 16}, {-15, 15}, {-14, 14}, {-13, 13},
                            {-12, 12},  {-11, 11}, {-10, 10}, {-9, 9},   {-8, 8},   {-7, 7},
                            {-6, 6},    {-5, 5},   {-4, 4},   {-3, 3},   {-2, 2},   {-1, 1},
                            {0, 0}}},
      {false,
       16,
       20,
       15,
       {{-17, 14},
        {-15, 13},
        {-14, 12},
        {-12, 11},
        {-11, 10},
        {-10, 9},
        {-8, 8},
        {-7, 7},
        {-6, 6},
        {-5, 5},
        {-4, 4},
        {-3, 3},
        {-2, 2},
        {-1, 1},
        {0, 0}}},
      {false, 32, 1000, 31, {{-772, 30}, {-596, 29}, {-460, 28}, {-355, 27}, {-274, 26}, {-212, 25},
                             {-163, 24}, {-126, 23}, {-97, 22},  {-75, 21},  {-58, 20},  {-44, 19},
                             {-34, 18},  {-26, 17},  {-20, 16},  {-15, 15},  {-14, 14},  {-13, 13},
                             {-12, 12},  {-11, 11},  {-10, 10},  {-9, 9},    {-8, 8},    {-7, 7},
                             {-6, 6},    {-5, 5},    {-4, 4},    {-3, 3},    {-2, 2},    {-1, 1},
                             {0, 0}}},
  };
  for (const Borders& one : all) {
    size_t next = 0;
    int expected = one.first;
    for (int distance = -1500; distance <= 1500; ++distance) {
      if (next < one.changes.size() && one.changes[next].first == distance) {
        expected = one.changes[next++].second;
      }
      ASSERT_EQ(RelativeBucket(distance, one.two_sided, one.buckets, one.max_distance), expected)
          << one.two_sided << ", " << one.buckets << ", " << one.max_distance << ": " << distance;
    }
    EXPECT_EQ(next, one.changes.size());
  }
}

TEST(T5, HasRmsNormsAndNoBiases) {
  const LoadedModel model = Load(ModelDirectory("tiny-t5"));
  EXPECT_FALSE(model.program.fits_float16);
  for (const OpSequence* stage : {&model.program.encoder, &model.program.decoder}) {
    EXPECT_EQ(All<EmbedOp>(*stage).at(0).positions, kNoWeight);
    for (const AddNormOp& norm : All<AddNormOp>(*stage)) {
      EXPECT_EQ(norm.kind, NormKind::kRms);
      EXPECT_EQ(norm.bias, kNoWeight);
    }
    for (const ProductOp& product : All<ProductOp>(*stage)) EXPECT_EQ(product.bias, kNoWeight);
    EXPECT_THAT(All<GateOp>(*stage), IsEmpty());
  }
  EXPECT_THAT(model.notes, IsEmpty());
}

TEST(T5, LayersShareTheDistancesOfTheFirst) {
  const LoadedModel model = Load(ModelDirectory("tiny-t5"));
  const auto encoder = All<EncoderAttentionOp>(model.program.encoder);
  const auto decoder = All<SelfAttentionOp>(model.program.decoder);
  ASSERT_EQ(encoder.size(), 2);
  ASSERT_EQ(decoder.size(), 2);
  EXPECT_EQ(encoder[0].bias, encoder[1].bias);
  EXPECT_EQ(decoder[0].bias, decoder[1].bias);
  const Weight& both = model.program.weight(encoder[0].bias);
  EXPECT_EQ(both.rows, 4);
  EXPECT_EQ(both.cols, 2 * 160 - 1);
  EXPECT_EQ(model.program.weight(decoder[0].bias).cols, 160);
  // A key beyond the largest distance has the bias of the last bucket.
  const std::vector<float> values = WeightOf(model, encoder[0].bias);
  EXPECT_EQ(values[0], values[1]);
  EXPECT_NE(values[159], values[158]);
  EXPECT_NE(values[159], values[160]);
}

TEST(T5, HeadsMayBeWiderThanTheModelTogether) {
  const LoadedModel model = Load(ModelDirectory("tiny-madlad"));
  EXPECT_EQ(model.program.kv.width(), 5 * 16);
  EXPECT_EQ(All<GateOp>(model.program.decoder).size(), 2);
  EXPECT_EQ(All<GateOp>(model.program.decoder)[0].activation, kernels::Activation::kGeluTanh);
  EXPECT_THAT(ProgramText(model.program), HasSubstr("tanh-gelu of the first"));
}

TEST(T5, FieldsThatMt5OmitsHaveItsDefaults) {
  // mT5's config.json omits the fields that have mT5's defaults.
  const LoadedModel model = Load(ModelDirectory("tiny-mt5")
                                     .Change(kT5Config, {{"feed_forward_proj", nullptr},
                                                         {"tie_word_embeddings", nullptr},
                                                         {"n_positions", nullptr}}));
  EXPECT_TRUE(model.spec.gated);
  EXPECT_FALSE(model.spec.tie_output);
  EXPECT_EQ(model.spec.shape.max_positions, 512);
}

// transformers 4 scales the output of every tied model. transformers 5 writes that all models are
// tied, but keeps a stored output layer, and a separate field says whether outputs are scaled. An
// mT5 is never scaled by transformers 5.
TEST(T5, OutputsAreScaledAsTheVersionThatWroteTheFileDoes) {
  struct Case {
    const char* model;
    json config;
    bool tied;
    bool scaled;
  };
  const json by_5 = {{"transformers_version", "5.24.0"}, {"tie_word_embeddings", true}};
  const auto and_scale = [](json config, bool scale) {
    config["scale_decoder_outputs"] = scale;
    return config;
  };
  const Case cases[] = {
      {"tiny-flan", {{"tie_word_embeddings", false}}, false, false},
      {"tiny-flan", {{"tie_word_embeddings", true}}, true, true},
      {"tiny-flan", and_scale(by_5, false), false, false},
      {"tiny-flan", and_scale({{"tie_word_embeddings", true}}, false), false, false},
      {"tiny-flan", and_scale(by_5, true), false, true},
      {"tiny-madlad", and_scale(by_5, false), false, false},
      {"tiny-t5", and_scale(by_5, true), true, true},
      {"tiny-t5", and_scale(by_5, false), true, false},
      {"tiny-t5", by_5, true, true},
      {"tiny-mt5", {{"tie_word_embeddings", false}}, false, false},
      {"tiny-mt5", {{"tie_word_embeddings", true}}, true, true},
      {"tiny-mt5", by_5, false, false},
      {"tiny-umt5", and_scale(by_5, false), true, false},
      {"tiny-umt5", and_scale(by_5, true), true, true},
  };
  for (const Case& one : cases) {
    const LoadedModel plain = Load(ModelDirectory(one.model));
    const LoadedModel model = Load(ModelDirectory(one.model).Change(kT5Config, one.config));
    EXPECT_EQ(model.spec.tie_output, one.tied) << one.model << one.config;
    EXPECT_EQ(model.spec.scale_output, one.scaled) << one.model << one.config;
    const bool was_scaled = plain.spec.scale_output;
    const float root = std::sqrt(static_cast<float>(model.spec.shape.d_model));
    const float factor = one.scaled == was_scaled ? 1.0F : one.scaled ? 1.0F / root : root;
    const auto gain = [](const LoadedModel& of) {
      return WeightOf(of, FindWeight(of.program, "decoder final norm gain")).front();
    };
    EXPECT_FLOAT_EQ(gain(model), gain(plain) * factor) << one.model << one.config;
  }
}

TEST(T5, SearchesAsItsTranslationTasksSay) {
  const LoadedModel model = Load(ModelDirectory("tiny-t5").Change(
      "generation_config.json",
      {{"max_length", nullptr}, {"num_beams", nullptr}, {"early_stopping", nullptr}}));
  EXPECT_EQ(model.spec.generation.max_length, 48);
  EXPECT_EQ(model.spec.generation.num_beams, 4);
  EXPECT_EQ(model.spec.generation.early_stopping, EarlyStopping::kTrue);
}

TEST(T5, IsToldByThePromptsOfItsTasks) {
  const LoadedModel model = Load(ModelDirectory("tiny-t5"));
  const auto pair = ExpectOk(model.languages.Resolve("eng", "de-DE"));
  EXPECT_EQ(pair->prompt, "translate English to German:");
  EXPECT_EQ(pair->target, "de");
  EXPECT_EQ(pair->tag, std::nullopt);
  EXPECT_EQ(model.languages.Resolve("", "")->prompt, "");
  EXPECT_EQ(model.languages.Resolve("", "fr")->prompt, "translate English to French:");
  EXPECT_EQ(model.languages.Pairs().size(), 2);
  EXPECT_THAT(model.languages.Resolve("en", "ro").status().ToString(),
              HasSubstr("'ro' is not one of the model's: de, fr"));
  // The 100 tokens that the tokenizer adds are not text.
  EXPECT_EQ(model.source_vocabulary.IdOf("<extra_id_0>"), 499);
  EXPECT_EQ(model.source_vocabulary.IdOf("<extra_id_99>"), 400);
}

TEST(T5, WithoutTasksTheTextSaysWhatIsWanted) {
  const LoadedModel model = Load(ModelDirectory("tiny-flan"));
  EXPECT_EQ(model.languages.Resolve("", "")->prompt, "");
  EXPECT_THAT(model.languages.Resolve("", "de").status().ToString(),
              HasSubstr("the model does not name its languages"));
  EXPECT_THAT(model.languages.Pairs(), IsEmpty());
}

TEST(T5, MadladHasAPieceForEachLanguage) {
  const LoadedModel model = Load(ModelDirectory("tiny-madlad"));
  EXPECT_EQ(model.languages.Resolve("", "de")->prompt, "<2de>");
  EXPECT_EQ(model.languages.Resolve("fr", "zh_Hant")->prompt, "<2zh_Hant>");
  EXPECT_EQ(model.languages.Resolve("", "sr-Latn")->prompt, "<2sr_Latn>");
  EXPECT_THAT(model.languages.Resolve("", "").status().ToString(),
              HasSubstr("target_language_code is missing: the model has 6 target languages"));
  EXPECT_THAT(model.languages.Resolve("", "xx").status().ToString(),
              HasSubstr("'xx' is not one of the model's: "));
}

TEST(T5, RefusesOtherNetworksByName) {
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"model_type", "longt5"}}), HasSubstr("\"longt5\""));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"model_type", "longt5"}}), HasSubstr("\"longt5\""));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"model_type", "switch_transformers"}}),
              HasSubstr("\"switch_transformers\""));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"is_encoder_decoder", false}}),
              HasSubstr("field 'is_encoder_decoder' is false"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"is_decoder", true}}), HasSubstr("'is_decoder'"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"architectures", {"T5EncoderModel"}}}),
              HasSubstr("a list with T5ForConditionalGeneration"));
  EXPECT_THAT(Refusal("tiny-mt5", kT5Config, {{"architectures", {"T5ForConditionalGeneration"}}}),
              HasSubstr("a list with MT5ForConditionalGeneration"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"feed_forward_proj", "gated-prelu"}}),
              HasSubstr("field 'feed_forward_proj' is \"gated-prelu\""));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"dense_act_fn", "prelu"}}),
              HasSubstr("field 'dense_act_fn' is \"prelu\""));
}

TEST(T5, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"d_kv", nullptr}}), HasSubstr("'d_kv' is missing"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"num_heads", 65}}), HasSubstr("'num_heads' is 65"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"relative_attention_num_buckets", 3}}),
              HasSubstr("'relative_attention_num_buckets' is 3"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"relative_attention_max_distance", 16}}),
              HasSubstr("'relative_attention_max_distance' is 16, expected more than half of"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"layer_norm_epsilon", 0}}),
              HasSubstr("'layer_norm_epsilon' is 0"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"vocab_size", 499}}),
              HasSubstr("'vocab_size' is 499, expected at least 500: the 400 pieces of "
                        "spiece.model and 100 extra_ids"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config,
                      {{"task_specific_params", {{"translation_en_to_de", json::object()}}}}),
              HasSubstr("field 'task_specific_params'"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"n_positions", 20}}),
              HasSubstr("field 'n_positions' is 20, expected at least 32: the longest prompt"));
}

TEST(T5, NamesTheTensorThatIsWrong) {
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"d_kv", 16}}),
              HasSubstr("model.safetensors: tensor 'encoder.block.0.layer.0.SelfAttention."));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"relative_attention_num_buckets", 16}}),
              HasSubstr("tensor 'encoder.block.0.layer.0.SelfAttention.relative_attention_bias."
                        "weight' is F32 [32, 4], expected F64, F32, F16 or BF16 [16, 4]"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"feed_forward_proj", "gated-gelu"}}),
              HasSubstr("DenseReluDense.wi_0.weight' is missing"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Config, {{"tie_word_embeddings", false}}),
              HasSubstr("tensor 'lm_head.weight' is missing"));
}

TEST(T5, RefusesTokensThatItDoesNotKnow) {
  EXPECT_THAT(ModelDirectory("tiny-t5").Remove("spiece.model").Refusal(),
              HasSubstr("spiece.model"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Tokenizer, {{"tokenizer_class", "LlamaTokenizer"}}),
              HasSubstr("supported: T5Tokenizer"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Tokenizer,
                      {{"added_tokens_decoder", {{"7", {{"content", "<user>"}}}}}}),
              HasSubstr("has '<user>' with id 7, which is the id of '"));
  EXPECT_THAT(Refusal("tiny-t5", kT5Tokenizer, {{"additional_special_tokens", {"<user>"}}}),
              HasSubstr("'additional_special_tokens' has '<user>'"));
  EXPECT_THAT(Refusal("tiny-t5", "generation_config.json", {{"eos_token_id", 2}}),
              HasSubstr("piece '</s>' has id 1, expected 2"));
}

}  // namespace
}  // namespace dragoman::engine

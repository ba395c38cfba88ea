#include "engine/model/layouts/ct2/directory.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/tokenizers/fairseq_languages.h"
#include "engine/model/tokenizers/side_vocabularies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/model/test_files.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kCt2Pieces = 379;  // pieces of the tokenizer that the tests borrow

std::string SharedCt2File(const std::string& file) {
  return ReadTestFile(DRAGOMAN_SOURCE_DIR "/tests/data/models/ct2-tiny-a-int8/" + file);
}

// A pre-norm model of width 4 with one layer in each stage, as variables of a model.bin. All
// numbers of a tensor are the same.
class TinyCt2Directory {
 public:
  TinyCt2Directory() {
    config = json::parse(R"({"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
                             "decoder_start_token": "</s>", "add_source_bos": false,
                             "add_source_eos": false, "layer_norm_epsilon": null})");
    Add("decoder/embeddings/weight", {kCt2Pieces, 4}, 0.5F);
    for (const char* stage : {"encoder", "decoder"}) {
      const std::string of = stage;
      Flag(of + "/pre_norm", 1);
      Flag(of + "/activation", 2);
      Add(of + "/scale_embeddings", {}, 3.0F);
      variables[of + "/num_heads"] = Ct2Variable(of + "/num_heads", {}, kCt2I16, Raw(int16_t{2}));
      const std::string layer = of + "/layer_0/";
      Linear(layer + "self_attention/linear_0", 12, 4);
      Linear(layer + "self_attention/linear_1", 4, 4);
      Norm(layer + "self_attention/layer_norm");
      Linear(layer + "ffn/linear_0", 6, 4);
      Linear(layer + "ffn/linear_1", 4, 6);
      Norm(layer + "ffn/layer_norm");
      Norm(of + "/layer_norm");
    }
    Linear("decoder/layer_0/attention/linear_0", 4, 4);
    Linear("decoder/layer_0/attention/linear_1", 8, 4);
    Linear("decoder/layer_0/attention/linear_2", 4, 4);
    Norm("decoder/layer_0/attention/layer_norm");
    Add("decoder/projection/bias", {kCt2Pieces}, 0.25F);
    aliases = {{"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
               {"decoder/projection/weight", "decoder/embeddings/weight"}};
    for (const char* file : {"source.spm", "target.spm", "shared_vocabulary.json"}) {
      files[file] = SharedCt2File(file);
    }
  }

  void Add(const std::string& name, const std::vector<uint32_t>& shape, float value) {
    size_t numel = 1;
    for (const uint32_t size : shape) numel *= size;
    variables[name] =
        Ct2Variable(name, shape, kCt2F32, RawFloats(std::vector<float>(numel, value)));
  }
  void Flag(const std::string& name, char value) {
    variables[name] = Ct2Variable(name, {}, kCt2I8, std::string(1, value));
  }
  void Linear(const std::string& name, uint32_t out, uint32_t in) {
    Add(name + "/weight", {out, in}, 1.0F);
    Add(name + "/bias", {out}, 2.0F);
  }
  void Norm(const std::string& name) {
    Add(name + "/gamma", {4}, 3.0F);
    Add(name + "/beta", {4}, 4.0F);
  }

  absl::StatusOr<LoadedModel> Load() const {
    const TempDirectory directory;
    std::vector<std::string> entries;
    for (const auto& [name, bytes] : variables) entries.push_back(bytes);
    std::vector<std::string> names;
    for (const auto& [alias, name] : aliases) names.push_back(Ct2String(alias) + Ct2String(name));
    directory.Write("model.bin",
                    Ct2Head(version, spec, revision) + Ct2List(entries) + Ct2List(names));
    if (!config.is_null()) directory.Write("config.json", config.dump());
    for (const auto& [file, text] : files) directory.Write(file, text);
    return LoadAndRead(directory.path());
  }

  std::string Error(absl::StatusCode code) const {
    const auto model = Load();
    EXPECT_FALSE(model.ok());
    EXPECT_EQ(model.status().code(), code) << model.status();
    return std::string(model.status().message());
  }
  std::string Refusal() const { return Error(absl::StatusCode::kUnimplemented); }
  std::string Fault() const { return Error(absl::StatusCode::kInvalidArgument); }
  std::string Missing() const { return Error(absl::StatusCode::kNotFound); }

  uint32_t version = 6;
  std::string spec = "TransformerSpec";
  uint32_t revision = 7;
  json config;
  std::map<std::string, std::string> variables;
  std::vector<std::pair<std::string, std::string>> aliases;
  std::map<std::string, std::string> files;
};

TEST(Ct2Directory, VariablesMakeTheNetwork) {
  const auto model = ExpectOk(TinyCt2Directory().Load());
  EXPECT_EQ(model->layout, "ctranslate2");
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.shape.d_model, 4);
  EXPECT_EQ(spec.shape.encoder_layers, 1);
  EXPECT_EQ(spec.shape.decoder_layers, 1);
  EXPECT_EQ(spec.shape.decoder_heads, 2);
  EXPECT_EQ(spec.shape.encoder_ffn, 6);
  EXPECT_EQ(spec.activation, kernels::Activation::kSwish);
  EXPECT_EQ(spec.embedding_scale, 3.0F);
  EXPECT_EQ(spec.norm_epsilon, 1e-5F);
  EXPECT_TRUE(spec.share_embeddings && spec.tie_output);
  EXPECT_EQ(spec.generation.num_beams, 2);
  EXPECT_EQ(spec.generation.max_length, 257);
  EXPECT_EQ(spec.tokens.decoder_start, spec.tokens.eos);
  EXPECT_EQ(WeightOf(*model, "encoder layer 0: self-attention query, key, value").size(), 48U);
}

// The token's embedding is zero and its logit is -inf. Its row follows the rows of the file.
TEST(Ct2Directory, AnEmptyTokenFollowsTheVocabulary) {
  TinyCt2Directory tiny;
  tiny.Flag("decoder/start_from_zero_embedding", 1);
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.shape.target_vocab, kCt2Pieces + 1);
  EXPECT_EQ(model->spec.tokens.pad, kCt2Pieces);
  EXPECT_EQ(model->spec.tokens.decoder_start, kCt2Pieces);
  EXPECT_EQ(model->source_vocabulary.PieceOf(kCt2Pieces), "");
  const std::vector<float> table = WeightOf(*model, "source embedding");
  ASSERT_EQ(table.size(), 4U * (kCt2Pieces + 1));
  EXPECT_EQ(table[4 * kCt2Pieces - 1], 0.5F);
  EXPECT_THAT(std::vector<float>(table.end() - 4, table.end()), Each(0.0F));
  const std::vector<float> bias = WeightOf(*model, "output layer bias");
  EXPECT_EQ(bias[kCt2Pieces - 1], 0.25F);
  EXPECT_EQ(bias[kCt2Pieces], -INFINITY);

  tiny.variables.erase("decoder/projection/bias");
  const auto without = ExpectOk(tiny.Load());
  EXPECT_EQ(WeightOf(*without, "output layer bias")[kCt2Pieces - 1], 0.0F);
  EXPECT_EQ(WeightOf(*without, "output layer bias")[kCt2Pieces], -INFINITY);
}

TEST(Ct2Directory, PositionsAreStoredOrComputed) {
  TinyCt2Directory tiny;
  const auto computed = ExpectOk(tiny.Load());
  EXPECT_EQ(computed->spec.shape.max_positions, 1024);
  // The first row belongs to position 1. The frequencies are 1 and 1/10000.
  const std::vector<float> table = WeightOf(*computed, "decoder positions");
  EXPECT_NEAR(table[0], std::sin(1.0), 1e-6);
  EXPECT_NEAR(table[1], std::sin(1e-4), 1e-9);
  EXPECT_NEAR(table[2], std::cos(1.0), 1e-6);

  tiny.Add("encoder/position_encodings/encodings", {9, 4}, 0.125F);
  tiny.Add("decoder/position_encodings/encodings", {9, 4}, 0.125F);
  const auto stored = ExpectOk(tiny.Load());
  EXPECT_EQ(stored->spec.shape.max_positions, 9);
  EXPECT_EQ(stored->spec.generation.max_length, 10);
  EXPECT_THAT(WeightOf(*stored, "encoder positions"), Each(0.125F));
  tiny.Add("decoder/position_encodings/encodings", {8, 4}, 0.125F);
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("variable 'decoder/position_encodings/encodings' has 8 rows and that of "
                        "the encoder 9, which is not supported"));
}

TEST(Ct2Directory, OlderRevisionsHaveTheirDefaults) {
  TinyCt2Directory tiny;
  tiny.version = 5;
  tiny.revision = 4;
  tiny.config = nullptr;
  for (const char* stage : {"encoder/", "decoder/"}) {
    for (const char* name : {"pre_norm", "activation", "scale_embeddings", "num_heads"}) {
      tiny.variables.erase(std::string(stage) + name);
    }
  }
  tiny.variables["num_heads"] = Ct2Variable("num_heads", {}, kCt2I8, std::string(1, 4));
  // The vocabulary is a file of lines, and outputs begin with <s>.
  std::string lines;
  const json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  for (size_t i = 0; i + 1 < pieces.size(); ++i) lines += pieces[i].get<std::string>() + "\n";
  tiny.files.erase("shared_vocabulary.json");
  tiny.files["shared_vocabulary.txt"] = lines + "<s>\n";
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.shape.encoder_heads, 4);
  EXPECT_EQ(model->spec.activation, kernels::Activation::kRelu);
  EXPECT_EQ(model->spec.embedding_scale, 2.0F);
  EXPECT_EQ(model->spec.tokens.decoder_start, kCt2Pieces - 1);
}

TEST(Ct2Directory, TwoVocabulariesAreTwoEmbeddings) {
  TinyCt2Directory tiny;
  tiny.files["source_vocabulary.json"] = tiny.files["shared_vocabulary.json"];
  tiny.files["target_vocabulary.json"] = tiny.files["shared_vocabulary.json"];
  tiny.files.erase("shared_vocabulary.json");
  ASSERT_TRUE(tiny.Load().ok()) << tiny.Load().status();
  tiny.aliases = {};
  tiny.Add("encoder/embeddings_0/weight", {kCt2Pieces, 4}, 1.0F);
  tiny.Add("decoder/projection/weight", {kCt2Pieces, 4}, 2.0F);
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.shape.source_vocab, kCt2Pieces);
  EXPECT_EQ(model->spec.shape.target_vocab, kCt2Pieces + 1);
  EXPECT_TRUE(model->own_target_vocabulary.has_value());
  EXPECT_EQ(WeightOf(*model, "source embedding").size(), 4U * kCt2Pieces);
  EXPECT_EQ(WeightOf(*model, "output layer")[0], 2.0F);
}

// OpenNMT's converters write <blank> into the vocabulary. For their models, add_source_eos says
// whether a source ends with EOS.
TEST(Ct2Directory, WithABlankTheSourcesEndIsWhatTheFileSays) {
  for (const bool has_blank : {false, true}) {
    for (const bool adds_end : {false, true}) {
      TinyCt2Directory tiny;
      json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
      if (has_blank) pieces[5] = "<blank>";
      tiny.files["shared_vocabulary.json"] = pieces.dump();
      tiny.config["add_source_eos"] = adds_end;
      const auto model = ExpectOk(tiny.Load());
      EXPECT_EQ(model->tokenizer.ends_source, adds_end || !has_blank);
      EXPECT_EQ(std::ranges::count(model->tokenizer.special, 5), has_blank ? 1 : 0);
    }
  }
}

TEST(Ct2Directory, ASourceWithoutAnEndNeedsNone) {
  TinyCt2Directory tiny;
  tiny.aliases = {{"decoder/projection/weight", "decoder/embeddings/weight"}};
  tiny.Add("encoder/embeddings_0/weight", {kCt2Pieces, 4}, 0.5F);
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  tiny.files.erase("shared_vocabulary.json");
  tiny.files["target_vocabulary.json"] = pieces.dump();
  const auto end = std::ranges::find(pieces, "</s>") - pieces.begin();
  pieces[end] = "another";
  tiny.files["source_vocabulary.json"] = pieces.dump();
  EXPECT_THAT(tiny.Fault(), HasSubstr("source_vocabulary.json: has no '</s>', the eos_token"));
  pieces[5] = "<blank>";
  tiny.files["source_vocabulary.json"] = pieces.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_FALSE(model->tokenizer.ends_source);
  EXPECT_EQ(model->tokenizer.source_eos, -1);
  EXPECT_THAT(model->tokenizer.source_special, ElementsAre(5));
  EXPECT_THAT(model->tokenizer.special, ::testing::Not(::testing::Contains(5)));
}

TEST(Ct2Directory, OfStoredPositionsThoseOfTheLongestSourceAreUsed) {
  for (const uint32_t rows : {1000U, 1030U}) {
    TinyCt2Directory tiny;
    std::vector<float> values;
    for (uint32_t i = 0; i < rows * 4; ++i) values.push_back(static_cast<float>(i));
    for (const std::string stage : {"encoder", "decoder"}) {
      const std::string name = stage + "/position_encodings/encodings";
      tiny.variables[name] = Ct2Variable(name, {rows, 4}, kCt2F32, RawFloats(values));
    }
    const auto model = ExpectOk(tiny.Load());
    const uint32_t used = std::min(rows, 1024U);
    EXPECT_EQ(model->spec.shape.max_positions, static_cast<int>(used));
    EXPECT_EQ(model->tokenizer.max_source_tokens, static_cast<int>(used));
    values.resize(size_t{used} * 4);
    EXPECT_EQ(WeightOf(*model, "encoder positions"), values);
    tiny.variables.erase("decoder/position_encodings/encodings");
    tiny.Add("decoder/position_encodings/encodings", {2000, 4}, 1.0F);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("has 2000 rows and that of the encoder"));
  }
}

// Models before version 6 have variables instead of the fields of config.json.
TEST(Ct2Directory, OlderModelsHaveVariablesInPlaceOfTheConfiguration) {
  TinyCt2Directory tiny;
  tiny.version = 5;
  tiny.revision = 6;
  tiny.config = nullptr;
  const auto text = [&tiny](const std::string& name, const std::string& piece) {
    tiny.variables[name] = Ct2Variable(name, {static_cast<uint32_t>(piece.size())}, kCt2I8, piece);
  };
  for (const char* flag :
       {"with_source_bos", "with_source_eos", "user_decoder_start_tokens", "layernorm_embedding"}) {
    tiny.Flag(flag, 0);
  }
  tiny.Flag("with_target_bos", 1);
  text("unk_token", "<unk>");
  text("bos_token", "<unk>");
  text("eos_token", "</s>");
  auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.tokens.decoder_start, model->spec.tokens.unk);
  EXPECT_TRUE(model->tokenizer.ends_source);
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  pieces[5] = "<blank>";
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  EXPECT_FALSE(tiny.Load()->tokenizer.ends_source);
  tiny.Flag("with_source_eos", 1);
  EXPECT_TRUE(tiny.Load()->tokenizer.ends_source);
  tiny.Flag("with_target_bos", 0);
  model = tiny.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.tokens.decoder_start, model->spec.tokens.eos);
  tiny.Flag("user_decoder_start_tokens", 1);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'decoder_start_token' is null"));
  tiny.Flag("user_decoder_start_tokens", 0);
  EXPECT_EQ(model->tokenizer.source_bos, std::nullopt);
  tiny.Flag("with_source_bos", 1);
  EXPECT_EQ(tiny.Load()->tokenizer.source_bos, model->spec.tokens.unk);  // "bos_token"
  tiny.Flag("with_source_bos", 0);
  tiny.Flag("unk_token", 1);
  EXPECT_THAT(tiny.Fault(), HasSubstr("'unk_token' is I8 [], expected the bytes of a piece"));
}

TEST(Ct2Directory, AnEmbeddingsNormIsPartOfTheNetwork) {
  TinyCt2Directory tiny;
  tiny.Norm("encoder/layernorm_embedding");
  EXPECT_THAT(tiny.Fault(), HasSubstr("'decoder/layernorm_embedding/gamma' is missing"));
  tiny.Norm("decoder/layernorm_embedding");
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(WeightOf(*model, "decoder embedding norm gain"), Each(3.0F));
}

// A T5 in variables, with two heads of 3, which together are wider than the model.
class TinyT5Directory : public TinyCt2Directory {
 public:
  TinyT5Directory() {
    std::erase_if(variables, [](const auto& variable) {
      return variable.first.ends_with("/beta") || variable.first.ends_with("/bias");
    });
    Add("decoder/scale_outputs", {}, 0.5F);
    Add("decoder/layer_0/attention/linear_0/weight", {6, 4}, 1.0F);
    Add("decoder/layer_0/attention/linear_1/weight", {12, 4}, 1.0F);
    Add("decoder/layer_0/attention/linear_2/weight", {4, 6}, 1.0F);
    Add("decoder/layer_0/attention/queries_scale", {}, 1.0F);
    for (const std::string stage : {"encoder", "decoder"}) {
      Flag(stage + "/scale_embeddings", 0);
      const std::string layer = stage + "/layer_0/";
      const std::string self = layer + "self_attention/";
      // All four numbers of row r are r.
      std::vector<float> rows;
      for (int i = 0; i < 18 * 4; ++i) rows.push_back(static_cast<float>(i / 4));
      variables[self + "linear_0/weight"] =
          Ct2Variable(self + "linear_0/weight", {18, 4}, kCt2F32, RawFloats(rows));
      Add(self + "linear_1/weight", {4, 6}, 1.0F);
      Add(self + "queries_scale", {}, 1.0F);
      Add(self + "relative_attention_bias", {8, 2}, 2.0F);
      Distance(stage, 20);
      Add(layer + "ffn/linear_0_noact/weight", {6, 4}, 5.0F);
    }
  }
  void Distance(const std::string& stage, int32_t value) {
    const std::string name = stage + "/layer_0/self_attention/relative_attention_max_distance";
    variables[name] = Ct2Variable(name, {}, 3, Raw(value));
  }
};

TEST(Ct2Directory, VariablesMakeAT5) {
  const auto model = ExpectOk(TinyT5Directory().Load());
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.family, "t5");
  EXPECT_EQ(spec.shape.head_dim, 3);
  EXPECT_EQ(spec.norm_epsilon, 1e-6F);
  EXPECT_EQ(spec.distances.buckets, 8);
  EXPECT_EQ(spec.distances.max_distance, 20);
  EXPECT_TRUE(spec.gated);
  // The norm's gain is 3. scale_outputs halves it for the output layer.
  EXPECT_THAT(WeightOf(*model, "decoder final norm gain"), Each(1.5F));
  EXPECT_THAT(WeightOf(*model, "encoder final norm gain"), Each(3.0F));
  // Queries are multiplied by sqrt(3). Keys and values are not.
  const std::vector<float>& qkv =
      WeightOf(*model, "decoder layer 0: self-attention query, key, value");
  ASSERT_EQ(qkv.size(), 72U);
  EXPECT_FLOAT_EQ(qkv[5 * 4], 5 * std::sqrt(3.0F));
  EXPECT_EQ(qkv[6 * 4], 6.0F);
  EXPECT_EQ(qkv[17 * 4], 17.0F);
  EXPECT_THAT(WeightOf(*model, "decoder layer 0: cross-attention query"), Each(std::sqrt(3.0F)));
}

TEST(Ct2Directory, ScalesOfRowsStayWithTheirRows) {
  TinyT5Directory tiny;
  const std::string name = "encoder/layer_0/self_attention/linear_0/weight";
  tiny.variables[name] = Ct2Variable(name, {18, 4}, kCt2I8, std::string(72, 12));
  std::vector<float> scales;
  for (int row = 0; row < 18; ++row) scales.push_back(row < 12 ? 4.0F : 6.0F);
  tiny.variables[name + "_scale"] = Ct2Variable(name + "_scale", {18}, kCt2F32, RawFloats(scales));
  for (const bool of_rows : {true, false}) {
    if (!of_rows) {
      tiny.variables[name + "_scale"] =
          Ct2Variable(name + "_scale", {}, kCt2F32, RawFloats({6.0F}));
    }
    const auto model = ExpectOk(tiny.Load());
    const std::vector<float>& qkv =
        WeightOf(*model, "encoder layer 0: self-attention query, key, value");
    EXPECT_EQ(qkv[11 * 4], of_rows ? 3.0F : 2.0F);
    EXPECT_EQ(qkv[12 * 4], 2.0F);
  }
}

TEST(Ct2Directory, RefusesOtherNetworksOfT5sKind) {
  const TinyT5Directory whole;
  TinyT5Directory tiny = whole;
  tiny.Add("encoder/layer_0/ffn/linear_0/bias", {6}, 1.0F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'encoder/layer_0/ffn/linear_0/bias' [6] has no place in a "
                                        "network of T5's kind, which this is by 'encoder/layer_0/"
                                        "self_attention/relative_attention_bias'"));
  tiny = whole;
  tiny.Flag("encoder/pre_norm", 0);
  tiny.Flag("decoder/pre_norm", 0);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'encoder/pre_norm' is 0 in a T5"));
  tiny = whole;
  tiny.Add("encoder/scale_embeddings", {}, 2.0F);
  tiny.Add("decoder/scale_embeddings", {}, 2.0F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'encoder/scale_embeddings' is 2 in a T5"));
  tiny = whole;
  tiny.Add("decoder/layer_0/attention/queries_scale", {}, 0.5F);
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("'decoder/layer_0/attention/queries_scale' is 0.5 in a T5"));
  tiny.variables.erase("decoder/layer_0/attention/queries_scale");
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("'decoder/layer_0/attention/queries_scale' is missing in a T5"));
  tiny = whole;
  tiny.Add("decoder/layer_0/self_attention/relative_attention_bias", {6, 2}, 2.0F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'decoder/layer_0/self_attention/relative_attention_bias' "
                                        "has 6 buckets up to distance 20, the encoder's first "
                                        "layer 8 up to 20"));
  tiny = whole;
  tiny.Distance("encoder", 4);
  tiny.Distance("decoder", 4);
  EXPECT_THAT(tiny.Fault(), HasSubstr("has 8 buckets up to distance 4, expected"));
  tiny = whole;
  tiny.Add("encoder/layer_0/self_attention/linear_0/weight", {16, 4}, 1.0F);
  EXPECT_THAT(tiny.Fault(), HasSubstr("'encoder/layer_0/self_attention/linear_0/weight' has shape "
                                      "[16, 4], expected query, key and value of 2 heads"));
  tiny = whole;
  tiny.aliases = {{"decoder/projection/weight", "decoder/embeddings/weight"}};
  tiny.Add("encoder/embeddings_0/weight", {kCt2Pieces, 4}, 0.5F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'encoder/embeddings_0/weight' is another than "
                                        "'decoder/embeddings/weight', in a T5"));
  // All layers of a stage must have the same table as the first.
  tiny = whole;
  for (const auto& [name, bytes] : whole.variables) {
    if (!name.starts_with("encoder/layer_0/")) continue;
    const std::string copy =
        "encoder/layer_1/" + name.substr(std::string("encoder/layer_0/").size());
    tiny.variables[copy] = Ct2String(copy) + bytes.substr(Ct2String(name).size());
  }
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'encoder/layer_1/self_attention/relative_attention_bias' "
                                        "is not the table of the stage's first layer"));
  const std::string table = "self_attention/relative_attention_bias";
  tiny.variables.erase("encoder/layer_1/" + table);
  tiny.aliases.emplace_back("encoder/layer_1/" + table, "encoder/layer_0/" + table);
  EXPECT_TRUE(tiny.Load().ok()) << tiny.Load().status();
}

TEST(Ct2Directory, NamesThatT5sRowsHaveTwiceAreTheFirsts) {
  TinyCt2Directory tiny;
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  pieces[kCt2Pieces - 3] = pieces[kCt2Pieces - 1] = "<extra_id_0>";
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->source_vocabulary.IdOf("<extra_id_0>"), kCt2Pieces - 3);
  EXPECT_EQ(model->source_vocabulary.PieceOf(kCt2Pieces - 1), "");
  EXPECT_THAT(model->tokenizer.special, ::testing::Contains(kCt2Pieces - 3));
  pieces[kCt2Pieces - 3] = pieces[kCt2Pieces - 1] = "other";
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  EXPECT_THAT(tiny.Fault(), HasSubstr("piece 'other' is there twice"));
}

TEST(Ct2Directory, RefusesOtherNetworks) {
  {
    TinyCt2Directory tiny;
    for (const char* spec : {"WhisperSpec", "TransformerDecoderSpec", "TransformerEncoderSpec"}) {
      tiny.spec = spec;
      EXPECT_THAT(tiny.Refusal(), HasSubstr(std::string("model.bin: specification '") + spec +
                                            "', supported: 'TransformerSpec'"));
    }
    tiny.spec = "TransformerSpec";
    tiny.revision = 8;
    EXPECT_THAT(tiny.Refusal(), HasSubstr("revision 8 of 'TransformerSpec', supported: up to 7"));
  }
  for (const std::string name :
       {"decoder/layer_0/self_attention/queries_scale",
        "decoder/layer_0/self_attention/relative_attention_bias", "encoder/embeddings_1/weight",
        "decoder/layer_0/ffn/linear_0_noact/weight", "encoder/layer_1/ffn/linear_0/weight",
        "encoder/layer_0/self_attention/relative_position_keys"}) {
    TinyCt2Directory tiny;
    tiny.Add(name, {4}, 1.0F);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("variable '" + name + "' [4] has no place"));
  }
  for (const std::string name : {"decoder/alibi", "encoder/multi_query_attention"}) {
    TinyCt2Directory tiny;
    tiny.Flag(name, 1);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("variable '" + name + "' is 1, which is not supported"));
  }
  TinyCt2Directory tiny;
  tiny.Add("decoder/scale_outputs", {}, 0.5F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("variable 'decoder/scale_outputs' is 0.5"));
  tiny = TinyCt2Directory();
  tiny.Flag("encoder/activation", 7);
  tiny.Flag("decoder/activation", 7);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("variable 'encoder/activation' is 7"));
  tiny.Flag("decoder/activation", 0);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'decoder/activation' is 0 and that of the encoder 7"));
}

TEST(Ct2Directory, EveryMissingOrWrongVariableIsNamed) {
  const TinyCt2Directory whole;
  int tried = 0;
  for (const auto& [name, bytes] : whole.variables) {
    if (!name.ends_with("weight") && !name.ends_with("gamma") && !name.ends_with("beta")) continue;
    TinyCt2Directory tiny;
    tiny.variables.erase(name);
    if (name == "decoder/embeddings/weight") tiny.aliases = {};
    // The error is the same for a variable by which the layers of a stage are counted.
    EXPECT_THAT(tiny.Fault(), HasSubstr("' is missing")) << name;
    tiny = whole;
    tiny.Add(name, {3, 3, 3}, 1.0F);
    EXPECT_THAT(tiny.Fault(), HasSubstr("[3, 3, 3], expected")) << name;
    ++tried;
  }
  EXPECT_GE(tried, 20);
  TinyCt2Directory tiny;
  tiny.Add("decoder/projection/bias", {kCt2Pieces}, NAN);
  EXPECT_THAT(tiny.Fault(), HasSubstr("'decoder/projection/bias' holds nan at [0]"));
  tiny = whole;
  tiny.variables["encoder/num_heads"] =
      Ct2Variable("encoder/num_heads", {}, kCt2I16, Raw(int16_t{-1}));
  EXPECT_THAT(tiny.Fault(), HasSubstr("'encoder/num_heads' is -1, expected a whole number from 1"));
  tiny = whole;
  tiny.variables["encoder/num_heads"] =
      Ct2Variable("encoder/num_heads", {}, kCt2I16, Raw(int16_t{3}));
  EXPECT_THAT(tiny.Fault(), HasSubstr("3 heads for d_model 4"));
  tiny = whole;
  const std::string ffn = "encoder/layer_0/ffn/linear_0/weight";
  tiny.variables[ffn] = Ct2Variable(ffn, {6, 4}, kCt2I8, std::string(24, 'x'));
  EXPECT_THAT(tiny.Fault(), HasSubstr("'" + ffn + "' is I8 [6, 4] without scales, expected"));
}

TEST(Ct2Directory, RefusesFieldsOfConfig) {
  const auto refused = [](const char* field, const json& value) {
    TinyCt2Directory tiny;
    tiny.config[field] = value;
    return tiny.Refusal();
  };
  EXPECT_THAT(refused("quantization_type", 1), HasSubstr("field 'quantization_type'"));
  EXPECT_THAT(refused("multi_query_attention", true), HasSubstr("'multi_query_attention'"));
  EXPECT_THAT(refused("decoder_start_token", nullptr),
              HasSubstr("field 'decoder_start_token' is null"));
  // A null start token is not supported either if the languages are not mBART's.
  EXPECT_THAT(ModelDirectory("ct2-tiny-m2m-float32")
                  .Change("config.json", {{"decoder_start_token", nullptr}})
                  .Refusal(),
              HasSubstr("field 'decoder_start_token' is null"));
  TinyCt2Directory tiny;
  tiny.config["layer_norm_epsilon"] = -1;
  EXPECT_THAT(tiny.Fault(), HasSubstr("field 'layer_norm_epsilon'"));
  tiny.config["layer_norm_epsilon"] = 1e-6;
  ASSERT_TRUE(tiny.Load().ok()) << tiny.Load().status();
  EXPECT_EQ(tiny.Load()->spec.norm_epsilon, 1e-6F);
  tiny.config["eos_token"] = "no such";
  EXPECT_THAT(tiny.Fault(), HasSubstr("shared_vocabulary.json: has no 'no such', the eos_token"));
  tiny.config = nullptr;
  EXPECT_THAT(tiny.Missing(), HasSubstr("config.json: cannot be opened"));
}

// Before revision 3 files do not store the number of heads. The specification's name implies it.
TEST(Ct2Directory, OldSpecificationsSayTheirHeads) {
  for (const auto& [spec, heads] :
       {std::pair("", 8), std::pair("TransformerBase", 8), std::pair("TransformerBig", 16)}) {
    TinyCt2Directory tiny;
    tiny.version = 5;
    tiny.revision = 2;
    tiny.spec = spec;
    for (const char* stage : {"encoder/", "decoder/"}) {
      tiny.variables.erase(std::string(stage) + "num_heads");
    }
    // The error names the implied number of heads, because the width is only 4.
    EXPECT_THAT(tiny.Fault(), HasSubstr(std::to_string(heads) + " heads for d_model 4"));
    tiny.revision = 3;
    EXPECT_THAT(tiny.Fault(), HasSubstr("8 heads for d_model 4"));
  }
  TinyCt2Directory tiny;
  tiny.spec = "TransformerBig";
  tiny.revision = 8;
  EXPECT_THAT(tiny.Refusal(), HasSubstr("revision 8 of 'TransformerBig', supported: up to 7"));
  tiny = TinyCt2Directory();
  tiny.revision = 2;
  for (const char* stage : {"encoder/", "decoder/"}) {
    tiny.variables.erase(std::string(stage) + "num_heads");
  }
  EXPECT_THAT(tiny.Fault(), HasSubstr("'encoder/num_heads' is 0, expected a whole number from 1"));
}

TEST(Ct2Directory, EveryOtherSpecificationIsRefusedByItsName) {
  for (const char* spec : {"TransformerDecoderSpec", "TransformerEncoderSpec", "WhisperSpec",
                           "Wav2Vec2Spec", "Wav2Vec2BertSpec", "MoonshineSpec"}) {
    TinyCt2Directory tiny;
    tiny.spec = spec;
    EXPECT_THAT(tiny.Refusal(), HasSubstr("specification '" + std::string(spec) + "', supported"));
  }
}

TEST(Ct2Directory, OlderModelsHaveTheScaleOfEmbeddingsByAnotherName) {
  for (const char value : {0, 1}) {
    TinyCt2Directory tiny;
    for (const std::string stage : {"encoder", "decoder"}) {
      tiny.variables.erase(stage + "/scale_embeddings");
      tiny.Flag(stage + "/embeddings/multiply_by_sqrt_depth", value);
    }
    const auto model = ExpectOk(tiny.Load());
    EXPECT_EQ(model->spec.embedding_scale, value == 0 ? 1.0F : 2.0F);
  }
}

// CTranslate2 appends <unk> as well.
TEST(Ct2Directory, TheUnknownTokenIsAppendedWhereTheFileHasNone) {
  TinyCt2Directory tiny;
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  const auto unk = std::ranges::find(pieces, "<unk>") - pieces.begin();
  pieces.erase(static_cast<size_t>(unk));
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.tokens.unk, kCt2Pieces - 1);
  EXPECT_EQ(model->source_vocabulary.PieceOf(kCt2Pieces - 1), "<unk>");
  pieces.erase(7);
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  EXPECT_THAT(tiny.Fault(), HasSubstr("378 pieces with '<unk>', expected 379, the rows"));
}

// Before version 6 config.json has no fields about tokens.
TEST(Ct2Directory, OlderModelsDoNotHaveTheirTokensFromTheConfiguration) {
  TinyCt2Directory tiny;
  tiny.version = 5;
  tiny.Flag("with_target_bos", 0);
  tiny.config["decoder_start_token"] = nullptr;
  tiny.config["layer_norm_epsilon"] = 1e-3;
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.tokens.decoder_start, model->spec.tokens.eos);
  EXPECT_EQ(model->spec.norm_epsilon, 1e-3F);
}

// The vocabulary has complete words or characters, like CTranslate2's test model.
TEST(Ct2Directory, WithoutATokenizerTokensAreWhatSpacesSeparate) {
  TinyCt2Directory tiny;
  tiny.files.erase("source.spm");
  tiny.files.erase("target.spm");
  EXPECT_THAT(tiny.Missing(), HasSubstr("shared_vocabulary.json has parts of words, such as '"));
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i] != "<unk>" && pieces[i] != "</s>") pieces[i] = "w" + std::to_string(i);
  }
  pieces[9] = "\u2581";  // accepted because it is a single character
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  auto model = ExpectOk(tiny.Load());
  ASSERT_NE(model->tokenizer.model, nullptr);
  EXPECT_EQ(model->tokenizer.model->Encode(" w1  w2\n", TextStart::kBegin).size(), 2U);
  EXPECT_THAT(model->notes, ElementsAre(HasSubstr("tokens with spaces between them")));
  tiny.files["vmap.txt"] = "a\tb";
  EXPECT_THAT(tiny.Load()->notes, ::testing::Contains(HasSubstr("vmap.txt is not read")));
  for (const char* piece : {"\u2581the", "th\uFFED", "th@@", "##th", "th</w>", "\u0120th"}) {
    pieces[9] = piece;
    tiny.files["shared_vocabulary.json"] = pieces.dump();
    EXPECT_THAT(tiny.Missing(), HasSubstr(std::string("such as '") + piece + "'"));
  }
}

TEST(Ct2Directory, NotesSpecialTokensThatSomebodyAdded) {
  TinyCt2Directory tiny;
  const json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  const json token = {{"content", pieces[20]}, {"special", true}};
  tiny.files["tokenizer_config.json"] = json{{"added_tokens_decoder", {{"20", token}}}}.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(model->notes, ElementsAre(HasSubstr("the tokenizer has added 1 special token")));
}

TEST(Ct2Directory, SaysWhichFilesWouldDo) {
  TinyCt2Directory tiny;
  tiny.files.erase("target.spm");
  EXPECT_THAT(tiny.Missing(), HasSubstr("target.spm"));
  tiny.files.erase("source.spm");
  EXPECT_THAT(tiny.Missing(),
              HasSubstr("found no tokenizer, expected source.spm and target.spm, or one of "
                        "sentencepiece.bpe.model, spiece.model, sentencepiece.model and "
                        "tokenizer.json, or BART's vocab.json and merges.txt"));
  for (const char* file : {"sentencepiece.bpe.model", "spiece.model", "sentencepiece.model"}) {
    TinyCt2Directory one = tiny;
    one.files[file] = SharedCt2File("source.spm");
    EXPECT_TRUE(one.Load().ok()) << one.Load().status();
  }
  tiny = TinyCt2Directory();
  tiny.files["target.spm"] = ReadTestFile(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en/target.spm");
  EXPECT_THAT(tiny.Fault(), HasSubstr("expected at least half: it is another model's"));
  tiny = TinyCt2Directory();
  tiny.files.erase("shared_vocabulary.json");
  EXPECT_THAT(tiny.Missing(), HasSubstr("found no vocabulary, expected shared_vocabulary.json"));
}

// Returns a tokenizer.json that cuts texts into the pieces. `special` pieces are never cut from
// texts.
json TokenizerOf(const json& pieces, const std::vector<std::string>& special) {
  json vocabulary = json::array();
  for (const json& piece : pieces) vocabulary.push_back({piece, -1.0});
  const auto id_of = [&](const std::string& piece) {
    return std::find(pieces.begin(), pieces.end(), json(piece)) - pieces.begin();
  };
  const json metaspace = {
      {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", "always"}};
  json file = {
      {"model", {{"type", "Unigram"}, {"unk_id", id_of("<unk>")}, {"vocab", vocabulary}}},
      {"pre_tokenizer", metaspace},
      {"decoder", metaspace},
      {"added_tokens", json::array()},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", {{{"Sequence", {{"id", "A"}}}}, {{"SpecialToken", {{"id", "</s>"}}}}}}}}};
  for (const std::string& piece : special) {
    file["added_tokens"].push_back({{"content", piece}, {"id", id_of(piece)}, {"special", true}});
  }
  return file;
}

// Returns the model with a tokenizer.json instead of SentencePiece's files, and with two languages
// of NLLB-200.
template <typename Directory>
Directory WithTokenizerJson() {
  Directory tiny;
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  pieces[5] = "deu_Latn";
  pieces[6] = "eng_Latn";
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  tiny.files.erase("source.spm");
  tiny.files.erase("target.spm");
  tiny.files["tokenizer.json"] =
      TokenizerOf(pieces, {"</s>", "<unk>", "deu_Latn", "eng_Latn"}).dump();
  return tiny;
}

TEST(Ct2Directory, TokenizerJsonStandsForSentencePiece) {
  TinyCt2Directory tiny = WithTokenizerJson<TinyCt2Directory>();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_NE(model->tokenizer.model, nullptr);
  EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/tokenizer.json"));
  EXPECT_THAT(model->tokenizer.special, ElementsAre(5, 6));
  const auto pair = ExpectOk(model->languages.Resolve("de", "en"));
  EXPECT_EQ(pair->tag, 5);
  EXPECT_EQ(pair->first, 6);
  // A SentencePiece file of any of these names takes precedence over tokenizer.json.
  for (const char* file : {"sentencepiece.bpe.model", "spiece.model", "sentencepiece.model"}) {
    TinyCt2Directory both = tiny;
    both.files[file] = SharedCt2File("source.spm");
    const auto loaded = ExpectOk(both.Load());
    EXPECT_EQ(loaded->tokenizer.model, nullptr);
    EXPECT_THAT(loaded->tokenizer.source_path, ::testing::EndsWith(file));
  }
}

TEST(Ct2Directory, LegacyBehaviourHasTheSourcesLanguageBehindItsEnd) {
  TinyCt2Directory tiny = WithTokenizerJson<TinyCt2Directory>();
  tiny.files["tokenizer_config.json"] = R"({"legacy_behaviour": true})";
  const auto model = ExpectOk(tiny.Load());
  const auto pair = ExpectOk(model->languages.Resolve("de", "en"));
  EXPECT_EQ(pair->tag, std::nullopt);
  EXPECT_EQ(pair->last_tag, 5);
  EXPECT_EQ(pair->first, 6);
  // CTranslate2 would add another EOS after the language.
  tiny.config["add_source_eos"] = true;
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("config.json: field 'add_source_eos' is true, which is not supported where "
                        "the source's language is after its end"));
}

TEST(Ct2Directory, RefusesOtherTokenizerJsons) {
  const TinyCt2Directory whole = WithTokenizerJson<TinyCt2Directory>();
  const auto with = [&whole](const json& changes) {
    TinyCt2Directory tiny = whole;
    json file = json::parse(tiny.files["tokenizer.json"]);
    file.merge_patch(changes);
    tiny.files["tokenizer.json"] = file.dump();
    return tiny;
  };
  EXPECT_THAT(with({{"pre_tokenizer", {{"type", "Digits"}}}}).Refusal(),
              HasSubstr("tokenizer.json: field 'pre_tokenizer.type' is 'Digits'"));
  json others = json::array();
  for (const char* piece : {"<unk>", "zz", "yy"}) others.push_back({piece, 0.0});
  EXPECT_THAT(
      with({{"model", {{"vocab", others}, {"unk_id", 0}}}, {"added_tokens", nullptr}}).Fault(),
      HasSubstr(
          "tokenizer.json: 1 of its 3 pieces are in shared_vocabulary.json, expected at least "
          "half: it is another model's"));
  const json user = {{"content", "<user>"}, {"id", kCt2Pieces}};
  json special = user;
  special["special"] = true;
  // A special token is never cut from a text, and an added token that the vocabulary lacks is
  // ignored.
  auto added = ExpectOk(with({{"added_tokens", json::array({special})}}).Load());
  EXPECT_TRUE(added->tokenizer.added.empty());
  json plain = {{"content", "Ha"}, {"id", kCt2Pieces}};
  added = with({{"added_tokens", json::array({plain})}}).Load();
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_TRUE(added->tokenizer.added.empty());
  TinyCt2Directory tiny = whole;
  tiny.Flag("decoder/start_from_zero_embedding", 1);
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("tokenizer.json: is not supported with a model of Marian's"));
  tiny = whole;
  tiny.files["tokenizer.json"] = "{";
  EXPECT_THAT(tiny.Fault(), HasSubstr("tokenizer.json: "));
}

TEST(Ct2Directory, TokenizerJsonOfAT5IsTheTextAndItsEnd) {
  TinyT5Directory tiny = WithTokenizerJson<TinyT5Directory>();
  json file = json::parse(tiny.files["tokenizer.json"]);
  // Only added tokens that are not special are cut from texts.
  file["added_tokens"].push_back({{"content", "<user>"}, {"id", kCt2Pieces}, {"special", true}});
  file["added_tokens"].push_back(
      {{"content", "Ha"}, {"id", kCt2Pieces + 1}, {"normalized", false}});
  tiny.files["tokenizer.json"] = file.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(model->tokenizer.special, ElementsAre(5, 6));
  EXPECT_EQ(model->languages.Pairs().size(), 0U);
  file["post_processor"]["single"].erase(1);
  tiny.files["tokenizer.json"] = file.dump();
  EXPECT_THAT(tiny.Refusal(), HasSubstr("tokenizer.json: field 'post_processor' has 1 parts"));
}

TEST(Ct2Directory, BartsSourcesBeginWithItsFirstToken) {
  ModelDirectory directory("ct2-tiny-bart-float32");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Remove("tokenizer_config.json");
    const auto model = ExpectOk(directory.Load());
    EXPECT_NE(model->tokenizer.model, nullptr);
    EXPECT_THAT(model->tokenizer.source_path, ::testing::EndsWith("/vocab.json"));
    EXPECT_EQ(model->tokenizer.source_bos, 0);
    EXPECT_EQ(model->spec.tokens.decoder_start, 2);
    EXPECT_TRUE(model->languages.Resolve("", "").ok());
    const auto mask = model->source_vocabulary.IdOf("<mask>");
    EXPECT_THAT(model->tokenizer.special, ElementsAre(0, 1, mask));
  }
}

TEST(Ct2Directory, RefusesWhatIsNoBart) {
  const auto bart = [] { return ModelDirectory("ct2-tiny-bart-float32"); };
  constexpr char kConfig[] = "tokenizer_config.json";
  EXPECT_THAT(bart().Change(kConfig, {{"tokenizer_class", "BlenderbotTokenizer"}}).Refusal(),
              HasSubstr("tokenizer_config.json: field 'tokenizer_class' is 'BlenderbotTokenizer', "
                        "which is not supported with merges.txt; supported: BartTokenizer"));
  EXPECT_THAT(bart().Remove("vocab.json").Refusal(), HasSubstr("vocab.json: cannot be opened"));
  EXPECT_THAT(bart().Remove("merges.txt").Refusal(), HasSubstr("found no tokenizer"));
  const json pieces = json::parse(bart().Read("vocab.json"));
  std::string last;
  for (const auto& [piece, id] : pieces.items()) {
    if (id == pieces.size() - 1) last = piece;
  }
  EXPECT_THAT(bart().Change("vocab.json", {{last, nullptr}}).Refusal(),
              HasSubstr("shared_vocabulary.json: has '" + last + "' with id " +
                        std::to_string(pieces.size() - 1) +
                        ", which neither vocab.json has nor tokenizer_config.json has added"));
  EXPECT_THAT(
      bart()
          .Change("vocab.json", {{"<pad>", pieces["<unk>"]}, {"<unk>", pieces["<pad>"]}})
          .Refusal(),
      HasSubstr("vocab.json: has '<unk>' with id 1, expected '<pad>', as shared_vocabulary.json"));
}

TEST(Ct2Directory, ASourceBeginsAsTheFileSays) {
  TinyCt2Directory tiny;
  tiny.config["add_source_bos"] = true;
  EXPECT_THAT(tiny.Fault(), HasSubstr("shared_vocabulary.json: has no '<s>', the bos_token"));
  json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  pieces[5] = "<s>";
  tiny.files["shared_vocabulary.json"] = pieces.dump();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->tokenizer.source_bos, 5);
  tiny.config["add_source_bos"] = 1;
  EXPECT_THAT(tiny.Fault(), HasSubstr("config.json: field 'add_source_bos' is 1"));
  // The shortest source takes three positions: <s>, one token, </s>.
  tiny.config["add_source_bos"] = true;
  tiny.Add("encoder/position_encodings/encodings", {2, 4}, 0.125F);
  tiny.Add("decoder/position_encodings/encodings", {2, 4}, 0.125F);
  EXPECT_THAT(tiny.Fault(), HasSubstr("has 2 rows, expected at least 3"));
}

// A directory is an mBART-25 if its tokenizer class says so, or if the vocabulary has no room for
// more languages.
TEST(Ct2Directory, WithoutAStartMbartsLanguageBeginsAnOutput) {
  ModelDirectory directory("ct2-tiny-mbart25-int8");
  for (const bool has_class : {true, false}) {
    if (!has_class) directory.Remove("tokenizer_config.json");
    const auto model = ExpectOk(directory.Load());
    EXPECT_EQ(model->languages.Pairs().size(), 25 * 24);
    const auto pair = ExpectOk(model->languages.Resolve("de", "ro"));
    EXPECT_EQ(pair->tag, std::nullopt);
    EXPECT_EQ(pair->last_tag, model->source_vocabulary.IdOf("de_DE"));
    EXPECT_EQ(pair->first, std::nullopt);
    EXPECT_EQ(pair->start, model->source_vocabulary.IdOf("ro_RO"));
  }
  EXPECT_THAT(directory.Change("config.json", {{"add_source_eos", true}}).Refusal(),
              HasSubstr("config.json: field 'add_source_eos' is true, which is not supported where "
                        "the source's language is after its end"));
}

// CTranslate2 puts the target prefix, here the language, after the start token.
TEST(Ct2Directory, WithAStartMbart25sLanguageIsBehindIt) {
  const auto model = ExpectOk(ModelDirectory("ct2-tiny-mbart25-int8")
                                  .Change("config.json", {{"decoder_start_token", "</s>"}})
                                  .Load());
  const auto pair = ExpectOk(model->languages.Resolve("de", "ro"));
  EXPECT_EQ(pair->last_tag, model->source_vocabulary.IdOf("de_DE"));
  EXPECT_EQ(pair->first, model->source_vocabulary.IdOf("ro_RO"));
  EXPECT_EQ(pair->start, std::nullopt);
  EXPECT_EQ(model->spec.tokens.decoder_start, model->spec.tokens.eos);
}

// The converter writes a null start token if the checkpoint's config.json names no class. Callers
// of CTranslate2 then pass the start token as well.
TEST(Ct2Directory, AnMbart50WithoutAStartStartsWithTheEnd) {
  const auto model = ExpectOk(ModelDirectory("ct2-tiny-mbart-int8")
                                  .Change("config.json", {{"decoder_start_token", nullptr}})
                                  .Load());
  EXPECT_EQ(model->spec.tokens.decoder_start, model->spec.tokens.eos);
  const auto pair = ExpectOk(model->languages.Resolve("de", "ro"));
  EXPECT_EQ(pair->tag, model->source_vocabulary.IdOf("de_DE"));
  EXPECT_EQ(pair->first, model->source_vocabulary.IdOf("ro_RO"));
  EXPECT_EQ(pair->start, std::nullopt);
}

TEST(Ct2Directory, ChecksVocabularies) {
  const auto with = [](const std::string& text) {
    TinyCt2Directory tiny;
    tiny.files["shared_vocabulary.json"] = text;
    return tiny;
  };
  EXPECT_THAT(with("{}").Fault(), HasSubstr("shared_vocabulary.json: is an object, expected"));
  EXPECT_THAT(with("[1]").Fault(), HasSubstr("piece 0 is 1, expected a string"));
  EXPECT_THAT(with(R"(["</s>"])").Fault(),
              HasSubstr("2 pieces with '<unk>', expected 379, the rows of"));
  json pieces = json::parse(SharedCt2File("shared_vocabulary.json"));
  pieces[5] = pieces[6];
  EXPECT_THAT(with(pieces.dump()).Fault(), HasSubstr("is there twice"));
  pieces[5] = std::string(2000, 'x');
  EXPECT_THAT(with(pieces.dump()).Fault(), HasSubstr("piece 5 has 2000 bytes"));
}

TEST(Ct2Vocabulary, LinesAndArraysAreOne) {
  const auto lines = ParsePieces("a\n\n b\nc", "v.txt");
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(*lines, ElementsAre("a", "", " b", "c"));
  // A carriage return is part of a piece unless every line ends with one, as in CTranslate2.
  EXPECT_THAT(*ParsePieces("a\r\n\r\nb\r\n", "v.txt"), ElementsAre("a", "", "b"));
  EXPECT_THAT(*ParsePieces("a\r\nb\n", "v.txt"), ElementsAre("a\r", "b"));
  const auto array = ParsePieces(R"(["a", "", " b", "c"])", "v.json");
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(*array, *lines);
}

TEST(Ct2Vocabulary, LanguagesAreKnownByTheirTokens) {
  const auto vocabulary = Vocabulary::FromPieces(
      {"</s>", "__de__", "a_b", "deu_Latn", "__x_y__", "abc_defg", "__zh__", "zho_Hant"}, "v");
  ASSERT_TRUE(vocabulary.ok());
  std::vector<std::string> codes;
  for (const LanguageTag& tag : FairseqLanguageTags(*vocabulary)) codes.push_back(tag.code);
  EXPECT_THAT(codes, ElementsAre("de", "deu_Latn", "zh", "zho_Hant"));
}

}  // namespace
}  // namespace dragoman::engine

#include "engine/model/layouts/model_source.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/formats/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct FloatTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
};

using Tensors = std::map<std::string, FloatTensor>;

std::string ToSafetensors(const Tensors& tensors) {
  json header = json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    data += RawFloats(tensor.values);
    header[name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  return Safetensors(header.dump(), data);
}

// The files of a model of width 4. Its embeddings are shared and tied unless a test changes that.
// All numbers of a tensor are the same, and differ from those of the other tensors.
class TinyModel {
 public:
  TinyModel() {
    config = json::parse(R"({
        "model_type": "marian", "d_model": 4, "encoder_layers": 2, "decoder_layers": 1,
        "encoder_attention_heads": 2, "decoder_attention_heads": 1, "encoder_ffn_dim": 6,
        "decoder_ffn_dim": 8, "vocab_size": 5, "max_position_embeddings": 3,
        "activation_function": "relu", "eos_token_id": 0, "pad_token_id": 4,
        "decoder_start_token_id": 4, "max_length": 4})");
    tokenizer = json::parse(R"({"source_lang": "de", "target_lang": "en"})");
    vocabulary = json::parse(R"({"</s>": 0, "<unk>": 1, "▁a": 2, "b": 3, "<pad>": 4})");
    Add("model.shared.weight", {5, 4});
    Add("final_logits_bias", {1, 5});
    for (const std::string layer :
         {"model.encoder.layers.0.", "model.encoder.layers.1.", "model.decoder.layers.0."}) {
      const bool decoder = layer == "model.decoder.layers.0.";
      const int64_t ffn = decoder ? 8 : 6;
      AddAttention(layer + "self_attn");
      if (decoder) AddAttention(layer + "encoder_attn");
      AddLinear(layer + "fc1", ffn, 4);
      AddLinear(layer + "fc2", 4, ffn);
      AddNorm(layer + "final_layer_norm");
    }
  }

  void Add(const std::string& name, const std::vector<int64_t>& shape) {
    int64_t numel = 1;
    for (const int64_t size : shape) numel *= size;
    const auto value = static_cast<float>(tensors.size() + 1);
    tensors[name] = {shape, std::vector<float>(static_cast<size_t>(numel), value)};
  }

  float ValueOf(const std::string& name) const { return tensors.at(name).values.at(0); }

  absl::StatusOr<LoadedModel> Load() const {
    TempDirectory directory;
    directory.Write("config.json", config.dump());
    if (!tokenizer.is_null()) directory.Write("tokenizer_config.json", tokenizer.dump());
    directory.Write("vocab.json", vocabulary.dump());
    if (!target_vocabulary.is_null()) {
      directory.Write("target_vocab.json", target_vocabulary.dump());
    }
    directory.Write("source.spm", "source pieces");
    directory.Write("target.spm", "target pieces");
    directory.Write("model.safetensors", ToSafetensors(tensors));
    if (change) change(directory);
    return LoadAndRead(directory.path());
  }

  std::string Refusal() const {
    const auto model = Load();
    EXPECT_FALSE(model.ok());
    EXPECT_THAT(std::string(model.status().message()), HasSubstr("dragoman_test_"));
    return model.status().ToString();
  }

  json config;
  json tokenizer;
  json vocabulary;
  json target_vocabulary;
  Tensors tensors;
  std::function<void(const TempDirectory&)> change;  // changes the files before loading

 private:
  void AddLinear(const std::string& name, int64_t out, int64_t in) {
    Add(name + ".weight", {out, in});
    Add(name + ".bias", {out});
  }
  void AddAttention(const std::string& name) {
    for (const char* part : {".q_proj", ".k_proj", ".v_proj", ".out_proj"}) {
      AddLinear(name + part, 4, 4);
    }
    AddNorm(name + "_layer_norm");
  }
  void AddNorm(const std::string& name) {
    Add(name + ".weight", {4});
    Add(name + ".bias", {4});
  }
};

// Returns the numbers of the weight with this name.
std::vector<float> ValuesOf(const LoadedModel& model, std::string_view name) {
  const WeightId id = FindWeight(model.program, name);
  EXPECT_NE(id, kNoWeight) << name;
  return id == kNoWeight ? std::vector<float>() : WeightOf(model, id);
}

TEST(LoadModel, PutsEveryTensorInItsPlace) {
  const TinyModel tiny;
  const auto model = ExpectOk(tiny.Load());
  // A weight has the values of its tensors, one after the other.
  const auto expect = [&](const std::string& weight, const std::vector<std::string>& tensors) {
    std::vector<float> expected;
    for (const std::string& tensor : tensors) {
      const std::vector<float>& values = tiny.tensors.at(tensor).values;
      expected.insert(expected.end(), values.begin(), values.end());
    }
    EXPECT_EQ(ValuesOf(*model, weight), expected) << weight;
  };
  const auto expect_linear = [&](const std::string& weight, const std::string& prefix,
                                 const std::vector<std::string>& parts) {
    std::vector<std::string> weights;
    std::vector<std::string> biases;
    for (const std::string& part : parts) {
      weights.push_back(prefix + part + ".weight");
      biases.push_back(prefix + part + ".bias");
    }
    expect(weight, weights);
    expect(weight + " bias", biases);
  };
  const auto expect_layer = [&](const std::string& weight, const std::string& prefix) {
    expect_linear(weight + "self-attention query, key, value", prefix + "self_attn.",
                  {"q_proj", "k_proj", "v_proj"});
    expect_linear(weight + "self-attention output", prefix + "self_attn.", {"out_proj"});
    expect_linear(weight + "feed-forward up", prefix, {"fc1"});
    expect_linear(weight + "feed-forward down", prefix, {"fc2"});
    expect(weight + "self-attention norm gain", {prefix + "self_attn_layer_norm.weight"});
    expect(weight + "self-attention norm bias", {prefix + "self_attn_layer_norm.bias"});
    expect(weight + "feed-forward norm gain", {prefix + "final_layer_norm.weight"});
    expect(weight + "feed-forward norm bias", {prefix + "final_layer_norm.bias"});
  };
  for (const std::string i : {"0", "1"}) {
    expect_layer("encoder layer " + i + ": ", "model.encoder.layers." + i + ".");
  }
  const std::string layer = "model.decoder.layers.0.";
  expect_layer("decoder layer 0: ", layer);
  const std::string cross = layer + "encoder_attn.";
  expect_linear("decoder layer 0: cross-attention query", cross, {"q_proj"});
  expect_linear("decoder layer 0: cross-attention output", cross, {"out_proj"});
  expect("decoder layer 0: cross-attention norm gain", {layer + "encoder_attn_layer_norm.weight"});
  expect("decoder layer 0: cross-attention norm bias", {layer + "encoder_attn_layer_norm.bias"});
  expect_linear("cross-attention key, value of all layers", cross, {"k_proj", "v_proj"});
  expect("source embedding", {"model.shared.weight"});
  expect("output layer bias", {"final_logits_bias"});
  EXPECT_EQ(model->program.output().table, FindWeight(model->program, "source embedding"));
  EXPECT_EQ(FindWeight(model->program, "target embedding"), kNoWeight);

  int64_t elements = 0;
  for (const auto& [tensor_name, tensor] : tiny.tensors) {
    elements += static_cast<int64_t>(tensor.values.size());
  }
  EXPECT_EQ(ParameterCount(model->program), elements);
}

TEST(LoadModel, ReadsTheOtherFiles) {
  const TinyModel tiny;
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(model->name, HasSubstr("dragoman_test_"));
  EXPECT_EQ(model->layout, "huggingface");
  EXPECT_EQ(model->tokenizer.source_spm, "source pieces");
  EXPECT_EQ(model->tokenizer.target_spm, "target pieces");
  EXPECT_EQ(model->tokenizer.source_eos, 0);
  EXPECT_EQ(model->tokenizer.source_unk, 1);
  EXPECT_EQ(model->tokenizer.max_source_tokens, 3);
  EXPECT_EQ(model->spec.tokens.unk, 1);
  EXPECT_EQ(model->source_vocabulary.IdOf("b"), 3);
  EXPECT_EQ(&model->TargetVocabulary(), &model->source_vocabulary);
  EXPECT_EQ(model->languages.Resolve("de-DE", "eng")->target, "en");
}

TEST(LoadModel, ComputesPositionsOrTakesTheStoredOnes) {
  TinyModel tiny;
  tiny.Add("model.decoder.embed_positions.weight", {3, 4});
  const auto model = ExpectOk(tiny.Load());
  const std::vector<float> computed = ValuesOf(*model, "encoder positions");
  ASSERT_EQ(computed.size(), 12U);
  for (size_t position = 0; position < 3; ++position) {
    const auto at = [&](size_t i) { return computed[position * 4 + i]; };
    EXPECT_FLOAT_EQ(at(0), std::sin(static_cast<float>(position)));
    EXPECT_FLOAT_EQ(at(1), std::sin(static_cast<float>(position) / 100));
    EXPECT_FLOAT_EQ(at(2), std::cos(static_cast<float>(position)));
    EXPECT_FLOAT_EQ(at(3), std::cos(static_cast<float>(position) / 100));
  }
  EXPECT_THAT(ValuesOf(*model, "decoder positions"),
              Each(tiny.ValueOf("model.decoder.embed_positions.weight")));
}

TEST(LoadModel, ABiasThatIsNotThereIsZero) {
  TinyModel tiny;
  tiny.tensors.erase("final_logits_bias");
  EXPECT_THAT(ValuesOf(*tiny.Load(), "output layer bias"), ElementsAre(0, 0, 0, 0, 0));
}

TEST(LoadModel, TakesASharedMatrixUnderAnyOfItsNames) {
  for (const char* name : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                           "lm_head.weight"}) {
    TinyModel tiny;
    const FloatTensor shared = tiny.tensors.at("model.shared.weight");
    tiny.tensors[name] = shared;
    EXPECT_TRUE(tiny.Load().ok()) << name;
    tiny.tensors.erase("model.shared.weight");
    const auto model = ExpectOk(tiny.Load());
    EXPECT_EQ(ValuesOf(*model, "source embedding"), shared.values);
    if (std::string_view(name) == "lm_head.weight") continue;
    tiny.tensors["model.shared.weight"] = shared;
    tiny.tensors[name].values[3] += 1;
    EXPECT_THAT(tiny.Refusal(), HasSubstr("differs from 'model.shared.weight'")) << name;
  }
  TinyModel none;
  none.tensors.erase("model.shared.weight");
  EXPECT_THAT(none.Refusal(),
              HasSubstr("'model.shared.weight' or 'model.encoder.embed_tokens.weight' or "
                        "'model.decoder.embed_tokens.weight' or 'lm_head.weight' is missing"));
}

// Some models, such as opus-mt-tc-big, store an output layer from a training that did not tie it.
// transformers 4 ignores the stored layer, transformers 5 uses it.
TEST(LoadModel, AStoredOutputLayerCountsOnlyWhereTransformers5WroteTheDirectory) {
  TinyModel tiny;
  const FloatTensor shared = tiny.tensors.at("model.shared.weight");
  FloatTensor other = shared;
  other.values[3] += 1;
  tiny.tensors["lm_head.weight"] = other;
  for (const json& version : {json(nullptr), json("4.57.1")}) {
    tiny.config["transformers_version"] = version;
    const auto model = ExpectOk(tiny.Load());
    EXPECT_EQ(model->program.output().table, FindWeight(model->program, "source embedding"));
    EXPECT_EQ(ValuesOf(*model, "source embedding"), shared.values);
    EXPECT_THAT(model->notes,
                ElementsAre("tensor lm_head.weight of the checkpoint not used, because config.json "
                            "ties the output layer to the embedding"));
  }
  tiny.config["transformers_version"] = "5.24.0";
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(ValuesOf(*model, "source embedding"), shared.values);
  EXPECT_EQ(ValuesOf(*model, "output layer"), other.values);
  EXPECT_THAT(model->notes, IsEmpty());
  // If the numbers are equal, both are one matrix.
  tiny.tensors["lm_head.weight"] = shared;
  const auto equal = ExpectOk(tiny.Load());
  EXPECT_EQ(equal->program.output().table, FindWeight(equal->program, "source embedding"));
}

TinyModel Separate() {
  TinyModel tiny;
  tiny.config["share_encoder_decoder_embeddings"] = false;
  tiny.config["tie_word_embeddings"] = false;
  tiny.config["decoder_vocab_size"] = 6;
  tiny.config["pad_token_id"] = 5;
  tiny.config["decoder_start_token_id"] = 5;
  tiny.tokenizer["separate_vocabs"] = true;
  tiny.vocabulary = json::parse(R"({"</s>": 1, "<unk>": 0, "▁a": 2, "b": 3, "<pad>": 4})");
  tiny.target_vocabulary =
      json::parse(R"({"</s>": 0, "<unk>": 2, "▁c": 1, "d": 3, "e": 4, "<pad>": 5})");
  tiny.tensors.erase("model.shared.weight");
  tiny.Add("model.encoder.embed_tokens.weight", {5, 4});
  tiny.Add("model.decoder.embed_tokens.weight", {6, 4});
  tiny.Add("lm_head.weight", {6, 4});
  tiny.Add("final_logits_bias", {1, 6});
  return tiny;
}

TEST(LoadModel, ReadsSeparateVocabulariesAndMatrices) {
  const TinyModel tiny = Separate();
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(ValuesOf(*model, "source embedding"),
              Each(tiny.ValueOf("model.encoder.embed_tokens.weight")));
  EXPECT_THAT(ValuesOf(*model, "target embedding"),
              Each(tiny.ValueOf("model.decoder.embed_tokens.weight")));
  EXPECT_THAT(ValuesOf(*model, "output layer"), Each(tiny.ValueOf("lm_head.weight")));
  EXPECT_EQ(model->TargetVocabulary().IdOf("e"), 4);
  EXPECT_EQ(model->tokenizer.source_eos, 1);
  EXPECT_EQ(model->tokenizer.source_unk, 0);
  EXPECT_EQ(model->spec.tokens.eos, 0);
  EXPECT_EQ(model->spec.tokens.unk, 2);

  TinyModel tied = tiny;
  tied.config["tie_word_embeddings"] = true;
  for (const bool has_head : {true, false}) {
    if (!has_head) tied.tensors.erase("lm_head.weight");
    const auto loaded = ExpectOk(tied.Load());
    EXPECT_EQ(loaded->program.output().table, FindWeight(loaded->program, "target embedding"));
  }
}

TEST(LoadModel, SeparateMatricesMustAllBeThere) {
  for (const char* name : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                           "lm_head.weight"}) {
    TinyModel tiny = Separate();
    tiny.tensors.erase(name);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("tensor '" + std::string(name) + "' is missing"));
  }
  TinyModel tiny = Separate();
  tiny.tokenizer["separate_vocabs"] = false;
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'decoder_vocab_size' is 6, expected vocab_size 5"));
}

TEST(LoadModel, EveryTensorMustBeThereAndOfItsShape) {
  const TinyModel whole;
  for (const auto& [name, tensor] : whole.tensors) {
    if (name == "final_logits_bias" || name == "model.shared.weight") continue;
    TinyModel tiny;
    tiny.tensors.erase(name);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("model.safetensors: tensor '" + name + "' is missing"));
    tiny.Add(name, {7});
    EXPECT_THAT(tiny.Refusal(), HasSubstr("model.safetensors: tensor '" + name +
                                          "' is F32 [7], expected F64, F32, F16 or BF16 ["));
  }
  TinyModel tiny;
  tiny.Add("model.encoder.embed_positions.weight", {4, 4});
  EXPECT_THAT(tiny.Refusal(), HasSubstr("is F32 [4, 4], expected F64, F32, F16 or BF16 [3, 4]"));
}

// transformers, too, lists unused tensors and continues.
TEST(LoadModel, LeavesTensorsWithoutAPlaceAsideAndSaysSo) {
  EXPECT_THAT(TinyModel().Load()->notes, IsEmpty());
  TinyModel tiny;
  tiny.Add("model.encoder.layernorm_embedding.weight", {4});
  auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(model->notes,
              ElementsAre("1 tensor of the checkpoint not used, because the network that "
                          "config.json describes has no place for them: "
                          "model.encoder.layernorm_embedding.weight"));
  for (int i = 0; i < 6; ++i) tiny.Add("model.encoder.layers.2.fc" + std::to_string(i), {6});
  tiny.config["normalize_before"] = true;
  model = tiny.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->notes, ElementsAre(HasSubstr("'normalize_before' is true"),
                                        HasSubstr("7 tensors of the checkpoint not used")));
  EXPECT_THAT(model->notes[1], EndsWith("model.encoder.layers.2.fc3, ..."));
  EXPECT_EQ(FindWeight(model->program, "encoder layer 2: feed-forward up"), kNoWeight);
}

TEST(LoadModel, NamesTheFirstNumberThatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const auto& [value, shown] : {std::pair(std::nanf(""), "nan"), std::pair(infinity, "inf"),
                                     std::pair(-infinity, "-inf")}) {
    TinyModel tiny;
    tiny.tensors.at("model.decoder.layers.0.fc1.weight").values[4 * 5 + 2] = value;
    tiny.tensors.at("model.decoder.layers.0.fc1.weight").values[4 * 6] = value;
    EXPECT_THAT(tiny.Refusal(),
                HasSubstr("model.safetensors: tensor 'model.decoder.layers.0.fc1.weight' holds " +
                          std::string(shown) + " at [5, 2], expected finite numbers"));
  }
  // Tensors that are read only for a comparison, and tensors that may be missing, are checked as
  // well.
  for (const char* name :
       {"final_logits_bias", "model.encoder.embed_positions.weight",
        "model.decoder.embed_tokens.weight", "model.decoder.layers.0.self_attn_layer_norm.bias"}) {
    TinyModel tiny;
    if (std::string_view(name) == "model.decoder.embed_tokens.weight") {
      tiny.tensors[name] = tiny.tensors.at("model.shared.weight");
    } else if (!tiny.tensors.contains(name)) {
      tiny.Add(name, {3, 4});
    }
    tiny.tensors.at(name).values.back() = std::nanf("");
    EXPECT_THAT(tiny.Refusal(), HasSubstr("tensor '" + std::string(name) + "' holds nan at ["));
  }
  TinyModel unused;  // a tensor that the network does not use
  unused.Add("other", {4});
  unused.tensors.at("other").values[1] = std::nanf("");
  EXPECT_TRUE(unused.Load().ok());
}

// Writes the tensors of the model as two shards and an index. `change` may change the index first.
void WriteShards(const TinyModel& tiny, const TempDirectory& directory,
                 const std::function<void(json*)>& change = {}) {
  directory.Remove("model.safetensors");
  Tensors shards[2];
  json map = json::object();
  size_t i = 0;
  for (const auto& [name, tensor] : tiny.tensors) {
    const size_t shard = i++ % 2;
    shards[shard][name] = tensor;
    map[name] = "model-0000" + std::to_string(shard + 1) + "-of-00002.safetensors";
  }
  json index = {{"metadata", {{"total_size", 1}}}, {"weight_map", map}};
  if (change) change(&index);
  directory.Write("model.safetensors.index.json", index.dump());
  directory.Write("model-00001-of-00002.safetensors", ToSafetensors(shards[0]));
  directory.Write("model-00002-of-00002.safetensors", ToSafetensors(shards[1]));
}

TEST(LoadModel, ReadsShards) {
  TinyModel tiny;
  const auto whole = tiny.Load();
  tiny.change = [&](const TempDirectory& directory) { WriteShards(tiny, directory); };
  const auto model = ExpectOk(tiny.Load());
  EXPECT_THAT(model->notes, IsEmpty());
  EXPECT_EQ(AllWeights(*model), AllWeights(*whole));
  // A tensor that the index does not name is not used.
  tiny.Add("other", {4});
  tiny.change = [&](const TempDirectory& directory) {
    WriteShards(tiny, directory, [](json* index) { (*index)["weight_map"].erase("other"); });
  };
  EXPECT_THAT(tiny.Load()->notes, ElementsAre(EndsWith("no place for them: other")));
}

TEST(LoadModel, ShardsMustAgreeWithTheirIndex) {
  TinyModel tiny;
  const std::string bias = "final_logits_bias";
  const auto refusal = [&](const std::function<void(json*)>& change) {
    tiny.change = [&](const TempDirectory& directory) { WriteShards(tiny, directory, change); };
    return tiny.Refusal();
  };
  EXPECT_THAT(refusal([&](json* index) {
                (*index)["weight_map"]["no.such"] = "model-00002-of-00002.safetensors";
              }),
              HasSubstr("model-00002-of-00002.safetensors: tensor 'no.such' is missing, though "
                        "model.safetensors.index.json places it there"));
  EXPECT_THAT(refusal([&](json* index) {
                (*index)["weight_map"][bias] = "model-00002-of-00002.safetensors";
              }),
              HasSubstr("model-00001-of-00002.safetensors: tensor 'final_logits_bias' is here, "
                        "though model.safetensors.index.json places it in "
                        "'model-00002-of-00002.safetensors'"));
  EXPECT_THAT(refusal([&](json* index) { (*index)["weight_map"][bias] = "a.safetensors"; }),
              HasSubstr("a.safetensors: cannot be opened"));
  for (const json& name : {json("../model-3.safetensors"), json("/x.safetensors"), json("x.bin"),
                           json(".safetensors"), json(7)}) {
    EXPECT_THAT(refusal([&](json* index) { (*index)["weight_map"][bias] = name; }),
                HasSubstr("model.safetensors.index.json: tensor \"final_logits_bias\" is in " +
                          name.dump() + ", expected the name of a file here"));
  }
  EXPECT_THAT(refusal([](json* index) { index->erase("weight_map"); }),
              HasSubstr("model.safetensors.index.json: field 'weight_map' is missing"));
  EXPECT_THAT(refusal([](json* index) {
                *index = {1, 2};
              }),
              HasSubstr("is [1,2], expected an object"));
  tiny.tensors.at(bias).values[2] = std::nanf("");
  EXPECT_THAT(refusal({}), HasSubstr("model-00001-of-00002.safetensors: tensor 'final_logits_bias' "
                                     "holds nan at [0, 2]"));
}

TEST(LoadModel, ReadsShardsOfPyTorch) {
  const std::string whole = DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-multi";
  const TempDirectory directory;
  for (const auto& entry : std::filesystem::directory_iterator(whole)) {
    directory.Write(entry.path().filename().string(), ReadTestFile(entry.path().string()));
  }
  const std::string bytes = ReadTestFile(whole + "/pytorch_model.bin");
  const auto tensors = ExpectOk(ParseTorchFile(Bytes(bytes), "pytorch_model.bin"));
  json map = json::object();
  for (const auto& [name, view] : *tensors) map[name] = "pytorch_model-00001-of-00001.bin";
  directory.Remove("pytorch_model.bin");
  directory.Write("pytorch_model-00001-of-00001.bin", bytes);
  directory.Write("pytorch_model.bin.index.json", json{{"weight_map", map}}.dump());
  const auto model = ExpectOk(LoadModel(directory.path()));
  EXPECT_EQ(AllWeights(*model), AllWeights(*LoadModel(whole)));
  map["no.such"] = "model.safetensors";  // a file of the other format
  directory.Write("pytorch_model.bin.index.json", json{{"weight_map", map}}.dump());
  EXPECT_THAT(
      LoadModel(directory.path()).status().ToString(),
      HasSubstr("pytorch_model.bin.index.json: tensor \"no.such\" is in "
                "\"model.safetensors\", expected the name of a file here that ends in .bin"));
}

TEST(LoadModel, NamesAGitLfsPointer) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 312087009\n";
  for (const char* name : {"model.safetensors", "source.spm", "target.spm", "vocab.json",
                           "config.json", "generation_config.json", "tokenizer_config.json"}) {
    TinyModel tiny;
    tiny.change = [&](const TempDirectory& directory) { directory.Write(name, pointer); };
    EXPECT_THAT(tiny.Refusal(), HasSubstr(std::string(name) + ": a Git LFS pointer of 74 bytes"));
  }
  TinyModel torch;
  torch.change = [&](const TempDirectory& directory) {
    directory.Remove("model.safetensors");
    directory.Write("pytorch_model.bin", pointer);
  };
  EXPECT_THAT(torch.Refusal(), HasSubstr("pytorch_model.bin: a Git LFS pointer"));
}

TEST(LoadModel, SeveralEndsOfWhichTheTokenizersIsTheFirst) {
  TinyModel tiny;
  tiny.config["eos_token_id"] = {3, 0};
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.tokens.eos, 0);
  EXPECT_THAT(model->spec.tokens.more_eos, ElementsAre(3));
  tiny.config["forced_eos_token_id"] = 3;
  EXPECT_THAT(tiny.Refusal(), HasSubstr("forced_eos_token_id is 3, which is not supported"));
}

TEST(LoadModel, RefusesAModelThatCannotTranslate) {
  TinyModel tiny;
  tiny.config["max_length"] = 2;
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("config.json: field 'max_length' is 2, expected at least 3"));
  TinyModel tagged;  // the shortest source: tag, token, EOS
  tagged.vocabulary = json::parse(R"({"</s>": 0, "<unk>": 1, ">>deu<<": 2, "b": 3, "<pad>": 4})");
  EXPECT_TRUE(tagged.Load().ok());
  tagged.tokenizer["model_max_length"] = 2;
  EXPECT_THAT(
      tagged.Refusal(),
      HasSubstr("tokenizer_config.json: field 'model_max_length' is 2, expected at least 3"));
  TinyModel mute;
  mute.config["vocab_size"] = 3;
  mute.config["pad_token_id"] = 2;
  mute.config["decoder_start_token_id"] = 2;
  mute.vocabulary = json::parse(R"({"</s>": 0, "<unk>": 1, "<pad>": 2})");
  EXPECT_THAT(mute.Refusal(), HasSubstr("vocab.json: 3 pieces, expected one besides"));
}

TEST(LoadModel, RefusesOtherTypesOfWeights) {
  TinyModel tiny;
  tiny.change = [](const TempDirectory& directory) {
    std::string file = ReadTestFile(directory.path() + "/model.safetensors");
    for (size_t at = 0; (at = file.find("F32", at)) != std::string::npos;)
      file.replace(at, 3, "I32");
    directory.Write("model.safetensors", file);
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("is I32 [5, 4], expected F64, F32, F16 or BF16 [5, 4]"));
}

TEST(LoadModel, EveryFileButTwoMustBeThere) {
  for (const char* name : {"vocab.json", "source.spm", "target.spm"}) {
    TinyModel tiny;
    tiny.change = [name](const TempDirectory& directory) { directory.Remove(name); };
    EXPECT_THAT(tiny.Refusal(), HasSubstr(std::string(name) + ": cannot be opened"));
  }
  TinyModel tiny;
  tiny.change = [](const TempDirectory& directory) { directory.Remove("model.safetensors"); };
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("found no weights, expected model.safetensors, pytorch_model.bin"));
  tiny.change = [](const TempDirectory& directory) { directory.Remove("config.json"); };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("found no model, expected a directory with config.json"));
  TinyModel separate = Separate();
  separate.target_vocabulary = nullptr;
  EXPECT_THAT(separate.Refusal(), HasSubstr("target_vocab.json: cannot be opened"));
  EXPECT_THAT(LoadModel("/no/such/directory").status().ToString(),
              HasSubstr("NOT_FOUND: /no/such/directory: no such directory"));
}

// Firefox's models are downloaded in compressed form.
TEST(LoadModel, SaysWhatHasToBeUnpacked) {
  const TempDirectory directory;
  const auto said = [&] { return LoadModel(directory.path()).status().ToString(); };
  EXPECT_THAT(said(), ::testing::EndsWith("or metadata.json (an unpacked Argos package)"));
  directory.Write("model.deen.intgemm.alphas.bin.gz", "");
  EXPECT_THAT(said(), HasSubstr("; 'model.deen.intgemm.alphas.bin.gz' in it is compressed, and has "
                                "to be unpacked"));
  directory.Write("de.argosmodel", "");
  EXPECT_THAT(said(),
              HasSubstr("; 'de.argosmodel' in it is a package, which is a model by itself"));
}

TEST(LoadModel, RefusesDamagedFiles) {
  TinyModel tiny;
  tiny.change = [](const TempDirectory& directory) {
    std::filesystem::resize_file(directory.path() + "/model.safetensors", 3000);
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("model.safetensors: "));
  tiny.change = [](const TempDirectory& directory) {
    directory.Remove("vocab.json");
    std::filesystem::create_directory(directory.path() + "/vocab.json");
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("vocab.json: not a regular file"));
  tiny.change = [](const TempDirectory& directory) {
    directory.Write("config.json", std::string(2 << 20, ' '));
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("config.json: 2097152 bytes, expected at most 1048576"));
  tiny.change = [](const TempDirectory& directory) {
    directory.Write("added_tokens.json", R"({"<x>": 5})");
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("expected more than 5, the id of '<x>'"));
}

TEST(LoadModel, SpecialTokensMustAgree) {
  TinyModel tiny;
  tiny.config["eos_token_id"] = 2;
  tiny.config["forced_eos_token_id"] = nullptr;
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("vocab.json: piece '</s>' has id 0, expected 2, the eos_token_id"));
  TinyModel pad;
  pad.config["pad_token_id"] = 3;
  EXPECT_THAT(pad.Refusal(), HasSubstr("piece '<pad>' has id 4, expected 3, the pad_token_id"));
  TinyModel unk;
  unk.tokenizer["unk_token"] = "[unk]";
  EXPECT_THAT(unk.Refusal(), HasSubstr("the special token '[unk]' is not in it"));
  TinyModel eos;
  eos.tokenizer["eos_token"] = "[end]";
  EXPECT_THAT(eos.Refusal(), HasSubstr("the special token '[end]' is not in it"));
}

TEST(LoadModel, TensorsThatShareAStorageCannotFillTheMemory) {
  // A pickle may have many tensors that share one storage and so need more memory than the file
  // has. Only PyTorch's format allows this; safetensors does not.
  std::string items;
  const auto text = [](const std::string& value) {
    return "X" + Raw(static_cast<uint32_t>(value.size())) + value;
  };
  for (int i = 0; i < 200; ++i) {
    items += text("t" + std::to_string(i)) + "ctorch._utils\n_rebuild_tensor_v2\n((" +
             text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "M" +
             Raw(uint16_t{10000}) + "tQK" + std::string(1, '\0') + "M" + Raw(uint16_t{10000}) +
             "\x85K\x01\x85\x89NtR";
  }
  TinyModel tiny;
  tiny.change = [&](const TempDirectory& directory) {
    directory.Remove("model.safetensors");
    directory.Write("pytorch_model.bin", Zip({{"m/data.pkl", "\x80\x02}(" + items + "u."},
                                              {"m/data/0", std::string(40000, '\0')}}));
  };
  EXPECT_THAT(tiny.Refusal(), HasSubstr("more elements than the file has bytes"));
}

TEST(LoadModel, LoadsTheBundledModel) {
  const auto model = ExpectOk(LoadModel(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en/"));
  EXPECT_EQ(model->name, "de-en");
  const ModelShape& shape = model->spec.shape;
  EXPECT_EQ(shape.d_model, 256);
  EXPECT_EQ(shape.target_vocab, 5999);
  EXPECT_EQ(model->spec.tokens.decoder_start, 5998);
  EXPECT_EQ(model->spec.generation.num_beams, 4);
  EXPECT_EQ(model->spec.activation, kernels::Activation::kSwish);
  EXPECT_EQ(model->source_vocabulary.size(), 5999);
  EXPECT_EQ(shape.encoder_layers, 4);
  EXPECT_EQ(model->program.kv.layers, 2);
  EXPECT_EQ(model->program.kv.head_dim, 64);
  EXPECT_EQ(model->program.vocabulary(), 5999);
  EXPECT_EQ(model->program.max_positions, 512);
  EXPECT_EQ(model->languages.Resolve("de", "en")->source, "de");
  // <pad> starts the decoder. Its row is zero, as in OPUS-MT.
  const std::vector<float> rows = ValuesOf(*model, "source embedding");
  EXPECT_THAT(std::vector<float>(rows.end() - 256, rows.end()), Each(0.0F));
}

struct TinyFixture {
  const char* name;
  size_t pairs;
  bool shared;
};

class TinyModels : public ::testing::TestWithParam<TinyFixture> {};

TEST_P(TinyModels, Load) {
  const auto model =
      ExpectOk(LoadModel(std::string(DRAGOMAN_SOURCE_DIR "/tests/data/models/") + GetParam().name));
  EXPECT_EQ(model->languages.Pairs().size(), GetParam().pairs);
  EXPECT_EQ(model->spec.share_embeddings, GetParam().shared);
  EXPECT_EQ(model->program.vocabulary(), model->spec.shape.target_vocab);
  const absl::StatusOr<WeightValues> weights = ReadAllWeights(*model);
  EXPECT_TRUE(weights.ok()) << weights.status();
}

INSTANTIATE_TEST_SUITE_P(Fixtures, TinyModels,
                         ::testing::Values(TinyFixture{"tiny-a", 1, true},
                                           TinyFixture{"tiny-b", 1, false},
                                           TinyFixture{"tiny-multi", 5, true}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

}  // namespace
}  // namespace dragoman::engine

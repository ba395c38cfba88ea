#include "engine/model/ct2_directory.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/ct2_vocabularies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"

namespace dragoman {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint8_t kF32 = 0;
constexpr uint8_t kI8 = 1;
constexpr uint8_t kI16 = 2;
constexpr int kPieces = 379;  // of the tokenizer that the tests borrow

std::string Shared(const std::string& file) {
  return ReadTestFile(DRAGOMAN_SOURCE_DIR "/tests/data/models/ct2-tiny-a-int8/" + file);
}

// A pre-norm model of width 4 with a layer in each stage, in variables. Every number of a tensor is
// the same.
class TinyDirectory {
 public:
  TinyDirectory() {
    config = json::parse(R"({"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>",
                             "decoder_start_token": "</s>", "add_source_bos": false,
                             "add_source_eos": false, "layer_norm_epsilon": null})");
    Add("decoder/embeddings/weight", {kPieces, 4}, 0.5F);
    for (const char* stage : {"encoder", "decoder"}) {
      const std::string of = stage;
      Flag(of + "/pre_norm", 1);
      Flag(of + "/activation", 2);
      Add(of + "/scale_embeddings", {}, 3.0F);
      variables[of + "/num_heads"] = Ct2Variable(of + "/num_heads", {}, kI16, Raw(int16_t{2}));
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
    Add("decoder/projection/bias", {kPieces}, 0.25F);
    aliases = {{"encoder/embeddings_0/weight", "decoder/embeddings/weight"},
               {"decoder/projection/weight", "decoder/embeddings/weight"}};
    for (const char* file : {"source.spm", "target.spm", "shared_vocabulary.json"}) {
      files[file] = Shared(file);
    }
  }

  void Add(const std::string& name, const std::vector<uint32_t>& shape, float value) {
    size_t numel = 1;
    for (const uint32_t size : shape) numel *= size;
    variables[name] = Ct2Variable(name, shape, kF32, RawFloats(std::vector<float>(numel, value)));
  }
  void Flag(const std::string& name, char value) {
    variables[name] = Ct2Variable(name, {}, kI8, std::string(1, value));
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
    return LoadModel(directory.path());
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

const std::vector<float>& Values(const LoadedModel& model, const char* name) {
  return model.weights[static_cast<size_t>(model.program.FindWeight(name))];
}

TEST(Ct2Directory, VariablesMakeTheNetwork) {
  const auto model = TinyDirectory().Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->layout, "ctranslate2");
  const ModelSpec& spec = model->spec;
  EXPECT_EQ(spec.shape.d_model, 4);
  EXPECT_EQ(spec.shape.encoder_layers, 1);
  EXPECT_EQ(spec.shape.decoder_layers, 1);
  EXPECT_EQ(spec.shape.decoder_heads, 2);
  EXPECT_EQ(spec.shape.encoder_ffn, 6);
  EXPECT_EQ(spec.activation, Activation::kSwish);
  EXPECT_EQ(spec.embedding_scale, 3.0F);
  EXPECT_EQ(spec.norm_epsilon, 1e-5F);
  EXPECT_TRUE(spec.share_embeddings && spec.tie_output);
  EXPECT_EQ(spec.generation.num_beams, 2);
  EXPECT_EQ(spec.generation.max_length, 257);
  EXPECT_EQ(spec.tokens.decoder_start, spec.tokens.eos);
  EXPECT_EQ(Values(*model, "encoder layer 0: self-attention query, key, value").size(), 48U);
}

// Its embedding is zero and its logit -inf, below what the file has.
TEST(Ct2Directory, AnEmptyTokenFollowsTheVocabulary) {
  TinyDirectory tiny;
  tiny.Flag("decoder/start_from_zero_embedding", 1);
  const auto model = tiny.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.shape.target_vocab, kPieces + 1);
  EXPECT_EQ(model->spec.tokens.pad, kPieces);
  EXPECT_EQ(model->spec.tokens.decoder_start, kPieces);
  EXPECT_EQ(model->source_vocabulary.PieceOf(kPieces), "");
  const std::vector<float>& table = Values(*model, "source embedding");
  ASSERT_EQ(table.size(), 4U * (kPieces + 1));
  EXPECT_EQ(table[4 * kPieces - 1], 0.5F);
  EXPECT_THAT(std::vector<float>(table.end() - 4, table.end()), Each(0.0F));
  const std::vector<float>& bias = Values(*model, "output layer bias");
  EXPECT_EQ(bias[kPieces - 1], 0.25F);
  EXPECT_EQ(bias[kPieces], -INFINITY);

  tiny.variables.erase("decoder/projection/bias");
  const auto without = tiny.Load();
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(Values(*without, "output layer bias")[kPieces - 1], 0.0F);
  EXPECT_EQ(Values(*without, "output layer bias")[kPieces], -INFINITY);
}

TEST(Ct2Directory, PositionsAreStoredOrComputed) {
  TinyDirectory tiny;
  const auto computed = tiny.Load();
  ASSERT_TRUE(computed.ok()) << computed.status();
  EXPECT_EQ(computed->spec.shape.max_positions, 1024);
  // Of position 1 first: frequencies 1 and 1/10000.
  const std::vector<float>& table = Values(*computed, "decoder positions");
  EXPECT_NEAR(table[0], std::sin(1.0), 1e-6);
  EXPECT_NEAR(table[1], std::sin(1e-4), 1e-9);
  EXPECT_NEAR(table[2], std::cos(1.0), 1e-6);

  tiny.Add("encoder/position_encodings/encodings", {9, 4}, 0.125F);
  tiny.Add("decoder/position_encodings/encodings", {9, 4}, 0.125F);
  const auto stored = tiny.Load();
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->spec.shape.max_positions, 9);
  EXPECT_EQ(stored->spec.generation.max_length, 10);
  EXPECT_THAT(Values(*stored, "encoder positions"), Each(0.125F));
  tiny.Add("decoder/position_encodings/encodings", {8, 4}, 0.125F);
  EXPECT_THAT(tiny.Refusal(),
              HasSubstr("variable 'decoder/position_encodings/encodings' has 8 rows and that of "
                        "the encoder 9, which is not supported"));
}

TEST(Ct2Directory, OlderRevisionsHaveTheirDefaults) {
  TinyDirectory tiny;
  tiny.version = 5;
  tiny.revision = 4;
  tiny.config = nullptr;
  for (const char* stage : {"encoder/", "decoder/"}) {
    for (const char* name : {"pre_norm", "activation", "scale_embeddings", "num_heads"}) {
      tiny.variables.erase(std::string(stage) + name);
    }
  }
  tiny.variables["num_heads"] = Ct2Variable("num_heads", {}, kI8, std::string(1, 4));
  // There is a vocabulary of lines, and an output begins with <s>.
  std::string lines;
  const json pieces = json::parse(tiny.files["shared_vocabulary.json"]);
  for (size_t i = 0; i + 1 < pieces.size(); ++i) lines += pieces[i].get<std::string>() + "\n";
  tiny.files.erase("shared_vocabulary.json");
  tiny.files["shared_vocabulary.txt"] = lines + "<s>\n";
  const auto model = tiny.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.shape.encoder_heads, 4);
  EXPECT_EQ(model->spec.activation, Activation::kRelu);
  EXPECT_EQ(model->spec.embedding_scale, 2.0F);
  EXPECT_EQ(model->spec.tokens.decoder_start, kPieces - 1);
}

TEST(Ct2Directory, TwoVocabulariesAreTwoEmbeddings) {
  TinyDirectory tiny;
  tiny.files["source_vocabulary.json"] = tiny.files["shared_vocabulary.json"];
  tiny.files["target_vocabulary.json"] = tiny.files["shared_vocabulary.json"];
  tiny.files.erase("shared_vocabulary.json");
  ASSERT_TRUE(tiny.Load().ok()) << tiny.Load().status();
  tiny.aliases = {};
  tiny.Add("encoder/embeddings_0/weight", {kPieces, 4}, 1.0F);
  tiny.Add("decoder/projection/weight", {kPieces, 4}, 2.0F);
  const auto model = tiny.Load();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->spec.shape.source_vocab, kPieces);
  EXPECT_EQ(model->spec.shape.target_vocab, kPieces + 1);
  EXPECT_TRUE(model->own_target_vocabulary.has_value());
  EXPECT_EQ(Values(*model, "source embedding").size(), 4U * kPieces);
  EXPECT_EQ(Values(*model, "output layer")[0], 2.0F);
}

TEST(Ct2Directory, RefusesOtherNetworks) {
  {
    TinyDirectory tiny;
    for (const char* spec : {"WhisperSpec", "TransformerDecoderSpec", "TransformerEncoderSpec"}) {
      tiny.spec = spec;
      EXPECT_THAT(tiny.Refusal(), HasSubstr(std::string("model.bin: specification '") + spec +
                                            "', supported: 'TransformerSpec'"));
    }
    tiny.spec = "TransformerSpec";
    tiny.revision = 8;
    EXPECT_THAT(tiny.Refusal(), HasSubstr("revision 8 of TransformerSpec, supported: up to 7"));
  }
  for (const std::string name :
       {"encoder/layernorm_embedding/gamma", "decoder/layer_0/self_attention/queries_scale",
        "encoder/layer_0/self_attention/relative_attention_bias", "encoder/embeddings_1/weight",
        "decoder/layer_0/ffn/linear_0_noact/weight", "decoder/scale_outputs",
        "encoder/layer_1/ffn/linear_0/weight"}) {
    TinyDirectory tiny;
    tiny.Add(name, {4}, 1.0F);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("variable '" + name + "' [4] has no place"));
  }
  for (const std::string name : {"decoder/alibi", "encoder/multi_query_attention"}) {
    TinyDirectory tiny;
    tiny.Flag(name, 1);
    EXPECT_THAT(tiny.Refusal(), HasSubstr("variable '" + name + "' is 1, which is not supported"));
  }
  TinyDirectory tiny;
  tiny.Flag("encoder/activation", 7);
  tiny.Flag("decoder/activation", 7);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("variable 'encoder/activation' is 7"));
  tiny.Flag("decoder/activation", 0);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("'decoder/activation' is 0 and that of the encoder 7"));
}

TEST(Ct2Directory, EveryMissingOrWrongVariableIsNamed) {
  const TinyDirectory whole;
  int tried = 0;
  for (const auto& [name, bytes] : whole.variables) {
    if (!name.ends_with("weight") && !name.ends_with("gamma") && !name.ends_with("beta")) continue;
    TinyDirectory tiny;
    tiny.variables.erase(name);
    if (name == "decoder/embeddings/weight") tiny.aliases = {};
    // A stage without what its layers are counted by, too.
    EXPECT_THAT(tiny.Fault(), HasSubstr("' is missing")) << name;
    tiny = whole;
    tiny.Add(name, {3, 3, 3}, 1.0F);
    EXPECT_THAT(tiny.Fault(), HasSubstr("[3, 3, 3], expected")) << name;
    ++tried;
  }
  EXPECT_GE(tried, 20);
  TinyDirectory tiny;
  tiny.Add("decoder/projection/bias", {kPieces}, NAN);
  EXPECT_THAT(tiny.Fault(), HasSubstr("'decoder/projection/bias' holds nan at [0]"));
  tiny = whole;
  tiny.variables["encoder/num_heads"] =
      Ct2Variable("encoder/num_heads", {}, kI16, Raw(int16_t{-1}));
  EXPECT_THAT(tiny.Fault(), HasSubstr("'encoder/num_heads' is -1, expected a whole number from 1"));
  tiny = whole;
  tiny.variables["encoder/num_heads"] = Ct2Variable("encoder/num_heads", {}, kI16, Raw(int16_t{3}));
  EXPECT_THAT(tiny.Fault(), HasSubstr("3 heads for d_model 4"));
  tiny = whole;
  const std::string ffn = "encoder/layer_0/ffn/linear_0/weight";
  tiny.variables[ffn] = Ct2Variable(ffn, {6, 4}, kI8, std::string(24, 'x'));
  EXPECT_THAT(tiny.Fault(), HasSubstr("'" + ffn + "' is I8 [6, 4] without scales, expected"));
}

TEST(Ct2Directory, RefusesFieldsOfConfig) {
  const auto refused = [](const char* field, const json& value) {
    TinyDirectory tiny;
    tiny.config[field] = value;
    return tiny.Refusal();
  };
  EXPECT_THAT(refused("add_source_bos", true), HasSubstr("config.json: field 'add_source_bos'"));
  EXPECT_THAT(refused("quantization_type", 1), HasSubstr("field 'quantization_type'"));
  EXPECT_THAT(refused("multi_query_attention", true), HasSubstr("'multi_query_attention'"));
  EXPECT_THAT(refused("decoder_start_token", nullptr),
              HasSubstr("field 'decoder_start_token' is null"));
  TinyDirectory tiny;
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

TEST(Ct2Directory, SaysWhichFilesWouldDo) {
  TinyDirectory tiny;
  tiny.files.erase("target.spm");
  EXPECT_THAT(tiny.Missing(), HasSubstr("target.spm"));
  tiny.files.erase("source.spm");
  EXPECT_THAT(tiny.Missing(),
              HasSubstr("found no tokenizer, expected source.spm and target.spm, or one of "
                        "sentencepiece.bpe.model, spiece.model and sentencepiece.model"));
  for (const char* file : {"sentencepiece.bpe.model", "spiece.model", "sentencepiece.model"}) {
    TinyDirectory one = tiny;
    one.files[file] = Shared("source.spm");
    EXPECT_TRUE(one.Load().ok()) << one.Load().status();
  }
  tiny = TinyDirectory();
  tiny.files["target.spm"] = ReadTestFile(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en/target.spm");
  EXPECT_THAT(tiny.Fault(), HasSubstr("expected at least half: it is another model's"));
  tiny = TinyDirectory();
  tiny.files.erase("shared_vocabulary.json");
  EXPECT_THAT(tiny.Missing(), HasSubstr("found no vocabulary, expected shared_vocabulary.json"));
}

TEST(Ct2Directory, ChecksVocabularies) {
  const auto with = [](const std::string& text) {
    TinyDirectory tiny;
    tiny.files["shared_vocabulary.json"] = text;
    return tiny;
  };
  EXPECT_THAT(with("{}").Fault(), HasSubstr("shared_vocabulary.json: is an object, expected"));
  EXPECT_THAT(with("[1]").Fault(), HasSubstr("piece 0 is 1, expected a string"));
  EXPECT_THAT(with(R"(["</s>"])").Fault(), HasSubstr("1 pieces, expected 379, the rows of"));
  json pieces = json::parse(Shared("shared_vocabulary.json"));
  pieces[5] = pieces[6];
  EXPECT_THAT(with(pieces.dump()).Fault(), HasSubstr("is there twice"));
  pieces[5] = "<blank>";
  EXPECT_THAT(with(pieces.dump()).Refusal(), HasSubstr("has '<blank>', so it is of OpenNMT-py"));
  pieces[5] = std::string(2000, 'x');
  EXPECT_THAT(with(pieces.dump()).Fault(), HasSubstr("piece 5 has 2000 bytes"));
}

TEST(Ct2Vocabulary, LinesAndArraysAreOne) {
  const auto lines = ParseCt2Vocabulary("a\r\n\n b\nc", "v.txt");
  ASSERT_TRUE(lines.ok());
  EXPECT_THAT(*lines, ElementsAre("a", "", " b", "c"));
  const auto array = ParseCt2Vocabulary(R"(["a", "", " b", "c"])", "v.json");
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
}  // namespace dragoman

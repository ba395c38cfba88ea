#include "engine/model/layouts/marian/directory.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/tokenizers/marian_vocabularies.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/engine/network/ops_of.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kMarianPieces = 240;  // pieces of the tokenizer that the tests borrow

std::string SharedMarianFile(const std::string& file) {
  return ReadTestFile(DRAGOMAN_SOURCE_DIR "/tests/data/models/" + file);
}

// A post-norm model of width 4 with one layer in each stage. All numbers of a tensor are the same.
class TinyMarianDirectory {
 public:
  TinyMarianDirectory() {
    options = {{"type", "transformer"},
               {"dim-emb", "4"},
               {"enc-depth", "1"},
               {"dec-depth", "1"},
               {"transformer-heads", "2"},
               {"transformer-dim-ffn", "6"},
               {"transformer-ffn-activation", "relu"},
               {"transformer-preprocess", "\"\""},
               {"transformer-postprocess", "dan"},
               {"tied-embeddings-all", "true"},
               {"version", "v1.10.0 0000000"}};
    Add("Wemb", kMarianPieces, 4, 0.5F);
    for (const std::string stage : {"encoder", "decoder"}) {
      Attention(stage + "_l1_self");
      if (stage == "decoder") Attention(stage + "_l1_context");
      const std::string ffn = stage + "_l1_ffn";
      Add(ffn + "_W1", 4, 6, 1.0F);
      Add(ffn + "_b1", 1, 6, 2.0F);
      Add(ffn + "_W2", 6, 4, 1.0F);
      Add(ffn + "_b2", 1, 4, 2.0F);
      Norm(ffn + "_ffn");
    }
    Add("decoder_ff_logit_out_b", 1, kMarianPieces, 0.25F);
    files["vocab.deen.spm"] = SharedMarianFile("marian-npz/vocab.spm");
  }

  void Add(const std::string& name, int rows, int columns, float value) {
    tensors[name] = {name,
                     0x404,
                     {rows, columns},
                     RawFloats(std::vector<float>(static_cast<size_t>(rows * columns), value))};
  }
  void Attention(const std::string& name) {
    for (const char* part : {"q", "k", "v", "o"}) {
      Add(name + "_W" + part, 4, 4, 1.0F);
      Add(name + "_b" + part, 1, 4, 2.0F);
    }
    Norm(name + "_Wo");
  }
  void Norm(const std::string& name, const std::string& suffix = "") {
    Add(name + "_ln_scale" + suffix, 1, 4, 3.0F);
    Add(name + "_ln_bias" + suffix, 1, 4, 4.0F);
  }

  absl::StatusOr<LoadedModel> Load() const {
    const TempDirectory directory;
    std::vector<MarianItem> items;
    std::vector<std::pair<std::string, std::string>> arrays;
    std::string yaml;
    for (const auto& [name, value] : options) yaml += name + ": " + value + "\n";
    for (const auto& [name, item] : tensors) {
      items.push_back(item);
      const std::string shape =
          "(" + std::to_string(item.shape[0]) + ", " + std::to_string(item.shape[1]) + ")";
      arrays.emplace_back(name + ".npy", Npy("<f4", shape, item.data));
    }
    if (has_options) {
      items.push_back({"special:model.yml", 0x101, {1}, yaml + '\0'});
      arrays.emplace_back("special:model.yml.npy",
                          Npy("|i1", "(" + std::to_string(yaml.size() + 1) + ",)", yaml + '\0'));
    } else {
      directory.Write(model_file + ".yml", yaml);
    }
    directory.Write(model_file, model_file.ends_with(".npz") ? Zip(arrays) : MarianBinary(items));
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

  std::string model_file = "model.deen.npz";
  bool has_options = true;
  std::map<std::string, std::string> options;
  std::map<std::string, MarianItem> tensors;
  std::map<std::string, std::string> files;
};

TEST(MarianDirectory, OptionsMakeTheNetwork) {
  TinyMarianDirectory tiny;
  for (const char* file : {"model.npz", "model.bin", "model.deen.intgemm.alphas.bin"}) {
    tiny.model_file = file;
    tiny.has_options = !tiny.has_options;  // the options are in a separate file or in the model
    const auto model = ExpectOk(tiny.Load());
    EXPECT_EQ(model->layout, "marian");
    const ModelSpec& spec = model->spec;
    EXPECT_EQ(spec.shape.d_model, 4);
    EXPECT_EQ(spec.shape.encoder_layers, 1);
    EXPECT_EQ(spec.shape.decoder_heads, 2);
    EXPECT_EQ(spec.shape.decoder_ffn, 6);
    EXPECT_EQ(spec.activation, kernels::Activation::kRelu);
    EXPECT_EQ(spec.embedding_scale, 2.0F);
    EXPECT_EQ(spec.norm_epsilon, 1e-6F);
    EXPECT_TRUE(spec.share_embeddings && spec.tie_output);
    EXPECT_EQ(spec.generation.num_beams, 6);
    EXPECT_EQ(spec.generation.length_penalty, 1.0F);
    EXPECT_EQ(spec.generation.max_length, 513);
    EXPECT_EQ(spec.tokens.eos, 0);
    EXPECT_EQ(spec.tokens.unk, 1);
    EXPECT_THAT(spec.generation.bad_words, ElementsAre(ElementsAre(1)));
    EXPECT_EQ(WeightOf(*model, "encoder layer 0: self-attention query, key, value").size(), 48U);
    const auto& pairs = model->languages.Pairs();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs.front().source, "de");
    EXPECT_EQ(pairs.front().target, "en");
  }
}

// Positions begin with 0, and the frequencies are 1 and 1/10000. The start token has a zero
// embedding.
TEST(MarianDirectory, PositionsAreMariansAndTheStartIsEmpty) {
  const auto model = ExpectOk(TinyMarianDirectory().Load());
  EXPECT_EQ(model->spec.shape.max_positions, 1024);
  const std::vector<float> table = WeightOf(*model, "decoder positions");
  EXPECT_THAT(std::vector<float>(table.begin(), table.begin() + 4), ElementsAre(0, 0, 1, 1));
  EXPECT_NEAR(table[4], std::sin(1.0), 1e-6);
  EXPECT_NEAR(table[5], std::sin(1e-4), 1e-9);
  EXPECT_NEAR(table[6], std::cos(1.0), 1e-6);
  EXPECT_EQ(model->spec.shape.target_vocab, kMarianPieces + 1);
  EXPECT_EQ(model->spec.tokens.decoder_start, kMarianPieces);
  EXPECT_EQ(WeightOf(*model, "source embedding").back(), 0.0F);
  EXPECT_EQ(WeightOf(*model, "output layer bias").back(), -INFINITY);
}

TEST(MarianDirectory, NormsAreBehindOrBefore) {
  TinyMarianDirectory tiny;
  tiny.options["transformer-postprocess-emb"] = "nd";
  EXPECT_THAT(tiny.Fault(), HasSubstr("'encoder_emb_ln_scale_pre' is missing"));
  tiny.options["transformer-preprocess"] = "n";
  tiny.options["transformer-postprocess"] = "da";
  tiny.options["transformer-postprocess-top"] = "n";
  tiny.tensors.clear();
  const TinyMarianDirectory post;
  for (const auto& [name, item] : post.tensors) {
    const std::string pre = name.find("_ln_") == std::string::npos ? name : name + "_pre";
    tiny.tensors[pre] = item;
    tiny.tensors[pre].name = pre;
  }
  for (const std::string stage : {"encoder", "decoder"}) {
    tiny.Norm(stage + "_emb", "_pre");
    tiny.Norm(stage + "_top");
  }
  const auto model = ExpectOk(tiny.Load());
  EXPECT_NE(FindWeight(model->program, "encoder final norm gain"), kNoWeight);
  EXPECT_NE(FindWeight(model->program, "decoder embedding norm gain"), kNoWeight);
  tiny.options["version"] = "v1.9.31 ba94c5b9 2020-05-17";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("special:model.yml: field 'version' is 'v1.9.31"));
  tiny.options["transformer-postprocess-top"] = "";
  tiny.options["version"] = "v1.11.0";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("field 'transformer-postprocess-top' is ''"));
}

TEST(MarianDirectory, EmbeddingsAreTiedAsTheOptionsSay) {
  TinyMarianDirectory tiny;
  tiny.options["tied-embeddings-all"] = "false";
  EXPECT_THAT(tiny.Fault(), HasSubstr("tensor 'encoder_Wemb' is missing"));
  tiny.tensors.erase("Wemb");
  tiny.Add("encoder_Wemb", kMarianPieces, 4, 0.5F);
  tiny.Add("decoder_Wemb", kMarianPieces, 4, 0.75F);
  EXPECT_THAT(tiny.Fault(), HasSubstr("tensor 'decoder_ff_logit_out_Wt' or "));
  // Older versions of Marian store the matrix as [d, vocabulary].
  tiny.Add("decoder_ff_logit_out_W", 4, kMarianPieces, 0.125F);
  const auto untied = ExpectOk(tiny.Load());
  EXPECT_FALSE(untied->spec.share_embeddings || untied->spec.tie_output);
  EXPECT_EQ(WeightOf(*untied, "output layer").front(), 0.125F);
  EXPECT_TRUE(untied->own_target_vocabulary.has_value());
  tiny.options["tied-embeddings"] = "true";
  EXPECT_THAT(tiny.Fault(),
              HasSubstr("'decoder_ff_logit_out_W' differs from 'decoder_Wemb', though"));
  tiny.tensors.erase("decoder_ff_logit_out_W");
  const auto tied = ExpectOk(tiny.Load());
  EXPECT_TRUE(tied->spec.tie_output && !tied->spec.share_embeddings);
}

TEST(MarianDirectory, HeadZeroOfTheGuidedLayerAligns) {
  TinyMarianDirectory tiny;
  const auto last = ExpectOk(tiny.Load());
  EXPECT_TRUE(last->spec.aligns_terms);
  EXPECT_EQ(last->spec.alignment_heads, 1U);
  tiny.options["transformer-guided-alignment-layer"] = "1";  // not the layer that we use
  const auto other = ExpectOk(tiny.Load());
  EXPECT_FALSE(other->spec.aligns_terms);
  EXPECT_EQ(other->spec.alignment_heads, ~uint64_t{0});
}

TEST(MarianDirectory, ADecoderMayBeRecurrent) {
  TinyMarianDirectory tiny;
  tiny.options["transformer-decoder-autoreg"] = "rnn";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("field 'dec-cell' is missing"));
  tiny.options["dec-cell"] = "ssru";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("tensor 'decoder_l1_self_Wk' [4, 4] has no place"));
  std::erase_if(tiny.tensors,
                [](const auto& item) { return item.first.starts_with("decoder_l1_self_"); });
  tiny.Add("decoder_l1_rnn_W", 4, 4, 1.0F);
  tiny.Add("decoder_l1_rnn_Wf", 4, 4, 2.0F);
  tiny.Norm("decoder_l1_rnn_ffn");
  EXPECT_THAT(tiny.Fault(), HasSubstr("tensor 'decoder_l1_rnn_bf' is missing"));
  tiny.Add("decoder_l1_rnn_bf", 1, 4, 3.0F);
  const auto model = ExpectOk(tiny.Load());
  // The rows of the gate come before those of the input, which has no bias.
  EXPECT_THAT(WeightOf(*model, "decoder layer 0: recurrence gate, input bias"),
              ElementsAre(3, 3, 3, 3, 0, 0, 0, 0));
  const std::vector<float> both = WeightOf(*model, "decoder layer 0: recurrence gate, input");
  ASSERT_EQ(both.size(), 32U);
  EXPECT_EQ(both.front(), 2.0F);
  EXPECT_EQ(both.back(), 1.0F);
  tiny.options["layer-normalization"] = "true";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("field 'layer-normalization' is 'true'"));
}

TEST(MarianDirectory, OtherNetworksAreRefusedByTheirOption) {
  for (const auto& [name, value] :
       {std::pair("type", "s2s"), std::pair("transformer-ffn-depth", "1"),
        std::pair("transformer-decoder-ffn-depth", "3"),
        std::pair("transformer-no-projection", "true"),
        std::pair("transformer-decoder-autoreg", "average-attention"),
        std::pair("transformer-train-position-embeddings", "true"),
        std::pair("transformer-tied-layers", "[2]"), std::pair("transformer-postprocess", "dar"),
        std::pair("transformer-ffn-activation", "mish"), std::pair("input-types", "[class]"),
        std::pair("dim-vocabs", "[240, 240, 240]"), std::pair("right-left", "true"),
        std::pair("ulr", "true"), std::pair("lemma-dim-emb", "64")}) {
    TinyMarianDirectory tiny;
    tiny.options[name] = value;
    EXPECT_THAT(tiny.Refusal(), HasSubstr("model.deen.npz: special:model.yml: field '" +
                                          std::string(name) + "' is"));
  }
  TinyMarianDirectory newer;
  newer.options["transformer-ffn-activation"] = "gelu";
  ASSERT_TRUE(newer.Load().ok());
  newer.options["version"] = "v1.13.1";
  EXPECT_THAT(newer.Refusal(), HasSubstr("gelu of models of versions up to v1.12"));
}

TEST(MarianDirectory, WhatIsWrongIsNamed) {
  for (const auto& [name, value] :
       {std::pair("dim-emb", "none"), std::pair("dim-emb", "5"), std::pair("enc-depth", "0"),
        std::pair("transformer-heads", "[2]"), std::pair("tied-embeddings-all", "maybe")}) {
    TinyMarianDirectory tiny;
    tiny.options[name] = value;
    EXPECT_THAT(tiny.Fault(), HasSubstr("field '" + std::string(name) + "' is"));
  }
  TinyMarianDirectory tiny;
  tiny.options.erase("dim-emb");
  EXPECT_THAT(tiny.Fault(), HasSubstr("field 'dim-emb' is missing"));
  tiny = TinyMarianDirectory();
  tiny.options["transformer-heads"] = "3";
  EXPECT_THAT(tiny.Fault(),
              HasSubstr("field 'transformer-heads' is '3', expected a divisor of dim-emb, 4"));
  tiny = TinyMarianDirectory();
  tiny.Add("Wemb", kMarianPieces, 6, 1.0F);
  EXPECT_THAT(tiny.Fault(),
              HasSubstr("tensor 'Wemb' has shape [240, 6], expected [vocabulary, 4]"));
  tiny = TinyMarianDirectory();
  tiny.tensors.erase("encoder_l1_self_bk");
  EXPECT_THAT(tiny.Fault(), HasSubstr("model.deen.npz: tensor 'encoder_l1_self_bk' is missing"));
  tiny = TinyMarianDirectory();
  tiny.Add("encoder_l1_self_Wx", 4, 4, 1.0F);
  EXPECT_THAT(tiny.Refusal(), HasSubstr("tensor 'encoder_l1_self_Wx' [4, 4] has no place"));
  tiny = TinyMarianDirectory();
  tiny.Add("decoder_l1_ffn_W1", 4, 6, INFINITY);
  EXPECT_THAT(tiny.Fault(), HasSubstr("tensor 'decoder_l1_ffn_W1' holds inf"));
  tiny = TinyMarianDirectory();
  tiny.files["a.npz"] = "";
  EXPECT_THAT(
      tiny.Fault(),
      HasSubstr("found the models a.npz and model.deen.npz, expected one, or a decoder.yml"));
  tiny = TinyMarianDirectory();
  tiny.files["vocab.spm"] = tiny.files["vocab.deen.spm"];
  EXPECT_THAT(tiny.Fault(), HasSubstr("found the vocabularies vocab.deen.spm and vocab.spm"));
  tiny.files.clear();
  EXPECT_THAT(tiny.Missing(), HasSubstr("found no vocabulary, expected vocab.*.spm"));
}

TEST(MarianDirectory, APointerInPlaceOfAModelIsNamed) {
  const TempDirectory directory;
  directory.Write("model.deen.intgemm.alphas.bin",
                  "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 17140736\n");
  directory.Write("vocab.deen.spm", SharedMarianFile("marian-npz/vocab.spm"));
  EXPECT_THAT(std::string(LoadModel(directory.path()).status().message()),
              HasSubstr("model.deen.intgemm.alphas.bin: a Git LFS pointer"));
}

TEST(MarianDirectory, ADecoderConfigurationNamesFilesAndSearch) {
  TinyMarianDirectory tiny;
  tiny.files["a.npz"] = "not looked at";
  tiny.files["vocab.spm"] = tiny.files["vocab.deen.spm"];
  const std::string names =
      "models:\n  - /data/model.deen.npz\nvocabs:\n  - vocab.spm\n  - vocab.spm\n";
  tiny.files["decoder.yml"] =
      names + "beam-size: 4\nnormalize: 0.6\nallow-unk: true\nshortlist: [lex.bin, false]\n";
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.generation.num_beams, 4);
  EXPECT_EQ(model->spec.generation.length_penalty, 0.6F);
  EXPECT_TRUE(model->spec.generation.bad_words.empty());
  EXPECT_TRUE(model->names_shortlist);

  tiny.files["decoder.yml"] = names;
  EXPECT_EQ(tiny.Load()->spec.generation.length_penalty, 0.0F);
  tiny.files["decoder.yml"] = names + "word-penalty: 0.5\n";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("decoder.yml: field 'word-penalty' is '0.5'"));
  tiny.files["decoder.yml"] = names + "beam-size: 100\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("decoder.yml: field 'beam-size' is '100'"));
  tiny.files["decoder.yml"] = "models: [a.npz, model.deen.npz]\n";
  EXPECT_THAT(tiny.Refusal(), HasSubstr("field 'models' is a list of 2"));
  tiny.files["decoder.yml"] = "models: [b.npz]\n";
  EXPECT_THAT(tiny.Missing(), HasSubstr("decoder.yml: field 'models' names b.npz"));
}

// OPUS-MT's original models have a YAML file with pieces and ids, and SentencePiece models next to
// it.
TEST(MarianDirectory, VocabulariesOfYamlHaveTheirIds) {
  TinyMarianDirectory tiny;
  tiny.files["source.spm"] = tiny.files["target.spm"] = tiny.files["vocab.deen.spm"];
  tiny.files.erase("vocab.deen.spm");
  const auto of_spm = ExpectOk(TinyMarianDirectory().Load());
  std::string yaml;
  for (int id = 0; id + 2 < kMarianPieces; ++id) {
    std::string piece(of_spm->source_vocabulary.PieceOf(id));
    if (piece == "\"" || piece == "\\") piece = "\\" + piece;
    if (id == 5) piece = ">>eng<<";
    yaml += "\"" + piece + "\": " + std::to_string(id) + "\n";
  }
  tiny.files["opus.vocab.yml"] = yaml;
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->spec.tokens.eos, 0);
  EXPECT_EQ(model->source_vocabulary.PieceOf(7), of_spm->source_vocabulary.PieceOf(7));
  EXPECT_EQ(model->source_vocabulary.PieceOf(kMarianPieces - 1), "");
  const auto pair = ExpectOk(model->languages.Resolve("", "en"));
  EXPECT_EQ(pair->tag, 5);

  tiny.files["opus.vocab.yml"] = yaml + "too: 238\nmany: 239\nby one: 240\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("opus.vocab.yml: 241 pieces, expected 3 to 240"));
  tiny.files["opus.vocab.yml"] = yaml + "again: 7\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("has the id of another piece, 7"));
  tiny.files["opus.vocab.yml"] = yaml + "none: x\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("'none' has no id from 0 to 238"));
  tiny.files["opus.vocab.yml"] = yaml + "far: 2000000\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("'far' has no id"));
  tiny.files["opus.vocab.yml"] = "</s>: 0\n<unk>: 1\na: 2\n";
  EXPECT_THAT(tiny.Fault(), HasSubstr("expected at least half: it is another model's"));
  tiny.files["opus.vocab.yml"] = yaml;
  tiny.files.erase("target.spm");
  EXPECT_THAT(tiny.Missing(), HasSubstr("found no target.spm"));
}

TEST(MarianDirectory, LanguagesAreInTheNamesOfFiles) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(LanguagesOfName("model.deen.intgemm.alphas.bin"), Pair("de", "en"));
  EXPECT_EQ(LanguagesOfName("vocab.encs.spm"), Pair("en", "cs"));
  for (const char* name :
       {"model.npz", "model.intgemm.alphas.bin", "vocab.spm", "model.deen", "deen.model.bin", ""}) {
    EXPECT_EQ(LanguagesOfName(name), std::nullopt) << name;
  }
  TinyMarianDirectory tiny;
  tiny.files["tokenizer_config.json"] = R"({"source_lang": "deu", "target_lang": "nld"})";
  const auto model = ExpectOk(tiny.Load());
  EXPECT_EQ(model->languages.Pairs().front().target, "nl");
}

}  // namespace
}  // namespace dragoman::engine

// A table of directories that a user may choose but that cannot be served: models of other
// architectures, truncated or replaced files, parts that do not belong together. The error of each
// is one line that names the directory, the file, the field or tensor, what was found and what was
// expected. Each kind of fault has one or two directories here. The tests of the parsers have the
// other cases.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/layouts/model_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/model_directory.h"
#include "tests/engine/support/all_weights.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Change = std::function<void(ModelDirectory&)>;

struct Foreign {
  const char* kind;
  const char* model;  // a model of tests/data/models, before the change
  Change change;
  const char* message;  // beginning of the error after the directory's name
};

// Replaces config.json with another model's.
Change Config(const char* config) {
  return [=](ModelDirectory& at) { at.Write("config.json", config); };
}
// Changes fields of a JSON file; null removes a field.
Change Fields(const char* file, const char* fields) {
  return [=](ModelDirectory& at) { at.Change(file, json::parse(fields)); };
}
Change Without(const char* file) {
  return [=](ModelDirectory& at) { at.Remove(file); };
}
Change Instead(const char* file, std::string bytes) {
  return [=](ModelDirectory& at) { at.Write(file, bytes); };
}
Change Cut(const char* file, size_t bytes) {
  return [=](ModelDirectory& at) { at.Cut(file, bytes); };
}
// Renames a file.
Change Renamed(const char* file, const char* name) {
  return [=](ModelDirectory& at) { at.Write(name, at.Read(file)).Remove(file); };
}
// Replaces a file with one of another model of tests/data/models.
Change Borrowed(const char* file, const char* model, const char* other) {
  return [=](ModelDirectory& at) { at.Write(file, ModelDirectory(model).Read(other)); };
}
// Changes the header of model.safetensors.
Change Header(const std::function<void(json&)>& change) {
  return [change](ModelDirectory& at) {
    const std::string bytes = at.Read("model.safetensors");
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    json header = json::parse(bytes.substr(sizeof size, size));
    change(header);
    at.Write("model.safetensors",
             Safetensors(header.dump(), std::string_view(bytes).substr(sizeof size + size)));
  };
}
Change Tensor(const char* name, const char* fields) {
  return Header([=](json& header) { header[name].update(json::parse(fields)); });
}
std::string Html() {
  return "<!DOCTYPE html><html><head><title>Sign in</title></head><body>401</body></html>\n";
}

std::vector<Foreign> OtherArchitectures() {
  return {
      {"GPT-2, a decoder alone", "tiny-a",
       Config(R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768})"),
       "config.json: field 'model_type' is \"gpt2\", which is not supported"},
      {"Whisper, of sound", "tiny-a",
       Config(R"({"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"whisper\", which is not supported"},
      {"a Marian decoder alone", "tiny-a",
       Fields("config.json", R"({"architectures": ["MarianForCausalLM"]})"),
       "config.json: field 'architectures' is [\"MarianForCausalLM\"], which is not supported; "
       "supported: a list with MarianMTModel"},
      {"an M2M-100 without its output layer", "tiny-m2m",
       Fields("config.json", R"({"architectures": ["M2M100Model"]})"),
       "config.json: field 'architectures' is [\"M2M100Model\"], which is not supported; "
       "supported: a list with M2M100ForConditionalGeneration"},
      {"a type that is a number", "tiny-a", Fields("config.json", R"({"model_type": 7})"),
       "config.json: field 'model_type' is 7, expected a string"},
  };
}

std::vector<Foreign> Shapes() {
  return {
      {"another feed-forward width than the weights'", "tiny-m2m",
       Fields("config.json", R"({"encoder_ffn_dim": 128})"),
       "model.safetensors: tensor 'model.encoder.layers.0.fc1.weight' is F32 [64, 32], expected "
       "F64, F32, F16 or BF16 [128, 32]"},
      {"more layers than there are weights", "tiny-nllb",
       Fields("config.json", R"({"encoder_layers": 2})"),
       "model.safetensors: tensor 'model.encoder.layers.1.self_attn_layer_norm.weight' is missing, "
       "expected shape [48]"},
      {"more rows than the embedding has", "tiny-mbart",
       Fields("config.json", R"({"vocab_size": 500})"),
       "model.safetensors: tensor 'model.shared.weight' is F32 [454, 40], expected F64, F32, F16 "
       "or BF16 [500, 40]"},
      {"an output layer that is not there", "tiny-t5",
       Fields("config.json", R"({"tie_word_embeddings": false})"),
       "model.safetensors: tensor 'lm_head.weight' is missing, expected shape [500, 32]"},
  };
}

std::vector<Foreign> Weights() {
  return {
      {"weights of TensorFlow alone", "tiny-a", Renamed("model.safetensors", "tf_model.h5"),
       "found no weights but \"tf_model.h5\", which is not read, expected model.safetensors"},
      {"weights of ONNX alone", "tiny-t5",
       Renamed("model.safetensors", "decoder_model_merged.onnx"),
       "found no weights but \"decoder_model_merged.onnx\", which is not read, expected "
       "model.safetensors"},
      {"weights of rust-bert alone", "tiny-a", Renamed("model.safetensors", "rust_model.ot"),
       "found no weights but \"rust_model.ot\", which is not read, expected model.safetensors"},
      {"an empty file", "tiny-m2m", Instead("model.safetensors", ""),
       "model.safetensors: 0 bytes, too short for a safetensors file"},
      {"a header that is cut", "tiny-m2m", Cut("model.safetensors", 500),
       "model.safetensors: header of 9448 bytes, expected at most 492: the file is cut short or "
       "not a safetensors file"},
      {"a download that was broken off", "tiny-nllb", Cut("model.safetensors", 20'000),
       "model.safetensors: tensor 'model.decoder.layers.0.encoder_attn.k_proj.weight' ends at byte "
       "9792 of the data, which has 9344 bytes: the file is cut short or its header is wrong"},
      {"a page that asks to sign in", "tiny-t5", Instead("model.safetensors", Html()),
       "model.safetensors: a web page of 80 bytes in place of the file"},
      {"a tensor that is missing", "tiny-flan", Header([](json& header) {
         header["x"] = header["lm_head.weight"];
         header.erase("lm_head.weight");
       }),
       "model.safetensors: tensor 'lm_head.weight' is missing, expected shape [528, 48]"},
      {"a tensor of 8-bit floats", "tiny-nllb",
       Tensor("model.shared.weight", R"({"dtype": "F8_E4M3"})"),
       "model.safetensors: tensor 'model.shared.weight' has dtype 'F8_E4M3', which is not known"},
      {"a pytorch_model.bin cut short", "tiny-b", Cut("pytorch_model.bin", 60'000),
       "pytorch_model.bin: the end of the zip archive is missing: the file is cut short"},
      {"a pytorch_model.bin of before 2020, cut", "tiny-multi", Cut("pytorch_model.bin", 9'000),
       "pytorch_model.bin: pickle at byte 8863: the stream is cut short"},
  };
}

std::vector<Foreign> Tokenizers() {
  return {
      {"no SentencePiece model", "tiny-a", Without("source.spm"),
       "source.spm: cannot be opened: No such file or directory"},
      {"no SentencePiece model of T5", "tiny-t5", Without("spiece.model"),
       "spiece.model: cannot be opened: No such file or directory"},
      {"no vocabulary", "tiny-a", Without("vocab.json"),
       "vocab.json: cannot be opened: No such file or directory"},
      {"a tokenizer of BERT", "tiny-nllb",
       Fields("tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})"),
       "tokenizer_config.json: field 'tokenizer_class' is \"BertTokenizer\", which is not "
       "supported"},
      {"a page in place of the SentencePiece model", "tiny-m2m",
       Instead("sentencepiece.bpe.model", Html()),
       "sentencepiece.bpe.model: a web page of 80 bytes in place of the file"},
      {"a SentencePiece model cut short", "tiny-mbart", Cut("sentencepiece.bpe.model", 3000),
       "sentencepiece.bpe.model: not a SentencePiece model: the file is cut off or not a protobuf "
       "message"},
      {"T5's SentencePiece model under an NLLB", "tiny-nllb",
       Borrowed("sentencepiece.bpe.model", "tiny-t5", "spiece.model"),
       "sentencepiece.bpe.model: does not begin with <unk>, <s> and </s>, which is not supported "
       "with ids from SentencePiece"},
      {"an NLLB's SentencePiece model under a T5", "tiny-mt5",
       Borrowed("spiece.model", "tiny-nllb", "sentencepiece.bpe.model"),
       "spiece.model: piece '</s>' has id 2, expected 1, the eos_token_id of the configuration"},
      {"another model's vocabulary", "tiny-a", Borrowed("vocab.json", "tiny-multi", "vocab.json"),
       "vocab.json: 560 pieces, expected at most the 380 of config.json's vocabulary size"},
      {"another end of sentence", "tiny-mbart",
       Fields("generation_config.json", R"({"eos_token_id": 5, "forced_eos_token_id": null})"),
       "sentencepiece.bpe.model: piece '</s>' has id 2, expected 5, the eos_token_id of the "
       "configuration"},
      {"a generation_config.json that is no JSON", "tiny-t5",
       Instead("generation_config.json", "num_beams: 4\n"),
       "generation_config.json: not valid JSON at byte 3"},
      {"a beam in words", "tiny-nllb", Fields("generation_config.json", R"({"num_beams": "four"})"),
       "generation_config.json: field 'num_beams' is \"four\", expected an integer from 1 to 64"},
      {"an end that is forced and not there", "tiny-nllb",
       Fields("generation_config.json", R"({"forced_eos_token_id": 9999})"),
       "generation_config.json: field 'forced_eos_token_id' is 9999, expected an integer from 0 to "
       "412"},
  };
}

std::vector<Foreign> OtherFormats() {
  return {
      {"CTranslate2: a version of the future", "ct2-tiny-a-int8",
       Instead("model.bin", Ct2Head(9, "TransformerSpec", 7)),
       "model.bin: version 9 of CTranslate2's model.bin, supported: 1 to 6"},
      {"CTranslate2: cut short", "ct2-tiny-t5-float32", Cut("model.bin", 100'000),
       "model.bin: ends at byte 100000 within variable "
       "'decoder/layer_0/self_attention/linear_0/weight': it is cut short"},
      {"CTranslate2: another model's vocabulary", "ct2-tiny-m2m-float32",
       Borrowed("shared_vocabulary.json", "ct2-tiny-a-int8", "shared_vocabulary.json"),
       "shared_vocabulary.json: 379 pieces, expected 505, the rows of its embedding in model.bin"},
      {"CTranslate2: no configuration", "ct2-tiny-flan-int8", Without("config.json"),
       "config.json: cannot be opened: No such file or directory"},
      {"Marian: cut short", "marian-npz", Cut("model.npz", 50'000),
       "model.npz: the end of the zip archive is missing: the file is cut short"},
      {"Marian: a zip of something else", "marian-npz",
       Instead("model.npz", Zip({{"readme.txt", "hello"}})),
       "model.npz: entry 'readme.txt', expected arrays, NAME.npy"},
      {"Marian: numbers without options", "marian-npz",
       Instead("model.npz", Zip({{"Wemb.npy", Npy("<f4", "(1, 2)", RawFloats({1, 2}))}})),
       "model.npz: has no special:model.yml, the options of the model, and there is no "
       "model.npz.yml"},
      {"Marian: an encoder-decoder of recurrent cells", "marian-npz",
       Instead("model.npz", Zip({{"special:model.yml.npy",
                                  Npy("|i1", "(11,)", std::string("type: s2s\n\0", 11))}})),
       "model.npz: special:model.yml: field 'type' is 's2s', which is not supported; supported: "
       "transformer"},
      {"Marian: a language model", "marian-npz",
       Instead("model.npz",
               Zip({{"special:model.yml.npy",
                     Npy("|i1", "(21,)", std::string("type: lm-transformer\n", 21))}})),
       "model.npz: special:model.yml: field 'type' is 'lm-transformer', which is not supported; "
       "supported: transformer"},
      {"Marian: another vocabulary", "marian-bin", Borrowed("vocab.spm", "tiny-t5", "spiece.model"),
       "vocab.spm: 400 pieces, expected 3 to 240, the rows of its embedding in "
       "model.bin"},
  };
}

std::vector<Foreign> NoModels() {
  const auto emptied = [](ModelDirectory& at) {
    for (const auto& file : std::filesystem::directory_iterator(at.path())) {
      std::filesystem::remove_all(file);
    }
  };
  return {
      {"an empty directory", "tiny-a", emptied,
       "found no model, expected a directory with config.json"},
      {"a checkpoint of fairseq", "tiny-a",
       [=](ModelDirectory& at) {
         emptied(at);
         at.Write("model.pt", "x").Write("dict.de.txt", "der 1\n").Write("dict.en.txt", "the 1\n");
       },
       "found no model, expected a directory with config.json"},
      {"an adapter without its model", "tiny-a",
       [=](ModelDirectory& at) {
         emptied(at);
         at.Write("adapter_config.json", "{}").Write("adapter_model.safetensors", "x");
       },
       "found no model, expected a directory with config.json"},
      {"the cache of the hub, one folder above", "tiny-a",
       [=](ModelDirectory& at) {
         emptied(at);
         std::filesystem::create_directories(at.path() + "/snapshots/1a2b");
         std::filesystem::create_directories(at.path() + "/refs");
       },
       "found no model, expected a directory with config.json"},
  };
}

std::vector<Foreign> All() {
  std::vector<Foreign> all;
  for (auto part :
       {&OtherArchitectures, &Shapes, &Weights, &Tokenizers, &OtherFormats, &NoModels}) {
    for (Foreign& one : part()) all.push_back(std::move(one));
  }
  return all;
}

TEST(ForeignDirectories, AreRefusedInOneClearLine) {
  const std::vector<Foreign> all = All();
  EXPECT_GE(all.size(), 40U);
  for (const Foreign& one : all) {
    SCOPED_TRACE(one.kind);
    ASSERT_TRUE(LoadAndRead(ModelDirectory(one.model).path()).ok()) << one.model;
    ModelDirectory at(one.model);
    one.change(at);
    const auto model = LoadAndRead(at.path());
    ASSERT_FALSE(model.ok());
    const std::string message(model.status().message());
    EXPECT_THAT(message, AnyOf(StartsWith(at.path() + ": " + one.message),
                               StartsWith(at.path() + "/" + one.message)));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_LE(message.size(), at.path().size() + 400) << message;
  }
}

}  // namespace
}  // namespace dragoman::engine

// A table of directories that users point a translation server at and that it cannot serve: models of
// other architectures, files that a download left truncated or replaced, parts that do not belong
// together. The error of each is one line that names the directory, the file, the field or tensor, what
// was found and what was expected. The parsers' own tests have more cases of each kind.
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
  const char* model;  // of tests/data/models, before it was changed
  Change change;
  const char* message;  // how it begins, behind the directory's name
};

// Another model's config.json.
Change Config(const char* config) {
  return [=](ModelDirectory& at) { at.Write("config.json", config); };
}
// Null takes a field away.
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
// A file under another name.
Change Renamed(const char* file, const char* name) {
  return [=](ModelDirectory& at) { at.Write(name, at.Read(file)).Remove(file); };
}
// A file of another model of tests/data/models.
Change Borrowed(const char* file, const char* model, const char* other) {
  return [=](ModelDirectory& at) { at.Write(file, ModelDirectory(model).Read(other)); };
}
// The header of model.safetensors says something else.
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
// Weights in two shards, of which the index says `map` besides what is so.
Change Shards(const char* map, const char* missing = nullptr) {
  return [=](ModelDirectory& at) {
    const std::string bytes = at.Read("model.safetensors");
    uint64_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof size);
    json names = json::object();
    const json header = json::parse(bytes.substr(sizeof size, size));
    for (const auto& [name, tensor] : header.items()) {
      if (name != "__metadata__") names[name] = "model-00001-of-00002.safetensors";
    }
    names.update(json::parse(map));
    at.Write("model-00001-of-00002.safetensors", bytes)
        .Write("model-00002-of-00002.safetensors", Safetensors("{}", ""))
        .Write("model.safetensors.index.json", R"({"weight_map": )" + names.dump() + "}")
        .Remove("model.safetensors");
    if (missing != nullptr) at.Remove(missing);
  };
}

std::string Html() {
  return "<!DOCTYPE html><html><head><title>Sign in</title></head><body>401</body></html>\n";
}

std::vector<Foreign> OtherArchitectures() {
  return {
      {"GPT-2, a decoder alone", "tiny-a",
       Config(R"({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768})"),
       "config.json: field 'model_type' is \"gpt2\", which is not supported"},
      {"Llama, a decoder alone", "tiny-nllb",
       Config(R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"]})"),
       "config.json: field 'model_type' is \"llama\", which is not supported"},
      {"Gemma 3, a decoder alone", "tiny-nllb",
       Config(R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"gemma3\", which is not supported"},
      {"BERT, an encoder alone", "tiny-a",
       Config(R"({"model_type": "bert", "architectures": ["BertForMaskedLM"]})"),
       "config.json: field 'model_type' is \"bert\", which is not supported"},
      {"Whisper, of sound", "tiny-a",
       Config(R"({"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"whisper\", which is not supported"},
      {"SeamlessM4T, of sound and text", "tiny-nllb",
       Config(R"({"model_type": "seamless_m4t_v2", "architectures": ["SeamlessM4Tv2Model"]})"),
       "config.json: field 'model_type' is \"seamless_m4t_v2\", which is not supported"},
      {"NLLB-MoE, of experts", "tiny-nllb",
       Config(
           R"({"model_type": "nllb-moe", "architectures": ["NllbMoeForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"nllb-moe\", which is not supported"},
      {"Switch Transformers, of experts", "tiny-t5",
       Fields("config.json", R"({"model_type": "switch_transformers", )"
                             R"("architectures": ["SwitchTransformersForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"switch_transformers\", which is not supported"},
      {"LongT5, whose attention is local", "tiny-mt5",
       Fields("config.json",
              R"({"model_type": "longt5", "architectures": ["LongT5ForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"longt5\", which is not supported"},
      {"LongT5, of local attention", "tiny-t5",
       Fields("config.json",
              R"({"model_type": "longt5", "architectures": ["LongT5ForConditionalGeneration"]})"),
       "config.json: field 'model_type' is \"longt5\", which is not supported"},
      {"two networks put together", "tiny-a",
       Config(R"({"model_type": "encoder-decoder", "architectures": ["EncoderDecoderModel"]})"),
       "config.json: field 'model_type' is \"encoder-decoder\", which is not supported"},
      {"a Marian decoder alone", "tiny-a",
       Fields("config.json", R"({"architectures": ["MarianForCausalLM"]})"),
       "config.json: field 'architectures' is [\"MarianForCausalLM\"], which is not supported; "
       "supported: a list with MarianMTModel"},
      {"an M2M-100 without its output layer", "tiny-m2m",
       Fields("config.json", R"({"architectures": ["M2M100Model"]})"),
       "config.json: field 'architectures' is [\"M2M100Model\"], which is not supported; "
       "supported: a list with M2M100ForConditionalGeneration"},
      {"a T5 encoder alone", "tiny-t5",
       Fields("config.json", R"({"architectures": ["T5EncoderModel"]})"),
       "config.json: field 'architectures' is [\"T5EncoderModel\"], which is not supported; "
       "supported: a list with T5ForConditionalGeneration"},
      {"an mBART that classifies", "tiny-mbart",
       Fields("config.json", R"({"architectures": ["MBartForSequenceClassification"]})"),
       "config.json: field 'architectures' is [\"MBartForSequenceClassification\"], which is not "
       "supported; supported: a list with MBartForConditionalGeneration"},
      {"weights of GPTQ", "tiny-m2m",
       Fields("config.json", R"({"quantization_config": {"quant_method": "gptq", "bits": 4}})"),
       "config.json: field 'quantization_config' is an object, which is not supported; supported: "
       "null"},
      {"a configuration that names no type", "tiny-a",
       Fields("config.json", R"({"model_type": null})"),
       "config.json: field 'model_type' is missing, which is not supported"},
      {"a type that is a number", "tiny-a", Fields("config.json", R"({"model_type": 7})"),
       "config.json: field 'model_type' is 7, expected a string"},
      {"an activation of somebody's own", "tiny-mbart",
       Fields("config.json", R"({"activation_function": "xielu"})"),
       "config.json: field 'activation_function' is \"xielu\", which is not supported"},
      {"a gate of somebody's own", "tiny-flan",
       Fields("config.json", R"({"feed_forward_proj": "gated-xielu"})"),
       "config.json: field 'feed_forward_proj' is \"gated-xielu\", which is not supported"},
  };
}

std::vector<Foreign> Shapes() {
  return {
      {"width and heads that do not fit", "tiny-nllb",
       Fields("config.json", R"({"encoder_attention_heads": 5})"),
       "config.json: field 'encoder_attention_heads' is 5, expected a divisor of d_model 48"},
      {"no width", "tiny-mbart", Fields("config.json", R"({"d_model": null})"),
       "config.json: field 'd_model' is missing, expected an integer from 1 to 16384"},
      {"a width in words", "tiny-m2m", Fields("config.json", R"({"d_model": "large"})"),
       "config.json: field 'd_model' is \"large\", expected an integer from 1 to 16384"},
      {"no width of a head", "tiny-mt5", Fields("config.json", R"({"d_kv": null})"),
       "config.json: field 'd_kv' is missing, expected an integer from 1 to 16384"},
      {"a thousand layers", "tiny-m2m", Fields("config.json", R"({"encoder_layers": 1000})"),
       "config.json: field 'encoder_layers' is 1000, expected an integer from 1 to 128"},
      {"no room for a token and the end", "tiny-a",
       Fields("config.json", R"({"max_position_embeddings": 1})"),
       "config.json: field 'max_position_embeddings' is 1, expected at least 2: a token and the "
       "end of sentence"},
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
      {"no weights", "tiny-a", Without("model.safetensors"),
       "found no weights, expected model.safetensors, pytorch_model.bin or the index of their "
       "shards"},
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
      {"a Git LFS pointer", "tiny-mbart",
       Instead("model.safetensors",
               "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 312087009\n"),
       "model.safetensors: a Git LFS pointer of 74 bytes in place of the file, which 'git lfs "
       "pull' fetches"},
      {"a tensor that is missing", "tiny-flan", Header([](json& header) {
         header["x"] = header["lm_head.weight"];
         header.erase("lm_head.weight");
       }),
       "model.safetensors: tensor 'lm_head.weight' is missing, expected shape [528, 48]"},
      {"a tensor turned on its side", "tiny-m2m",
       Tensor("model.decoder.layers.0.fc1.weight", R"({"shape": [32, 64]})"),
       "model.safetensors: tensor 'model.decoder.layers.0.fc1.weight' of dtype F32 and shape [32, "
       "64] has 6144 bytes of data, expected 8192"},
      {"a tensor of whole numbers", "tiny-nllb",
       Tensor("model.shared.weight", R"({"dtype": "I32"})"),
       "model.safetensors: tensor 'model.shared.weight' is I32 [413, 48], expected F64, F32, F16 "
       "or BF16 [413, 48]"},
      {"a tensor of 8-bit floats", "tiny-nllb",
       Tensor("model.shared.weight", R"({"dtype": "F8_E4M3"})"),
       "model.safetensors: tensor 'model.shared.weight' has dtype 'F8_E4M3', which is not known"},
      {"a number that is none", "tiny-mt5",
       [](ModelDirectory& at) {
         const std::string bytes = at.Read("model.safetensors");
         at.Write("model.safetensors",
                  bytes.substr(0, bytes.size() - 4) + std::string("\0\0\xc0\x7f", 4));
       },
       "model.safetensors: tensor 'shared.weight' holds nan at [411, 23], expected finite numbers"},
      {"a shard that is missing", "tiny-m2m",
       Shards(R"({"lm_head.weight": "model-00002-of-00002.safetensors"})",
              "model-00002-of-00002.safetensors"),
       "model-00002-of-00002.safetensors: cannot be opened: No such file or directory"},
      {"a shard without what the index says", "tiny-t5",
       Shards(R"({"shared.weight": "model-00002-of-00002.safetensors"})"),
       "model-00001-of-00002.safetensors: tensor 'shared.weight' is here, though "
       "model.safetensors.index.json places it in 'model-00002-of-00002.safetensors'"},
      {"an index that leads elsewhere", "tiny-nllb",
       Shards(R"({"model.shared.weight": "../secret.safetensors"})"),
       "model.safetensors.index.json: tensor \"model.shared.weight\" is in "
       "\"../secret.safetensors\", expected the name of a file here that ends in .safetensors"},
      {"a pytorch_model.bin cut short", "tiny-b", Cut("pytorch_model.bin", 60'000),
       "pytorch_model.bin: the end of the zip archive is missing: the file is cut short"},
      {"a pytorch_model.bin of before 2020, cut", "tiny-multi", Cut("pytorch_model.bin", 9'000),
       "pytorch_model.bin: pickle at byte 8863: the stream is cut short"},
      {"a pickle that runs programs", "tiny-b",
       Instead("pytorch_model.bin", Zip({{"m/data.pkl",
                                          "\x80\x02"
                                          "cos\nsystem\n."}})),
       "pytorch_model.bin(m/data.pkl): pickle at byte 2: global 'os.system' is not one that a "
       "checkpoint needs: refused"},
      {"a whole model pickled", "tiny-b",
       Instead("pytorch_model.bin",
               Zip({{"m/data.pkl",
                     "\x80\x02"
                     "ctransformers.models.marian.modeling_marian\nMarianMTModel\n."}})),
       "pytorch_model.bin(m/data.pkl): pickle at byte 2: global "
       "'transformers.models.marian.modeling_marian.MarianMTModel' is not one that a checkpoint "
       "needs: refused"},
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
      {"a tokenizer of LLaMA under a T5", "tiny-t5",
       Fields("tokenizer_config.json", R"({"tokenizer_class": "LlamaTokenizerFast"})"),
       "tokenizer_config.json: field 'tokenizer_class' is \"LlamaTokenizerFast\", which is not "
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
      {"a vocabulary that is no JSON", "tiny-a", Instead("vocab.json", "{\"a\": 0,"),
       "vocab.json: not valid JSON at byte 9"},
      {"two pieces of one id", "tiny-a", Fields("vocab.json", R"({"<unk>": 5})"),
       "vocab.json: id 5 belongs to both '<unk>' and '"},
      {"more pieces than rows", "tiny-m2m", Fields("config.json", R"({"vocab_size": 300})"),
       "vocab.json: 397 pieces, expected at most 300, the vocab_size of config.json"},
      {"another end of sentence", "tiny-mbart",
       Fields("generation_config.json", R"({"eos_token_id": 5, "forced_eos_token_id": null})"),
       "sentencepiece.bpe.model: piece '</s>' has id 2, expected 5, the eos_token_id of the "
       "configuration"},
      {"tokens that somebody added", "tiny-a", Instead("added_tokens.json", R"({"<name>": 400})"),
       "config.json: field 'vocab_size' is 380, expected more than 400, the id of '<name>'"},
      {"tokens that somebody added to T5's", "tiny-t5",
       Fields("tokenizer_config.json",
              R"({"added_tokens_decoder": {"500": {"content": "<name>"}}})"),
       "config.json: field 'vocab_size' is 500, expected more than 500, the id of '<name>'"},
      {"a tokenizer that draws its pieces", "tiny-m2m",
       Fields("tokenizer_config.json",
              R"({"sp_model_kwargs": {"enable_sampling": true, "alpha": 0.1}})"),
       "tokenizer_config.json: field 'sp_model_kwargs' is an object, which is not supported; "
       "supported: null or empty"},
      {"a first token of no vocabulary", "tiny-m2m",
       Fields("config.json", R"({"decoder_start_token_id": 100000})"),
       "config.json: field 'decoder_start_token_id' is 100000, expected an integer from 0 to 504"},
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
      {"CTranslate2: Whisper", "ct2-tiny-a-int8",
       Instead("model.bin", Ct2Head(6, "WhisperSpec", 3) + Ct2List({}) + Ct2List({})),
       "model.bin: specification 'WhisperSpec', supported: 'TransformerSpec', 'TransformerBase' "
       "and 'TransformerBig', an encoder and a decoder"},
      {"CTranslate2: a decoder alone", "ct2-tiny-nllb-int8",
       Instead("model.bin", Ct2Head(6, "TransformerDecoderSpec", 8) + Ct2List({}) + Ct2List({})),
       "model.bin: specification 'TransformerDecoderSpec', supported: 'TransformerSpec', "
       "'TransformerBase' and 'TransformerBig', an encoder and a decoder"},
      {"CTranslate2: a version of the future", "ct2-tiny-a-int8",
       Instead("model.bin", Ct2Head(9, "TransformerSpec", 7)),
       "model.bin: version 9 of CTranslate2's model.bin, supported: 1 to 6"},
      {"CTranslate2: cut short", "ct2-tiny-t5-float32", Cut("model.bin", 100'000),
       "model.bin: ends at byte 100000 within variable "
       "'decoder/layer_0/self_attention/linear_0/weight': it is cut short"},
      {"CTranslate2: no vocabulary", "ct2-tiny-mbart-int8", Without("shared_vocabulary.json"),
       "found no vocabulary, expected shared_vocabulary.json, or source_vocabulary.json and "
       "target_vocabulary.json, or the same in .txt"},
      {"CTranslate2: another model's vocabulary", "ct2-tiny-m2m-float32",
       Borrowed("shared_vocabulary.json", "ct2-tiny-a-int8", "shared_vocabulary.json"),
       "shared_vocabulary.json: 379 pieces, expected 505, the rows of its embedding in model.bin"},
      {"CTranslate2: no tokenizer", "ct2-tiny-nllb-int8", Without("sentencepiece.bpe.model"),
       "found no tokenizer, expected source.spm and target.spm"},
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
      {"Marian: no vocabulary", "marian-ssru", Without("vocab.spm"),
       "found no vocabulary, expected vocab.*.spm, srcvocab.*.spm and trgvocab.*.spm, or "
       "*vocab.yml with source.spm and target.spm"},
      {"Marian: another vocabulary", "marian-bin", Borrowed("vocab.spm", "tiny-t5", "spiece.model"),
       "vocab.spm: 400 pieces, expected 3 to 240, the rows of its embedding in "
       "model.bin"},
      {"Marian: two models", "marian-npz", Borrowed("other.npz", "marian-npz", "model.npz"),
       "found the models model.npz and other.npz, expected one, or a decoder.yml that names it"},
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

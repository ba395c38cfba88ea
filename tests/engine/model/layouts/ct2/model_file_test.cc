#include "engine/model/layouts/ct2/model_file.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Model(const std::vector<std::string>& variables,
                  const std::vector<std::string>& aliases = {}) {
  return Ct2Head(6, "TransformerSpec", 7) + Ct2List(variables) + Ct2List(aliases);
}

// Parses a file. The tensors are views of `file`, so it must outlive them.
Ct2ModelFile Parsed(const std::string& file) {
  auto model = ExpectOk(ParseCt2ModelFile(Bytes(file), "model.bin"));
  return model.ok() ? *std::move(model) : Ct2ModelFile();
}
Ct2ModelFile Parsed(std::string&& file) = delete;

absl::Status StatusOf(const std::string& file) {
  const auto model = ParseCt2ModelFile(Bytes(file), "model.bin");
  EXPECT_THAT(std::string(model.status().message()), HasSubstr("model.bin: "));
  return model.status();
}

std::string ErrorOf(const std::string& file) {
  const absl::Status status = StatusOf(file);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(Ct2ModelFile, ReadsEveryType) {
  const std::string file =
      Model({Ct2Variable("f32", {1, 2}, kCt2F32, RawFloats({1.5F, -2.0F})),
             Ct2Variable("i32", {}, 3, Raw(int32_t{7})),
             Ct2Variable("f16", {2}, 4, Raw(uint16_t{0x3e00}) + Raw(uint16_t{0xc000})),
             Ct2Variable("bf16", {2}, 5, Raw(uint16_t{0x3fc0}) + Raw(uint16_t{0xc000}))});
  const Ct2ModelFile model = Parsed(file);
  EXPECT_EQ(model.version, 6);
  EXPECT_EQ(model.spec, "TransformerSpec");
  EXPECT_EQ(model.revision, 7);
  ASSERT_EQ(model.tensors.size(), 4U);
  for (const char* name : {"f32", "f16", "bf16"}) {
    EXPECT_THAT(Floats(model.tensors.at(name)), ElementsAre(1.5F, -2.0F)) << name;
  }
  EXPECT_THAT(model.tensors.at("f32").shape, ElementsAre(1, 2));
  EXPECT_EQ(model.tensors.at("i32").dtype, DType::kI32);
  EXPECT_THAT(model.tensors.at("i32").shape, IsEmpty());
}

TEST(Ct2ModelFile, QuantizedNumbersAreIntegersOverScales) {
  const std::string bytes = {10, -20, 127, 0};
  const std::string file = Model(
      {Ct2Variable("rows", {2, 2}, kCt2I8, bytes),
       Ct2Variable("rows_scale", {2}, kCt2F32, RawFloats({10.0F, 0.5F})),
       Ct2Variable("all", {2}, kCt2I16, Raw(int16_t{-300}) + Raw(int16_t{1024})),
       Ct2Variable("all_scale", {}, kCt2F32, RawFloats({1024.0F})),
       Ct2Variable("flag", {}, kCt2I8, std::string(1, '\1'))},
      {Ct2String("same") + Ct2String("rows"), Ct2String("same_scale") + Ct2String("rows_scale")});
  const Ct2ModelFile model = Parsed(file);
  EXPECT_THAT(Floats(model.tensors.at("rows")), ElementsAre(1.0F, -2.0F, 254.0F, 0.0F));
  EXPECT_THAT(Floats(model.tensors.at("same")), ElementsAre(1.0F, -2.0F, 254.0F, 0.0F));
  EXPECT_THAT(Floats(model.tensors.at("all")), ElementsAre(-300.0F / 1024.0F, 1.0F));
  EXPECT_FALSE(HoldsNumbers(model.tensors.at("flag")));
  EXPECT_EQ(model.tensors.size(), 4U);  // scales are part of their matrices
}

TEST(Ct2ModelFile, ScalesThatMakeNoNumbersAreFound) {
  for (const float scale : {0.0F, INFINITY, NAN}) {
    const std::string file =
        Model({Ct2Variable("w", {2, 1}, kCt2I8, std::string{3, 4}),
               Ct2Variable("w_scale", {2}, kCt2F32, RawFloats({1.0F, scale}))});
    const Ct2ModelFile model = Parsed(file);
    std::vector<float> values(2);
    EXPECT_EQ(CopyAsF32(model.tensors.at("w"), values), 1U) << scale;
  }
}

TEST(Ct2ModelFile, OlderVersionsCountItems) {
  for (const uint32_t version : {2U, 3U}) {
    std::string file = Ct2Head(version, "TransformerSpec", 2) +
                       Ct2List({Ct2Variable("a", {2}, 4, 2, RawFloats({1.0F, 2.0F})),
                                Ct2Variable("b", {3}, 1, 3, "xyz")});
    if (version >= 3) file += Ct2List({Ct2String("c") + Ct2String("a")});
    const Ct2ModelFile model = Parsed(file);
    EXPECT_THAT(Floats(model.tensors.at("a")), ElementsAre(1.0F, 2.0F));
    EXPECT_EQ(model.tensors.at("b").dtype, DType::kI8);
    EXPECT_EQ(model.tensors.contains("c"), version >= 3);
  }
  EXPECT_THAT(ErrorOf(Ct2Head(3, "S", 1) + Ct2List({Ct2Variable("a", {1}, 8, 1, "12345678")})),
              HasSubstr("variable 'a' has items of 8 bytes, expected 1, 2 or 4"));
}

// Version 1 has no specification and uses OpenNMT-tf's names.
TEST(Ct2ModelFile, TheFirstVersionHasTheNamesOfTheLater) {
  const std::vector<std::pair<std::string, std::string>> names = {
      {"transformer/encoder/w_embs:0", "encoder/embeddings/weight"},
      {"transformer/encoder/layer_0/multi_head/conv1d/kernel:0",
       "encoder/layer_0/self_attention/linear_0/weight"},
      {"transformer/encoder/layer_0/multi_head/LayerNorm/gamma:0",
       "encoder/layer_0/self_attention/layer_norm/gamma"},
      {"transformer/encoder/layer_1/ffn/conv1d_1/bias:0", "encoder/layer_1/ffn/linear_1/bias"},
      {"transformer/decoder/layer_0/masked_multi_head/conv1d_1/kernel:0",
       "decoder/layer_0/self_attention/linear_1/weight"},
      {"transformer/decoder/layer_0/multi_head/conv1d_2/kernel:0",
       "decoder/layer_0/attention/linear_2/weight"},
      {"transformer/decoder/dense/kernel:0", "decoder/projection/weight"}};
  std::vector<std::string> variables;
  for (const auto& [old, name] : names) {
    variables.push_back(Ct2Variable(old, {2}, 4, 2, RawFloats({1.0F, 2.0F})));
  }
  const std::string file = Raw(uint32_t{1}) + Ct2List(variables);
  const Ct2ModelFile model = Parsed(file);
  EXPECT_EQ(model.version, 1);
  EXPECT_EQ(model.spec, "");
  EXPECT_EQ(model.revision, 1);
  EXPECT_EQ(model.tensors.size(), names.size());
  for (const auto& [old, name] : names) EXPECT_TRUE(model.tensors.contains(name)) << name;
}

TEST(Ct2ModelFile, Int16WeightsWithoutAScaleHaveTheGlobalOne) {
  const std::string file =
      Ct2Head(2, "TransformerBase", 2) +
      Ct2List({Ct2Variable("a/weight", {2}, 2, 2, Raw(int16_t{-500}) + Raw(int16_t{2000})),
               Ct2Variable("num_heads", {}, 2, 1, Raw(int16_t{4}))});
  const Ct2ModelFile model = Parsed(file);
  EXPECT_THAT(Floats(model.tensors.at("a/weight")), ElementsAre(-0.5F, 2.0F));
  EXPECT_FALSE(HoldsNumbers(model.tensors.at("num_heads")));
}

TEST(Ct2ModelFile, EveryPrefixIsCutShort) {
  const std::string whole = Model({Ct2Variable("a", {2}, kCt2F32, RawFloats({1.0F, 2.0F}))},
                                  {Ct2String("b") + Ct2String("a")});
  Parsed(whole);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(ErrorOf(whole.substr(0, size)), HasSubstr("is cut short")) << size;
  }
  EXPECT_THAT(ErrorOf(whole + "x"), HasSubstr("1 bytes after the last entry"));
}

TEST(Ct2ModelFile, RefusesOtherVersionsAndTypes) {
  for (const uint32_t version : {0U, 7U}) {
    const absl::Status status = StatusOf(Raw(version) + "rest");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_THAT(std::string(status.message()), HasSubstr("supported: 1 to 6")) << version;
  }
  const absl::Status status = StatusOf(Model({Ct2Variable("a", {1}, 6, "x")}));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("variable 'a' has data type 6"));
}

TEST(Ct2ModelFile, RefusesWrongVariables) {
  const std::string four = RawFloats({1.0F});
  const auto one = [](const std::string& variable) { return ErrorOf(Model({variable})); };
  EXPECT_THAT(one(Ct2Variable("a", {2}, kCt2F32, four)),
              HasSubstr("variable 'a' of type F32 and shape [2] has 4 bytes of data"));
  EXPECT_THAT(one(Ct2Variable("a", {1}, kCt2F32, four + "x")), HasSubstr("has 5 bytes of data"));
  EXPECT_THAT(one(Ct2Variable("a", std::vector<uint32_t>(9, 1), kCt2F32, four)),
              HasSubstr("variable 'a' has 9 dimensions"));
  EXPECT_THAT(one(Ct2Variable("a", {4294967295U, 4294967295U}, kCt2F32, four)),
              HasSubstr("no valid number of elements"));
  EXPECT_THAT(
      ErrorOf(Model({Ct2Variable("a", {1}, kCt2F32, four), Ct2Variable("a", {1}, kCt2F32, four)})),
      HasSubstr("variable 'a' is there twice"));
  EXPECT_THAT(ErrorOf(Model({Ct2Variable("a", {2}, kCt2I8, "xy"),
                             Ct2Variable("a_scale", {3}, kCt2F32, RawFloats({1, 2, 3}))})),
              HasSubstr("variable 'a_scale' is F32 [3], expected F32 [2] or one number"));
  EXPECT_THAT(ErrorOf(Model({Ct2Variable("a", {2}, kCt2I8, "xy"),
                             Ct2Variable("a_scale", {2}, kCt2I8, "xy")})),
              HasSubstr("variable 'a_scale' is I8 [2]"));
}

TEST(Ct2ModelFile, RefusesWrongNamesAndCounts) {
  const std::string head = Ct2Head(6, "TransformerSpec", 7);
  EXPECT_THAT(ErrorOf(Raw(uint32_t{6}) + Raw(uint16_t{2}) + "ab"),
              HasSubstr("the name of the specification at byte 4 of 2 bytes, expected"));
  EXPECT_THAT(ErrorOf(Model({Ct2Variable(std::string(513, 'n'), {}, kCt2I8, "x")})),
              HasSubstr("expected at most 512 and a NUL"));
  EXPECT_THAT(ErrorOf(head + Raw(uint32_t{65537})), HasSubstr("65537 variables, expected at most"));
  EXPECT_THAT(ErrorOf(head + Ct2List({}) + Raw(uint32_t{4294967295U})), HasSubstr("aliases"));
}

TEST(Ct2ModelFile, RefusesWrongAliases) {
  const std::string a = Ct2Variable("a", {1}, kCt2F32, RawFloats({1.0F}));
  const auto alias = [](const char* name, const char* of) {
    return Ct2String(name) + Ct2String(of);
  };
  const std::string aliases = Model({a}, {alias("b", "a"), alias("c", "b")});
  EXPECT_EQ(Parsed(aliases).tensors.size(), 3U);
  EXPECT_THAT(ErrorOf(Model({a}, {alias("b", "x")})),
              HasSubstr("alias 'b' is of 'x', which is not there"));
  EXPECT_THAT(ErrorOf(Model({a}, {alias("a", "a")})), HasSubstr("variable 'a' is there twice"));
  // Many aliases of one matrix would take far more memory than the file has.
  EXPECT_THAT(ErrorOf(Model({a}, {alias("b", "a"), alias("c", "a"), alias("d", "a")})),
              HasSubstr("alias 'd': the aliases have more than twice the 1 elements"));
}

}  // namespace
}  // namespace dragoman::engine

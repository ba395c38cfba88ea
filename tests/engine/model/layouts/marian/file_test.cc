#include "engine/model/layouts/marian/file.h"

#include <string>
#include <vector>

#include "engine/model/formats/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
std::string Npz(const std::string& npy) { return Zip({{"a.npy", npy}}); }

std::string NpzError(const std::string& bytes, absl::StatusCode code) {
  const auto table = ParseNpzFile(Bytes(bytes), "model.npz");
  EXPECT_EQ(table.status().code(), code) << table.status();
  return std::string(table.status().message());
}

std::string BinaryError(const std::string& bytes, absl::StatusCode code) {
  const auto model = ParseMarianBinary(Bytes(bytes), "model.bin");
  EXPECT_EQ(model.status().code(), code) << model.status();
  return std::string(model.status().message());
}

TEST(NpzFile, ArraysLieInRowsOrColumns) {
  const std::string six = RawFloats({1, 2, 3, 4, 5, 6});
  const std::string bytes = Zip({{"rows.npy", Npy("<f4", "(2, 3)", six)},
                                 {"columns.npy", Npy("<f4", "(2, 3)", six, true)},
                                 {"one.npy", Npy("|i1", "(3,)", "abc")},
                                 {"scalar.npy", Npy("<f8", "()", Raw(2.5))}});
  const auto table = ExpectOk(ParseNpzFile(Bytes(bytes), "model.npz"));
  EXPECT_THAT(Floats(table->at("rows")), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Floats(table->at("columns")), ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_THAT(Floats(table->at("scalar")), ElementsAre(2.5F));
  EXPECT_EQ(table->at("one").dtype, DType::kI8);
}

TEST(NpzFile, WhatIsWrongIsNamed) {
  const std::string four = RawFloats({1, 2, 3, 4});
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  EXPECT_THAT(NpzError("not a zip", kInvalid), HasSubstr("model.npz"));
  EXPECT_THAT(NpzError(Zip({{"a.txt", ""}}), kInvalid), HasSubstr("entry 'a.txt'"));
  EXPECT_THAT(NpzError(Npz("NUMPY"), kInvalid), HasSubstr("array 'a' is no .npy"));
  EXPECT_THAT(NpzError(Npz(Npy("<f4", "(2, 3)", four)), kInvalid),
              HasSubstr("array 'a' has 16 bytes, expected 6 numbers of 4"));
  EXPECT_THAT(NpzError(Npz(Npy("<f4", "(-2, -2)", four)), kInvalid), HasSubstr("array 'a'"));
  EXPECT_THAT(NpzError(Npz(Npy("<f4", "2, 2", four)), kInvalid), HasSubstr("no dictionary"));
  EXPECT_THAT(NpzError(Npz(Npy(">f4", "(4,)", four)), kUnimplemented), HasSubstr("type '>f4'"));
  EXPECT_THAT(NpzError(Npz(Npy("<c8", "(2,)", four)), kUnimplemented), HasSubstr("type '<c8'"));
  std::string newer = Npy("<f4", "(4,)", four);
  newer[6] = 4;
  EXPECT_THAT(NpzError(Npz(newer), kUnimplemented), HasSubstr("version 4"));
  const std::string whole = Npy("<f4", "(4,)", four);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseNpzFile(Bytes(Npz(whole.substr(0, size))), "model.npz").ok()) << size;
  }
}

// Matrices that Marian multiplies from the right are transposed. Embedding tables and single rows
// are not.
TEST(MarianFile, TensorsAreTurned) {
  const std::string six = RawFloats({1, 2, 3, 4, 5, 6});
  const std::string three = RawFloats({1, 2, 3});
  const std::string npz =
      Zip({{"Wemb.npy", Npy("<f4", "(2, 3)", six)},
           {"encoder_l1_ffn_W1.npy", Npy("<f4", "(2, 3)", six)},
           {"encoder_l1_ffn_b1.npy", Npy("<f4", "(1, 3)", three)},
           {"special:model.yml.npy", Npy("|i1", "(5,)", std::string("a: 1\0", 5))}});
  const std::string binary =
      MarianBinary({{"Wemb", 0x404, {2, 3}, six},
                    {"encoder_l1_ffn_W1", 0x404, {2, 3}, six + "padding"},
                    {"encoder_l1_ffn_b1", 0x404, {1, 3}, three},
                    {"special:model.yml", 0x101, {5}, std::string("a: 1\0\0\0", 7)}});
  for (const auto& model :
       {ParseMarianNpz(Bytes(npz), "model.npz"), ParseMarianBinary(Bytes(binary), "model.bin")}) {
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->options, "a: 1");
    EXPECT_EQ(model->tensors.size(), 3U);
    EXPECT_THAT(model->tensors.at("Wemb").shape, ElementsAre(2, 3));
    EXPECT_THAT(Floats(model->tensors.at("Wemb")), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(model->tensors.at("encoder_l1_ffn_W1").shape, ElementsAre(3, 2));
    EXPECT_THAT(Floats(model->tensors.at("encoder_l1_ffn_W1")), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT(model->tensors.at("encoder_l1_ffn_b1").shape, ElementsAre(3));
  }
}

// The numbers are stored as [out][in] although the shape is [in, out]. The scale follows them.
TEST(MarianFile, EightBitsAreDividedByTheirScale) {
  const std::string six = std::string("\x01\x02\x03\x04\x05\xfa", 6) + Raw(2.0F);
  for (const uint64_t type : {uint64_t{0x4101}, uint64_t{0x10001}}) {
    const std::string bytes = MarianBinary(
        {{"decoder_l1_rnn_W", type, {2, 3}, six + "padding"}, {"Wemb", type, {2, 3}, six}});
    const auto model = ExpectOk(ParseMarianBinary(Bytes(bytes), "model.bin"));
    EXPECT_THAT(model->tensors.at("decoder_l1_rnn_W").shape, ElementsAre(3, 2));
    EXPECT_THAT(model->tensors.at("Wemb").shape, ElementsAre(2, 3));
    for (const auto& [name, view] : model->tensors) {
      EXPECT_THAT(Floats(view), ElementsAre(0.5F, 1, 1.5F, 2, 2.5F, -3)) << name;
    }
  }
}

TEST(MarianFile, WhatIsWrongIsNamed) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;
  const std::string four = RawFloats({1, 2, 3, 4});
  EXPECT_THAT(BinaryError(MarianBinary({}, 2), kUnimplemented),
              HasSubstr("model.bin: is version 2, an encrypted model, supported: 1"));
  EXPECT_THAT(BinaryError(MarianBinary({}, 7), kUnimplemented), HasSubstr("is version 7"));
  EXPECT_THAT(BinaryError(MarianBinary({{"a", 0x1801, {2, 2}, four}}), kUnimplemented),
              HasSubstr("tensor 'a' is of type 0x1801, supported: float32"));
  EXPECT_THAT(BinaryError(MarianBinary({{"decoder_ff_logit_out_Wt", 0x4101, {2, 2}, four + four}}),
                          kUnimplemented),
              HasSubstr("'decoder_ff_logit_out_Wt' has 8 bits"));
  EXPECT_THAT(BinaryError(MarianBinary({{"a", 0x404, {2, 3}, four}}), kInvalid),
              HasSubstr("tensor 'a' has 16 bytes, expected 6 numbers of 4"));
  EXPECT_THAT(BinaryError(MarianBinary({{"a", 0x4101, {4, 4}, four}}), kInvalid),
              HasSubstr("tensor 'a' has 16 bytes, expected 16 numbers of 1 and a scale"));
  EXPECT_THAT(BinaryError(MarianBinary({{"a", 0x404, {-1, 2}, four}}), kInvalid),
              HasSubstr("tensor 'a'"));
  EXPECT_THAT(
      BinaryError(MarianBinary({{"a", 0x404, {4}, four}, {"a", 0x404, {4}, four}}), kInvalid),
      HasSubstr("tensor 'a' is there twice"));
  EXPECT_THAT(BinaryError(Raw(uint64_t{1}) + Raw(uint64_t{1} << 40), kInvalid),
              HasSubstr("expected at most 65536"));
  const std::string whole = MarianBinary({{"a", 0x404, {2, 2}, four}});
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(BinaryError(whole.substr(0, size), kInvalid), HasSubstr("cut short")) << size;
  }
}

TEST(MarianFile, BinaryFilesAreKnownByTheirVersion) {
  EXPECT_TRUE(IsMarianBinary(Bytes(MarianBinary({}))));
  EXPECT_TRUE(IsMarianBinary(Bytes(MarianBinary({}, 2))));
  EXPECT_FALSE(IsMarianBinary(Bytes(MarianBinary({}, 3))));
  EXPECT_FALSE(IsMarianBinary(Bytes(Ct2Head(2, "TransformerSpec", 7))));
  EXPECT_FALSE(IsMarianBinary(Bytes("\x01")));
}

}  // namespace
}  // namespace dragoman::engine

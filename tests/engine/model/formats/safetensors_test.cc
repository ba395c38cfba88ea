#include "engine/model/formats/tensor_file.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
std::string SafetensorsError(const std::string& file) {
  const auto tensors = ParseSafetensors(Bytes(file), "m.safetensors");
  EXPECT_FALSE(tensors.ok());
  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tensors.status().message()), HasSubstr("m.safetensors: "));
  return std::string(tensors.status().message());
}

TEST(Safetensors, ReadsEveryFloatType) {
  const std::string data = RawFloats({1.5F, -2.0F}) + Raw(uint16_t{0x3e00}) +
                           Raw(uint16_t{0xc000}) +                          // F16: 1.5, -2
                           Raw(uint16_t{0x3fc0}) + Raw(uint16_t{0xc000}) +  // BF16: 1.5, -2
                           Raw(int64_t{5});
  const std::string file = Safetensors(
      R"({"__metadata__": {"format": "pt"},
          "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
          "b": {"dtype": "F16", "shape": [1, 2], "data_offsets": [8, 12]},
          "c": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [12, 16]},
          "d": {"dtype": "I64", "shape": [], "data_offsets": [16, 24]}})",
      data);
  const auto tensors = ExpectOk(ParseSafetensors(Bytes(file), "m.safetensors"));
  ASSERT_EQ(tensors->size(), 4U);
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_THAT(Floats(tensors->at(name)), ElementsAre(1.5F, -2.0F)) << name;
  }
  EXPECT_THAT(tensors->at("b").shape, ElementsAre(1, 2));
  EXPECT_EQ(tensors->at("d").dtype, DType::kI64);
  EXPECT_EQ(tensors->at("d").numel(), 1);
}

TEST(Safetensors, ReadsEmptyTensorsAndEmptyFiles) {
  const std::string file = Safetensors(
      R"({"e": {"dtype": "F32", "shape": [0, 4611686018427387904], "data_offsets": [0, 0]}})", "");
  const auto tensors = ExpectOk(ParseSafetensors(Bytes(file), "m.safetensors"));
  EXPECT_EQ(tensors->at("e").numel(), 0);
  EXPECT_TRUE(ParseSafetensors(Bytes(Safetensors("{}", "")), "m")->empty());
}

TEST(Safetensors, RefusesFilesThatAreCutShort) {
  EXPECT_THAT(SafetensorsError("1234567"), HasSubstr("7 bytes, too short"));
  EXPECT_THAT(SafetensorsError(Raw(uint64_t{100}) + "{}"),
              HasSubstr("header of 100 bytes, expected at most 2"));
  EXPECT_THAT(SafetensorsError(Raw(std::numeric_limits<uint64_t>::max()) + "{}"),
              HasSubstr("header of"));
  EXPECT_THAT(SafetensorsError(Safetensors(
                  R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})", "abcd")),
              HasSubstr("tensor 'a' ends at byte 8 of the data, which has 4 bytes"));
}

TEST(Safetensors, RefusesABadHeader) {
  EXPECT_THAT(SafetensorsError(Safetensors("{", "")), HasSubstr("not valid JSON"));
  EXPECT_THAT(SafetensorsError(Safetensors("[]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(SafetensorsError(Safetensors(R"({"a": 1})", "")), HasSubstr("tensor 'a' is 1"));
  EXPECT_THAT(SafetensorsError(Safetensors(R"({"a": {}})", "")),
              HasSubstr("tensor 'a' has no dtype"));
  EXPECT_THAT(SafetensorsError(Safetensors(R"({"a": {"x": [[[[1]]]]}})", "")),
              HasSubstr("nested deeper"));
  EXPECT_THAT(SafetensorsError(Safetensors(std::string(1 << 16, '['), "")),
              HasSubstr("nested deeper"));
  EXPECT_THAT(
      SafetensorsError(Safetensors(R"({"a": {"dtype": "F32"}, "a": {"dtype": "F32"}})", "")),
      HasSubstr("appears twice"));
}

// Returns a file with one tensor of four bytes and these fields.
std::string One(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return Safetensors("{\"a\": {\"dtype\": \"" + dtype + "\", \"shape\": " + shape +
                         ", \"data_offsets\": " + offsets + "}}",
                     "abcd");
}

TEST(Safetensors, RefusesBadFieldsOfATensor) {
  EXPECT_TRUE(ParseSafetensors(Bytes(One("F32", "[1]", "[0, 4]")), "m").ok());
  EXPECT_THAT(SafetensorsError(One("F3", "[1]", "[0, 4]")),
              HasSubstr("dtype 'F3', which is not known"));
  EXPECT_THAT(SafetensorsError(One("F32", "1", "[0, 4]")), HasSubstr("no valid shape"));
  EXPECT_THAT(SafetensorsError(One("F32", "[-1]", "[0, 4]")), HasSubstr("no valid shape"));
  EXPECT_THAT(SafetensorsError(One("F32", "[1.0]", "[0, 4]")), HasSubstr("no valid shape"));
  EXPECT_THAT(SafetensorsError(One("F32", "[18446744073709551615]", "[0, 4]")),
              HasSubstr("no valid shape"));
  EXPECT_THAT(SafetensorsError(One("F32", "[1,1,1,1,1,1,1,1,1]", "[0, 4]")),
              HasSubstr("9 dimensions"));
  EXPECT_THAT(SafetensorsError(One("F32", "[4294967296, 4294967296]", "[0, 4]")),
              HasSubstr("no valid number of elements"));
  EXPECT_THAT(SafetensorsError(One("F32", "[0, 4294967296, 4294967296]", "[0, 0]")),
              HasSubstr("no valid number of elements"));
  EXPECT_THAT(SafetensorsError(One("F32", "[4611686018427387904]", "[0, 4]")),
              HasSubstr("larger than memory"));
  EXPECT_THAT(SafetensorsError(One("F32", "[2]", "[0, 4]")),
              HasSubstr("has 4 bytes of data, expected 8"));
  EXPECT_THAT(SafetensorsError(One("F32", "[1]", "[0]")), HasSubstr("no valid data_offsets"));
  EXPECT_THAT(SafetensorsError(One("F32", "[1]", "[4, 0]")), HasSubstr("no valid data_offsets"));
  EXPECT_THAT(SafetensorsError(One("F32", "[1]", "[-4, 0]")), HasSubstr("no valid data_offsets"));
}

TEST(Safetensors, RefusesOverlapsHolesAndLeftovers) {
  const auto two = [](const std::string& second, const std::string& data) {
    return Safetensors(R"({"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},)"
                       R"( "b": {"dtype": "U8", "shape": [2], "data_offsets": )" +
                           second + "}}",
                       data);
  };
  EXPECT_TRUE(ParseSafetensors(Bytes(two("[2, 4]", "abcd")), "m").ok());
  EXPECT_THAT(SafetensorsError(two("[1, 3]", "abcd")),
              HasSubstr("tensor 'b' begins at byte 1 of the data, expected 2: tensors overlap"));
  EXPECT_THAT(SafetensorsError(two("[0, 2]", "abcd")), HasSubstr("overlap"));
  EXPECT_THAT(SafetensorsError(two("[3, 5]", "abcde")), HasSubstr("leave a hole"));
  EXPECT_THAT(SafetensorsError(two("[2, 4]", "abcde")),
              HasSubstr("5 bytes of data, but the tensors cover 4"));
}

TEST(CopyAsF32, ConvertsEveryKindOfHalf) {
  const std::vector<std::pair<uint16_t, float>> cases = {
      {0x0000, 0.0F},     {0x8000, -0.0F},      {0x0001, 0x1p-24F}, {0x83ff, -0x1.ff8p-15F},
      {0x0400, 0x1p-14F}, {0x3c01, 0x1.004p0F}, {0x7bff, 65504.0F}, {0xfbff, -65504.0F},
      {0x7c00, INFINITY}, {0xfc00, -INFINITY},
  };
  std::string data;
  for (const auto& [half, value] : cases) data += Raw(half);
  const auto size = static_cast<int64_t>(cases.size());
  const TensorView view{.dtype = DType::kF16, .shape = {size}, .strides = {1}, .data = Bytes(data)};
  const std::vector<float> values = Floats(view);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(values[i], cases[i].second) << std::hex << cases[i].first;
    EXPECT_EQ(std::signbit(values[i]), std::signbit(cases[i].second)) << std::hex << cases[i].first;
  }
  const std::string nan = Raw(uint16_t{0x7e00});
  EXPECT_TRUE(std::isnan(Floats({.dtype = DType::kF16, .data = Bytes(nan)})[0]));
}

TEST(CopyAsF32, RoundsDoubles) {
  const double fine = 1.0 + 0x1p-30;
  std::string data = Raw(fine) + Raw(-0.1) + Raw(1e-320);
  TensorView view{.dtype = DType::kF64, .shape = {3}, .strides = {1}, .data = Bytes(data)};
  std::vector<float> values(3);
  EXPECT_EQ(CopyAsF32(view, values), std::nullopt);
  EXPECT_THAT(values, ElementsAre(1.0F, -0.1F, 0.0F));
  data = Raw(fine) + Raw(-0.1) + Raw(1e39);  // 1e39 exceeds the largest float
  view.data = Bytes(data);
  EXPECT_EQ(CopyAsF32(view, values), 2U);
}

TEST(CopyAsF32, FindsTheFirstThatIsNotFinite) {
  for (const size_t size : {1, 7, 4096, 4097, 9000}) {
    std::vector<float> stored(size, 0x1.fffffep127F);  // the largest float is finite
    const auto found = [&]() -> std::optional<size_t> {
      const std::string data = RawFloats(stored);
      const TensorView view{
          .shape = {static_cast<int64_t>(size)}, .strides = {1}, .data = Bytes(data)};
      std::vector<float> values(size);
      return CopyAsF32(view, values);
    };
    EXPECT_EQ(found(), std::nullopt);
    for (const float bad : {NAN, -NAN, INFINITY, -INFINITY}) {
      for (const size_t at : {size_t{0}, size / 2, size - 1}) {
        stored.assign(size, -1.0F);
        stored[at] = bad;
        stored.back() = bad;
        EXPECT_EQ(found(), at) << size;
      }
    }
  }
  for (const DType type : {DType::kF16, DType::kBF16}) {
    const std::string data = Raw(uint16_t{0}) + Raw(uint16_t{0x7f80});
    const TensorView view{.dtype = type, .shape = {2}, .strides = {1}, .data = Bytes(data)};
    std::vector<float> values(2);
    EXPECT_EQ(CopyAsF32(view, values), 1U);
  }
}

TEST(PlaceString, CountsTheLastDimensionFastest) {
  const std::vector<int64_t> shape = {2, 3, 4};
  EXPECT_EQ(PlaceString(shape, 0), "[0, 0, 0]");
  EXPECT_EQ(PlaceString(shape, 23), "[1, 2, 3]");
  EXPECT_EQ(PlaceString(shape, 17), "[1, 1, 1]");
  EXPECT_EQ(PlaceString({}, 0), "[]");
}

TEST(CopyAsF32, ReadsAtAnyAlignment) {
  const std::string data = "x" + RawFloats({1, 2, 3, 4, 5, 6});
  const TensorView dense{
      .dtype = DType::kF32, .shape = {2, 3}, .strides = {3, 1}, .data = Bytes(data).subspan(1)};
  EXPECT_THAT(Floats(dense), ElementsAre(1, 2, 3, 4, 5, 6));
  const TensorView transposed{
      .dtype = DType::kF32, .shape = {3, 2}, .strides = {1, 3}, .data = Bytes(data).subspan(1)};
  EXPECT_THAT(Floats(transposed), ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace dragoman::engine

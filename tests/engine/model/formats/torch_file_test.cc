#include "engine/model/formats/tensor_file.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/byte_files.h"
#include "tests/engine/model/test_files.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::string_literals;

// Returns a file that data/make_torch_files.py wrote.
std::string Fixture(const std::string& name) {
  return ReadTestFile(DRAGOMAN_SOURCE_DIR "/tests/engine/model/data/" + name);
}
std::string TorchFileError(const std::string& file) {
  const auto tensors = ParseTorchFile(Bytes(file), "m.bin");
  EXPECT_FALSE(tensors.ok());
  EXPECT_EQ(tensors.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(tensors.status().message()), HasSubstr("m.bin"));
  return std::string(tensors.status().message());
}

class TorchFixture : public ::testing::TestWithParam<const char*> {};

TEST_P(TorchFixture, HoldsWhatTorchSaved) {
  const std::string file = Fixture(GetParam());
  const auto tensors = ExpectOk(ParseTorchFile(Bytes(file), "m.bin"));
  ASSERT_EQ(tensors->size(), 10U);
  EXPECT_THAT(Floats(tensors->at("f32")),
              ElementsAre(0, .25, .5, .75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75));
  EXPECT_THAT(Floats(tensors->at("f16")), ElementsAre(0, .25, .5, .75, 1, 1.25));
  EXPECT_EQ(tensors->at("f16").dtype, DType::kF16);
  EXPECT_THAT(Floats(tensors->at("bf16")), ElementsAre(0, .25, .5, .75, 1, 1.25));
  EXPECT_EQ(tensors->at("bf16").dtype, DType::kBF16);
  EXPECT_EQ(tensors->at("i64").dtype, DType::kI64);
  EXPECT_THAT(tensors->at("transposed").shape, ElementsAre(4, 3));
  EXPECT_THAT(Floats(tensors->at("transposed")),
              ElementsAre(0, 1, 2, .25, 1.25, 2.25, .5, 1.5, 2.5, .75, 1.75, 2.75));
  EXPECT_EQ(tensors->at("transposed").data.data(), tensors->at("f32").data.data());
  EXPECT_THAT(Floats(tensors->at("window")), ElementsAre(.75, 1, 1.25, 1.5));
  EXPECT_THAT(Floats(tensors->at("every_second")), ElementsAre(.25, .75, 1.25, 1.75, 2.25));
  EXPECT_THAT(Floats(tensors->at("parameter")), ElementsAre(0, .25, .5, .75));
  EXPECT_THAT(Floats(tensors->at("scalar")), ElementsAre(2.5));
  EXPECT_EQ(tensors->at("empty").numel(), 0);
}

INSTANTIATE_TEST_SUITE_P(Formats, TorchFixture,
                         ::testing::Values("zip.bin", "stream.bin", "zip_protocol4.bin"));

TEST_P(TorchFixture, IsRefusedWhereverItIsCutShort) {
  const std::string file = Fixture(GetParam());
  for (size_t size = 0; size < file.size(); ++size) {
    const auto tensors = ParseTorchFile(Bytes(file).first(size), "m.bin");
    ASSERT_FALSE(tensors.ok()) << size;
  }
}

TEST(TorchFile, RefusesWhatIsNoDictOfTensors) {
  EXPECT_THAT(TorchFileError(Fixture("no_dict.bin")), HasSubstr("holds a list, expected a dict"));
  EXPECT_THAT(TorchFileError("hello"), HasSubstr("not a file that torch.save wrote"));
  EXPECT_THAT(TorchFileError(""), HasSubstr("not a file that torch.save wrote"));
}

std::string Text(const std::string& text) {
  return "X" + Raw(static_cast<uint32_t>(text.size())) + text;
}
std::string Int(int64_t value) { return "\x8a\x08" + Raw(value); }
std::string Tuple(const std::vector<int64_t>& values) {
  std::string bytes = "(";
  for (const int64_t value : values) bytes += Int(value);
  return bytes + "t";
}
std::string StorageId(const std::string& type, const std::string& key, int64_t numel,
                      const std::string& view = "") {
  return "(" + Text("storage") + "ctorch\n" + type + "\n" + Text(key) + Text("cpu") + Int(numel) +
         view + "tQ";
}

// The pickle of a call of _rebuild_tensor_v2.
struct TensorCall {
  std::string storage = StorageId("FloatStorage", "0", 6);
  std::string offset = Int(0);
  std::string shape = Tuple({2, 3});
  std::string strides = Tuple({3, 1});

  std::string Code() const {
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + offset + shape + strides + "\x89"s +
           "ccollections\nOrderedDict\n)RtR";
  }
};

std::string Dict(const std::string& items) { return "\x80\x02}(" + items + "u."; }

// Returns a zip archive whose storage 0 has six floats.
std::string Archive(const std::string& pickle) {
  return Zip({{"m/data.pkl", pickle}, {"m/data/0", RawFloats({1, 2, 3, 4, 5, 6})}});
}

std::string ErrorOfTensor(const TensorCall& call) {
  return TorchFileError(Archive(Dict(Text("w") + call.Code())));
}

TEST(TorchFile, ReadsATensorMadeByHand) {
  const std::string file = Archive(Dict(Text("w") + TensorCall().Code()));
  const auto tensors = ExpectOk(ParseTorchFile(Bytes(file), "m.bin"));
  EXPECT_THAT(Floats(tensors->at("w")), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TorchFile, RefusesTensorsOutsideOfTheirStorage) {
  constexpr int64_t kHuge = int64_t{1} << 62;
  const std::string outside = "does not lie in its storage of 6 elements";
  EXPECT_THAT(ErrorOfTensor({.offset = Int(1)}), HasSubstr(outside));
  EXPECT_THAT(ErrorOfTensor({.offset = Int(kHuge)}), HasSubstr(outside));
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({2, 4})}), HasSubstr(outside));
  EXPECT_THAT(ErrorOfTensor({.strides = Tuple({4, 1})}), HasSubstr(outside));
  EXPECT_THAT(ErrorOfTensor({.strides = Tuple({kHuge, kHuge})}), HasSubstr(outside));
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({3, 1}), .strides = Tuple({kHuge, 0})}),
              HasSubstr(outside));
  // The tensor is empty, but its offset is beyond the end.
  EXPECT_THAT(ErrorOfTensor({.offset = Int(7), .shape = Tuple({0, 3})}), HasSubstr(outside));
  // One element repeated 2^40 times would fill the memory.
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({1 << 20, 1 << 20}), .strides = Tuple({0, 0})}),
              HasSubstr(outside));
}

TEST(TorchFile, RefusesBadShapes) {
  EXPECT_THAT(ErrorOfTensor({.offset = Int(-1)}), HasSubstr("tensor 'w': has no valid offset"));
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({-2, 3})}), HasSubstr("no valid shape and strides"));
  EXPECT_THAT(ErrorOfTensor({.strides = Tuple({-3, 1})}), HasSubstr("no valid shape and strides"));
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({6})}), HasSubstr("no valid shape and strides"));
  EXPECT_THAT(ErrorOfTensor({.shape = Int(6)}), HasSubstr("no valid shape and strides"));
  EXPECT_THAT(ErrorOfTensor({.shape = Tuple({int64_t{1} << 40, int64_t{1} << 40})}),
              HasSubstr("no valid number of elements"));
}

TEST(TorchFile, RefusesBadStorages) {
  EXPECT_THAT(ErrorOfTensor({.storage = "N"}), HasSubstr("has no storage"));
  EXPECT_THAT(ErrorOfTensor({.storage = "K\x01Q"}), HasSubstr("without valid description"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("FloatStorage", "1", 6)}),
              HasSubstr("storage '1' is missing"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("FloatStorage", "0", 7)}),
              HasSubstr("storage '0' has 24 bytes, expected 28"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("HalfStorage", "0", 6)}),
              HasSubstr("storage '0' has 24 bytes, expected 12"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("FloatStorage", "0", -6)}),
              HasSubstr("without valid description"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("FloatStorage", "0", int64_t{1} << 62)}),
              HasSubstr("storage of 4611686018427387904 elements"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("Size", "0", 6)}),
              HasSubstr("which is not known"));
  EXPECT_THAT(ErrorOfTensor({.storage = StorageId("FloatStorage", "0", 6, Tuple({0, 1}))}),
              HasSubstr("a view of another"));
  EXPECT_THAT(
      TorchFileError(Archive(Dict(Text("v") + TensorCall().Code() + Text("w") +
                                  TensorCall{.storage = StorageId("IntStorage", "0", 6)}.Code()))),
      HasSubstr("tensor 'w': describes storage '0' differently from another tensor"));
}

TEST(TorchFile, RefusesHostilePickles) {
  EXPECT_THAT(TorchFileError(Archive("\x80\x02"s + "cos\nsystem\n" + Text("ls") + "\x85R.")),
              HasSubstr("m.bin(m/data.pkl): pickle at byte 2: global 'os.system'"));
  EXPECT_THAT(TorchFileError(Archive(Dict(Text("w") + "K\x01"))),
              HasSubstr("'w': is an int, expected a tensor"));
  EXPECT_THAT(TorchFileError(Archive(Dict("K\x01" + TensorCall().Code()))),
              HasSubstr("a key of the dict is an int"));
  EXPECT_THAT(TorchFileError(
                  Archive(Dict(Text("w") + TensorCall().Code() + Text("w") + TensorCall().Code()))),
              HasSubstr("tensor 'w' appears twice"));
  EXPECT_THAT(TorchFileError(Archive(Dict(Text("w") + "ctorch._utils\n_rebuild_tensor_v2\n)R"))),
              HasSubstr("too few arguments"));
  // A parameter that refers to itself through the memo.
  EXPECT_THAT(TorchFileError(Archive(Dict(Text("w") + "ctorch._utils\n_rebuild_parameter\n)R"))),
              HasSubstr("is an object, expected a tensor"));
}

TEST(TorchFile, RefusesBadArchives) {
  const std::string pickle = Dict(Text("w") + TensorCall().Code());
  const std::string storage = RawFloats({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(TorchFileError(Zip({{"m/other", "x"}})), HasSubstr("without data.pkl"));
  EXPECT_THAT(TorchFileError(Zip({{"m/data.pkl", pickle}})), HasSubstr("storage '0' is missing"));
  EXPECT_THAT(
      TorchFileError(Zip({{"m/data.pkl", pickle}, {"m/data/0", storage}, {"m/byteorder", "big"}})),
      HasSubstr("byte order is 'big', expected 'little'"));
  EXPECT_THAT(TorchFileError(Zip({{"m/data.pkl", pickle}, {"m/data.pkl", pickle}})),
              HasSubstr("zip entry 'm/data.pkl' appears twice"));
  EXPECT_THAT(TorchFileError(Zip({{"m/data.pkl", pickle}}, 8)), HasSubstr("is compressed"));
  EXPECT_THAT(TorchFileError(Zip({{"m/data.pkl", pickle}}, 0, 1)), HasSubstr("is encrypted"));
}

TEST(TorchFile, RefusesArchivesWithAWrongDirectory) {
  const std::string good = Zip({{"m/data.pkl", "abc"}});
  const size_t entry = good.find("PK\x01\x02");
  const size_t end = good.find("PK\x05\x06");
  const auto with = [&](size_t at, const std::string& bytes) {
    std::string file = good;
    file.replace(at, bytes.size(), bytes);
    return TorchFileError(file);
  };
  EXPECT_THAT(with(entry + 20, Raw(uint32_t{1000}) + Raw(uint32_t{1000})),
              HasSubstr("ends after the end of the file"));
  EXPECT_THAT(with(entry + 20, Raw(uint32_t{2})), HasSubstr("has no valid size"));
  EXPECT_THAT(with(entry + 42, Raw(uint32_t{7})), HasSubstr("is not where the directory says"));
  EXPECT_THAT(with(entry + 42, Raw(uint32_t{0xffffffff})), HasSubstr("has no valid size"));
  EXPECT_THAT(with(entry + 28, Raw(uint16_t{60000})), HasSubstr("directory is cut short"));
  EXPECT_THAT(with(end + 16, Raw(uint32_t{3})), HasSubstr("directory is damaged"));
  EXPECT_THAT(with(end + 10, Raw(uint16_t{9})), HasSubstr("directory is damaged"));
  EXPECT_THAT(with(end, "XXXX"), HasSubstr("the end of the zip archive is missing"));
}

TEST(TorchFile, ReadsZip64) {
  const std::string pickle = Dict("");
  const std::string local = "PK\x03\x04" + std::string(22, '\0') + Raw(uint16_t{10}) +
                            Raw(uint16_t{0}) + "m/data.pkl" + pickle;
  const std::string extra = Raw(uint16_t{9}) + Raw(uint16_t{1}) + "x" +  // after another field
                            Raw(uint16_t{1}) + Raw(uint16_t{24}) + Raw(uint64_t{pickle.size()}) +
                            Raw(uint64_t{pickle.size()}) + Raw(uint64_t{0});
  const std::string entry = "PK\x01\x02" + std::string(16, '\0') + Raw(uint32_t{0xffffffff}) +
                            Raw(uint32_t{0xffffffff}) + Raw(uint16_t{10}) +
                            Raw(static_cast<uint16_t>(extra.size())) + std::string(10, '\0') +
                            Raw(uint32_t{0xffffffff}) + "m/data.pkl" + extra;
  const uint64_t end64 = local.size() + entry.size();
  const std::string file = local + entry + "PK\x06\x06" + std::string(28, '\0') + Raw(uint64_t{1}) +
                           Raw(uint64_t{entry.size()}) + Raw(uint64_t{local.size()}) +
                           "PK\x06\x07" + Raw(uint32_t{0}) + Raw(end64) + Raw(uint32_t{1}) +
                           "PK\x05\x06" + Raw(uint32_t{0}) + std::string(12, '\xff') +
                           Raw(uint16_t{0});
  const auto tensors = ExpectOk(ParseTorchFile(Bytes(file), "m.bin"));
  EXPECT_TRUE(tensors->empty());
}

// A file in the older format of torch.save.
struct Stream {
  std::string magic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
  std::string protocol = "\x80\x02M\xe9\x03.";
  std::string system = Dict(Text("little_endian") + "\x88");
  std::string object = Dict(Text("w") + TensorCall().Code());
  std::string keys = "\x80\x02](" + Text("0") + "e.";
  std::string storages = Raw(int64_t{6}) + RawFloats({1, 2, 3, 4, 5, 6});

  std::string File() const { return magic + protocol + system + object + keys + storages; }
};

TEST(TorchStream, ReadsAFileMadeByHand) {
  const std::string file = Stream().File();
  const auto tensors = ExpectOk(ParseTorchFile(Bytes(file), "m.bin"));
  EXPECT_THAT(Floats(tensors->at("w")), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TorchStream, RefusesAWrongStart) {
  EXPECT_THAT(TorchFileError(Stream{.magic = "\x80\x02K\x01."}.File()),
              HasSubstr("not a file that torch.save"));
  EXPECT_THAT(TorchFileError(Stream{.protocol = "\x80\x02K\x02."}.File()),
              HasSubstr("protocol version is 2, expected 1001"));
  EXPECT_THAT(TorchFileError(Stream{.system = Dict(Text("little_endian") + "\x89")}.File()),
              HasSubstr("little-endian"));
  EXPECT_THAT(TorchFileError(Stream{.system = Dict("")}.File()), HasSubstr("little-endian"));
}

TEST(TorchStream, RefusesWrongStorages) {
  const std::string floats = RawFloats({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(TorchFileError(Stream{.keys = "\x80\x02}."}.File()),
              HasSubstr("has no list of storages"));
  EXPECT_THAT(TorchFileError(Stream{.keys = "\x80\x02]."}.File()),
              HasSubstr("lists 0 storages, but the tensors use 1"));
  EXPECT_THAT(TorchFileError(Stream{.keys = "\x80\x02](" + Text("7") + "e."}.File()),
              HasSubstr("lists storage '7', which no tensor uses"));
  EXPECT_THAT(TorchFileError(Stream{.keys = "\x80\x02](" + Text("0") + Text("0") + "e."}.File()),
              HasSubstr("storage '0' appears twice"));
  EXPECT_THAT(TorchFileError(Stream{.storages = Raw(int64_t{5}) + floats}.File()),
              HasSubstr("storage '0' has 5 elements, expected 6"));
  EXPECT_THAT(TorchFileError(Stream{.storages = Raw(int64_t{-1}) + floats}.File()),
              HasSubstr("storage '0' has -1 elements"));
  EXPECT_THAT(TorchFileError(Stream{.storages = "abc"}.File()),
              HasSubstr("cut short before storage '0'"));
  EXPECT_THAT(TorchFileError(Stream{.storages = Raw(int64_t{6}) + "abc"}.File()),
              HasSubstr("cut short in storage '0': 3 bytes left, expected 24"));
  EXPECT_THAT(TorchFileError(Stream().File() + "x"), HasSubstr("1 bytes after the last storage"));
}

}  // namespace
}  // namespace dragoman::engine

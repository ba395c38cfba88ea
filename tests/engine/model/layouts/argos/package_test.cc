#include "engine/model/layouts/argos/package.h"

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/formats/zip_directory.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/engine/model/test_files.h"
#include "tests/engine/model/zip_files.h"
#include "tests/engine/support/all_weights.h"
#include "tests/support/expect_ok.h"

namespace dragoman::engine {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kModel[] = DRAGOMAN_SOURCE_DIR "/tests/data/models/ct2-onmt-float32/";

// A package with a small model, which a test may change before it is written.
class Package {
 public:
  Package() {
    metadata = json::parse(R"({"package_version": "1.0", "argos_version": "1.5", "from_code": "de",
                               "from_name": "German", "to_code": "en", "to_name": "English"})");
    for (const char* file : {"model.bin", "config.json", "shared_vocabulary.json"}) {
      files.emplace_back(std::string("p/model/") + file, ReadTestFile(kModel + std::string(file)));
    }
    files.emplace_back("p/sentencepiece.model",
                       ReadTestFile(kModel + std::string("sentencepiece.model")));
    files.emplace_back("p/stanza/resources.json", "{}");
    files.emplace_back("p/README.md", "A package.");
  }

  ZipFile& File(const std::string& name) {
    for (ZipFile& file : files) {
      if (file.name == "p/" + name) return file;
    }
    ADD_FAILURE() << name;
    return files.front();
  }
  void Remove(const std::string& name) {
    std::erase_if(files, [&](const ZipFile& file) { return file.name == "p/" + name; });
  }

  std::string Bytes() const {
    std::vector<ZipFile> all = files;
    if (!metadata.is_null()) all.emplace_back("p/metadata.json", metadata.dump());
    return ZipOf(all);
  }
  absl::StatusOr<LoadedModel> Load() const { return Load(Bytes()); }
  static absl::StatusOr<LoadedModel> Load(const std::string& bytes) {
    const TempDirectory directory;
    directory.Write("de-en.argosmodel", bytes);
    return LoadAndRead(directory.path() + "/de-en.argosmodel");
  }
  // Returns the error of a package that cannot be loaded, without the directory.
  std::string Fault() const { return Fault(Bytes()); }
  static std::string Fault(const std::string& bytes) {
    const auto model = Load(bytes);
    EXPECT_FALSE(model.ok());
    const std::string said = model.status().ToString();
    EXPECT_THAT(said, HasSubstr("/de-en.argosmodel"));
    return said;
  }

  json metadata;
  std::vector<ZipFile> files;
};

TEST(ArgosPackage, IsAModelOfItsOwn) {
  for (const bool stored : {false, true}) {
    Package package;
    if (stored) {
      const std::string weights = ReadTestFile(kModel + std::string("model.bin"));
      package.File("model/model.bin") = ZipFile("p/model/model.bin", weights, kZipStored);
    }
    const auto model = ExpectOk(package.Load());
    EXPECT_EQ(model->name, "de-en");
    EXPECT_EQ(model->layout, "argos");
    EXPECT_EQ(model->spec.generation.num_beams, 4);
    EXPECT_EQ(model->spec.generation.length_penalty, 0.2F);
    EXPECT_EQ(model->spec.generation.early_stopping, EarlyStopping::kTrue);
    EXPECT_FALSE(model->tokenizer.ends_source);
    ASSERT_EQ(model->languages.Pairs().size(), 1U);
    EXPECT_EQ(model->languages.Pairs()[0].source, "de");
    EXPECT_EQ(model->languages.Pairs()[0].target, "en");
    const auto resolved = model->languages.Resolve("", "");
    ASSERT_TRUE(resolved.ok());
    EXPECT_EQ(resolved->first, std::nullopt);
    // The weights equal those of the directory, and stay valid although the archive has been
    // deleted.
    const auto directory = ExpectOk(LoadAndRead(kModel));
    EXPECT_EQ(AllWeights(*model), AllWeights(*directory));
  }
}

TEST(ArgosPackage, IsReadUnpackedToo) {
  const TempDirectory directory;
  std::filesystem::create_directories(directory.path() + "/model");
  for (const char* file : {"model.bin", "config.json", "shared_vocabulary.json"}) {
    directory.Write(std::string("model/") + file, ReadTestFile(kModel + std::string(file)));
  }
  directory.Write("sentencepiece.model", ReadTestFile(kModel + std::string("sentencepiece.model")));
  directory.Write("metadata.json", R"({"from_code": "zt", "to_code": "pb"})");
  const auto model = ExpectOk(LoadModel(directory.path()));
  EXPECT_EQ(model->layout, "argos");
  // Argos Translate has its own language codes: zt and pb.
  EXPECT_EQ(model->languages.Pairs()[0].source, "zh-Hant");
  EXPECT_EQ(model->languages.Pairs()[0].target, "pt-BR");
  for (const char* code : {"zt", "zh-TW", "zh-Hant"}) {
    EXPECT_TRUE(model->languages.Resolve(code, "pb").ok()) << code;
  }
  EXPECT_FALSE(model->languages.Resolve("zh-CN", "pb").ok());
  directory.Remove("model/model.bin");
  EXPECT_THAT(LoadModel(directory.path()).status().ToString(),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("/model/model.bin: cannot be opened")));
}

TEST(ArgosPackage, ATargetPrefixBeginsEveryOutput) {
  Package package;
  const json pieces = json::parse(ReadTestFile(kModel + std::string("shared_vocabulary.json")));
  package.metadata["target_prefix"] = pieces[20];
  const auto model = ExpectOk(package.Load());
  EXPECT_EQ(model->languages.Resolve("de", "en")->first, 20);
  EXPECT_EQ(model->languages.Resolve("", "")->first, 20);
  EXPECT_THAT(model->tokenizer.special, ::testing::Contains(20));
  package.metadata["target_prefix"] = "no such piece";
  EXPECT_THAT(package.Fault(), HasSubstr("metadata.json: field 'target_prefix' is 'no such piece', "
                                         "expected a piece of the target's vocabulary"));
}

TEST(ArgosPackage, MetadataIsChecked) {
  const auto with = [](const char* field, const json& value) {
    Package package;
    package.metadata[field] = value;
    return package.Fault();
  };
  EXPECT_THAT(with("type", "sbd"),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("field 'type' is \"sbd\""),
                    HasSubstr("\"translate\"")));
  EXPECT_THAT(with("from_code", nullptr), HasSubstr("metadata.json: field 'from_code'"));
  EXPECT_THAT(with("to_code", 7), HasSubstr("metadata.json: field 'to_code'"));
  EXPECT_THAT(with("to_code", "not a code"), HasSubstr("expected a code of a language"));
  EXPECT_THAT(with("languages", json::parse(R"([{"code": "fr"}])")),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("field 'languages'")));
  Package package;
  package.metadata = nullptr;
  EXPECT_THAT(package.Fault(), AllOf(HasSubstr("NOT_FOUND"), HasSubstr("no metadata.json"),
                                     HasSubstr("sentencepiece.model and model/")));
  package.files.emplace_back("p/metadata.json", "{");
  EXPECT_THAT(package.Fault(), HasSubstr("metadata.json"));
  package.files.emplace_back("q/metadata.json", "{}");
  EXPECT_THAT(package.Fault(),
              HasSubstr("has 'p/metadata.json' and 'q/metadata.json', expected one"));
}

TEST(ArgosPackage, MissingFilesAreNamed) {
  const auto without = [](const std::string& file) {
    Package package;
    package.Remove(file);
    return package;
  };
  EXPECT_THAT(without("model/model.bin").Fault(),
              AllOf(HasSubstr("NOT_FOUND"), HasSubstr("de-en.argosmodel/p/model/model.bin")));
  EXPECT_THAT(without("model/config.json").Fault(), HasSubstr("/p/model/config.json"));
  EXPECT_THAT(without("model/shared_vocabulary.json").Fault(), HasSubstr("found no vocabulary"));
  Package package = without("sentencepiece.model");
  EXPECT_THAT(package.Fault(), HasSubstr("found no tokenizer"));
  package.files.emplace_back("p/bpe.model", "#version: 0.2");
  EXPECT_THAT(package.Fault(), AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("has bpe.model")));
}

TEST(ArgosPackage, DamagedArchivesAreRefused) {
  const Package whole;
  const std::string bytes = whole.Bytes();
  for (size_t size = 0; size < bytes.size(); size += 997) {
    EXPECT_FALSE(Package::Load(bytes.substr(0, size)).ok()) << size;
  }
  EXPECT_THAT(Package::Fault(bytes.substr(0, bytes.size() / 2)),
              HasSubstr("the end of the zip archive is missing"));
  EXPECT_THAT(Package::Fault("a text"), HasSubstr("a file that is no zip archive"));
  const auto with = [&](const std::function<void(ZipFile&)>& change) {
    Package package = whole;
    change(package.File("model/model.bin"));
    return package.Fault();
  };
  EXPECT_THAT(with([](ZipFile& file) { ++file.crc; }),
              AllOf(HasSubstr("/p/model/model.bin"), HasSubstr("its checksum is wrong")));
  EXPECT_THAT(with([](ZipFile& file) { ++file.size; }), HasSubstr("cut short"));
  EXPECT_THAT(with([](ZipFile& file) { --file.size; }), HasSubstr("data is damaged"));
  EXPECT_THAT(with([](ZipFile& file) { file.bytes.resize(file.bytes.size() / 2); }),
              HasSubstr("data is damaged"));
  EXPECT_THAT(with([](ZipFile& file) { file.bytes += "more"; }), HasSubstr("data is damaged"));
  EXPECT_THAT(with([](ZipFile& file) { file.bytes[0] = '\xff'; }), HasSubstr("data is damaged"));
  EXPECT_THAT(with([](ZipFile& file) { file.flags = 1; }),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("is encrypted")));
  EXPECT_THAT(with([](ZipFile& file) { file.method = 93; }),
              AllOf(HasSubstr("UNIMPLEMENTED"), HasSubstr("compressed by method 93")));
  // Files of the package that are not read may be damaged.
  Package package = whole;
  ++package.File("README.md").crc;
  package.File("stanza/resources.json").method = 93;
  EXPECT_TRUE(package.Load().ok());
}

TEST(ArgosPackage, NamesMayNotLeadOut) {
  for (const char* name : {"../p/x", "/etc/passwd", "p/../../x", "p\\x", ".."}) {
    Package package;
    package.files.emplace_back(name, "x");
    EXPECT_THAT(package.Fault(), HasSubstr("leads out of the archive")) << name;
  }
  Package package;
  package.files.emplace_back("p/..x/...", "x");
  EXPECT_TRUE(package.Load().ok());
}

TEST(ArgosPackage, SizesAreBounded) {
  Package package;
  package.File("model/config.json") =
      ZipFile("p/model/config.json", std::string(2 << 20, ' ') + "{}");
  EXPECT_THAT(package.Fault(), HasSubstr("/p/model/config.json: 2097154 bytes, expected at most"));
  package = Package();
  package.File("model/model.bin") = ZipFile("p/model/model.bin", std::string(2 << 20, '\0'));
  EXPECT_THAT(package.Fault(), HasSubstr("expected a 100th or more"));
  package = Package();
  package.File("model/model.bin").size = 0xfffffff0;  // almost 4 GiB
  EXPECT_THAT(package.Fault(), HasSubstr("expected a 100th or more"));
}

TEST(ZipEntry, NothingIsGivenBeyondTheSize) {
  const std::string data(1000, 'x');
  for (const uint16_t method : {kZipStored, kZipDeflate}) {
    const ZipFile file("x", data, method);
    ZipEntry entry{
        .stored = Bytes(file.bytes), .size = file.size, .crc = file.crc, .method = file.method};
    std::string read;
    const ZipSink sink = [&read](std::span<const uint8_t> bytes) {
      read.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return absl::OkStatus();
    };
    EXPECT_TRUE(ReadZipEntry("x", entry, 1000, sink).ok());
    EXPECT_EQ(read, data);
    read.clear();
    EXPECT_FALSE(ReadZipEntry("x", entry, 999, sink).ok());
    EXPECT_EQ(read, "");
    entry.size = 10;
    if (method == kZipDeflate) {
      EXPECT_FALSE(ReadZipEntry("x", entry, 1000, sink).ok());
      EXPECT_EQ(read, "");
    }
    // An error of the sink ends the read.
    entry.size = 1000;
    const auto full = [](std::span<const uint8_t>) { return absl::ResourceExhaustedError("full"); };
    EXPECT_EQ(ReadZipEntry("x", entry, 1000, full).message(), "full");
  }
}

}  // namespace
}  // namespace dragoman::engine

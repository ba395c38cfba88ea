#include "server/settings/models_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ModelsFileTest : public ::testing::Test {
 protected:
  std::string Error(const std::string& text) const {
    directory_.Write("models.json", text);
    return std::string(ReadModelsFile(path_).status().message());
  }

  // The settings with these flags and the file.
  absl::StatusOr<ServerConfig> Parse(std::vector<std::string> flags) const {
    flags.insert(flags.end(), {"--models-file", path_});
    absl::StatusOr<CommandLine> command = ParseCommandLine(flags);
    if (!command.ok()) return command.status();
    return command->config;
  }

  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/models.json";
};

DesiredModels Example() {
  DesiredModels desired;
  DesiredModel& german = desired.models["de-en"];
  german.directory = std::string("/m/2");
  german.settings["max-rows"] = "64";
  german.canary = DesiredCanary{std::string("/m/3"), {{"pin", "off"}}, 1250};
  desired.models["fr-en"].settings["cpu-workers"] = "2";
  desired.unloaded.insert("it-en");
  return desired;
}

TEST_F(ModelsFileTest, IsReadAsItWasWritten) {
  EXPECT_EQ(*ReadModelsFile(path_), DesiredModels());  // not there: it says nothing
  ASSERT_TRUE(WriteModelsFile(path_, Example()).ok());
  EXPECT_EQ(*ReadModelsFile(path_), Example());
  struct stat found {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0644U);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 1);
}

TEST_F(ModelsFileTest, ALinkStaysAndItsFileKeepsItsPermissions) {
  const std::string real = directory_.Write("kept/real.json", "{}");
  ASSERT_EQ(chmod(real.c_str(), 0640), 0);
  fs::create_symlink(real, path_);
  ASSERT_TRUE(WriteModelsFile(path_, Example()).ok());
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(*ReadModelsFile(real), Example());
  struct stat found {};
  ASSERT_EQ(stat(real.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0640U);
}

TEST_F(ModelsFileTest, WhatCannotBeWrittenSaysSo) {
  const std::string nowhere = directory_.path() + "/none/models.json";
  const absl::Status check = CheckModelsFileWritable(nowhere);
  EXPECT_EQ(check.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(check.message()), AllOf(HasSubstr("--admin-writes"), HasSubstr("/none")));
  EXPECT_EQ(WriteModelsFile(nowhere, Example()).code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(CheckModelsFileWritable(path_).ok());
}

TEST_F(ModelsFileTest, NamesThePlaceThatIsWrong) {
  EXPECT_THAT(Error("{"), HasSubstr("models.json"));
  EXPECT_THAT(Error("[]"), HasSubstr("expected a JSON object"));
  EXPECT_THAT(Error(R"({"model": []})"), HasSubstr("'model': found an unknown key"));
  EXPECT_THAT(Error(R"({"models": {}})"), HasSubstr("models: found object, expected an array"));
  EXPECT_THAT(Error(R"({"models": [{"directory": "/m"}]})"),
              HasSubstr("models[0]: name: found ''"));
  EXPECT_THAT(Error(R"({"models": [{"name": "a"}, {"name": "a"}]})"), HasSubstr("a second 'a'"));
  EXPECT_THAT(Error(R"({"models": [{"name": "a", "settings": {"max-rows": 64}}]})"),
              HasSubstr("models[0]: settings: max-rows: found number, expected a string"));
  EXPECT_THAT(Error(R"({"models": [{"name": "a", "canary": {"directory": "/c"}}]})"),
              HasSubstr("canary: percent: found nothing"));
  EXPECT_THAT(
      Error(R"({"models": [{"name": "a", "canary": {"directory": "/c", "percent": 100.5}}]})"),
      HasSubstr("percent: found 100.5, expected 0 to 100"));
  EXPECT_THAT(Error(R"({"unloaded": ["a b"]})"), HasSubstr("unloaded[0]: found \"a b\""));
  EXPECT_THAT(Error(R"({"models": [{"name": "a"}], "unloaded": ["a"]})"), HasSubstr("'a'"));
}

TEST_F(ModelsFileTest, PercentsHaveTwoDigits) {
  EXPECT_EQ(ShareOfPercent(0), 0);
  EXPECT_EQ(ShareOfPercent(12.34), 1234);
  EXPECT_EQ(ShareOfPercent(100), 10'000);
  for (const double wrong : {-1.0, 100.01, 0.001, 1e300}) {
    EXPECT_EQ(ShareOfPercent(wrong), std::nullopt) << wrong;
  }
}

TEST_F(ModelsFileTest, WinsOverTheFlagsNameByName) {
  ASSERT_TRUE(WriteModelsFile(path_, Example()).ok());
  const auto config = Parse({"--model", "de-en=/m/1", "--model", "it-en=/m/it", "--model",
                             "fr-en=/m/fr", "--max-rows", "32"});
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->models.size(), 2U);
  EXPECT_EQ(config->models[0].model_name, "de-en");
  EXPECT_EQ(config->models[0].model_directory, "/m/2");
  EXPECT_EQ(config->models[0].max_rows, 64);
  EXPECT_EQ(config->models[1].model_directory, "/m/fr");
  EXPECT_EQ(config->models[1].max_rows, 32);
  EXPECT_EQ(config->models[1].cpu_workers, 2);
  ASSERT_EQ(config->canaries.size(), 1U);
  EXPECT_EQ(config->canaries[0].model.model_directory, "/m/3");
  EXPECT_EQ(config->canaries[0].model.max_rows, 64);
  EXPECT_EQ(config->canaries[0].model.pin, Pinning::kOff);
  EXPECT_EQ(config->canaries[0].share, 1250);
  EXPECT_EQ(config->configured.size(), 3U);
  // A model that no flag names is the file's alone.
  const auto alone = Parse({"--model", "fr-en=/m/fr", "--model", "x=/m/x"});
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ(alone->models.back().model_name, "de-en");
}

TEST_F(ModelsFileTest, ADirectoryMustBeSomewhereAndAModelLeft) {
  DesiredModels desired;
  desired.models["fr-en"].settings["cpu-workers"] = "2";
  ASSERT_TRUE(WriteModelsFile(path_, desired).ok());
  EXPECT_THAT(std::string(Parse({"--model", "x=/m/x"}).status().message()),
              AllOf(HasSubstr("--models-file"), HasSubstr("model fr-en: found no directory")));
  desired.models.clear();
  desired.unloaded = {"x"};
  ASSERT_TRUE(WriteModelsFile(path_, desired).ok());
  EXPECT_THAT(std::string(Parse({"--model", "x=/m/x"}).status().message()),
              HasSubstr("nothing that --models-file does not unload"));
  EXPECT_THAT(
      std::string(ParseCommandLine({"--model", "x=/m", "--admin-writes", "on"}).status().message()),
      HasSubstr("expected --models-file with it"));
}

}  // namespace
}  // namespace dragoman

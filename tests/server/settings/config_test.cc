#include "server/settings/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/process/cpu_topology.h"
#include "server/process/engine_settings.h"
#include "server/settings/option_table.h"
#include "server/settings/option_values.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAreArray;

// Parses the flags `args`, followed by --config with a file of this text.
absl::StatusOr<CommandLine> ParseFile(const std::string& text, std::vector<std::string> args = {}) {
  const TempDirectory directory;
  args.insert(args.end(), {"--config", directory.Write("config.json", text)});
  return ParseCommandLine(args);
}

std::string Refusal(const absl::StatusOr<CommandLine>& command) {
  EXPECT_FALSE(command.ok());
  EXPECT_EQ(command.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(command.status().message());
}

std::string ErrorOf(const std::vector<std::string>& args) {
  return Refusal(ParseCommandLine(args));
}

std::string FileErrorOf(const std::string& text) { return Refusal(ParseFile(text)); }

TEST(Config, HasTheDefaultsOfTheContract) {
  const auto command = ExpectOk(ParseCommandLine({"--model", "models/de-en/"}));
  const ServerConfig& config = command->config;
  EXPECT_EQ(command->mode, CommandMode::kServe);
  EXPECT_EQ(config.model_name, "de-en");
  EXPECT_EQ(config.model_directory, "models/de-en/");
  EXPECT_TRUE(config.devices.automatic);
  EXPECT_FALSE(config.devices.compute_type.has_value());
  EXPECT_EQ(config.device_memory_fraction, 0.9);
  EXPECT_EQ(config.max_rows, 0);
  EXPECT_EQ(config.max_queue_segments, 4096);
  EXPECT_EQ(config.max_queue_tokens, 131'072);
  EXPECT_EQ(config.max_items, 1024);
  EXPECT_EQ(config.max_code_points, 30'000);
  EXPECT_EQ(config.default_profile, engine::Profile::kHf);
  EXPECT_EQ(config.glossary_dir, "");
  EXPECT_EQ(config.drain_seconds, 30);
  EXPECT_EQ(config.lame_duck_seconds, 0);
  EXPECT_EQ(config.longest_call_seconds, 120);
  EXPECT_EQ(config.connection_age_seconds, 300);
}

TEST(Config, ReadsEveryFlagInBothForms) {
  const auto command = ExpectOk(ParseCommandLine({"--model=big=/m/x",
                                                  "--listen",
                                                  "127.0.0.1:0",
                                                  "--metrics=off",
                                                  "--device",
                                                  "cpu",
                                                  "--compute-type=float32",
                                                  "--device-memory-fraction=0.75",
                                                  "--max-rows=64",
                                                  "--cpu-workers",
                                                  "2",
                                                  "--threads-per-worker=3",
                                                  "--max-queue-segments=10",
                                                  "--max-queue-tokens=20",
                                                  "--kv-memory-mb=30",
                                                  "--drain-seconds=0",
                                                  "--lame-duck-seconds=12",
                                                  "--longest-call-seconds=1",
                                                  "--default-profile",
                                                  "paper",
                                                  "--glossary-dir=/g",
                                                  "--tls-cert=/t/crt",
                                                  "--tls-key=/t/key",
                                                  "--tls-client-ca=/t/ca",
                                                  "--metrics-tls=mutual",
                                                  "--api-keys=/t/keys",
                                                  "--max-connections-per-peer=5",
                                                  "--log-level",
                                                  "debug"}));
  const ServerConfig& config = command->config;
  EXPECT_EQ(config.model_name, "big");
  EXPECT_EQ(config.model_directory, "/m/x");
  EXPECT_EQ(config.listen, (Address{.host = "127.0.0.1"}));
  EXPECT_EQ(config.metrics, std::nullopt);
  EXPECT_EQ(engine::DeviceText(config.devices), "cpu");
  EXPECT_EQ(config.devices.compute_type, kernels::ComputeType::kFloat32);
  EXPECT_EQ(config.device_memory_fraction, 0.75);
  EXPECT_EQ(config.max_rows, 64);
  EXPECT_EQ(config.cpu_workers, 2);
  EXPECT_EQ(config.threads_per_worker, 3);
  EXPECT_EQ(config.max_queue_segments, 10);
  EXPECT_EQ(config.max_queue_tokens, 20);
  EXPECT_EQ(config.kv_memory_mb, 30);
  EXPECT_EQ(config.drain_seconds, 0);
  EXPECT_EQ(config.lame_duck_seconds, 12);
  EXPECT_EQ(config.longest_call_seconds, 1);
  EXPECT_EQ(config.default_profile, engine::Profile::kPaper);
  EXPECT_EQ(config.glossary_dir, "/g");
  EXPECT_EQ(config.tls_cert, "/t/crt");
  EXPECT_EQ(config.tls_key, "/t/key");
  EXPECT_EQ(config.tls_client_ca, "/t/ca");
  EXPECT_EQ(config.metrics_tls, HttpTlsMode::kMutual);
  EXPECT_EQ(config.api_keys, "/t/keys");
  EXPECT_EQ(config.max_connections_per_peer, 5);
  EXPECT_EQ(config.log_level, LogLevel::kDebug);
}

TEST(Config, FlagsWinOverTheFile) {
  const auto command = ExpectOk(
      ParseFile(R"({"model": "a=/m/a", "max-rows": 8, "drain-seconds": 7})", {"--max-rows=9"}));
  EXPECT_EQ(command->config.model_name, "a");
  EXPECT_EQ(command->config.max_rows, 9);
  EXPECT_EQ(command->config.drain_seconds, 7);
}

TEST(Config, WhatItPrintsIsAConfigurationFile) {
  const auto command =
      ExpectOk(ParseCommandLine({"--model=x=/m", "--max-items=7", "--check-config"}));
  EXPECT_EQ(command->mode, CommandMode::kCheckConfig);
  const auto again = ExpectOk(ParseFile(ConfigToJson(command->config)));
  EXPECT_EQ(ConfigToJson(again->config), ConfigToJson(command->config));
  EXPECT_EQ(again->config.max_items, 7);
}

TEST(Config, RefusesFlagsItDoesNotUnderstand) {
  EXPECT_THAT(ErrorOf({}),
              AllOf(HasSubstr("--model: found nothing"), HasSubstr("dragoman fetch en-pt")));
  EXPECT_THAT(
      ErrorOf({"--model=x", "--nonsense=1"}),
      HasSubstr(
          "'--nonsense=1': found an unknown flag, expected one of those that dragomand --help"));
  EXPECT_THAT(ErrorOf({"--model=x", "extra"}), HasSubstr("'extra'"));
  EXPECT_THAT(ErrorOf({"--model=x", "--max-rows"}), HasSubstr("--max-rows: found no value"));
  EXPECT_THAT(ErrorOf({"--model=x", "--max-rows=ten"}),
              AllOf(HasSubstr("--max-rows"), HasSubstr("'ten'"), HasSubstr("0..4096")));
  EXPECT_THAT(ErrorOf({"--model=x", "--max-rows=10x"}), HasSubstr("'10x'"));
  EXPECT_THAT(ErrorOf({"--model=x", "--max-rows=-1"}), HasSubstr("found -1, expected 0..4096"));
  EXPECT_THAT(ErrorOf({"--model=x", "--max-rows=99999999999999999999"}), HasSubstr("whole number"));
  EXPECT_THAT(ErrorOf({"--model=x", "--help=yes"}), HasSubstr("no value"));
  EXPECT_THAT(ErrorOf({"--model=x", "--listen=nowhere"}), HasSubstr("host:port"));
  EXPECT_THAT(ErrorOf({"--model=x", "--metrics=:70000"}), HasSubstr("--metrics"));
  EXPECT_THAT(ErrorOf({"--model=x", "--log-level=loud"}), HasSubstr("'loud'"));
}

TEST(Config, SpansGoToAUrl) {
  const auto command = ParseCommandLine({"--model=x", "--otlp", "http://collector:4317"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->config.otlp, (HttpUrl{.address = {.host = "collector", .port = 4317}}));
  const auto hosted = ParseCommandLine({"--model=x", "--otlp", "https://otlp.example.org/"});
  ASSERT_TRUE(hosted.ok()) << hosted.status();
  EXPECT_EQ(hosted->config.otlp, ParseHttpUrl("https://otlp.example.org:443"));
  for (const char* wrong :
       {"collector:4317", "http://collector", "http://:4317", "http://collector:0",
        "http://collector:65536", "https://c:1/?key=a", "http://user@collector:4317",
        "http://c:4318/v1/traces", "http://collector:43x8", "http://a b:1"}) {
    EXPECT_THAT(ErrorOf({"--model=x", "--otlp", wrong}),
                AllOf(HasSubstr("--otlp: found"), HasSubstr(wrong), HasSubstr("http://HOST:PORT")));
  }
}

TEST(Config, AChecksumIsHexadecimal) {
  const std::string sum(62, '0');
  const auto command =
      ExpectOk(ParseCommandLine({"--model=x", "--language-model-sha256", sum + "aF"}));
  EXPECT_EQ(command->config.language_model_sha256, sum + "af");
  for (const std::string& wrong : {sum, sum + "0g", sum + "000"}) {
    EXPECT_THAT(ErrorOf({"--model=x", "--language-model-sha256", wrong}),
                AllOf(HasSubstr("--language-model-sha256: found '"),
                      HasSubstr("expected 64 hexadecimal digits")));
  }
}

TEST(Config, RefusesHalfOfTls) {
  EXPECT_THAT(ErrorOf({"--model=x", "--tls-cert=c"}), HasSubstr("--tls-key: found nothing"));
  EXPECT_THAT(ErrorOf({"--model=x", "--tls-key=k"}), HasSubstr("--tls-cert: found nothing"));
  EXPECT_THAT(ErrorOf({"--model=x", "--tls-client-ca=a"}), HasSubstr("expected --tls-cert"));
  EXPECT_THAT(ErrorOf({"--model=x", "--metrics-tls=on"}), HasSubstr("expected --tls-cert"));
  EXPECT_THAT(ErrorOf({"--model=x", "--tls-cert=c", "--tls-key=k", "--metrics-tls=mutual"}),
              HasSubstr("expected --tls-client-ca"));
  EXPECT_THAT(ErrorOf({"--model=x", "--metrics-tls=yes"}),
              AllOf(HasSubstr("'yes'"), HasSubstr("off, on or mutual")));
}

TEST(Config, AFetchedModelIsServedByItsName) {
  const TempDirectory directory;
  directory.Write("en-pt/.dragoman-fetch.json", "{}");
  directory.Write("half/config.json", "{}");
  setenv("DRAGOMAN_MODELS", directory.path().c_str(), 1);
  const auto directory_of = [](const std::string& model) {
    const absl::StatusOr<CommandLine> command = ParseCommandLine({"--model=" + model});
    return command.ok() ? command->config.models[0].model_name + " " +
                              command->config.models[0].model_directory
                        : std::string(command.status().message());
  };
  EXPECT_EQ(directory_of("en-pt"), "en-pt " + directory.path() + "/en-pt");
  EXPECT_EQ(directory_of("news=en-pt"), "news " + directory.path() + "/en-pt");
  EXPECT_EQ(directory_of("./en-pt"), "en-pt ./en-pt");
  EXPECT_EQ(directory_of("half"), "half half");
  unsetenv("DRAGOMAN_MODELS");
}

std::vector<std::string> NamesOf(const absl::StatusOr<CommandLine>& command) {
  if (!command.ok()) return {std::string(command.status().message())};
  std::vector<std::string> names;
  for (const ModelSettings& model : command->config.models) names.push_back(model.model_name);
  return names;
}

TEST(Config, TakesSeveralModelsTheDefaultFirst) {
  EXPECT_THAT(NamesOf(ParseCommandLine({"--model=/m/a", "--model=b=/m/x"})), ElementsAre("a", "b"));
  const auto command = ParseCommandLine(
      {"--model=/m/a", "--model=b=/m/x", "--model=c=/m/c", "--default-model=b", "--max-rows=8"});
  EXPECT_THAT(NamesOf(command), ElementsAre("b", "a", "c"));
  EXPECT_EQ(command->config.model_name, "b");
  EXPECT_EQ(command->config.models[0].model_directory, "/m/x");
  EXPECT_EQ(command->config.models[2].max_rows, 8);
  EXPECT_THAT(ErrorOf({"--model=/m/a", "--model=/n/a"}), HasSubstr("two models named 'a'"));
  EXPECT_THAT(ErrorOf({"--model=/m/a", "--default-model=b"}),
              AllOf(HasSubstr("--default-model: found 'b'"), HasSubstr("one of a")));
}

TEST(Config, AModelOfTheFileHasSettingsOfItsOwn) {
  const auto command = ParseFile(R"({
    "max-rows": 16, "pivot": "a+b", "models": [
      {"name": "a", "directory": "/m/a", "max-rows": 4, "kv-memory-mb": 100},
      {"name": "b", "directory": "/m/b", "device-memory-fraction": 0.25}]})",
                                 {"--device=cpu", "--model=c=/m/c"});
  EXPECT_THAT(NamesOf(command), ElementsAre("c", "a", "b"));
  const std::vector<ModelSettings>& models = command->config.models;
  EXPECT_EQ(models[0].max_rows, 16);
  EXPECT_EQ(models[1].max_rows, 4);
  EXPECT_EQ(models[1].kv_memory_mb, 100);
  EXPECT_EQ(engine::DeviceText(models[1].devices),
            "cpu");  // flags apply to all models that do not set the value themselves
  EXPECT_FALSE(models[1].own_device_memory_fraction);
  EXPECT_EQ(models[2].device_memory_fraction, 0.25);
  EXPECT_TRUE(models[2].own_device_memory_fraction);
  ASSERT_EQ(command->config.pivots.size(), 1U);
  EXPECT_EQ(command->config.pivots[0].name, "a+b");
  EXPECT_EQ(command->config.pivots[0].second, "b");

  EXPECT_THAT(FileErrorOf(R"({"models": {}})"), HasSubstr("models: found object"));
  EXPECT_THAT(FileErrorOf(R"({"models": [7]})"), HasSubstr("models[0]: found number"));
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "a"}]})"), HasSubstr("directory: found nothing"));
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "a b", "directory": "/m"}]})"),
              HasSubstr("name: found 'a b'"));
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "a", "directory": "/m", "listen": "x:1"}]})"),
              AllOf(HasSubstr("'listen'"), HasSubstr("no setting of a model")));
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "a", "directory": "/m", "max-rows": "8"}]})"),
              HasSubstr("models[0]: max-rows: found string"));
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "a", "directory": "/m", "device": "tpu"}]})"),
              HasSubstr("models[0]: device: found 'tpu'"));
}

TEST(Config, ADirectoryOfModelsServesThoseThatHaveAConfiguration) {
  namespace fs = std::filesystem;
  const TempDirectory directory;
  const fs::path root = directory.path();
  for (const char* name : {"fr-en", "de-en", "notes"}) fs::create_directories(root / name);
  for (const char* name : {"fr-en", "de-en"}) std::ofstream(root / name / "config.json") << "{}";
  const auto command = ParseCommandLine({"--models-dir", root.string()});
  EXPECT_THAT(NamesOf(command), ElementsAre("de-en", "fr-en"));
  // Marian's models have no config.json.
  for (const char* file : {"firefox/model.deen.intgemm.alphas.bin", "opus/opus.npz"}) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "";
  }
  EXPECT_THAT(NamesOf(ParseCommandLine({"--models-dir", root.string()})),
              ElementsAre("de-en", "firefox", "fr-en", "opus"));
  EXPECT_EQ(command->config.models[1].model_directory, (root / "fr-en").string());
  // Argos' packages are files, or folders with a metadata.json.
  fs::create_directories(root / "unpacked");
  for (const char* file : {"it-en.argosmodel", "notes.txt", "unpacked/metadata.json"}) {
    std::ofstream(root / file) << "";
  }
  const auto packages = ParseCommandLine({"--models-dir", root.string()});
  EXPECT_THAT(NamesOf(packages),
              ElementsAre("de-en", "firefox", "fr-en", "it-en", "opus", "unpacked"));
  EXPECT_EQ(packages->config.models[3].model_directory, (root / "it-en.argosmodel").string());
  EXPECT_THAT(NamesOf(ParseCommandLine({"--model", (root / "it-en.argosmodel").string()})),
              ElementsAre("it-en"));
  EXPECT_THAT(ErrorOf({"--models-dir", (root / "notes").string()}), HasSubstr("no model in"));
  EXPECT_THAT(ErrorOf({"--models-dir", (root / "none").string()}),
              HasSubstr("a directory that can be read"));
  fs::create_directories(root / "a b");
  std::ofstream(root / "a b" / "config.json") << "{}";
  EXPECT_THAT(ErrorOf({"--models-dir", root.string()}), HasSubstr("the name 'a b'"));
  fs::create_directories(root / "it-en");
  std::ofstream(root / "it-en" / "config.json") << "{}";
  EXPECT_THAT(ErrorOf({"--models-dir", root.string()}), HasSubstr("two models named it-en"));
  fs::remove_all(root);
}

TEST(Config, PivotsNameTwoModels) {
  const auto command = ExpectOk(
      ParseCommandLine({"--model=a=/m", "--model=b=/m", "--pivot=de-fr=a+b", "--pivot", "b+a"}));
  ASSERT_EQ(command->config.pivots.size(), 2U);
  EXPECT_EQ(command->config.pivots[0].name, "de-fr");
  EXPECT_EQ(command->config.pivots[0].first, "a");
  EXPECT_EQ(command->config.pivots[1].name, "b+a");
  for (const char* wrong : {"a", "a+", "a+c", "x y=a+b", "=a+b", "a+b+a"}) {
    EXPECT_THAT(ErrorOf({"--model=a=/m", "--model=b=/m", "--pivot", wrong}),
                HasSubstr("two of the models a, b"))
        << wrong;
  }
  EXPECT_THAT(ErrorOf({"--model=a=/m", "--model=b=/m", "--pivot=a=b+b"}),
              HasSubstr("a second model named 'a'"));
}

TEST(Config, EnsemblesAreModelsOfSeveralDirectories) {
  const auto command =
      ParseCommandLine({"--model=a=/m/a", "--ensemble=all=a,/m/b,c", "--ensemble-weights=2,1,0.5",
                        "--ensemble", "two=x,y", "--ensemble-mean=log-probability"});
  EXPECT_THAT(std::string(command.status().message()),
              HasSubstr("--ensemble-weights: found '2,1,0.5', expected 2 weights, one for each "
                        "member of two"));
  const auto good = ExpectOk(ParseCommandLine(
      {"--model=a=/m/a", "--ensemble=all=a,/m/b,c", "--ensemble-weights=2,1,0.5"}));
  EXPECT_THAT(NamesOf(good), ElementsAre("a", "all"));
  const ModelSettings& all = good->config.models[1];
  EXPECT_EQ(all.model_directory, "/m/a");  // the directory of model a
  const engine::EnsembleChoice choice = all.ensemble;
  EXPECT_THAT(choice.directories, ElementsAre("/m/b", "c"));
  EXPECT_THAT(choice.weights, ElementsAre(2, 1, 0.5));
  EXPECT_EQ(choice.mean, kernels::MeanKind::kProbability);
  EXPECT_TRUE(good->config.models[0].ensemble.directories.empty());

  // An ensemble as the only model, and as a model of the file.
  EXPECT_THAT(NamesOf(ParseCommandLine({"--ensemble=e=x,y"})), ElementsAre("e"));
  const auto with =
      ExpectOk(ParseFile(R"({"models": [{"name": "e", "directory": ["x", "y", "z"]}]})"));
  EXPECT_EQ(with->config.models[0].model_directory, "x");
  EXPECT_THAT(with->config.models[0].ensemble.directories, ElementsAre("y", "z"));
  for (const char* wrong : {"[]", "[1]", "[\"x\", \"\"]", "1", "\"\"",
                            R"(["1", "2", "3", "4", "5", "6", "7", "8", "9"])"}) {
    EXPECT_THAT(
        FileErrorOf(absl::StrCat(R"({"models": [{"name": "e", "directory": )", wrong, "}]}")),
        HasSubstr("models[0]: directory: found"))
        << wrong;
  }
  // The printed settings parse to the same settings.
  const auto again = ExpectOk(ParseFile(ConfigToJson(good->config)));
  EXPECT_THAT(NamesOf(again), ElementsAre("a", "all"));
  EXPECT_TRUE(SameSettings(again->config.models[1], all));
  for (const char* wrong : {"x,y", "e=x", "e=", "e=x,,y", "e=a,b,c,d,e,f,g,h,i", "e e=x,y"}) {
    EXPECT_THAT(ErrorOf({"--ensemble", wrong}), HasSubstr("NAME=DIR,DIR with 2 to 8 members"))
        << wrong;
  }
  for (const char* wrong : {"0,1", "-1,1", "x,1", "nan,1", "inf,1", "1,"}) {
    EXPECT_THAT(ErrorOf({"--ensemble=e=x,y", "--ensemble-weights", wrong}),
                HasSubstr("a number above 0"))
        << wrong;
  }
  EXPECT_THAT(ErrorOf({"--ensemble=e=x,y", "--ensemble-mean=median"}),
              HasSubstr("probability or log-probability"));
  EXPECT_THAT(ErrorOf({"--model=e=x", "--ensemble=e=x,y"}), HasSubstr("two models named 'e'"));
  EXPECT_THAT(
      OverrideSettings(with->config.models[0], {{"ensemble-weights", "1,2"}}).status().message(),
      HasSubstr("expected 3 weights"));
}

TEST(Config, ShortlistsAreOfOneModelOnTheCpu) {
  EXPECT_EQ(ParseCommandLine({"--model=x"})->config.models[0].lexical_shortlist, false);
  const auto one = ExpectOk(ParseFile(R"({"models": [
      {"name": "a", "directory": "/m/a", "lexical-shortlist": "on"}, {"name": "b", "directory": "/m/b"}]})"));
  EXPECT_EQ(one->config.models[0].lexical_shortlist, true);
  EXPECT_EQ(one->config.models[1].lexical_shortlist, false);
  for (const bool is_on : {true, false}) {
    EXPECT_EQ(MakeEngineConfig(one->config.models[is_on ? 0 : 1], {}, {}).lexical_shortlist, is_on);
  }
  EXPECT_THAT(ErrorOf({"--model=x", "--lexical-shortlist=yes"}),
              HasSubstr("--lexical-shortlist: found 'yes', expected off or on"));
  EXPECT_THAT(ErrorOf({"--ensemble=e=x,y", "--lexical-shortlist=on"}),
              HasSubstr("--lexical-shortlist: found on for the ensemble e, expected off"));
  EXPECT_THAT(ErrorOf({"--model=x", "--device=cuda:1", "--lexical-shortlist=on"}),
              HasSubstr("--lexical-shortlist: found on with --device cuda:1, expected off"));
  EXPECT_THAT(FileErrorOf(R"({"models": [
      {"name": "e", "directory": ["/m/a", "/m/b"], "lexical-shortlist": "on"}]})"),
              HasSubstr("--lexical-shortlist"));
}

TEST(Config, TokenizersAreChosenByModel) {
  EXPECT_EQ(ParseCommandLine({"--model=x"})->config.models[0].tokenizer,
            engine::TokenizerChoice::kAuto);
  const auto some = ExpectOk(ParseFile(R"({"tokenizer": "fast", "models": [
      {"name": "a", "directory": "/m/a", "tokenizer": "slow"}, {"name": "b", "directory": "/m/b"}]})"));
  EXPECT_EQ(MakeEngineConfig(some->config.models[0], {}, {}).tokenizer,
            engine::TokenizerChoice::kSlow);
  EXPECT_EQ(MakeEngineConfig(some->config.models[1], {}, {}).tokenizer,
            engine::TokenizerChoice::kFast);
  EXPECT_THAT(ErrorOf({"--model=x", "--tokenizer=quick"}),
              HasSubstr("--tokenizer: found 'quick', expected auto, slow or fast"));
  const auto changed = ExpectOk(OverrideSettings(some->config.models[0], {{"tokenizer", "fast"}}));
  EXPECT_EQ(changed->tokenizer, engine::TokenizerChoice::kFast);
  EXPECT_THAT(OverrideSettings(some->config.models[0], {{"tokenizer", ""}}).status().message(),
              HasSubstr("settings: tokenizer: found ''"));
}

TEST(Config, AdministrationListensOnTheLoopbackOnly) {
  EXPECT_EQ(ParseCommandLine({"--model=x"})->config.admin_listen, std::nullopt);
  for (const char* address : {"127.0.0.1:0", "localhost:50052", "[::1]:1", "unix:/run/admin"}) {
    EXPECT_TRUE(ParseCommandLine({"--model=x", "--admin-listen", address}).ok()) << address;
  }
  for (const char* address : {"0.0.0.0:50052", "10.0.0.1:1", "127.0.0.1", "127.0.0.1.evil.org:1"}) {
    EXPECT_THAT(ErrorOf({"--model=x", "--admin-listen", address}), HasSubstr("--admin-listen"))
        << address;
  }
}

TEST(Config, SettingsOfAModelCanBeReplacedByName) {
  ModelSettings base;
  base.model_name = "a";
  const auto model = ExpectOk(OverrideSettings(base, {{"max-rows", "8"}, {"device", "cpu"}}));
  EXPECT_EQ(model->model_name, "a");
  EXPECT_EQ(model->max_rows, 8);
  EXPECT_EQ(engine::DeviceText(model->devices), "cpu");
  const auto error = [&base](const char* name, const char* value) {
    return std::string(OverrideSettings(base, {{name, value}}).status().message());
  };
  EXPECT_THAT(error("listen", "x:1"), HasSubstr("no setting of a model"));
  EXPECT_THAT(error("max-rows", "many"), HasSubstr("'many'"));
  EXPECT_THAT(error("schedule", R"({"refill": "fifo"})"),
              HasSubstr("settings: schedule: refill: found 'fifo'"));
  EXPECT_THAT(error("schedule", "{"), HasSubstr("not valid JSON"));
  const auto scheduled =
      ExpectOk(OverrideSettings(base, {{"schedule", R"({"refill": "static"})"}}));
  EXPECT_EQ(scheduled->scheduler.refill, engine::RefillRule::kStatic);
}

TEST(Config, RefusesDevicesAndComputeTypesItDoesNotKnow) {
  EXPECT_THAT(ErrorOf({"--model=x", "--device=tpu"}),
              AllOf(HasSubstr("--device: found 'tpu'"), HasSubstr("auto, cpu, or cuda:N")));
  EXPECT_THAT(ErrorOf({"--model=x", "--device=cuda:0,cuda:0"}), HasSubstr("each device once"));
  EXPECT_THAT(ErrorOf({"--model=x", "--compute-type=int4"}),
              AllOf(HasSubstr("--compute-type: found 'int4'"),
                    HasSubstr("auto, float32, float16, bfloat16 or int8")));
  EXPECT_THAT(ErrorOf({"--model=x", "--pin=all"}),
              AllOf(HasSubstr("--pin: found 'all'"), HasSubstr("auto, off or cores")));
  EXPECT_THAT(ErrorOf({"--model=x", "--device=cpu", "--compute-type=float16"}),
              AllOf(HasSubstr("'float16'"), HasSubstr("float32, bfloat16 or int8 on the CPU")));
}

TEST(Config, ADeviceMemoryFractionIsAboveZeroAndAtMostOne) {
  for (const char* fraction : {"0", "-0.5", "1.01", "nan"}) {
    EXPECT_THAT(ErrorOf({"--model=x", "--device-memory-fraction", fraction}),
                HasSubstr("above 0 and up to 1"));
  }
  EXPECT_THAT(ErrorOf({"--model=x", "--device-memory-fraction=most"}),
              AllOf(HasSubstr("'most'"), HasSubstr("a number")));
  EXPECT_THAT(FileErrorOf(R"({"device-memory-fraction": "0.5"})"), HasSubstr("a number"));
  const auto command = ExpectOk(ParseFile(R"({"device-memory-fraction": 0.5})", {"--model=x"}));
  EXPECT_EQ(command->config.device_memory_fraction, 0.5);
}

TEST(Config, NamesModelsByTheirDirectory) {
  const auto name = [](const std::string& model) {
    const auto command = ParseCommandLine({"--model", model});
    return command.ok() ? command->config.model_name : std::string(command.status().message());
  };
  EXPECT_EQ(name("/models/opus-mt-de-en"), "opus-mt-de-en");
  EXPECT_EQ(name("/models/opus-mt-de-en///"), "opus-mt-de-en");
  EXPECT_EQ(name("/models/a/../b"), "b");
  EXPECT_EQ(name("/weird=dir/b"), "b");
  EXPECT_EQ(name("n=/weird=dir/b"), "n");
  EXPECT_EQ(name("."), std::filesystem::current_path().filename().string());
  EXPECT_THAT(name("/"), HasSubstr("the name ''"));
  EXPECT_THAT(name("=dir"), HasSubstr("the name ''"));
  EXPECT_THAT(name("n="), HasSubstr("a directory after NAME="));
  EXPECT_THAT(name("/m/two words"), HasSubstr("'two words'"));
  // "." and ".." are not names, and a path made of them leads elsewhere.
  EXPECT_THAT(name(".=/m/a"), HasSubstr("the name '.'"));
  EXPECT_THAT(name("..=/m/a"), HasSubstr("the name '..'"));
  EXPECT_EQ(name("...=/m/a"), "...");
  EXPECT_THAT(FileErrorOf(R"({"models": [{"name": "..", "directory": "/m/a"}]})"),
              HasSubstr("name: found '..'"));
  EXPECT_THAT(ErrorOf({"--model=a=/m/a", "--ensemble=.=a,/m/b"}), HasSubstr("'.=a,/m/b'"));
  EXPECT_THAT(ErrorOf({"--model=a=/m/a", "--model=b=/m/b", "--pivot=..=a+b"}),
              HasSubstr("'..=a+b'"));
}

TEST(Config, RefusesFilesItDoesNotUnderstand) {
  EXPECT_THAT(ErrorOf({"--config=/no/such/file"}),
              AllOf(HasSubstr("/no/such/file"), HasSubstr("No such file")));
  EXPECT_THAT(FileErrorOf("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(FileErrorOf("[1]"), HasSubstr("found array"));
  EXPECT_THAT(FileErrorOf(R"({"max_rows": 8})"), HasSubstr("'max_rows'"));
  EXPECT_THAT(FileErrorOf(R"({"help": true})"), HasSubstr("'help'"));
  EXPECT_THAT(FileErrorOf(R"({"max-rows": "8"})"),
              AllOf(HasSubstr("max-rows: found string"), HasSubstr("whole number 0..4096")));
  EXPECT_THAT(FileErrorOf(R"({"max-rows": 8.5})"), HasSubstr("found 8.5"));
  EXPECT_THAT(FileErrorOf(R"({"max-rows": 18446744073709551615})"), HasSubstr("max-rows"));
  EXPECT_THAT(FileErrorOf(R"({"max-rows": -1})"), HasSubstr("found -1"));
  EXPECT_THAT(FileErrorOf(R"({"model": ["a", 7]})"),
              HasSubstr("model: found an array with number"));
  EXPECT_THAT(FileErrorOf(R"({"model": {"a": "b"}})"), HasSubstr("model: found object"));
  EXPECT_THAT(FileErrorOf(R"({"model": "a", "model": "b"})"),
              HasSubstr("key \"model\" appears twice"));
}

// Copying a value that is nested without limit would overflow the stack.
TEST(Config, RefusesAFileThatIsNestedTooDeeply) {
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  for (const char* field : {"models", "model", "no-such"}) {
    EXPECT_THAT(FileErrorOf(absl::StrCat("{\"", field, "\": ", deep, "}")),
                HasSubstr("nested deeper than 8 levels"));
  }
  EXPECT_THAT(FileErrorOf(deep), HasSubstr("nested deeper than 8 levels"));
}

// Returns the flags of a help text, in order.
std::vector<std::string> FlagsOf(const std::string& help) {
  std::vector<std::string> flags;
  for (const absl::string_view line : absl::StrSplit(help, '\n')) {
    if (!absl::StartsWith(line, "  --")) continue;
    flags.emplace_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return flags;
}

TEST(Config, HelpListsWhatAPersonWhoServesAModelMeets) {
  const std::vector<std::string> flags = FlagsOf(HelpText());
  const std::vector<std::string> lines = absl::StrSplit(HelpText(), '\n');
  EXPECT_LE(lines.size(), 50U);  // a screen
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100U) << line;
  EXPECT_THAT(flags, IsSupersetOf({"--model", "--listen", "--metrics", "--device", "--compute-type",
                                   "--max-rows", "--default-profile", "--drain-seconds",
                                   "--tls-cert", "--api-keys", "--log-level", "--config",
                                   "--check-config", "--version", "--help"}));
  const std::vector<std::string> all = FlagsOf(HelpText(HelpForm::kAll));
  EXPECT_THAT(all, IsSupersetOf(flags));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(Config, AllOfTheHelpNamesEveryFlag) {
  std::vector<std::string> expected = {"--config",  "--check-config", "--print-program",
                                       "--version", "--verbose",      "--help"};
  for (const Option& option : Options()) {
    if (!ObjectFor(option.audience).empty()) continue;
    expected.push_back(absl::StrCat("--", std::string(option.name)));
  }
  EXPECT_THAT(FlagsOf(HelpText(HelpForm::kAll)), UnorderedElementsAreArray(expected));
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--help", "all"}, {"--help=all"}}) {
    const auto command = ExpectOk(ParseCommandLine(args));
    EXPECT_EQ(command->mode, CommandMode::kHelp);
    EXPECT_EQ(command->help, HelpForm::kAll);
  }
  EXPECT_EQ(ParseCommandLine({"--help"})->help, HelpForm::kCommon);
  EXPECT_THAT(ErrorOf({"--help=some"}), HasSubstr("--help: found 'some', expected all"));
}

TEST(Config, HelpForProgramsHasEveryFlagAndKeyWithItsHelp) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--help", "json"}, {"--help=json"}}) {
    EXPECT_EQ(ParseCommandLine(args)->help, HelpForm::kJson);
  }
  const auto help = nlohmann::json::parse(HelpText(HelpForm::kJson));
  EXPECT_EQ(help["program"], "dragomand");
  std::vector<std::string> flags;
  for (const auto& flag : help["flags"]) {
    flags.push_back("--" + flag["name"].get<std::string>());
    EXPECT_NE(flag["help"], "") << flag["name"];
    EXPECT_EQ(flag["repeats"],
              flag["name"] == "model" || flag["name"] == "pivot" || flag["name"] == "ensemble")
        << flag["name"];
  }
  EXPECT_EQ(flags, FlagsOf(HelpText(HelpForm::kAll)));
  size_t keys = 0;
  for (const auto& object : help["objects"]) keys += object.size();
  EXPECT_EQ(flags.size() - 6 + keys, Options().size());
}

TEST(Config, HttpIsOffOrAnAddress) {
  EXPECT_EQ(ParseCommandLine({"--model=x=/m"})->config.http,
            (Address{.host = "127.0.0.1", .port = 8080}));
  for (const char* address : {"off", "127.0.0.1:8080", "[::1]:0", "unix:/run/http"}) {
    const auto command =
        ExpectOk(ParseCommandLine({"--model=x=/m", absl::StrCat("--http=", address)}));
    EXPECT_EQ(command->config.http, ParseAddress(address, AddressForms::kHostOrUnix));
  }
  for (const char* address : {"", "on", "8080", "host:http", "host:70000", "unix:"}) {
    EXPECT_THAT(ErrorOf({"--model=x=/m", absl::StrCat("--http=", address)}), HasSubstr("--http: "))
        << address;
  }
}

TEST(Config, EveryPortIsOnTheLoopbackUnlessToldOtherwise) {
  const auto command = ExpectOk(ParseCommandLine({"--model=x=/m"}));
  const ServerConfig& config = command->config;
  EXPECT_EQ(AddressText(config.listen), "127.0.0.1:50051");
  EXPECT_EQ(AddressText(*config.http), "127.0.0.1:8080");
  EXPECT_EQ(AddressText(*config.metrics), "127.0.0.1:9464");
  EXPECT_EQ(config.admin_listen, std::nullopt);
}

TEST(Config, HostsAreCheckedOnTheLoopbackAndWhereSomeAreNamed) {
  const Address loopback{.host = "127.0.0.1", .port = 1};
  const Address open{.host = "0.0.0.0", .port = 1};
  ServerConfig config;
  EXPECT_EQ(HostsOf(config, loopback), std::vector<std::string>());
  EXPECT_EQ(HostsOf(config, open), std::nullopt);
  EXPECT_EQ(HostsOf(config, {.unix_path = "/run/http"}), std::nullopt);
  const auto command =
      ExpectOk(ParseCommandLine({"--model=x=/m", "--http-hosts=translate.example,other_host"}));
  const std::vector<std::string> names = {"translate.example", "other_host"};
  EXPECT_EQ(HostsOf(command->config, loopback), names);
  EXPECT_EQ(HostsOf(command->config, open), names);
  for (const char* names_with_more : {"a,", "http://a", "a:80", "a b", "*"}) {
    EXPECT_THAT(ErrorOf({"--model=x=/m", absl::StrCat("--http-hosts=", names_with_more)}),
                HasSubstr("--http-hosts: "))
        << names_with_more;
  }
}

TEST(Config, OriginsAreThoseThatBrowsersSend) {
  const auto command =
      ParseCommandLine({"--model=x=/m", "--cors-origin=https://a.example:8443,http://[::1]:1,*"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->config.cors_origins,
            (std::vector<std::string>{"https://a.example:8443", "http://[::1]:1", "*"}));
  for (const char* origin :
       {"a.example", "https://", "https://a.example/", "https://A.example", "://a"}) {
    EXPECT_THAT(ErrorOf({"--model=x=/m", absl::StrCat("--cors-origin=", origin)}),
                HasSubstr("--cors-origin: "))
        << origin;
  }
}

// Returns whether the text has the word, except as the beginning of a longer word.
bool HasWord(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (next != '-' && (next < 'a' || next > 'z')) return true;
  }
  return false;
}

TEST(Config, TheReadmeNamesEverySetting) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/server/README.md");
  const std::string readme(std::istreambuf_iterator<char>(file), {});
  const std::string introduction = "A model may have its own";
  const size_t found = readme.find(introduction);
  ASSERT_NE(found, std::string::npos);
  const size_t begin = found + introduction.size();
  const std::string of_models = readme.substr(begin, readme.find("\n\n", begin) - begin);
  for (const Option& option : Options()) {
    const std::string name(option.name);
    const bool in_object = !ObjectFor(option.audience).empty();
    EXPECT_TRUE(HasWord(readme, (in_object ? "`" : "--") + name)) << name;
    const bool listed = HasWord(of_models, " " + name) || HasWord(of_models, "\n" + name);
    EXPECT_EQ(listed, IsOfModel(option) && !in_object) << name << ", of a model";
  }
}

TEST(Config, SwitchesDecideTheMode) {
  EXPECT_EQ(ParseCommandLine({"--help"})->mode, CommandMode::kHelp);
  EXPECT_EQ(ParseCommandLine({"--version"})->mode, CommandMode::kVersion);
  EXPECT_FALSE(ParseCommandLine({"--version"})->verbose);
  EXPECT_TRUE(ParseCommandLine({"--verbose", "--version"})->verbose);
  EXPECT_THAT(ErrorOf({"--model=x", "--verbose"}), HasSubstr("--version beside it"));
  EXPECT_EQ(ParseCommandLine({"--model=x=/m", "--print-program"})->mode,
            CommandMode::kPrintProgram);
}

TEST(Config, KnowsEveryProfile) {
  for (const auto& [name, profile] : std::vector<std::pair<std::string, engine::Profile>>{
           {"hf", engine::Profile::kHf},
           {"ct2", engine::Profile::kCt2},
           {"marian", engine::Profile::kMarian},
           {"paper", engine::Profile::kPaper},
           {"article", engine::Profile::kArticle}}) {
    const auto command = ExpectOk(ParseCommandLine({"--model=x", "--default-profile", name}));
    EXPECT_EQ(command->config.default_profile, profile);
  }
  EXPECT_THAT(ErrorOf({"--model=x", "--default-profile=HF"}),
              AllOf(HasSubstr("'HF'"), HasSubstr("hf, ct2, marian, paper or article")));
}

TEST(EngineSettings, CarryEverySetting) {
  const auto command = ExpectOk(ParseCommandLine(
      {"--model=big=/m/x", "--max-rows=64", "--cpu-workers=2", "--threads-per-worker=3",
       "--text-threads=5", "--max-queue-segments=10", "--max-queue-tokens=20", "--kv-memory-mb=30",
       "--default-profile=marian", "--glossary-dir=/g"}));
  const engine::EngineConfig settings = MakeEngineConfig(command->config, {.cpus = 8}, {});
  EXPECT_EQ(settings.model_name, "big");
  EXPECT_EQ(settings.max_rows, 64);
  EXPECT_EQ(settings.workers, 2);
  EXPECT_EQ(settings.threads_per_worker, 3);
  EXPECT_EQ(settings.tokenizer_threads, 5);
  EXPECT_EQ(settings.detokenizer_threads, 5);
  EXPECT_EQ(settings.max_queue_segments, 10);
  EXPECT_EQ(settings.max_queue_tokens, 20);
  EXPECT_EQ(settings.kv_memory_mb, 30);
  EXPECT_EQ(settings.default_profile, engine::Profile::kMarian);
  EXPECT_EQ(settings.glossary_directory, "/g");
}

TEST(ConfigFile, WhatIsNoFileIsRefusedByWhatItIs) {
  const TempDirectory directory;
  EXPECT_THAT(ErrorOf({"--config", directory.path()}), HasSubstr("a directory"));
  EXPECT_THAT(ErrorOf({"--config=/dev/zero"}), HasSubstr("more than the 1048576 bytes allowed"));
  EXPECT_THAT(FileErrorOf(std::string(2 << 20, ' ')),
              HasSubstr("more than the 1048576 bytes allowed"));
  EXPECT_THAT(ErrorOf({"--config=/dev/null"}), HasSubstr("not valid JSON"));
  // A pipe without a writer reads as empty, and the parser must not wait for a writer.
  const std::string pipe = directory.path() + "/config.pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ErrorOf({"--config", pipe}), HasSubstr("not valid JSON"));
}

TEST(ConfigFile, ComesFromAPipeToo) {
  // The pipe stands for a shell's `--config <(...)`.
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text = R"({"model": "/m", "max-rows": 7})";
  ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  const auto command = ParseCommandLine({"--config", absl::StrCat("/proc/self/fd/", ends[0])});
  close(ends[0]);
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->config.max_rows, 7);
  // Unlike a pipe, a regular file can be read again.
  EXPECT_FALSE(command->can_be_read_again);
  EXPECT_TRUE(ParseFile(R"({"model": "/m"})")->can_be_read_again);
}

TEST(EngineSettings, DependOnTheDeviceWhereTheFlagsSayNothing) {
  const auto command = ExpectOk(ParseCommandLine({"--model=x", "--device-memory-fraction=0.5"}));
  EXPECT_EQ(MakeEngineConfig(command->config, {.cpus = 8}, {}).max_rows, 256);
  engine::DeviceChoice gpus;
  gpus.cuda = {1, 3};
  gpus.compute_type = kernels::ComputeType::kBFloat16;
  // A model that shares the GPU with others has its share of the budget, not the flag's value for
  // all.
  const engine::EngineConfig settings =
      MakeEngineConfig(command->config, {.cpus = 8, .device_memory_fraction = 0.25}, gpus);
  EXPECT_EQ(settings.max_rows, 4096);
  EXPECT_EQ(settings.devices.cuda, gpus.cuda);
  EXPECT_EQ(settings.devices.compute_type, kernels::ComputeType::kBFloat16);
  EXPECT_EQ(settings.device_memory_fraction, 0.25);
  const auto fixed = ExpectOk(ParseCommandLine({"--model=x", "--max-rows=100"}));
  EXPECT_EQ(MakeEngineConfig(fixed->config, {.cpus = 8}, gpus).max_rows, 100);
}

// On a GPU, the batch holds more segments than its rows fit (9/8), if top-up is continuous and
// counted in rows.
TEST(EngineSettings, OfAGpuHaveRoomBeyondTheRows) {
  engine::DeviceChoice gpu;
  gpu.cuda = {0};
  const auto capacity = [&](const std::string& file, const engine::DeviceChoice& devices) {
    const auto command = ExpectOk(ParseFile(file, {"--model=x"}));
    return MakeEngineConfig(command->config, {.cpus = 8}, devices).scheduler.capacity;
  };
  EXPECT_EQ(capacity("{}", gpu), 4608);
  EXPECT_EQ(capacity(R"({"max-rows": 1000})", gpu), 1125);
  EXPECT_EQ(capacity(R"({"max-rows": 7})", gpu), 7);
  EXPECT_EQ(capacity(R"({"schedule": {"capacity": 4096}})", gpu), 4096);
  EXPECT_EQ(capacity(R"({"schedule": {"refill": "static"}})", gpu), 0);
  EXPECT_EQ(capacity(R"({"schedule": {"unit": "segments"}})", gpu), 0);
  EXPECT_EQ(capacity("{}", {}), 0);
}

TEST(SchedulerSettings, AreTheEnginesByDefault) {
  const auto command = ExpectOk(ParseCommandLine({"--model=x"}));
  const engine::SchedulerOptions scheduler =
      MakeEngineConfig(command->config, {.cpus = 2}, {}).scheduler;
  const engine::SchedulerOptions defaults;
  EXPECT_EQ(scheduler.refill, defaults.refill);
  EXPECT_EQ(scheduler.unit, defaults.unit);
  EXPECT_EQ(scheduler.capacity, defaults.capacity);
  EXPECT_EQ(scheduler.eps_num, defaults.eps_num);
  EXPECT_EQ(scheduler.eps_den, defaults.eps_den);
  EXPECT_EQ(scheduler.selection, defaults.selection);
  EXPECT_EQ(scheduler.width_budget, defaults.width_budget);
  EXPECT_EQ(scheduler.max_pause, defaults.max_pause);
  EXPECT_EQ(scheduler.lanes, defaults.lanes);
  EXPECT_EQ(scheduler.window.segments, defaults.window.segments);
  EXPECT_EQ(scheduler.window.tokens, defaults.window.tokens);
  EXPECT_EQ(scheduler.window.order, defaults.window.order);
}

engine::SchedulerOptions SchedulerOf(const std::string& schedule) {
  const auto command =
      ExpectOk(ParseFile(absl::StrCat("{\"schedule\": ", schedule, "}"), {"--model=x"}));
  return command.ok() ? MakeEngineConfig(command->config, {.cpus = 2}, {}).scheduler
                      : engine::SchedulerOptions();
}

TEST(SchedulerSettings, CarryEveryKey) {
  for (const auto& [name, rule] : std::vector<std::pair<std::string, engine::RefillRule>>{
           {"continuous", engine::RefillRule::kContinuous},
           {"stream", engine::RefillRule::kStream},
           {"half-empty", engine::RefillRule::kHalfEmpty},
           {"static", engine::RefillRule::kStatic}}) {
    EXPECT_EQ(SchedulerOf(absl::StrCat("{\"refill\": \"", name, "\"}")).refill, rule);
  }
  for (const auto& [name, unit] : std::vector<std::pair<std::string, engine::CapacityUnit>>{
           {"rows", engine::CapacityUnit::kRows},
           {"segments", engine::CapacityUnit::kSegments},
           {"source-tokens", engine::CapacityUnit::kSourceTokens}}) {
    EXPECT_EQ(SchedulerOf(absl::StrCat("{\"unit\": \"", name, "\"}")).unit, unit);
  }
  for (const auto& [name, selection] : std::vector<std::pair<std::string, kernels::SlotSelection>>{
           {"all", kernels::SlotSelection::kAll},
           {"shortest-first", kernels::SlotSelection::kShortest},
           {"longest-first", kernels::SlotSelection::kLongest}}) {
    EXPECT_EQ(SchedulerOf(absl::StrCat("{\"slots\": \"", name, "\"}")).selection, selection);
  }
  for (const auto& [name, order] : std::vector<std::pair<std::string, engine::WindowOrder>>{
           {"arrival", engine::WindowOrder::kArrival},
           {"longest-first", engine::WindowOrder::kLongestFirst},
           {"shortest-first", engine::WindowOrder::kShortestFirst}}) {
    EXPECT_EQ(SchedulerOf(absl::StrCat("{\"window-order\": \"", name, "\"}")).window.order, order);
  }
  const engine::SchedulerOptions numbers =
      SchedulerOf(R"({"refill": "stream", "threshold": "3/12", "capacity": 100, "width-budget": 50,
                      "max-pause-steps": 7, "lanes": 4096, "window-segments": 9,
                      "window-tokens": 99})");
  EXPECT_EQ(numbers.eps_num, 3);
  EXPECT_EQ(numbers.eps_den, 12);
  EXPECT_EQ(numbers.capacity, 100);
  EXPECT_EQ(numbers.width_budget, 50);
  EXPECT_EQ(numbers.max_pause, 7);
  EXPECT_EQ(numbers.lanes, 4096);
  EXPECT_EQ(numbers.window.segments, 9);
  EXPECT_EQ(numbers.window.tokens, 99);
}

TEST(SchedulerSettings, AreOfAModelWhereItHasItsOwn) {
  const auto command =
      ExpectOk(ParseFile(R"({"schedule": {"refill": "half-empty", "lanes": 100}, "models": [
      {"name": "a", "directory": "/a", "schedule": {"refill": "static"}},
      {"name": "b", "directory": "/b"}]})"));
  const std::vector<ModelSettings>& models = command->config.models;
  EXPECT_EQ(models[0].scheduler.refill, engine::RefillRule::kStatic);
  EXPECT_EQ(models[0].scheduler.lanes, 100);
  EXPECT_EQ(models[1].scheduler.refill, engine::RefillRule::kHalfEmpty);
  // The printed configuration contains these settings, too.
  const auto again = ExpectOk(ParseFile(ConfigToJson(command->config)));
  EXPECT_EQ(again->config.models[0].scheduler.refill, engine::RefillRule::kStatic);
  EXPECT_EQ(again->config.models[1].scheduler.lanes, 100);
}

TEST(SchedulerSettings, SayWhatIsWrong) {
  const auto error = [](const std::string& schedule) {
    return FileErrorOf(absl::StrCat(R"({"model": "x", "schedule": )", schedule, "}"));
  };
  EXPECT_THAT(error(R"({"refill": "fifo"})"),
              AllOf(HasSubstr("schedule: refill: found 'fifo'"),
                    HasSubstr("continuous, stream, half-empty or static")));
  EXPECT_THAT(error(R"({"unit": "beams"})"), HasSubstr("schedule: unit"));
  EXPECT_THAT(error(R"({"slots": "any"})"), HasSubstr("schedule: slots"));
  EXPECT_THAT(error(R"({"window-order": ""})"), HasSubstr("window-order: found ''"));
  EXPECT_THAT(error(R"({"lanes": -1})"), HasSubstr("lanes: found -1, expected 0..1048576"));
  EXPECT_THAT(error(R"({"max-rows": 1})"),
              AllOf(HasSubstr("'max-rows'"), HasSubstr("one of refill, threshold, unit")));
  EXPECT_THAT(error("7"), HasSubstr("schedule: found number, expected an object"));
  for (const char* bad : {"0.2", "1", "2/1", "-1/6", "1/0", "1/6x", "/6", "1/", "1/1000001"}) {
    EXPECT_THAT(error(absl::StrCat(R"({"refill": "stream", "threshold": ")", bad, "\"}")),
                HasSubstr("threshold: found '" + std::string(bad) + "'"));
  }
  EXPECT_THAT(error(R"({"threshold": "1/4"})"), HasSubstr("only with refill stream"));
}

// Sets the variable that turns parts of the GPU backend off, and unsets it again.
class CudaOff {
 public:
  explicit CudaOff(const char* names) { setenv(engine::kCudaOffVariable, names, 1); }
  ~CudaOff() { unsetenv(engine::kCudaOffVariable); }
  CudaOff(const CudaOff&) = delete;
  CudaOff& operator=(const CudaOff&) = delete;
};

TEST(CudaSettings, TheEnvironmentTurnsPartsOffForAllModels) {
  const CudaOff off("fused-output,graphs");
  const auto command = ExpectOk(ParseFile(R"({"cuda": {"layer-products": "int8"}, "models": [
      {"name": "a", "directory": "/a"},
      {"name": "b", "directory": "/b", "cuda": {"layer-products": "model"}}]})"));
  engine::CudaOptions expected{.fused_output = false, .graphs = false};
  EXPECT_EQ(command->config.models[1].cuda, expected);
  expected.layer_products = kernels::QuantizedType::kInt8;
  EXPECT_EQ(command->config.models[0].cuda, expected);
}

TEST(CudaSettings, APartThatThereIsNotIsRefused) {
  const CudaOff off("graph");
  EXPECT_THAT(ErrorOf({"--model=x"}), AllOf(HasSubstr("DRAGOMAN_CUDA_OFF: found 'graph'"),
                                            HasSubstr("few-rows, bucket-algorithms, graphs")));
  EXPECT_TRUE(ParseCommandLine({"--help"}).ok());
}

TEST(CudaSettings, OutputProductsAreOfTheModelUnlessAskedForAndPossible) {
  for (const auto& [name, type] : {std::pair{"model", kernels::QuantizedType::kNone},
                                   {"float8", kernels::QuantizedType::kFloat8},
                                   {"int8", kernels::QuantizedType::kInt8}}) {
    const auto command = ExpectOk(
        ParseFile(absl::StrCat(R"({"model": "x", "cuda": {"output-products": ")", name, "\"}}")));
    EXPECT_EQ(command->config.models.at(0).cuda.output_products, type);
  }
  const auto error = [](const std::string& rest) {
    const auto command = ParseFile(R"({"model": "x", )" + rest + "}");
    return std::string(command.status().message());
  };
  EXPECT_THAT(error(R"("cuda": {"output-products": "int4"})"), HasSubstr("model, float8 or int8"));
  EXPECT_THAT(error(R"("device": "cpu", "cuda": {"output-products": "int8"})"),
              HasSubstr("cuda: output-products: found int8 with --device cpu, expected model, or a "
                        "GPU"));
  const CudaOff off("fused-output");
  EXPECT_THAT(error(R"("cuda": {"output-products": "float8"})"),
              HasSubstr("found float8 with DRAGOMAN_CUDA_OFF=fused-output"));
}

TEST(CudaSettings, LayerProductsAreOfTheModelUnlessAskedForAndPossible) {
  const auto parse = [](const std::string& rest) {
    return ParseFile(R"({"model": "x", )" + rest + "}");
  };
  for (const auto& [name, type] : {std::pair{"model", kernels::QuantizedType::kNone},
                                   {"int8", kernels::QuantizedType::kInt8}}) {
    const auto command = ExpectOk(parse(
        absl::StrCat(R"("cuda": {"output-products": "model", "layer-products": ")", name, "\"}")));
    EXPECT_EQ(command->config.models.at(0).cuda.layer_products, type);
    EXPECT_EQ(command->config.models.at(0).cuda.output_products, kernels::QuantizedType::kNone);
    const auto again = ExpectOk(ParseFile(ConfigToJson(command->config)));
    EXPECT_EQ(again->config.models.at(0).cuda.layer_products, type);
  }
  const auto error = [&](const std::string& rest) {
    return std::string(parse(rest).status().message());
  };
  EXPECT_THAT(error(R"("cuda": {"layer-products": "int4"})"),
              HasSubstr("layer-products: found 'int4'"));
  EXPECT_THAT(
      error(R"("cuda": {"layer-products": "float8"})"),
      HasSubstr("cuda: layer-products: found float8, expected model or int8: sums of float8 "
                "depend on their order"));
  EXPECT_THAT(error(R"("device": "cpu", "cuda": {"layer-products": "int8"})"),
              HasSubstr("cuda: layer-products: found int8 with --device cpu, expected model, or a "
                        "GPU"));
}

TEST(CudaSettings, AreOfAModelWhereItHasItsOwn) {
  const auto command = ExpectOk(ParseFile(R"({"cuda": {"layer-products": "int8"}, "models": [
      {"name": "a", "directory": "/a", "cuda": {"output-products": "float8"}},
      {"name": "b", "directory": "/b", "cuda": {"layer-products": "model"}}]})"));
  const auto again = ExpectOk(ParseFile(ConfigToJson(command->config)));
  for (const ServerConfig& config : {command->config, again->config}) {
    EXPECT_EQ(config.models[0].cuda,
              (engine::CudaOptions{.output_products = kernels::QuantizedType::kFloat8,
                                   .layer_products = kernels::QuantizedType::kInt8}));
    EXPECT_EQ(config.models[1].cuda, engine::CudaOptions());
  }
  // The engine's configuration contains these settings.
  engine::DeviceChoice gpu;
  gpu.cuda = {0};
  const engine::EngineConfig engine =
      MakeEngineConfig(command->config.models[0], {.cpus = 1, .text_cpus = 16}, gpu);
  EXPECT_EQ(engine.cuda, command->config.models[0].cuda);
  EXPECT_EQ(std::pair(engine.tokenizer_threads, engine.detokenizer_threads), std::pair(4, 4));
  const auto set = ExpectOk(
      OverrideSettings(command->config.models[1], {{"cuda", R"({"layer-products": "int8"})"}}));
  EXPECT_EQ(set->cuda, engine::CudaOptions{.layer_products = kernels::QuantizedType::kInt8});
}

TEST(CudaSettings, SayWhatIsWrong) {
  const auto error = [](const std::string& object) {
    return FileErrorOf(absl::StrCat(R"({"model": "x", "cuda": )", object, "}"));
  };
  EXPECT_THAT(error(R"({"output-products": false})"),
              AllOf(HasSubstr("cuda: output-products: found boolean"), HasSubstr("a string")));
  EXPECT_THAT(
      error(R"({"graphs": "off"})"),
      AllOf(HasSubstr("cuda: 'graphs'"), HasSubstr("one of output-products, layer-products")));
  EXPECT_THAT(error("true"), HasSubstr("cuda: found boolean, expected an object"));
}

// Two models have the same settings if all settings of a model are equal. Settings of the process
// do not count.
TEST(Config, TellsWhichSettingsDiffer) {
  const auto parse = [](std::vector<std::string> args) {
    args.insert(args.begin(), {"--model", "a=/m"});
    const auto command = ExpectOk(ParseCommandLine(args));
    return command->config;
  };
  const ServerConfig plain = parse({});
  EXPECT_TRUE(SameSettings(plain.models[0], parse({"--drain-seconds", "3"}).models[0]));
  EXPECT_FALSE(SameSettings(plain.models[0], parse({"--max-rows", "3"}).models[0]));
  EXPECT_FALSE(SameSettings(plain.models[0], parse({"--glossary-dir", "/g"}).models[0]));
  EXPECT_FALSE(SameSettings(parse({"--ensemble", "e=/m,/n"}).models[1],
                            parse({"--ensemble", "e=/m,/o"}).models[1]));
  EXPECT_THAT(ProcessSettingsThatDiffer(plain, parse({"--max-rows", "3", "--default-model", "a"})),
              IsEmpty());
  EXPECT_THAT(ProcessSettingsThatDiffer(
                  plain, parse({"--listen", "127.0.0.1:1", "--page", "off", "--tls-cert", "c",
                                "--tls-key", "k", "--max-items", "7"})),
              ElementsAre("listen", "page", "max-items", "tls-cert", "tls-key"));
}

class CgroupTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) { directory_.Write(path, text); }

  const TempDirectory directory_;
  const std::string root_ = directory_.path();
};

TEST_F(CgroupTest, TakesTheLeastQuotaOnTheWayUp) {
  Write("proc/self/cgroup", "0::/pod/box\n");
  Write("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n");
  EXPECT_EQ(CgroupCpuLimit(root_, 8), 8);
  Write("sys/fs/cgroup/pod/cpu.max", "250000 100000\n");
  EXPECT_EQ(CgroupCpuLimit(root_, 8), 3);  // 2.5
  Write("sys/fs/cgroup/pod/box/cpu.max", "50000 100000\n");
  EXPECT_EQ(CgroupCpuLimit(root_, 8), 1);
  EXPECT_EQ(CgroupCpuLimit(root_ + "/nothing", 8), 8);
}

TEST_F(CgroupTest, ReadsVersionOne) {
  Write("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x\n");
  Write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "400000\n");
  Write("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CgroupCpuLimit(root_, 8), 4);
  Write("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(CgroupCpuLimit(root_, 8), 8);
}

}  // namespace
}  // namespace dragoman::server

// Tests several models in one process: routing, a pivot, and changes of the models while calls go
// on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::HasSubstr;

const char kInput[] = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";
const std::string kBundled = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

// A fixture with copies of models, so that a test may break them.
class ModelsTest : public ::testing::Test {
 protected:
  ModelsTest() {
    // The repository has only one real model. The second is a small one with random weights that
    // claims to read English.
    Copy(DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-multi", "en-fr");
    const fs::path config = root_ / "en-fr" / "tokenizer_config.json";
    std::ifstream in(config);
    json tokenizer = json::parse(in);
    tokenizer["source_lang"] = "en";
    std::ofstream(config) << tokenizer.dump();
  }

  void Copy(const fs::path& from, const std::string& to) const {
    fs::copy(from, root_ / to, fs::copy_options::recursive);
  }

  // Returns the flags of a daemon. It also has the bundled model, as de-en.
  std::vector<std::string> Flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> flags = {"--model", "en-fr=" + (root_ / "en-fr").string(),
                                      "--admin-listen", "127.0.0.1:0"};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  static int Admin(const Daemon& daemon, std::vector<std::string> arguments,
                   std::string* said = nullptr) {
    arguments.insert(arguments.begin(), "admin");
    arguments.insert(arguments.end(), {"--server", daemon.admin()});
    ChildProcess client(testing::ClientCommand(arguments));
    const std::string output = client.ReadAll();
    const int status = client.Wait();
    if (said != nullptr) *said = output + client.Errors();
    return status;
  }

  // Translates one line of text with the client. Returns the client's JSON.
  static json Translate(const Daemon& daemon, const std::string& text,
                        std::vector<std::string> flags, int* status = nullptr) {
    const TempDirectory directory;
    flags.insert(flags.begin(), {"translate", "--server", daemon.grpc(), "--json"});
    flags.push_back(directory.Write("line.txt", text + "\n"));
    return json::parse(testing::RunClient(flags, status), nullptr, false);
  }

  static void ExpectBalanced(const Daemon::Samples& samples) {
    ASSERT_FALSE(samples.empty());
    EXPECT_EQ(testing::Sum(samples, "dragoman_segments_accepted_total"),
              testing::Sum(samples, "dragoman_segments_total") +
                  testing::Sum(samples, "dragoman_segments_waiting") +
                  testing::Sum(samples, "dragoman_segments_running"));
  }

  static int64_t VersionOf(const Daemon& daemon, const std::string& model) {
    return static_cast<int64_t>(
        daemon.Metrics()["dragoman_model_version{model=\"" + model + "\"}"]);
  }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
};

// The daemon has three ports. A client that connects to the wrong one gets an error that names the
// right one.
TEST_F(ModelsTest, APortThatIsNotTheRightOneIsNamed) {
  Daemon daemon(Flags());
  ChildProcess admin(
      testing::ClientCommand({"admin", "reload", "en-fr", "--server", daemon.grpc()}));
  EXPECT_EQ(admin.Wait(), 1);
  EXPECT_THAT(admin.Errors(), HasSubstr("--admin-listen"));
  ChildProcess models(testing::ClientCommand({"models", "--server", daemon.admin()}));
  EXPECT_EQ(models.Wait(), 1);
  EXPECT_THAT(models.Errors(), HasSubstr("translations are at the daemon's --listen"));
  ChildProcess health(testing::ClientCommand({"health", "--server", daemon.http()}));
  EXPECT_EQ(health.Wait(), 1);
  EXPECT_THAT(health.Errors(), HasSubstr("is that the daemon's --metrics?"));
}

TEST_F(ModelsTest, RequestsFindTheirModelAndAPivotGoesOverTwo) {
  Daemon daemon(Flags({"--pivot", "de-fr=de-en+en-fr"}));
  const std::string text = "Ich habe heute leider gar keine Zeit.";
  const json english = Translate(daemon, text, {"--from", "de", "--to", "en"});
  EXPECT_EQ(english["model"], "de-en");
  EXPECT_FALSE(english.contains("pivot"));

  const json french = Translate(daemon, text, {"--from", "de", "--to", "fr"});
  EXPECT_EQ(french["model"], "de-fr") << french;
  const json& pivot = french["pivot"];
  EXPECT_EQ(pivot["models"], (std::vector<std::string>{"de-en", "en-fr"}));
  EXPECT_EQ(pivot["language"], "en");
  // The pivot shows the first model's text and score; the second translates that text.
  EXPECT_EQ(pivot["text"], english["text"]);
  EXPECT_EQ(pivot["score"], english["score"]);
  const json second = Translate(daemon, english["text"], {"--from", "en", "--to", "fr"});
  EXPECT_EQ(second["model"], "en-fr");
  EXPECT_EQ(french["text"], second["text"]);
  EXPECT_EQ(french["score"], second["score"]);

  int status = 0;
  Translate(daemon, text, {"--model", "fr-de"}, &status);
  EXPECT_EQ(status, 1);
  const json refused = Translate(daemon, text, {"--from", "de", "--to", "ja"}, &status);
  EXPECT_EQ(status, 1);
  EXPECT_THAT(
      refused["error"]["message"].get<std::string>(),
      AllOf(HasSubstr("'de' to 'ja'"), HasSubstr("de-en (de-en)"), HasSubstr("en-fr (en-fr)")));

  std::string said;
  EXPECT_EQ(Admin(daemon, {"reload", "de-fr"}, &said), 1);
  EXPECT_THAT(said, HasSubstr("found 'de-fr', a pivot"));

  const json models =
      json::parse(testing::RunClient({"models", "--json", "--server", daemon.grpc()}));
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[0]["name"], "de-en");
  EXPECT_TRUE(models[0]["default"].get<bool>());
  EXPECT_EQ(models[0]["checksum"].get<std::string>().size(), 64U);
  EXPECT_GT(models[0]["memory"][0]["weights"].get<int64_t>(), 1 << 20);
  EXPECT_EQ(models[2]["pivot"], (std::vector<std::string>{"de-en", "en-fr"}));
  for (const char* model : {"de-en", "en-fr", "de-fr"}) {
    testing::RunClient({"health", "--service", model, "--server", daemon.grpc()}, &status);
    EXPECT_EQ(status, 0) << model;
  }
  Daemon::Samples samples = daemon.Metrics();
  ExpectBalanced(samples);
  EXPECT_EQ(samples["dragoman_segments_total{model=\"en-fr\",outcome=\"eos\"}"] +
                samples["dragoman_segments_total{model=\"en-fr\",outcome=\"length\"}"],
            2);
  daemon.Stop();
}

TEST_F(ModelsTest, NothingIsLostWhileModelsAreReloadedAndUnloaded) {
  Daemon daemon(Flags({"--pivot", "de-fr=de-en+en-fr"}));
  ChildProcess direct(testing::ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput,
                                              "--concurrency", "8", "--duration", "6", "--warmup",
                                              "0", "--model", "de-en", "--json"}));
  ChildProcess pivot(testing::ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput,
                                             "--concurrency", "4", "--duration", "6", "--warmup",
                                             "0", "--model", "de-fr", "--to", "fr", "--json"}));
  while (testing::Sum(daemon.Metrics(), "dragoman_segments_total") == 0 && direct.running()) {
  }
  const std::string other = (root_ / "en-fr").string();
  int rounds = 0;
  std::string said;
  while (direct.running() && pivot.running() && rounds < 20) {
    ++rounds;
    for (const char* model : {"de-en", "en-fr"}) {
      ASSERT_EQ(Admin(daemon, {"reload", model}, &said), 0) << said;
    }
    ASSERT_EQ(Admin(daemon, {"load", "extra", other}, &said), 0) << said;
    ASSERT_EQ(Admin(daemon, {"unload", "extra"}, &said), 0) << said;
    ExpectBalanced(daemon.Metrics());
  }
  EXPECT_GE(rounds, 2);
  for (ChildProcess* load : {&direct, &pivot}) {
    const std::string output = load->ReadAll();
    EXPECT_EQ(load->Wait(), 0) << load->Errors();
    const json report = json::parse(output, nullptr, false);
    ASSERT_TRUE(report.is_object()) << output;
    EXPECT_GT(report["sent"].get<int64_t>(), 10);
    EXPECT_EQ(report["sent"], report["ok"]) << output;
  }
  EXPECT_EQ(VersionOf(daemon, "de-en"), 1 + rounds);
  Daemon::Samples samples = daemon.Metrics();
  ExpectBalanced(samples);
  EXPECT_EQ(samples["dragoman_model_reloads_total{model=\"de-en\",result=\"ok\"}"], rounds);
  EXPECT_EQ(testing::Sum(samples, "dragoman_cancelled_total"), 0);
  EXPECT_FALSE(samples.contains("dragoman_model_version{model=\"extra\"}"));

  // Unloads a model, and with it a pivot over it, under load. Every call gets an answer, and errors
  // name the model.
  ChildProcess last(testing::ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput,
                                            "--concurrency", "4", "--duration", "3", "--warmup",
                                            "0", "--model", "en-fr", "--to", "fr", "--json"}));
  const double before = samples["dragoman_segments_accepted_total{model=\"en-fr\"}"];
  while (last.running() &&
         daemon.Metrics()["dragoman_segments_accepted_total{model=\"en-fr\"}"] <= before) {
  }
  ASSERT_EQ(Admin(daemon, {"unload", "en-fr"}, &said), 0) << said;
  const json report = json::parse(last.ReadAll(), nullptr, false);
  ASSERT_TRUE(report.is_object());
  EXPECT_EQ(report["sent"], report["answered"]);
  for (const auto& [code, count] : report["errors"].items()) EXPECT_EQ(code, "NOT_FOUND") << count;
  int status = 0;
  testing::RunClient({"health", "--service", "de-fr", "--server", daemon.grpc()}, &status);
  EXPECT_EQ(status, 1);  // the pivot has been removed as well
  ASSERT_EQ(Admin(daemon, {"load", "en-fr", other}, &said), 0) << said;
  testing::RunClient({"health", "--service", "de-fr", "--server", daemon.grpc()}, &status);
  EXPECT_EQ(status, 0);
  daemon.Stop();
}

// With glibc's allocator alone, a process keeps 100 MB after ten reloads (server/base/allocator.h).
TEST_F(ModelsTest, ReloadsGiveTheirMemoryBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have memory of their own";
#endif
  Daemon daemon(Flags());
  const int64_t before = daemon.process().ResidentBytes();
  const fs::path weights = root_ / "en-fr" / "pytorch_model.bin";
  std::string said;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(Admin(daemon, {"reload", "de-en"}, &said), 0) << said;
  }
  // The old version may be freed only after the answer, so the loop below waits. This reload fails.
  fs::resize_file(weights, fs::file_size(weights) / 2);
  ASSERT_EQ(Admin(daemon, {"reload", "en-fr"}, &said), 1);
  const auto grown = [&] { return daemon.process().ResidentBytes() - before; };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (grown() > before / 4 && std::chrono::steady_clock::now() < end) {
  }
  EXPECT_LE(grown(), before / 4) << before;
}

// ReloadAll and SIGHUP both apply the changed file.
TEST_F(ModelsTest, AConfigurationThatChangesIsAppliedWhileItServes) {
  const fs::path file = root_ / "config.json";
  const auto write = [&](const json& config) { std::ofstream(file) << config.dump(); };
  const json bundled = {{"name", "de-en"}, {"directory", kBundled}};
  const json other = {{"name", "en-fr"}, {"directory", (root_ / "en-fr").string()}};
  json config = {{"models", {bundled}},     {"admin-listen", "127.0.0.1:0"},
                 {"listen", "127.0.0.1:0"}, {"metrics", "127.0.0.1:0"},
                 {"http", "off"},           {"max-items", 100}};
  write(config);
  ChildProcess daemon({DRAGOMAN_DAEMON, "--config", file.string()});
  const std::string line = daemon.ReadLine();
  const auto field = [&line](const std::string& name) {
    const size_t at = line.find(name + "=") + name.size() + 1;
    return line.substr(at, line.find(' ', at) - at);
  };
  std::string said;
  const auto reload_all = [&] {
    ChildProcess client(
        testing::ClientCommand({"admin", "reload", "--all", "--server", field("admin")}));
    const std::string output = client.ReadAll();
    const int status = client.Wait();
    said = output + client.Errors();
    return status;
  };
  const auto names = [&] {
    std::string out;
    for (const json& model :
         json::parse(testing::RunClient({"models", "--json", "--server", field("grpc")}))) {
      out += model["name"].get<std::string>() + " ";
    }
    return out;
  };
  EXPECT_EQ(reload_all(), 0) << said;
  EXPECT_EQ(said, "unchanged de-en version 1\n");

  config["models"] = {other, bundled};
  config["max-items"] = 200;
  write(config);
  EXPECT_EQ(reload_all(), 0) << said;
  EXPECT_THAT(said, AllOf(HasSubstr("loaded en-fr version 1\nunchanged de-en version 1\n"),
                          HasSubstr("take effect at the next start: max-items\n")));
  EXPECT_EQ(names(), "en-fr de-en ");

  // If any part of the file is invalid, nothing changes.
  config["models"] = {other};
  config["max-itmes"] = 300;
  write(config);
  EXPECT_EQ(reload_all(), 1);
  EXPECT_THAT(said, AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("'max-itmes'")));
  EXPECT_EQ(names(), "en-fr de-en ");

  config.erase("max-itmes");
  write(config);
  daemon.Signal(SIGHUP);
  while (daemon.running() && names() != "en-fr ") {
  }
  daemon.Stop();
  EXPECT_THAT(daemon.Errors(), HasSubstr("configuration not applied, everything stays as it is"));
}

TEST_F(ModelsTest, DrainingThroughAdministrationLeavesTheProcess) {
  Daemon daemon(Flags());
  std::string said;
  EXPECT_EQ(Admin(daemon, {"log-level", "debug"}, &said), 0);
  EXPECT_EQ(said, "log level debug, before info\n");
  EXPECT_EQ(Admin(daemon, {"drain", "--limit", "10"}, &said), 0) << said;
  EXPECT_EQ(said, "drained, 0 calls cut off\n");
  EXPECT_THAT(daemon.Get("/readyz"), HasSubstr("draining"));
  EXPECT_THAT(daemon.Get("/livez"), HasSubstr("ok"));
  EXPECT_EQ(Admin(daemon, {"reload", "de-en"}, &said), 1);
  EXPECT_THAT(said, HasSubstr("UNAVAILABLE"));
  EXPECT_TRUE(daemon.process().running());
  daemon.Stop();
}

TEST_F(ModelsTest, WhatDoesNotFitIsRefusedWithTheArithmetic) {
  ChildProcess daemon({DRAGOMAN_DAEMON, "--listen", "127.0.0.1:0", "--metrics", "off", "--http",
                       "off", "--model", "a=" + kBundled, "--model",
                       "b=" + (root_ / "en-fr").string(), "--kv-memory-mb", "16777215"});
  EXPECT_EQ(daemon.Wait(), 1);
  EXPECT_THAT(daemon.Errors(),
              AllOf(HasSubstr("model a: kv-memory-mb is 16777215"), HasSubstr("expected at most")));
}

}  // namespace
}  // namespace dragoman

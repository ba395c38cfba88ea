// Faults while a process serves: full disks, clock jumps, missing files and peers that disappear.
// tests/README.md, "Faults", says which test covers which fault.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::HasSubstr;

const std::string kModel = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
const std::string kText = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";

// Returns a command that starts a daemon with one CPU worker through the shell script `script`. The
// script runs "$@" under the conditions of the test.
std::vector<std::string> Shell(const std::string& script, const std::string& model = kModel,
                               const std::string& listen = "127.0.0.1:0") {
  return {"/bin/sh",  "-c",   script,      DRAGOMAN_DAEMON, "--model",       "de-en=" + model,
          "--listen", listen, "--metrics", "127.0.0.1:0",   "--cpu-workers", "1",
          "--http",   "off"};
}

std::string Field(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  return at == std::string::npos
             ? ""
             : line.substr(at + name.size() + 1, line.find(' ', at) - at - name.size() - 1);
}

std::string Translation(const std::string& address) {
  int status = -1;
  std::string out = testing::RunClient(
      {"translate", "--server", address, "--timeout", "60", "--beam", "1", kText}, &status);
  EXPECT_EQ(status, 0);
  return out;
}

double ModelVersion(const std::string& line) {
  return testing::MetricsAt(Field(line, "metrics"))["dragoman_model_version{model=\"de-en\"}"];
}

// Overwrites the last float16 value of a weights file with NaN.
void WriteNan(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const uint16_t nan = 0x7E00;
  file.seekp(-static_cast<std::streamoff>(sizeof(nan)), std::ios::end);
  file.write(reinterpret_cast<const char*>(&nan), sizeof(nan));
}

nlohmann::json Report(ChildProcess* load) {
  const std::string out = load->ReadAll();
  EXPECT_EQ(load->Wait(), 0) << load->Errors();
  return nlohmann::json::parse(out);
}

TEST(Fault, ADiskThatIsFullAtTheLogLosesLinesAndNoCall) {
  ChildProcess daemon(Shell("exec \"$0\" \"$@\" 2>/dev/full"));
  const std::string line = daemon.ReadLine();
  ASSERT_THAT(line, HasSubstr("listening"));
  EXPECT_EQ(Translation(Field(line, "grpc")).empty(), false);
  const Daemon::Samples samples = testing::MetricsAt(Field(line, "metrics"));
  EXPECT_GT(testing::Sum(samples, "dragoman_log_lines_dropped_total"), 0);
  EXPECT_EQ(testing::Sum(samples, "dragoman_segments_total{model=\"de-en\",outcome=\"error\"}"), 0);
  daemon.Stop();
}

TEST(Fault, TheModelsFilesAreNotNeededOnceItServes) {
  const TempDirectory folder;
  const std::string model = folder.path() + "/model";
  fs::copy(kModel, model);
  ChildProcess daemon(Shell("exec \"$0\" \"$@\"", model));
  const std::string line = daemon.ReadLine();
  const std::string address = Field(line, "grpc");
  const std::string before = Translation(address);
  // Truncating a file would kill a process that has it mapped. Then the files are deleted.
  for (const auto& file : fs::directory_iterator(model)) fs::resize_file(file.path(), 0);
  EXPECT_EQ(Translation(address), before);
  fs::remove_all(model);
  EXPECT_EQ(Translation(address), before);
  // A different model in the same directory, with a lower limit on output length, takes effect only
  // at a reload.
  fs::copy(kModel, model);
  std::ifstream in(model + "/generation_config.json");
  nlohmann::json generation = nlohmann::json::parse(in);
  generation["max_length"] = 5;
  std::ofstream(model + "/generation_config.json") << generation.dump();
  EXPECT_EQ(Translation(address), before);
  daemon.Signal(SIGHUP);
  while (ModelVersion(line) < 2) std::this_thread::yield();
  const std::string after = Translation(address);
  EXPECT_FALSE(after.empty());
  EXPECT_LT(after.size(), before.size());
  daemon.Stop();
}

// Breaks the model's directory in every way that the table lists and reloads it both by the admin
// command and by SIGHUP. The old version must continue to serve.
TEST(Fault, AReloadOfABrokenModelUnderLoadLosesNoCall) {
  const TempDirectory folder;
  const std::string model = folder.path() + "/model";
  fs::copy(kModel, model);
  ChildProcess daemon(Shell("exec \"$0\" \"$@\" --admin-listen 127.0.0.1:0", model));
  const std::string line = daemon.ReadLine();
  const std::string address = Field(line, "grpc");
  const std::string before = Translation(address);
  ChildProcess load(
      testing::ClientCommand({"load", "--server", address, "--input", kText, "--concurrency", "8",
                              "--duration", "8", "--warmup", "0", "--beam-size", "1", "--json"}));
  const auto count = [&line](const std::string& name) {
    return testing::Sum(testing::MetricsAt(Field(line, "metrics")), name);
  };
  const auto failed = [&count] {
    return count("dragoman_model_reloads_total{model=\"de-en\",result=\"failed\"}");
  };
  const auto resize = [](const std::string& path) {
    fs::resize_file(path, fs::file_size(path) / 2);
  };
  const std::string weights = model + "/model.safetensors";
  struct Breakage {
    std::string file;  // text that the error must contain
    std::function<void()> make;
  };
  const std::vector<Breakage> breakages = {
      {"model.safetensors", [&] { resize(weights); }},
      {"config.json", [&] { resize(model + "/config.json"); }},
      {"source.spm", [&] { resize(model + "/source.spm"); }},
      {"vocab.json", [&] { fs::remove(model + "/vocab.json"); }},
      {"holds nan", [&] { WriteNan(weights); }},
      {"no such directory", [&] { fs::rename(model, folder.path() + "/away"); }},
  };
  double failures = 0;
  for (const Breakage& breakage : breakages) {
    const double calls = count("dragoman_rpcs_total");
    breakage.make();
    ChildProcess reload(
        testing::ClientCommand({"admin", "reload", "de-en", "--server", Field(line, "admin")}));
    EXPECT_EQ(reload.Wait(), 1) << breakage.file;
    EXPECT_THAT(reload.Errors(), HasSubstr(breakage.file));
    daemon.Signal(SIGHUP);
    failures += 2;
    while (failed() < failures) std::this_thread::yield();
    // Calls continued during the failed reload, and continue after it.
    while (count("dragoman_rpcs_total") < calls + 10) std::this_thread::yield();
    EXPECT_TRUE(load.running()) << "the load ended before " << breakage.file;
    fs::remove_all(model);
    fs::copy(kModel, model);
  }
  EXPECT_EQ(ModelVersion(line), 1);
  EXPECT_EQ(Translation(address), before);
  ChildProcess reload(
      testing::ClientCommand({"admin", "reload", "de-en", "--server", Field(line, "admin")}));
  EXPECT_EQ(reload.Wait(), 0) << reload.Errors();
  EXPECT_EQ(ModelVersion(line), 2);
  EXPECT_EQ(Translation(address), before);
  const nlohmann::json report = Report(&load);
  EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
  daemon.Stop();
}

// Loads models until memory is exhausted. The model that does not fit is refused with an error that
// shows the arithmetic, and the loaded models continue to serve. At start-up no model serves yet,
// so the process exits with an error.
TEST(Fault, AModelForWhichThereIsNoMemoryIsRefusedAndTheOthersServeOn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need terabytes of address space";
#endif
  const std::string limited = "ulimit -v 1000000 && exec \"$0\" \"$@\" --admin-listen 127.0.0.1:0";
  constexpr int kTooMany = 40;
  int fit = 1;
  {
    ChildProcess daemon(Shell(limited));
    const std::string line = daemon.ReadLine();
    const std::string address = Field(line, "grpc");
    const std::string before = Translation(address);
    ChildProcess load(testing::ClientCommand(
        {"load", "--server", address, "--input", kText, "--concurrency", "8", "--duration", "10",
         "--warmup", "0", "--model", "de-en", "--beam-size", "1", "--json"}));
    const auto load_model = [&line](const std::string& name, const std::string& setting) {
      std::vector<std::string> command = {"admin", "load",     name,
                                          kModel,  "--server", Field(line, "admin")};
      if (!setting.empty()) command.insert(command.end(), {"--set", setting});
      auto admin = std::make_unique<ChildProcess>(testing::ClientCommand(command));
      return admin->Wait() == 0 ? "" : admin->Errors();
    };
    // A KV cache that exceeds the available memory.
    EXPECT_THAT(load_model("wide", "kv-memory-mb=100000"),
                AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("kv-memory-mb is 100000"),
                      HasSubstr("MiB of weights"), HasSubstr("ulimit -v"),
                      HasSubstr("the models that are loaded hold")));
    std::string said;
    while (said.empty() && fit < kTooMany) {
      said = load_model("m" + std::to_string(fit), "");
      if (said.empty()) ++fit;
    }
    EXPECT_THAT(said, AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("ulimit -v"),
                            HasSubstr("the models that are loaded hold")));
    EXPECT_EQ(Translation(address), before);
    const nlohmann::json report = Report(&load);
    EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
    daemon.Stop();
  }
  std::string models;
  for (int i = 1; i < kTooMany; ++i) models += " --model m" + std::to_string(i) + "=" + kModel;
  ChildProcess daemon(Shell(limited + models));
  EXPECT_EQ(daemon.Wait(), 1);
  EXPECT_THAT(daemon.Errors(), AllOf(HasSubstr("\"level\":\"error\""), HasSubstr("model m"),
                                     HasSubstr("ulimit -v")));
}

TEST(Fault, AClientKilledInAStreamCostsNothingButItsOwnCall) {
  Daemon daemon({"--cpu-workers", "1"});
  {
    // The outputs are long so that the client is killed in the middle of them.
    ChildProcess client(
        testing::ClientCommand({"translate", "--server", daemon.grpc(), "--stream", "--beam", "4",
                                "--min-output-tokens", "100", "--max-length-extra", "200", kText}));
    while (testing::Sum(daemon.Metrics(), "dragoman_decode_rows") == 0) std::this_thread::yield();
    client.Signal(SIGKILL);
    EXPECT_EQ(client.Wait(), 128 + SIGKILL);
  }
  // The daemon releases everything that the client's call held, including segments in an encoder or
  // a queue.
  const auto held = [&daemon] {
    const Daemon::Samples samples = daemon.Metrics();
    return testing::Sum(samples, "dragoman_segments_waiting") +
           testing::Sum(samples, "dragoman_segments_running");
  };
  while (held() > 0) std::this_thread::yield();
  Daemon::Samples samples = daemon.Metrics();
  EXPECT_EQ(testing::Sum(samples, "dragoman_decode_rows"), 0);
  EXPECT_GT(samples["dragoman_cancelled_total{cause=\"client\",model=\"de-en\",stage=\"decode\"}"],
            0);
  EXPECT_GT(samples["dragoman_wasted_target_tokens_total{cause=\"client\",model=\"de-en\"}"], 0);
  EXPECT_GT(testing::Sum(samples, "dragoman_segments_total{model=\"de-en\",outcome=\"cancelled\"}"),
            0);
  EXPECT_EQ(testing::Sum(samples, "dragoman_segments_accepted_total"),
            testing::Sum(samples, "dragoman_segments_total"));
  EXPECT_FALSE(Translation(daemon.grpc()).empty());
  daemon.Stop();
}

// A killed daemon loses its calls but not its port. A second daemon can bind the port at once,
// although connections of the first are still open, and the clients of the first reconnect.
TEST(Fault, AfterSigkillAnotherHasThePortAtOnceAndClientsComeBack) {
  std::string address;
  std::unique_ptr<ChildProcess> load;
  // Only two calls run at a time, because all calls of a client share a budget of 20 retries. The
  // waits between retries double, so this budget lasts for half a minute.
  {
    ChildProcess first(Shell("exec \"$0\" \"$@\"", kModel, testing::OwnLoopbackAddress() + ":0"));
    address = Field(first.ReadLine(), "grpc");
    load = std::make_unique<ChildProcess>(testing::ClientCommand(
        {"load", "--server", address, "--input", kText, "--concurrency", "2", "--duration", "6",
         "--retries", "20", "--beam-size", "1", "--json"}));
    // Waits for the first line about a call in the log.
    while (first.Errors().find("\"call\"") == std::string::npos) std::this_thread::yield();
    first.Signal(SIGKILL);
    EXPECT_EQ(first.Wait(), 128 + SIGKILL);
  }
  ChildProcess second(Shell("exec \"$0\" \"$@\"", kModel, address));
  EXPECT_EQ(Field(second.ReadLine(), "grpc"), address) << second.Errors();
  const nlohmann::json report = Report(load.get());
  EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
  EXPECT_THAT(second.Errors(), HasSubstr("\"call\""));
  second.Stop();
}

TEST(Fault, AJumpOfTheWallClockMovesNoDeadline) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers must be the first library of a process";
#endif
  const TempDirectory folder;
  const std::string path = folder.path() + "/offset";
  const auto jump = [&path](int64_t days) {
    const int64_t nanos = days * 86'400 * 1'000'000'000;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    EXPECT_EQ(pwrite(fd, &nanos, sizeof(nanos), 0), static_cast<ssize_t>(sizeof(nanos)));
    close(fd);
  };
  jump(0);
  ChildProcess daemon(
      Shell("JUMPING_CLOCK=" + path + " LD_PRELOAD=" DRAGOMAN_JUMPING_CLOCK " exec \"$0\" \"$@\""));
  const std::string line = daemon.ReadLine();
  const std::string address = Field(line, "grpc");
  ASSERT_FALSE(address.empty()) << daemon.Errors();
  ChildProcess load(testing::ClientCommand(
      {"load", "--server", address, "--input", kText, "--concurrency", "4", "--requests", "800",
       "--deadline-ms", "5000", "--beam-size", "1", "--json"}));
  const auto calls = [&] {
    return testing::Sum(testing::MetricsAt(Field(line, "metrics")), "dragoman_rpcs_total");
  };
  // Waits for 100 calls after each jump. Together that is half of the 800 calls, so the load does
  // not end before the last jump, however slow the machine is.
  for (const int64_t days : {0, 1, -1, 0}) {
    jump(days);
    for (const double before = calls(); calls() < before + 100;) std::this_thread::yield();
  }
  const nlohmann::json report = Report(&load);
  EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
  // The clock did jump: the log has entries of three dates.
  std::set<std::string> dates;
  std::istringstream log(daemon.Errors());
  for (std::string entry; std::getline(log, entry);) {
    dates.insert(nlohmann::json::parse(entry)["time"].get<std::string>().substr(0, 10));
  }
  EXPECT_GE(dates.size(), 3U);
  jump(-1);
  daemon.Stop();
}

}  // namespace
}  // namespace dragoman

// What happens to a process while it serves: disks, clocks, files and peers that go. Which test
// covers which fault: tests/README.md, "Faults".
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/processes.h"

namespace dragoman {
namespace {

using testing::ChildProcess;
using testing::ClientCommand;
using testing::Daemon;
using ::testing::HasSubstr;
using testing::RunClient;
using testing::Sum;

const std::string kModel = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";
const std::string kText = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";

// One worker, by a shell script that runs "$@" in its own way, with a model in its own place.
std::vector<std::string> Shell(const std::string& script, const std::string& model = kModel,
                               const std::string& listen = "127.0.0.1:0") {
  return {"/bin/sh",  "-c",   script,      DRAGOMAN_DAEMON, "--model",       "de-en=" + model,
          "--listen", listen, "--metrics", "127.0.0.1:0",   "--cpu-workers", "1"};
}

std::string Field(const std::string& line, const std::string& name) {
  const size_t at = line.find(name + "=");
  return at == std::string::npos
             ? ""
             : line.substr(at + name.size() + 1, line.find(' ', at) - at - name.size() - 1);
}

std::string Translation(const std::string& address) {
  int status = -1;
  std::string out = RunClient(
      {"translate", "--server", address, "--timeout", "60", "--beam", "1", kText}, &status);
  EXPECT_EQ(status, 0);
  return out;
}

nlohmann::json Report(ChildProcess* load) {
  const std::string out = load->ReadAll();
  EXPECT_EQ(load->Wait(), 0) << load->Errors();
  return nlohmann::json::parse(out);
}

// A directory that goes with the object.
class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "dragoman_fault_XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Fault, ADiskThatIsFullAtTheLogLosesLinesAndNoCall) {
  ChildProcess daemon(Shell("exec \"$0\" \"$@\" 2>/dev/full"));
  const std::string line = daemon.ReadLine();
  ASSERT_THAT(line, HasSubstr("listening"));
  EXPECT_EQ(Translation(Field(line, "grpc")).empty(), false);
  const Daemon::Samples samples = testing::MetricsAt(Field(line, "metrics"));
  EXPECT_GT(Sum(samples, "dragoman_log_lines_dropped_total"), 0);
  EXPECT_EQ(Sum(samples, "dragoman_segments_total{model=\"de-en\",outcome=\"error\"}"), 0);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

TEST(Fault, TheModelsFilesAreNotNeededOnceItServes) {
  const Folder folder;
  const std::string model = folder.path() + "/model";
  std::filesystem::copy(kModel, model);
  ChildProcess daemon(Shell("exec \"$0\" \"$@\"", model));
  const std::string address = Field(daemon.ReadLine(), "grpc");
  const std::string before = Translation(address);
  // Cut short first, which would end a process that has them mapped; then gone.
  for (const auto& file : std::filesystem::directory_iterator(model)) {
    std::filesystem::resize_file(file.path(), 0);
  }
  EXPECT_EQ(Translation(address), before);
  std::filesystem::remove_all(model);
  EXPECT_EQ(Translation(address), before);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

TEST(Fault, AClientKilledInAStreamCostsNothingButItsOwnCall) {
  Daemon daemon({"--cpu-workers", "1"});
  {
    // Long outputs, so that it is in the midst of them.
    ChildProcess client(
        ClientCommand({"translate", "--server", daemon.grpc(), "--stream", "--beam", "4",
                       "--min-output-tokens", "100", "--max-length-extra", "200", kText}));
    while (Sum(daemon.Metrics(), "dragoman_decode_rows") == 0) std::this_thread::yield();
    client.Signal(SIGKILL);
    EXPECT_EQ(client.Wait(), 128 + SIGKILL);
  }
  // All that it had is let go of, also what an encoder or a queue held.
  const auto held = [&daemon] {
    const Daemon::Samples samples = daemon.Metrics();
    return Sum(samples, "dragoman_segments_waiting") + Sum(samples, "dragoman_segments_running");
  };
  while (held() > 0) std::this_thread::yield();
  const Daemon::Samples samples = daemon.Metrics();
  EXPECT_EQ(Sum(samples, "dragoman_decode_rows"), 0);
  EXPECT_GT(Sum(samples, "dragoman_segments_total{model=\"de-en\",outcome=\"cancelled\"}"), 0);
  EXPECT_EQ(Sum(samples, "dragoman_segments_accepted_total"),
            Sum(samples, "dragoman_segments_total"));
  EXPECT_FALSE(Translation(daemon.grpc()).empty());
  daemon.process().Signal(SIGTERM);
  EXPECT_EQ(daemon.process().Wait(), 0);
}

// What a killed daemon held is lost; its place is not: another one has its port at once, though
// connections of the first are open still, and its clients come back by themselves.
TEST(Fault, AfterSigkillAnotherHasThePortAtOnceAndClientsComeBack) {
  std::string address;
  std::unique_ptr<ChildProcess> load;
  {
    ChildProcess first(Shell("exec \"$0\" \"$@\""));
    address = Field(first.ReadLine(), "grpc");
    load = std::make_unique<ChildProcess>(
        ClientCommand({"load", "--server", address, "--input", kText, "--concurrency", "8",
                       "--duration", "6", "--retries", "20", "--beam-size", "1", "--json"}));
    // The first line of its log about a call.
    while (first.Errors().find("\"call\"") == std::string::npos) std::this_thread::yield();
    first.Signal(SIGKILL);
    EXPECT_EQ(first.Wait(), 128 + SIGKILL);
  }
  ChildProcess second(Shell("exec \"$0\" \"$@\"", kModel, address));
  EXPECT_EQ(Field(second.ReadLine(), "grpc"), address) << second.Errors();
  const nlohmann::json report = Report(load.get());
  EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
  EXPECT_THAT(second.Errors(), HasSubstr("\"call\""));
  second.Signal(SIGTERM);
  EXPECT_EQ(second.Wait(), 0);
}

TEST(Fault, AJumpOfTheWallClockMovesNoDeadline) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers must be the first library of a process";
#endif
  const Folder folder;
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
  ChildProcess load(
      ClientCommand({"load", "--server", address, "--input", kText, "--concurrency", "4",
                     "--duration", "6", "--deadline-ms", "5000", "--beam-size", "1", "--json"}));
  const auto calls = [&] {
    return Sum(testing::MetricsAt(Field(line, "metrics")), "dragoman_rpcs_total");
  };
  // Some hundred calls at each time, as the daemon goes on.
  for (const int64_t days : {0, 1, -1, 0}) {
    jump(days);
    for (const double before = calls(); calls() < before + 100;) std::this_thread::yield();
  }
  const nlohmann::json report = Report(&load);
  EXPECT_EQ(report["sent"], report["ok"]) << report["errors"];
  // The jumps took place: the log's lines have three dates.
  std::set<std::string> dates;
  std::istringstream log(daemon.Errors());
  for (std::string entry; std::getline(log, entry);) {
    dates.insert(nlohmann::json::parse(entry)["time"].get<std::string>().substr(0, 10));
  }
  EXPECT_GE(dates.size(), 3U);
  jump(-1);
  daemon.Signal(SIGTERM);
  EXPECT_EQ(daemon.Wait(), 0);
}

}  // namespace
}  // namespace dragoman

// A canary under load, and what a restart keeps of what AdminService changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using testing::ChildProcess;
using testing::ClientCommand;
using testing::Daemon;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kInput[] = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";

class CanaryE2e : public ::testing::Test {
 protected:
  CanaryE2e() {
    fs::copy(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", next_, fs::copy_options::recursive);
  }

  std::vector<std::string> Flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> flags = {"--admin-listen", "127.0.0.1:0", "--cpu-workers", "1"};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  // Returns what it said.
  static std::string Admin(const Daemon& daemon, std::vector<std::string> arguments,
                           int expected = 0) {
    arguments.insert(arguments.begin(), "admin");
    arguments.insert(arguments.end(), {"--server", daemon.admin()});
    ChildProcess client(ClientCommand(arguments));
    std::string said = client.ReadAll();
    EXPECT_EQ(client.Wait(), expected) << client.Errors();
    return said + client.Errors();
  }

  static std::vector<std::string> Load(const Daemon& daemon, int requests) {
    return ClientCommand({"load", "--server", daemon.grpc(), "--input", kInput, "--json",
                          "--concurrency", "4", "--beam-size", "1", "--retries", "0", "--requests",
                          std::to_string(requests)});
  }

  static double Calls(const Daemon& daemon, const std::string& label) {
    double calls = 0;
    for (const auto& [key, value] : daemon.Metrics()) {
      const bool counts = key.starts_with("dragoman_rpc_duration_seconds_count{") &&
                          key.find("model=\"" + label + "\"") != std::string::npos;
      if (counts) calls += value;
    }
    return calls;
  }

  static void ExpectAllAnswered(ChildProcess* load, int requests) {
    const json report = json::parse(load->ReadAll(), nullptr, false);
    EXPECT_EQ(load->Wait(), 0) << load->Errors();
    EXPECT_EQ(report["ok"], requests) << report.dump();
  }

  const TempDirectory directory_;
  const std::string next_ = directory_.path() + "/de-en-2";
};

TEST_F(CanaryE2e, TenPercentUnderLoadWithdrawnWithoutALostCall) {
  Daemon daemon(Flags());
  EXPECT_THAT(Admin(daemon, {"canary", "de-en", next_, "--percent", "10"}),
              HasSubstr("canary of 10 % de-en version 2"));
  constexpr int kRequests = 600;
  {
    ChildProcess load(Load(daemon, kRequests));
    ExpectAllAnswered(&load, kRequests);
  }
  const double canary = Calls(daemon, "de-en@canary");
  const double stable = Calls(daemon, "de-en");
  EXPECT_EQ(canary + stable, kRequests);
  EXPECT_NEAR(canary / kRequests, 0.1, 0.02 * 0.1 + 3.0 / kRequests);  // 2 % of it, and 3 calls
  EXPECT_GT(daemon.Metrics()["dragoman_segments_total{model=\"de-en@canary\",outcome=\"eos\"}"], 0);
  EXPECT_THAT(Admin(daemon, {"list"}), HasSubstr("canary of 10 %"));
  {
    ChildProcess load(Load(daemon, kRequests));
    while (Calls(daemon, "de-en@canary") < canary + 20) std::this_thread::yield();
    EXPECT_THAT(Admin(daemon, {"withdraw", "de-en"}), HasSubstr("serving de-en version 1"));
    ExpectAllAnswered(&load, kRequests);
  }
  EXPECT_LT(Calls(daemon, "de-en"), 2 * kRequests);
  // With its last call the canary's series are gone.
  while (Calls(daemon, "de-en@canary") > 0) std::this_thread::yield();
  EXPECT_THAT(Admin(daemon, {"list"}), Not(HasSubstr("canary")));
}

TEST_F(CanaryE2e, PromotedUnderLoadItServesAllAndNoCallIsLost) {
  Daemon daemon(Flags());
  Admin(daemon, {"canary", "de-en", next_, "--percent", "50"});
  constexpr int kRequests = 600;
  ChildProcess load(Load(daemon, kRequests));
  while (Calls(daemon, "de-en@canary") < 20) std::this_thread::yield();
  EXPECT_THAT(Admin(daemon, {"promote", "de-en"}), HasSubstr("promoted de-en version 2"));
  ExpectAllAnswered(&load, kRequests);
  EXPECT_EQ(daemon.Metrics()["dragoman_model_version{model=\"de-en\"}"], 2);
  EXPECT_EQ(Calls(daemon, "de-en@canary"), 0);
  EXPECT_THAT(daemon.process().Errors(), HasSubstr("canary promoted"));
}

TEST_F(CanaryE2e, ARestartKeepsWhatAdminChanged) {
  const std::string file = directory_.path() + "/models.json";
  const std::vector<std::string> flags = Flags({"--models-file", file, "--admin-writes", "on"});
  {
    Daemon daemon(flags);
    const std::string said = Admin(daemon, {"load", "extra", next_, "--set", "max-rows=32"});
    EXPECT_THAT(said, AllOf(HasSubstr("loaded extra version 1"), Not(HasSubstr("note"))));
    Admin(daemon, {"canary", "de-en", next_, "--percent", "5"});
    daemon.process().Signal(SIGTERM);
    EXPECT_EQ(daemon.process().Wait(), 0);
  }
  {
    Daemon daemon(flags);
    EXPECT_THAT(Admin(daemon, {"list"}), AllOf(HasSubstr("extra"), HasSubstr("canary of 5 %")));
    Admin(daemon, {"unload", "extra"});
    Admin(daemon, {"withdraw", "de-en"});
    daemon.process().Signal(SIGTERM);
    EXPECT_EQ(daemon.process().Wait(), 0);
  }
  Daemon daemon(flags);
  EXPECT_THAT(Admin(daemon, {"list"}), AllOf(Not(HasSubstr("extra")), Not(HasSubstr("canary"))));
  // A file that is written by hand counts from SIGHUP on, and until then admin changes nothing.
  std::ofstream(file) << json{{"models", {{{"name", "by-hand"}, {"directory", next_}}}}}.dump();
  EXPECT_THAT(Admin(daemon, {"load", "extra", next_}, 1), HasSubstr("SIGHUP"));
  daemon.process().Signal(SIGHUP);
  while (Admin(daemon, {"list"}).find("by-hand") == std::string::npos) std::this_thread::yield();
  Admin(daemon, {"load", "extra", next_});
}

TEST_F(CanaryE2e, AChangeThatCannotBeKeptIsRefused) {
  Daemon daemon(Flags({"--models-file", "/no-such-folder/models.json", "--admin-writes", "on"}));
  EXPECT_THAT(Admin(daemon, {"load", "extra", next_}, 1),
              AllOf(HasSubstr("/no-such-folder"), HasSubstr("nothing was changed")));
  EXPECT_THAT(Admin(daemon, {"list"}), Not(HasSubstr("extra")));
}

}  // namespace
}  // namespace dragoman

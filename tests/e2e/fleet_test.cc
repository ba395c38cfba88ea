// Several daemons, changed by one admin command; and who may give such commands over the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/server/security/certificates.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using testing::Authority;
using testing::ChildProcess;
using testing::ClientCommand;
using testing::Daemon;
using ::testing::HasSubstr;
using testing::Replace;

struct Said {
  int status = -1;
  std::string out;
  std::string err;
};

Said RunCommand(const std::vector<std::string>& command) {
  ChildProcess child(command);
  Said said;
  said.out = child.ReadAll();
  said.status = child.Wait();
  said.err = child.Errors();
  return said;
}

std::string PortOf(const std::string& address) { return address.substr(address.rfind(':') + 1); }

// The words of each line.
std::vector<std::vector<std::string>> Table(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    std::istringstream words(line);
    auto& out = lines.emplace_back();
    for (std::string word; words >> word;) out.push_back(word);
  }
  return lines;
}

class FleetTest : public ::testing::Test {
 protected:
  // Three daemons whose admin ports are the same at three addresses of this machine.
  FleetTest() {
    Add("127.0.0.1:0");
    const std::string port = PortOf(daemons_[0]->admin());
    Add("127.0.0.2:" + port);
    Add("127.0.0.3:" + port);
    server_ = "dns:///fleet.test:" + port;
  }

  void Add(const std::string& admin) {
    daemons_.push_back(std::make_unique<Daemon>(
        std::vector<std::string>{"--admin-listen", admin, "--cpu-workers", "1"}));
  }

  Said Admin(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "admin");
    arguments.insert(arguments.end(), {"--server", server_});
    std::vector<std::string> command = ClientCommand(arguments);
    command.insert(command.begin(), {"/usr/bin/env", "LD_PRELOAD=" DRAGOMAN_FLEET_NAMES});
    return RunCommand(command);
  }

  double Version(size_t daemon, const std::string& model) const {
    return daemons_[daemon]->Metrics()["dragoman_model_version{model=\"" + model + "\"}"];
  }

  std::vector<std::unique_ptr<Daemon>> daemons_;
  std::string server_;
};

TEST_F(FleetTest, OneCommandChangesThreeAndATableSaysWhatEachDid) {
  const Said loaded = Admin({"load", "tiny", DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-multi"});
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  const auto table = Table(loaded.out);
  ASSERT_EQ(table.size(), 4U) << loaded.out;
  EXPECT_EQ(table[0], (std::vector<std::string>{"ADDRESS", "MODEL", "VERSION", "STATE", "ERROR"}));
  const std::string port = PortOf(daemons_[0]->admin());
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(table[i + 1],
              (std::vector<std::string>{"127.0.0." + std::to_string(i + 1) + ":" + port, "tiny",
                                        "1", "loaded"}));
    EXPECT_EQ(Version(i, "tiny"), 1);
  }
  EXPECT_THAT(loaded.err, HasSubstr("until it ends"));
  const Said list = Admin({"list", "--parallel", "3"});
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(Table(list.out).size(), 7U) << list.out;
}

TEST_F(FleetTest, WhatFailedIsSaidAndWhatChangedStays) {
  daemons_[1]->process().Signal(SIGKILL);
  daemons_[1]->process().Wait();
  const Said loaded = Admin(
      {"load", "tiny", DRAGOMAN_SOURCE_DIR "/tests/data/models/tiny-multi", "--timeout", "60"});
  EXPECT_EQ(loaded.status, 1);
  const auto table = Table(loaded.out);
  ASSERT_EQ(table.size(), 4U) << loaded.out;
  EXPECT_EQ(table[1][3], "loaded");
  EXPECT_EQ(table[2][3], "failed");
  EXPECT_GT(table[2].size(), 4U);  // and why
  EXPECT_EQ(table[3][3], "loaded");
  EXPECT_THAT(loaded.err, AllOf(HasSubstr("1 of 3 daemons failed"),
                                HasSubstr("the others have changed and stay so")));
  EXPECT_EQ(Version(0, "tiny"), 1);
  EXPECT_EQ(Version(2, "tiny"), 1);
  // Nothing but errors: nothing has changed anywhere.
  const Said refused = Admin({"load", "tiny", "/nowhere"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("3 of 3 daemons failed"));
  EXPECT_EQ(Version(0, "tiny"), 1);
}

TEST(FleetNames, WhatIsNoneIsRefused) {
  for (const auto& [server, expected] :
       {std::pair("dns:///fleet.test", "expected dns:///HOST:PORT"),
        std::pair("dns:///no-such-host.invalid:1", "no-such-host.invalid"),
        std::pair("127.0.0.1:1,,127.0.0.1:2", "addresses with commas between")}) {
    const Said said = RunCommand(ClientCommand({"admin", "list", "--server", server}));
    EXPECT_EQ(said.status, 1);
    EXPECT_THAT(said.err, HasSubstr(expected));
  }
}

TEST(FleetSecurity, OverTheNetworkItTakesACertificateOfTheAdmins) {
  const TempDirectory directory;
  const std::string folder = directory.path() + "/";
  const Authority servers("of servers");
  const Authority admins("of admins");
  const Authority::Issued own = servers.Issue();
  Replace(folder + "server.crt", own.certificate);
  Replace(folder + "server.key", own.key);
  Replace(folder + "ca.crt", servers.pem());
  Replace(folder + "admins.crt", admins.pem());
  for (const Authority* authority : {&servers, &admins}) {
    const Authority::Issued issued = authority->Issue({.name = "admin", .client = true});
    const std::string name = authority == &admins ? "known" : "stranger";
    Replace(folder + name + ".crt", issued.certificate);
    Replace(folder + name + ".key", issued.key);
  }
  const Daemon daemon({"--tls-cert", folder + "server.crt", "--tls-key", folder + "server.key",
                       "--admin-listen", "0.0.0.0:0", "--admin-client-ca", folder + "admins.crt",
                       "--cpu-workers", "1"});
  const std::string server = "localhost:" + PortOf(daemon.admin());
  const auto list = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"admin", "list", "--server", server, "--timeout", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(ClientCommand(arguments));
  };
  const Said known = list(
      {"--ca", folder + "ca.crt", "--cert", folder + "known.crt", "--key", folder + "known.key"});
  EXPECT_EQ(known.status, 0) << known.err;
  EXPECT_THAT(known.out, HasSubstr("de-en"));
  EXPECT_EQ(list({"--ca", folder + "ca.crt", "--cert", folder + "stranger.crt", "--key",
                  folder + "stranger.key"})
                .status,
            1);
  EXPECT_EQ(list({"--ca", folder + "ca.crt"}).status, 1);
  EXPECT_EQ(list({}).status, 1);
}

}  // namespace
}  // namespace dragoman

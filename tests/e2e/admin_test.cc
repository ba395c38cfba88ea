// Checks which clients may give admin commands over the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/server/base/certificates.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using testing::Authority;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::HasSubstr;

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

TEST(AdminSecurity, OverTheNetworkItTakesACertificateOfTheAdmins) {
  const TempDirectory directory;
  const std::string folder = directory.path() + "/";
  const Authority servers("of servers");
  const Authority admins("of admins");
  const Authority::Issued own = servers.Issue();
  testing::Replace(folder + "server.crt", own.certificate);
  testing::Replace(folder + "server.key", own.key);
  testing::Replace(folder + "ca.crt", servers.pem());
  testing::Replace(folder + "admins.crt", admins.pem());
  for (const Authority* authority : {&servers, &admins}) {
    const Authority::Issued issued = authority->Issue({.name = "admin", .client = true});
    const std::string name = authority == &admins ? "known" : "stranger";
    testing::Replace(folder + name + ".crt", issued.certificate);
    testing::Replace(folder + name + ".key", issued.key);
  }
  const Daemon daemon({"--tls-cert", folder + "server.crt", "--tls-key", folder + "server.key",
                       "--admin-listen", "0.0.0.0:0", "--admin-client-ca", folder + "admins.crt",
                       "--cpu-workers", "1"});
  const std::string server = "localhost:" + PortOf(daemon.admin());
  const auto list = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"admin", "list", "--server", server, "--timeout", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunCommand(testing::ClientCommand(arguments));
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

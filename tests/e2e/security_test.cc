// Tests TLS and API keys through the files, flags, messages and exit statuses of daemon and client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/server/base/certificates.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AllOf;
using testing::Authority;
using testing::ChildProcess;
using testing::Daemon;
using ::testing::HasSubstr;

constexpr char kInput[] = DRAGOMAN_SOURCE_DIR "/tests/data/german.txt";

class SecurityE2e : public ::testing::Test {
 protected:
  // Writes PREFIX.crt and PREFIX.key.
  void Write(const std::string& prefix, const Authority::Issued& issued) const {
    testing::Replace(folder_ + prefix + ".key", issued.key);
    testing::Replace(folder_ + prefix + ".crt", issued.certificate);
  }
  std::string Path(const std::string& name) const { return folder_ + name; }

  std::vector<std::string> ServerFlags() const {
    Write("server", authority_.Issue());
    testing::Replace(Path("ca.crt"), authority_.pem());
    return {"--tls-cert", Path("server.crt"), "--tls-key", Path("server.key")};
  }

  struct Run {
    int status = -1;
    std::string out;
    std::string err;
  };
  static Run Call(const Daemon& daemon, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"--server", daemon.grpc()});
    ChildProcess client(testing::ClientCommand(arguments));
    Run run;
    run.out = client.ReadAll();
    run.status = client.Wait();
    run.err = client.Errors();
    return run;
  }

  // Writes the key that `dragoman key` prints to a file, and adds its entry to the server's keys.
  void MakeKey(const std::string& name, const std::vector<std::string>& flags = {}) {
    std::vector<std::string> arguments = {"key", name};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const std::string made = testing::RunClient(arguments);
    const size_t end = made.find('\n');
    testing::Replace(Path(name + ".key"), made.substr(0, end + 1));
    entries_[name] = made.substr(end + 1, made.find('\n', end + 1) - end - 1);
  }
  void WriteKeys(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ",") + entries_.at(name);
    testing::Replace(Path("keys.json"), "{\"clients\": [" + list + "]}");
  }

  static bool WaitForLine(const ChildProcess& process, const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (process.Errors().find(text) == std::string::npos) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  const Authority authority_{"Test CA"};
  const Authority stranger_{"Another CA"};
  std::map<std::string, std::string> entries_;
};

TEST_F(SecurityE2e, TlsAndWhatItsClientsAreTold) {
  std::vector<std::string> flags = ServerFlags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca.crt")});
  Daemon daemon(flags);
  Write("client", authority_.Issue({.client = true}));
  Write("stranger", stranger_.Issue({.client = true}));
  Write("expired", authority_.Issue({.begin = -7200, .end = -10, .client = true}));
  testing::Replace(Path("other_ca.crt"), stranger_.pem());
  const auto models = [&](const std::string& ca, const std::string& own) {
    std::vector<std::string> arguments = {"models", "--timeout", "3"};
    if (!ca.empty()) arguments.insert(arguments.end(), {"--ca", Path(ca)});
    if (!own.empty()) {
      arguments.insert(arguments.end(),
                       {"--cert", Path(own + ".crt"), "--key", Path(own + ".key")});
    }
    return Call(daemon, arguments);
  };
  const Run right = models("ca.crt", "client");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_THAT(right.out, HasSubstr("de-en"));

  Run wrong = models("", "");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("may want TLS")));
  wrong = models("other_ca.crt", "client");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("certificate verify failed"));
  for (const char* own : {"", "stranger", "expired"}) {
    wrong = models("ca.crt", own);
    EXPECT_EQ(wrong.status, 1) << own;
    EXPECT_THAT(wrong.err, HasSubstr("UNAVAILABLE")) << own;
  }
  wrong = Call(daemon,
               {"models", "--ca", Path("ca.crt"), "--cert", Path("client.crt"), "--key",
                Path("client.key"), "--tls-server-name", "elsewhere.example", "--timeout", "3"});
  EXPECT_THAT(wrong.err, HasSubstr("elsewhere.example"));
  wrong = Call(daemon, {"models", "--cert", Path("client.crt")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--cert without --key"));
  testing::Replace(Path("client.key"), stranger_.Issue().key);
  EXPECT_THAT(models("ca.crt", "client").err, HasSubstr("a certificate and its private key"));
  EXPECT_THAT(models("missing.crt", "").err, HasSubstr("--ca"));
}

TEST_F(SecurityE2e, ATlsClientAtAServerWithoutTlsIsToldSo) {
  const Daemon daemon;
  const Run run = Call(daemon, {"models", "--tls", "--timeout", "2"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("(TLS: wrong version number)"));
}

// Returns the client's arguments in the HEALTHCHECK of an image, with the ports of
// docker/dragomand.json replaced by those of `daemon`.
std::vector<std::string> HealthCheckOf(const std::string& dockerfile, const Daemon& daemon) {
  std::ifstream file(DRAGOMAN_SOURCE_DIR "/docker/" + dockerfile);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::regex form(R"re(HEALTHCHECK[^\n]*\\\n *CMD \["dragoman", ([^\]]*)\])re");
  std::smatch match;
  if (!std::regex_search(text, match, form)) return {};
  const std::string words = match[1];
  std::vector<std::string> arguments;
  const std::regex word("\"([^\"]*)\"");
  for (std::sregex_iterator at(words.begin(), words.end(), word), end; at != end; ++at) {
    std::string argument = (*at)[1];
    argument = std::regex_replace(argument, std::regex("127.0.0.1:50051"), daemon.grpc());
    argument = std::regex_replace(argument, std::regex("127.0.0.1:9464"), daemon.http());
    arguments.push_back(argument);
  }
  return arguments;
}

// The HEALTHCHECK of both images succeeds for a daemon with TLS, client certificates or API keys,
// and fails while the daemon drains.
TEST_F(SecurityE2e, TheImagesHealthCheckHoldsWithTlsCertificatesAndKeys) {
  MakeKey("web");
  WriteKeys({"web"});
  const std::vector<std::string> plain;
  const std::vector<std::string> tls = ServerFlags();
  std::vector<std::string> mutual = tls;
  mutual.insert(mutual.end(), {"--tls-client-ca", Path("ca.crt")});
  std::vector<std::string> keys = tls;
  keys.insert(keys.end(), {"--api-keys", Path("keys.json")});
  for (const auto& flags : {plain, tls, mutual, keys}) {
    std::vector<std::string> all = flags;
    all.insert(all.end(), {"--lame-duck-seconds", "60"});
    Daemon daemon(all);
    for (const char* dockerfile : {"Dockerfile", "Dockerfile.cuda"}) {
      const std::vector<std::string> arguments = HealthCheckOf(dockerfile, daemon);
      ASSERT_FALSE(arguments.empty()) << dockerfile;
      ChildProcess health(testing::ClientCommand(arguments));
      EXPECT_EQ(health.Wait(), 0) << dockerfile << ", " << flags.size() << ": " << health.Errors();
    }
    if (!flags.empty()) continue;
    // A daemon that is draining is not healthy.
    daemon.process().Signal(SIGTERM);
    ASSERT_TRUE(WaitForLine(daemon.process(), "lame duck"));
    ChildProcess health(testing::ClientCommand(HealthCheckOf("Dockerfile", daemon)));
    EXPECT_EQ(health.Wait(), 1);
    EXPECT_THAT(health.Errors(), HasSubstr("answers 503"));
  }
}

TEST_F(SecurityE2e, HealthAsksOverHttpsWhereThePortForOperatorsHasIt) {
  std::vector<std::string> flags = ServerFlags();
  flags.insert(flags.end(), {"--tls-client-ca", Path("ca.crt"), "--metrics-tls", "mutual"});
  Daemon daemon(flags);
  Write("client", authority_.Issue({.client = true}));
  testing::Replace(Path("other_ca.crt"), stranger_.pem());
  const auto health = [&](const std::string& path, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"health", "--url", "https://" + daemon.http() + path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Call(daemon, arguments);
  };
  const std::vector<std::string> trust = {"--ca", Path("ca.crt")};
  EXPECT_EQ(health("/readyz", trust).out, "SERVING\n");
  // The other paths of that port require a client certificate.
  EXPECT_EQ(health("/metrics", trust).status, 1);
  EXPECT_EQ(health("/metrics", {"--ca", Path("ca.crt"), "--cert", Path("client.crt"), "--key",
                                Path("client.key")})
                .status,
            0);
  EXPECT_THAT(health("/readyz", {"--ca", Path("other_ca.crt")}).err,
              HasSubstr("certificate verify failed"));
  EXPECT_THAT(
      health("/readyz", {"--ca", Path("ca.crt"), "--tls-server-name", "elsewhere.example"}).err,
      HasSubstr("certificate verify failed"));
  EXPECT_EQ(Call(daemon, {"health", "--url", "http://" + daemon.http() + "/readyz"}).status, 1);
}

TEST_F(SecurityE2e, ACertificateIsReplacedWhileAFileIsTranslated) {
  Daemon daemon(ServerFlags());
  ChildProcess client(
      testing::ClientCommand({"translate", "--server", daemon.grpc(), "--ca", Path("ca.crt"),
                              "--concurrency", "1", "--batch", "1", kInput}));
  ASSERT_NE(client.ReadLine(), "");  // in the middle of the translation
  Write("server", stranger_.Issue());
  ASSERT_TRUE(WaitForLine(daemon.process(), "certificate changed"));
  testing::Replace(Path("new_ca.crt"), stranger_.pem());
  EXPECT_EQ(Call(daemon, {"models", "--ca", Path("new_ca.crt")}).status, 0);
  EXPECT_EQ(Call(daemon, {"models", "--ca", Path("ca.crt"), "--timeout", "2"}).status, 1);
  // A broken certificate is reported and does not replace the old one. SIGHUP reads it at once.
  testing::Replace(Path("server.crt"), "broken");
  daemon.process().Signal(SIGHUP);
  ASSERT_TRUE(WaitForLine(daemon.process(), "certificates not read again"));
  EXPECT_THAT(daemon.process().Errors(), HasSubstr("no certificate in PEM format"));
  EXPECT_EQ(Call(daemon, {"models", "--ca", Path("new_ca.crt")}).status, 0);
  client.ReadAll();
  EXPECT_EQ(client.Wait(), 0) << client.Errors();
}

TEST_F(SecurityE2e, KeysMissingWrongRightUsedUpAndRevoked) {
  MakeKey("web");
  MakeKey("batch", {"--characters-per-minute", "100", "--model", "de-en"});
  MakeKey("other", {"--model", "fr-en"});
  MakeKey("unknown");
  WriteKeys({"web", "batch", "other"});
  Daemon daemon({"--api-keys", Path("keys.json")});
  const auto translate = [&](const std::string& key) {
    testing::Replace(Path("input.txt"), std::string(80, 'a') + "\n");
    std::vector<std::string> arguments = {"translate", "--retries", "0", "--timeout", "5"};
    if (!key.empty()) {
      arguments.insert(arguments.end(), {"--api-key-file", Path(key + ".key")});
    }
    arguments.push_back(Path("input.txt"));
    return Call(daemon, arguments);
  };
  EXPECT_EQ(translate("web").status, 0);
  EXPECT_THAT(translate("").err, AllOf(HasSubstr("UNAUTHENTICATED"), HasSubstr("no API key")));
  EXPECT_THAT(translate("unknown").err,
              AllOf(HasSubstr("UNAUTHENTICATED"), HasSubstr("not known")));
  EXPECT_THAT(translate("other").err, AllOf(HasSubstr("PERMISSION_DENIED"), HasSubstr("'other'")));
  EXPECT_EQ(translate("batch").status, 0);
  EXPECT_THAT(translate("batch").err,
              AllOf(HasSubstr("RESOURCE_EXHAUSTED"), HasSubstr("characters per minute")));
  EXPECT_EQ(Call(daemon, {"health"}).status, 0);
  // The log has neither the valid keys nor the keys that clients presented.
  EXPECT_EQ(daemon.process().Errors().find("dgm_"), std::string::npos);
  EXPECT_THAT(daemon.process().Errors(), HasSubstr(R"("client":"web")"));

  // The key is revoked while the client translates a file.
  ChildProcess client(testing::ClientCommand(
      {"translate", "--server", daemon.grpc(), "--api-key-file", Path("web.key"), "--stream",
       "--concurrency", "2", "--min-output-tokens", "60", kInput}));
  const auto running = [&] {
    return testing::Sum(daemon.Metrics(), "dragoman_segments_running") > 0;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!running() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  WriteKeys({"batch", "other"});
  daemon.process().Signal(SIGHUP);
  EXPECT_EQ(client.Wait(), 1);
  EXPECT_THAT(client.Errors(), AllOf(HasSubstr("UNAUTHENTICATED"), HasSubstr("revoked")));
  EXPECT_THAT(translate("web").err, HasSubstr("not known"));
}

TEST_F(SecurityE2e, AKeyDoesNotTravelUnencryptedToAnotherMachine) {
  MakeKey("web");
  ChildProcess client(
      testing::ClientCommand({"models", "--server", "192.0.2.1:50051", "--api-key-file",
                              Path("web.key"), "--timeout", "1"}));
  EXPECT_EQ(client.Wait(), 2);
  EXPECT_THAT(client.Errors(), AllOf(HasSubstr("unencrypted"), HasSubstr("--tls")));
  testing::Replace(Path("web.key"), "two words\n");
  ChildProcess broken(testing::ClientCommand({"models", "--api-key-file", Path("web.key")}));
  EXPECT_EQ(broken.Wait(), 2);
  EXPECT_THAT(broken.Errors(), HasSubstr("a file with an API key"));
}

}  // namespace
}  // namespace dragoman

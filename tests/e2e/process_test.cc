// Tests the daemon as a process: closed or blocked file descriptors, limits on memory, and
// shutdown. tests/attack/process.py has the heavier cases.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman {
namespace {

using ::testing::AnyOf;
using testing::ChildProcess;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModel = std::string("de-en=") + DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

// Returns a command that runs `script` in a shell. The script starts the daemon as "$@", with
// redirections or limits.
std::vector<std::string> Shell(const std::string& script, std::vector<std::string> flags = {}) {
  std::vector<std::string> command = {
      "/bin/sh",  "-c",          script,      DRAGOMAN_DAEMON, "--model",         kModel,
      "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0",   "--drain-seconds", "3"};
  if (std::find(flags.begin(), flags.end(), "--http") == flags.end()) {
    command.insert(command.end(), {"--http", "off"});
  }
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

std::string Address(const std::string& line) {
  const size_t at = line.find("grpc=") + 5;
  return line.substr(at, line.find(' ', at) - at);
}

// A named pipe that is full.
class FullPipe {
 public:
  FullPipe() {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    fd_ = open(path_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    while (write(fd_, "................", 16) > 0) {
    }
    while (write(fd_, ".", 1) > 0) {
    }
  }
  ~FullPipe() { close(fd_); }
  const std::string& path() const { return path_; }

 private:
  const TempDirectory directory_;
  const std::string path_ = directory_.path() + "/full.pipe";
  int fd_ = -1;
};

TEST(Process, AStalledReaderOfTheLogStopsNobody) {
  const FullPipe pipe;
  ChildProcess daemon(Shell("exec \"$0\" \"$@\" 2>" + pipe.path()));
  const std::string address = Address(daemon.ReadLine());
  // The client makes more calls than the log's queue has room for lines.
  int status = -1;
  testing::RunClient({"translate", "--server", address, "--timeout", "60", "--batch", "1", "--beam",
                      "1", DRAGOMAN_SOURCE_DIR "/tests/data/german.txt"},
                     &status);
  EXPECT_EQ(status, 0);
  const auto begin = std::chrono::steady_clock::now();
  daemon.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

// Returns all loopback addresses with a port in `errors` that do not occur in `own`.
std::vector<std::string> PeersIn(const std::string& errors, const std::string& own) {
  std::vector<std::string> found;
  const std::regex address("127\\.0\\.0\\.1:[0-9]+");
  for (std::sregex_iterator at(errors.begin(), errors.end(), address), end; at != end; ++at) {
    if (own.find(at->str()) == std::string::npos) found.push_back(at->str());
  }
  return found;
}

TEST(Process, AnAddressThatOthersReachWithoutKeysIsWarnedOfOnce) {
  for (const auto& [address, warnings] : {std::pair("0.0.0.0:0", 1), std::pair("127.0.0.1:0", 0)}) {
    testing::Daemon daemon({"--http", address, "--cpu-workers", "1"});
    daemon.Stop();
    const std::string errors = daemon.process().Errors();
    int found = 0;
    for (size_t at = 0; (at = errors.find("without --api-keys", at)) != std::string::npos; ++at) {
      ++found;
    }
    EXPECT_EQ(found, warnings) << address << errors;
  }
}

// A page of another site reaches a port of the loopback by a name that it has resolved to it.
TEST(Process, AnUnknownNameOfTheHostIsRefusedOnTheLoopback) {
  testing::Daemon daemon(
      {"--http", "127.0.0.1:0", "--http-hosts", "translate.test", "--cpu-workers", "1"});
  for (const auto& [address, path] :
       {std::pair(daemon.http(), "/livez"), std::pair(daemon.rest(), "/v1/models")}) {
    EXPECT_THAT(testing::HttpGet(address, path, "evil.example"), HasSubstr("--http-hosts"));
    for (const char* host : {"localhost", "127.0.0.1:80", "translate.test"}) {
      const std::string answer = testing::HttpGet(address, path, host);
      EXPECT_NE(answer, "") << host;
      EXPECT_THAT(answer, Not(HasSubstr("--http-hosts"))) << host;
    }
  }
}

TEST(Process, AMistakeAtStartIsTextAtATerminalAndJsonElsewhere) {
  const std::string missing = "/no/such/key.pem";
  const std::vector<std::string> flags = {"--tls-cert", missing, "--tls-key", missing};
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  ChildProcess at_terminal(Shell(std::string("exec \"$0\" \"$@\" 2>") + ptsname(terminal), flags));
  EXPECT_EQ(at_terminal.Wait(), 1);
  std::string text(4096, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, read(terminal, text.data(), text.size()))));
  close(terminal);
  EXPECT_THAT(text, HasSubstr("dragomand: start: "));
  EXPECT_THAT(text, HasSubstr(missing));
  EXPECT_THAT(text, Not(HasSubstr("\"error\"")));

  ChildProcess elsewhere(Shell("exec \"$0\" \"$@\"", flags));
  EXPECT_EQ(elsewhere.Wait(), 1);
  EXPECT_THAT(elsewhere.Errors(), HasSubstr("\"level\":\"error\",\"msg\":\"start\""));
}

TEST(Process, TheLogHasNoAddressOfAClientWhereItMayNot) {
  for (const char* peers : {"on", "off"}) {
    testing::Daemon daemon({"--log-peers", peers, "--log-level", "trace", "--cpu-workers", "1",
                            "--http", "127.0.0.1:0"});
    EXPECT_NE(testing::TranslateGerman(daemon), "");
    daemon.Get("no-path");  // refused; the log entry has the client's address
    daemon.Stop();
    const std::string errors = daemon.process().Errors();
    EXPECT_THAT(errors, HasSubstr("request refused"));
    // The entry "serving" lists all addresses on which the daemon listens.
    const size_t serving = errors.find("\"msg\":\"serving\"");
    const std::string own = errors.substr(serving, errors.find('\n', serving) - serving);
    EXPECT_EQ(PeersIn(errors, own).empty(), std::string(peers) == "off")
        << ::testing::PrintToString(PeersIn(errors, own));
  }
}

TEST(Process, AStandardOutputThatTakesNothingDoesNotHoldUpTheEnd) {
  const FullPipe pipe;
  ChildProcess daemon(Shell("exec \"$0\" \"$@\" >" + pipe.path()));
  while (daemon.running() && daemon.Errors().find("\"serving\"") == std::string::npos) {
  }
  daemon.Stop();
}

TEST(Process, ClosedDescriptorsAreNotGivenToSockets) {
  for (const std::string closed : {"<&-", "2>&-", "<&- 2>&-"}) {
    ChildProcess daemon(Shell("exec \"$0\" \"$@\" " + closed));
    const std::string address = Address(daemon.ReadLine());
    int status = -1;
    testing::RunClient({"models", "--server", address}, &status);
    EXPECT_EQ(status, 0) << closed;
    daemon.Stop();
  }

  ChildProcess client(
      {"/bin/sh", "-c", "exec \"$0\" translate --server 127.0.0.1:1 <&-", DRAGOMAN_CLIENT});
  EXPECT_EQ(client.Wait(), 1);  // it does not wait for input
  EXPECT_THAT(client.Errors(), HasSubstr("cannot read the input"));
}

TEST(Process, TooLittleAddressSpaceIsALineAndNoAbort) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need terabytes of it";
#endif
  for (const char* kilobytes : {"120000", "160000", "250000", "400000"}) {
    ChildProcess daemon(
        Shell(std::string("ulimit -v ") + kilobytes + " && exec \"$0\" \"$@\"", {}));
    EXPECT_EQ(daemon.Wait(), 1) << kilobytes;
    const std::string log = daemon.Errors();
    const size_t error = log.find("\"level\":\"error\"");
    ASSERT_NE(error, std::string::npos) << kilobytes;
    EXPECT_THAT(log.substr(error),
                AnyOf(HasSubstr("memory"), HasSubstr("thread"), HasSubstr("address space")))
        << kilobytes;
  }
}

// Starts the daemon with `kilobytes` of address space, stops it, and returns its log.
std::string LogUnderLimit(int64_t kilobytes) {
  ChildProcess daemon(Shell("ulimit -v " + std::to_string(kilobytes) + " && exec \"$0\" \"$@\"",
                            {"--cpu-workers", "2", "--threads-per-worker", "1"}));
  Address(daemon.ReadLine());
  daemon.Stop();
  return daemon.Errors();
}

// Returns the number that the log gives for `field`; 0 without it.
int64_t LoggedNumber(const std::string& log, const std::string& field) {
  std::smatch match;
  const bool found = std::regex_search(log, match, std::regex("\"" + field + "\":([0-9]+)"));
  return found ? std::stoll(match[1]) : 0;
}

// The memory bound includes the models' mapped memory, so it is compared with the limit that was
// available before the models were loaded. Only a process with a lower limit logs a warning.
TEST(Process, AddressSpaceThatSufficesIsNoWarning) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need terabytes of it";
#endif
  constexpr int64_t kAmple = int64_t{4} << 20;  // KiB
  const std::string ample = LogUnderLimit(kAmple);
  const int64_t bound = LoggedNumber(ample, "sum_bytes");
  const int64_t before_models = kAmple * 1024 - LoggedNumber(ample, "limit_bytes");
  ASSERT_GT(bound, 0) << ample;
  constexpr int64_t kMargin = int64_t{64} << 20;
  const int64_t suffices = before_models + bound + kMargin;
  for (const auto& [bytes, warns] : {std::pair(suffices, false), {suffices - 2 * kMargin, true}}) {
    const std::string log = LogUnderLimit(bytes / 1024);
    EXPECT_THAT(log, HasSubstr("the limit of address space (ulimit -v)"));
    EXPECT_EQ(log.find("memory bound above the limit") != std::string::npos, warns) << log;
  }
}

}  // namespace
}  // namespace dragoman

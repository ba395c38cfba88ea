#include "client/load/node_daemon.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "client/translation_client.h"
#include "tests/e2e/processes.h"
#include "tests/support/temp_directory.h"

namespace dragoman::client {
namespace {

using ::testing::HasSubstr;

const std::string kModel = DRAGOMAN_SOURCE_DIR "/deploy/models/de-en";

// Returns the process that listens at a unix socket, or -1 if there is none.
pid_t ListenerOf(const std::string& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  const std::string path = address.substr(std::string("unix:").size());
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ucred peer{.pid = -1, .uid = 0, .gid = 0};
  socklen_t size = sizeof(peer);
  if (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0) {
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
  }
  close(fd);
  return peer.pid;
}

std::string Translate(const std::string& address) {
  ClientOptions options;
  options.server = address;
  options.timeout = std::chrono::seconds(60);
  options.retry.patient = true;
  options.retry.max_attempts = 1000;
  options.retry.budget = 1000;
  const auto client = TranslationClient::Create(options);
  v1::TranslateRequest request;
  request.add_contents("Guten Morgen!");
  const auto response = (*client)->Translate(request);
  return response.ok() ? response->translations(0).translated_text() : response.status().ToString();
}

class NodeDaemonTest : public ::testing::Test {
 protected:
  // Orphans become children of this process, so that it can wait for their end.
  NodeDaemonTest() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

  absl::StatusOr<std::unique_ptr<NodeDaemon>> Join(const std::string& model = kModel) const {
    return NodeDaemon::Join({.program = DRAGOMAN_DAEMON, .flags = {"--model", "de-en=" + model}},
                            [this](const std::string& name) {
                              return name == "DRAGOMAN_LOCAL_DIR" ? folder_.path() : "";
                            });
  }

  const TempDirectory folder_;
};

TEST_F(NodeDaemonTest, UsersShareADaemonThatEndsWithTheLast) {
  auto first = Join();
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = Join();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*first)->address(), (*second)->address());
  const pid_t daemon = ListenerOf((*first)->address());
  EXPECT_GT(daemon, 0);
  first->reset();
  EXPECT_EQ(Translate((*second)->address()), "Good morning.");
  EXPECT_EQ(ListenerOf((*second)->address()), daemon);
  second->reset();
  int status = -1;
  EXPECT_EQ(waitpid(daemon, &status, 0), daemon);
  EXPECT_EQ(status, 0);
}

TEST_F(NodeDaemonTest, AUserThatIsKilledHasLeft) {
  const std::string address = (*Join())->address();
  while (ListenerOf(address) > 0) std::this_thread::yield();
  // The command waits for input that does not come.
  int input[2];
  ASSERT_EQ(pipe(input), 0);
  testing::ChildProcess user(
      {"/bin/sh", "-c",
       "exec 0<&" + std::to_string(input[0]) + "; exec env DRAGOMAND=" + DRAGOMAN_DAEMON +
           " DRAGOMAN_LOCAL_DIR=" + folder_.path() + " \"$0\" corpus - --name x.txt --out " +
           folder_.path() + "/out --local de-en=" + kModel,
       DRAGOMAN_CLIENT});
  pid_t daemon = -1;
  while ((daemon = ListenerOf(address)) < 0) std::this_thread::yield();
  user.Signal(SIGKILL);
  user.Wait();
  int status = -1;
  EXPECT_EQ(waitpid(daemon, &status, 0), daemon);
  EXPECT_EQ(status, 0);
  close(input[0]);
  close(input[1]);
}

TEST_F(NodeDaemonTest, ADaemonThatDiesIsStartedAgain) {
  auto node = Join();
  ASSERT_TRUE(node.ok()) << node.status();
  const pid_t daemon = ListenerOf((*node)->address());
  kill(daemon, SIGKILL);
  pid_t next = -1;
  while ((next = ListenerOf((*node)->address())) < 0 || next == daemon) std::this_thread::yield();
  EXPECT_EQ(Translate((*node)->address()), "Good morning.");
  EXPECT_TRUE((*node)->status().ok());
}

TEST_F(NodeDaemonTest, AStartThatFailsSaysWhy) {
  const auto node = Join("/nowhere");
  EXPECT_THAT(std::string(node.status().message()), HasSubstr("/nowhere: no such directory"));
}

TEST_F(NodeDaemonTest, AFolderThatOthersMayWriteIsRefused) {
  chmod(folder_.path().c_str(), 0777);
  EXPECT_TRUE(absl::IsPermissionDenied(Join().status()));
}

TEST_F(NodeDaemonTest, TheFolderFollowsFromTheFlags) {
  const auto node = NodeDaemon::Join(
      {.program = "/nowhere/dragomand", .flags = {"--model", "x=/no/model", "--cpu-workers=4"}},
      [this](const std::string& name) { return name == "XDG_RUNTIME_DIR" ? folder_.path() : ""; });
  EXPECT_TRUE(absl::IsNotFound(node.status())) << node.status();
  // The Python client's test has the same name.
  EXPECT_EQ(access((folder_.path() + "/dragoman-local/a97c75b4afe3a3bc/lock").c_str(), F_OK), 0);
}

TEST(ExitAtEof, EndsTheDaemonWithItsInput) {
  int input[2];
  ASSERT_EQ(pipe2(input, O_CLOEXEC), 0);
  fcntl(input[0], F_SETFD, 0);  // the daemon has the reading end alone
  testing::ChildProcess daemon({"/bin/sh", "-c",
                                "exec 0<&" + std::to_string(input[0]) + "; exec \"$0\" \"$@\"",
                                DRAGOMAN_DAEMON, "--model", kModel, "--listen", "127.0.0.1:0",
                                "--metrics", "off", "--http", "off", "--exit-at-eof", "on"});
  EXPECT_THAT(daemon.ReadLine(), HasSubstr("listening"));
  EXPECT_EQ(write(input[1], "ignored", 7), 7);
  EXPECT_TRUE(daemon.running());
  close(input[1]);
  EXPECT_EQ(daemon.Wait(), 0);
  EXPECT_THAT(daemon.Errors(), HasSubstr("\"drained\""));
  close(input[0]);
}

}  // namespace
}  // namespace dragoman::client

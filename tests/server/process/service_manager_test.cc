#include "server/process/service_manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A fixture with the socket of the service manager: an abstract name of this process, or a path.
class ServiceManagerTest : public ::testing::Test {
 protected:
  ~ServiceManagerTest() override {
    if (fd_ >= 0) close(fd_);
    unsetenv("NOTIFY_SOCKET");
  }

  void ListenOn(const std::string& name) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  std::string Received() const {
    char buffer[256];
    const ssize_t size = recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
    return size < 0 ? "" : std::string(buffer, static_cast<size_t>(size));
  }

  int fd_ = -1;
};

TEST_F(ServiceManagerTest, NothingIsSentWithoutAManager) {
  unsetenv("NOTIFY_SOCKET");
  EXPECT_TRUE(NotifyServiceManager("READY=1").ok());
}

TEST_F(ServiceManagerTest, TellsAnAbstractSocket) {
  ListenOn(absl::StrCat("@dragoman-test-", getpid()));
  ASSERT_TRUE(NotifyServiceManager("READY=1\nSTATUS=serving de-en").ok());
  EXPECT_EQ(Received(), "READY=1\nSTATUS=serving de-en");
}

TEST_F(ServiceManagerTest, TellsASocketAtAPath) {
  const std::string path = absl::StrCat(::testing::TempDir(), "/manager-", getpid());
  ListenOn(path);
  ASSERT_TRUE(NotifyServiceManager("STOPPING=1").ok());
  EXPECT_EQ(Received(), "STOPPING=1");
  unlink(path.c_str());
}

TEST_F(ServiceManagerTest, SaysWhereNobodyListens) {
  setenv("NOTIFY_SOCKET", "/nowhere/notify", 1);
  EXPECT_THAT(std::string(NotifyServiceManager("READY=1").message()),
              AllOf(HasSubstr("/nowhere/notify"), HasSubstr("No such file")));
  setenv("NOTIFY_SOCKET", "vsock:2:1234", 1);
  EXPECT_THAT(std::string(NotifyServiceManager("READY=1").message()),
              HasSubstr("expected a path or @name"));
}

}  // namespace
}  // namespace dragoman::server

#include "client/channel_security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dragoman::client {
namespace {

using ::testing::HasSubstr;

TEST(CheckSecurity, AKeyStaysOnTheMachineWithoutTls) {
  ChannelSecurity security;
  security.api_key = "secret";
  for (const char* address : {"localhost:50051", "127.0.0.1:50051", "127.1:1", "[::1]:50051",
                              "ipv4:127.0.0.1:1", "ipv6:[::1]:1", "unix:/run/dragoman"}) {
    EXPECT_TRUE(CheckSecurity(security, address).ok()) << address;
  }
  for (const char* address :
       {"example.org:50051", "10.0.0.1:50051", "127.example.org:50051", "127.0.0.1.evil.org:443",
        "localhost.evil.org:50051", "ipv4:127.evil.org:1", "[::2]:1", "dns:127.evil.org:1"}) {
    EXPECT_THAT(std::string(CheckSecurity(security, address).message()),
                HasSubstr("would travel to '" + std::string(address) + "' unencrypted"));
  }
}

TEST(CheckSecurity, EncryptedOrWithoutAKeyEveryAddressIsFine) {
  ChannelSecurity security;
  EXPECT_TRUE(CheckSecurity(security, "example.org:50051").ok());
  security.api_key = "secret";
  security.tls = true;
  EXPECT_TRUE(CheckSecurity(security, "example.org:50051").ok());
  security.tls = false;
  security.plaintext_key = true;
  EXPECT_TRUE(CheckSecurity(security, "example.org:50051").ok());
}

}  // namespace
}  // namespace dragoman::client

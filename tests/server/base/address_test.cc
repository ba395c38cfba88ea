#include "server/base/address.h"

#include <gtest/gtest.h>

#include <utility>

namespace dragoman::server {
namespace {

constexpr AddressForms kBoth = AddressForms::kHostOrUnix;
constexpr AddressForms kHostPort = AddressForms::kHostPort;

TEST(Address, ReadsEachFormAndWritesItAsItWas) {
  const std::pair<const char*, Address> cases[] = {
      {"0.0.0.0:50051", {.host = "0.0.0.0", .port = 50051}},
      {"localhost:0", {.host = "localhost"}},
      {"translate.example.org:65535", {.host = "translate.example.org", .port = 65535}},
      {"[::1]:443", {.host = "::1", .port = 443}},
      {"[fe80::1%eth0]:1", {.host = "fe80::1%eth0", .port = 1}},
      {"unix:/run/dragoman", {.unix_path = "/run/dragoman"}},
      {"unix:a:1", {.unix_path = "a:1"}},
  };
  for (const auto& [text, address] : cases) {
    EXPECT_EQ(ParseAddress(text, kBoth), address) << text;
    EXPECT_EQ(AddressText(address), text);
  }
}

TEST(Address, AnIpv6NumberWithoutBracketsEndsAtTheLastColon) {
  const std::optional<Address> address = ParseAddress(":::50051", kHostPort);
  EXPECT_EQ(address, (Address{.host = "::", .port = 50051}));
  EXPECT_EQ(AddressText(*address), "[::]:50051");
}

TEST(Address, OtherTextsAreNone) {
  for (const char* text : {"", ":", "nowhere", ":50051", "host:", "host:-1", "host:65536",
                           "host:1x", "host: 1", "host:99999999999999999999", "a:b:1", "[]:1",
                           "[host]:1", "[::1:1", "::1]:1", "a b:1", "http://host:1", "unix:"}) {
    EXPECT_EQ(ParseAddress(text, kBoth), std::nullopt) << text;
  }
  // Without kinds that allow a path, the text would be a host "unix" whose port is not a number.
  EXPECT_EQ(ParseAddress("unix:/run/dragoman", kHostPort), std::nullopt);
}

TEST(Address, AUrlIsAHostAndAPort) {
  EXPECT_EQ(ParseHttpUrl("http://collector:4317"),
            (HttpUrl{.address = {.host = "collector", .port = 4317}}));
  EXPECT_EQ(ParseHttpUrl("http://[::1]:4317/"),
            (HttpUrl{.address = {.host = "::1", .port = 4317}}));
  EXPECT_EQ(ParseHttpUrl("https://otlp.example.org"),
            (HttpUrl{.tls = true, .address = {.host = "otlp.example.org", .port = 443}}));
  EXPECT_EQ(ParseHttpUrl("https://[::1]/"),
            (HttpUrl{.tls = true, .address = {.host = "::1", .port = 443}}));
  EXPECT_EQ(ParseHttpUrl("https://[::1]:4317"),
            (HttpUrl{.tls = true, .address = {.host = "::1", .port = 4317}}));
  for (const char* url :
       {"collector:4317", "http://collector", "http://collector:0", "http://user@collector:1",
        "https://collector:1/v1?key=1", "https://collector/#a", "https://collector/a b", "https://",
        "https://:443", "http://unix:/run/collector", "http://", "HTTPS://collector",
        "http://collector:4317/v1/traces", "https://collector/v1", "https://collector//"}) {
    EXPECT_EQ(ParseHttpUrl(url), std::nullopt) << url;
  }
  for (const char* url : {"http://collector:4317", "https://[::1]:443"}) {
    EXPECT_EQ(HttpUrlText(*ParseHttpUrl(url)), url);
  }
}

TEST(Address, OnlyThisMachinesOwnAddressesAreLoopback) {
  for (const char* text : {"127.0.0.1:0", "127.1:9", "localhost:1", "[::1]:1", "unix:/run/x"}) {
    EXPECT_TRUE(IsLoopback(*ParseAddress(text, kBoth))) << text;
  }
  for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "127.0.0.1.evil.org:1",
                           "localhost.evil.org:1", "[fe80::1]:1"}) {
    EXPECT_FALSE(IsLoopback(*ParseAddress(text, kBoth))) << text;
  }
}

}  // namespace
}  // namespace dragoman::server

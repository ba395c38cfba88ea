#include "server/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Log, LeavesOutTheAddressesOfClientsWhereItIsToldTo) {
  std::vector<std::string> lines;
  SetLogSink([&](std::string_view line) { lines.emplace_back(line); });
  Log(LogLevel::kInfo, "x", {{"peer", "192.0.2.7:4711"}, {"why", "y"}});
  SetLogPeers(false);
  Log(LogLevel::kInfo, "x", {{"peer", "192.0.2.7:4711"}, {"why", "y"}});
  SetLogPeers(true);
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], HasSubstr("192.0.2.7:4711"));
  EXPECT_THAT(lines[1], Not(HasSubstr("peer")));
  EXPECT_THAT(lines[1], HasSubstr(R"("why":"y")"));
}

TEST(Log, FindsAddressesInTheTextsOfLibraries) {
  for (const auto& [text, expected] :
       {std::pair("Handshake with ipv4:192.0.2.7:4711 failed",
                  "Handshake with ipv(address) failed"),
        std::pair("peer ipv6:[2001:db8::1]:50051, closed", "peer ipv(address), closed"),
        std::pair("from ::1", "from (address)"), std::pair("[fe80::1]:9 gone", "(address) gone"),
        std::pair("grpc_core::Server std::string abc::def",
                  "grpc_core::Server std::string abc::def"),
        std::pair("error:0A000086:SSL routines", "error:0A000086:SSL routines"),
        std::pair("1.51.1 of 3.5", "1.51.1 of 3.5"), std::pair("", "")}) {
    EXPECT_EQ(WithoutAddresses(text), expected);
  }
}

}  // namespace
}  // namespace dragoman::server

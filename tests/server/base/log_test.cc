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

TEST(Log, TextIsTheSameAsFields) {
  std::vector<std::string> lines;
  SetLogSink([&](std::string_view line) { lines.emplace_back(line.substr(line.find("\"level"))); });
  LogFields fields = {{"plain", "de-en"}, {"quoted", "a \"b\" \\ \n\x7f"}, {"other", "Größe \xff"},
                      {"empty", ""},      {"count", int64_t{1} << 60},     {"half", 0.5}};
  fields["labels"] = {{"a", "b"}};
  LogText text;
  for (const auto& [name, value] : fields.items()) {
    if (value.is_string()) text.Add(name, value.get<std::string>());
    if (value.is_number_integer()) text.Add(name, value.get<int64_t>());
    if (value.is_number_float()) text.Add(name, value.get<double>());
    if (value.is_object()) text.Add(name, value);
  }
  Log(LogLevel::kInfo, "a \"message\"", fields);
  Log(LogLevel::kInfo, "a \"message\"", text);
  Log(LogLevel::kInfo, "none", LogText());
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_EQ(nlohmann::json::parse("{" + lines[1]).size(), 9U);
  EXPECT_EQ(lines[2], R"("level":"info","msg":"none"})");
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

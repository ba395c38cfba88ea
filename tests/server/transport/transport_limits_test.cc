#include "server/transport/transport_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/expect_ok.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;

TEST(TransportLimits, ARequestHasRoomForWhatItMayHold) {
  TransportSettings settings{.http = std::nullopt};
  const auto limits = ExpectOk(ComputeTransportLimits(settings, 1 << 20));
  EXPECT_EQ(limits->message_bytes, 2 << 20);
  EXPECT_GE(limits->message_bytes,
            NeededMessageBytes(settings.max_items, settings.max_code_points));
  EXPECT_EQ(limits->max_connections, 4096);
  EXPECT_GT(limits->quota_bytes, limits->receive_bytes);
  EXPECT_EQ(limits->tls_bytes, 0);
  settings.tls_cert = "crt";
  EXPECT_EQ(ComputeTransportLimits(settings, 1 << 20)->tls_bytes, 4096 * 96 * 1024);
  EXPECT_EQ(ComputeTransportLimits(settings, 1 << 20)->quota_bytes, limits->quota_bytes);

  settings.max_code_points = 1'000'000;
  EXPECT_GE(ComputeTransportLimits(settings, 1 << 20)->message_bytes, 2 * 4'000'000);
}

TEST(TransportLimits, ConnectionsFitIntoOpenFiles) {
  TransportSettings settings{.http = std::nullopt};
  const auto few = ComputeTransportLimits(settings, 1024);
  ASSERT_TRUE(few.ok());
  EXPECT_LT(2 * few->max_connections, 1024);
  EXPECT_GT(few->max_connections, 200);
  settings.max_connections = 1000;
  EXPECT_THAT(std::string(ComputeTransportLimits(settings, 1024).status().message()),
              HasSubstr("--max-connections: found 1000"));
  EXPECT_EQ(ComputeTransportLimits(settings, 4096)->max_connections, 1000);
}

// HTTP may have as many connections as gRPC. They share the limit on open files.
TEST(TransportLimits, HttpTakesItsShareOfOpenFilesAndMemory) {
  TransportSettings settings{.http = std::nullopt};
  const auto without = ComputeTransportLimits(settings, 4096);
  EXPECT_EQ(without->http_connections, 0);
  EXPECT_EQ(without->http_bytes, 0);
  settings.http = {.host = "0.0.0.0", .port = 8080};
  const auto with = ComputeTransportLimits(settings, 4096);
  ASSERT_TRUE(with.ok());
  EXPECT_EQ(with->http_connections, with->max_connections);
  EXPECT_NEAR(with->max_connections, without->max_connections / 2, 1);
  EXPECT_GE(with->http_bytes, with->receive_bytes);
  settings.max_connections = without->max_connections;
  EXPECT_THAT(std::string(ComputeTransportLimits(settings, 4096).status().message()),
              HasSubstr("--max-connections: found"));
}

}  // namespace
}  // namespace dragoman::server

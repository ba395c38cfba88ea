#include "server/grpc/server_door.h"

#include <grpcpp/resource_quota.h>

#include <cstddef>

namespace dragoman {
namespace {

constexpr int kReadBytes = 4 * 1024;

// A connection that has not sent HTTP/2 settings by then is closed. gRPC's default is 2 minutes.
constexpr int kHandshakeTimeoutMs = 10'000;

}  // namespace

void SetUpDoor(const DoorLimits& limits, grpc::ServerBuilder* builder) {
  // gRPC looks at a message's size only once all of it is in memory: the quota comes first.
  builder->SetMaxReceiveMessageSize(limits.max_message_bytes);
  // It inflates a message before it looks at its size too: 2 MB may be 2 GB.
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  grpc::ResourceQuota quota(limits.name);
  quota.Resize(static_cast<size_t>(limits.quota_bytes));
  builder->SetResourceQuota(quota);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.max_streams);
  // Bytes that a call sends beyond its request are held unread: at most the window of 64 KiB, which
  // gRPC would let grow to megabytes with probes.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // Bytes that gRPC has read are still processed after their connection is closed; by default it
  // reads up to 4 MiB at once, which may be 150,000 calls.
  builder->AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadBytes);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  // Clients may ping every 10 s, without calls too; gRPC's default closes their connection.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // The server pings, too, to find out about peers that vanished.
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
}

}  // namespace dragoman

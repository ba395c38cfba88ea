#include "server/transport/port_settings.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpcpp/resource_quota.h>

#include <cstddef>
#include <string>

#include "engine/base/mutex.h"

namespace dragoman::server {
namespace {

constexpr int kReadChunkBytes = 4 * 1024;

// gRPC closes a connection that has not sent HTTP/2 settings within this time. Its default is 2
// minutes.
constexpr int kHandshakeTimeoutMs = 10'000;

// gRPC's C++ API cannot fetch certificates for each handshake; this class uses the C API for that.
class TlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsCredentials(const TlsStore* store) : store_(store) {
    const auto request = store->wants_clients()
                             ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(request, Fetch, this));
  }
  ~TlsCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // Gives gRPC the certificates. gRPC calls it on its threads, before the first handshake and at
  // each handshake.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* data, grpc_ssl_server_certificate_config** config) {
    auto* const self = static_cast<TlsCredentials*>(data);
    const std::shared_ptr<const TlsMaterial> now = self->store_->current();
    engine::MutexLock lock(&self->mu_);
    if (now == self->fetched_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{now->key.c_str(), now->certificate.c_str()};
    // gRPC requires authorities. If no client certificate is requested, they are never used, so the
    // server's certificate takes their place.
    const std::string& authorities = now->client_ca.empty() ? now->certificate : now->client_ca;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
    if (*config == nullptr) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_FAIL;
    self->fetched_ = now;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const TlsStore* const store_;
  grpc_server_credentials* credentials_ = nullptr;

  engine::Mutex mu_;
  // This reference keeps the material alive. So later material has another address, and the
  // comparison above is valid.
  std::shared_ptr<const TlsMaterial> fetched_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

void SetUpPort(const PortLimits& limits, grpc::ServerBuilder* builder) {
  // gRPC checks a message's size only once all of it is in memory. The quota below applies earlier.
  builder->SetMaxReceiveMessageSize(limits.max_message_bytes);
  // Refuses compression, because gRPC decompresses a message before it checks the size: 2 MB may
  // become 2 GB.
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0);
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  // The calls have deadlines of their own (CallReactor).
  builder->AddChannelArgument(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 0);
  grpc::ResourceQuota quota(limits.name);
  quota.Resize(static_cast<size_t>(limits.quota_bytes));
  builder->SetResourceQuota(quota);
  builder->AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.max_streams);
  // gRPC buffers the bytes that a call sends after its request, up to the flow-control window of 64
  // KiB. With bandwidth probes (BDP) the window would grow to megabytes.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // gRPC processes the bytes that it has read even after their connection is closed. By default it
  // reads up to 4 MiB at once, enough for 150,000 calls.
  builder->AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadChunkBytes);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  // Clients and proxies may ping every second, even without calls, to find out soon if this process
  // hangs. With gRPC's default (5 min), gRPC would close their connection.
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Pings find clients that have vanished.
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
}

std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(const TlsStore* store) {
  return std::make_shared<TlsCredentials>(store);
}

}  // namespace dragoman::server

#include "server/grpc/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "server/grpc/tls_credentials.h"

namespace dragoman {
namespace {

// For clients to take the last answers and close; those that do not are not waited for.
constexpr std::chrono::milliseconds kCloseGrace{500};

// For calls that were reset to be done with, before their client comes again.
constexpr std::chrono::milliseconds kFloodHold{1000};

constexpr int kReadBytes = 4 * 1024;

// A connection that has not sent HTTP/2 settings by then is closed. gRPC's default is 2 minutes.
constexpr int kHandshakeTimeoutMs = 10'000;

// Process-wide switches of gRPC, which must be set before the first builder is made.
void InitGrpcPlugins() {
  static const bool done = [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  (void)done;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(const GrpcServerOptions& options,
                                                              const ServiceContext* context) {
  InitGrpcPlugins();
  std::unique_ptr<GrpcServer> out(new GrpcServer(context));
  ListenerOptions listen;
  listen.address = options.listen;
  listen.max_connections = options.limits.max_connections;
  listen.max_per_peer = options.max_connections_per_peer;
  listen.opened = [intake = context->intake](int fd) { intake->Open(fd); };
  listen.closed = [intake = context->intake](int fd) { intake->Close(fd); };
  auto listener = Listener::Listen(listen);
  if (!listener.ok()) return listener.status();
  out->listener_ = *std::move(listener);
  context->intake->OnFlood([held = out->listener_.get()] { held->Hold(kFloodHold); });
  grpc::ServerBuilder builder;
  out->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      options.tls == nullptr ? grpc::InsecureServerCredentials() : MakeTlsCredentials(options.tls));
  builder.RegisterService(&out->service_);
  builder.RegisterCallbackGenericService(&out->missing_);
  // Reflection alone uses the synchronous API.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
  // gRPC looks at a message's size only once all of it is in memory, and its answer is
  // RESOURCE_EXHAUSTED, which looks like overload: call_reactor.cc does better.
  builder.SetMaxReceiveMessageSize(-1);
  // It inflates a message before it looks at its size too: 2 MB may be 2 GB.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  grpc::ResourceQuota quota("dragoman");
  quota.Resize(static_cast<size_t>(options.limits.quota_bytes));
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.limits.max_streams);
  // What a call has sent beyond its request is held unread: the window of 64 KiB at most. With
  // probes gRPC lets it grow to megabytes.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // What was read of a connection is still taken after it is closed; gRPC reads up to 4 MiB at
  // once, which may be 150,000 calls.
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  // Renewed connections are the only way in which old clients see new servers.
  if (options.connection_age_seconds > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               options.connection_age_seconds * 1000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               options.connection_grace_seconds * 1000);
  }
  // Clients may ping every 10 s, without calls too; gRPC's default closes their connection.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // And the server finds out about peers that vanished.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  out->server_ = builder.BuildAndStart();
  if (out->server_ == nullptr) return absl::InternalError("the gRPC server does not start");
  auto* health = out->server_->GetHealthCheckService();
  health->SetServingStatus("dragoman.v1.TranslationService", true);
  out->listener_->Start([acceptor = out->acceptor_.get()](int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.listener_fd = -1;
    connection.fd = fd;
    acceptor->HandleNewConnection(&connection);
  });
  return out;
}

GrpcServer::~GrpcServer() { Shutdown(); }

void GrpcServer::SetModelServing(const std::string& model, bool serving) {
  MutexLock lock(&health_mu_);
  if (draining_) return;
  server_->GetHealthCheckService()->SetServingStatus(model, serving);
}

void GrpcServer::SetNotServing() {
  MutexLock lock(&health_mu_);
  draining_ = true;
  server_->GetHealthCheckService()->SetServingStatus(false);
}

void GrpcServer::Shutdown() {
  if (server_ == nullptr) return;
  // gRPC ends calls that come between its own shutdown and the client's notice as CANCELLED, which
  // clients do not retry; so the connections go first.
  listener_->StopAccepting();
  listener_->EndConnections();
  listener_->WaitEmpty(kCloseGrace);
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

}  // namespace dragoman

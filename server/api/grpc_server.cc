#include "server/api/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "server/transport/port_settings.h"

namespace dragoman::server {
namespace {

// The time that clients have to read the last answers and close.
constexpr std::chrono::milliseconds kCloseGrace{500};

// Sets process-wide options of gRPC. Must precede the first builder.
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
                                                              const ServiceContext* context,
                                                              std::vector<NamedService> others) {
  InitGrpcPlugins();
  std::unique_ptr<GrpcServer> out(new GrpcServer(context, std::move(others)));
  auto listener =
      context->guard->Listen(options.listen, options.max_connections_per_peer, options.inherited);
  if (!listener.ok()) return listener.status();
  out->listener_ = *std::move(listener);
  grpc::ServerBuilder builder;
  out->acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
      options.tls == nullptr ? grpc::InsecureServerCredentials() : MakeTlsCredentials(options.tls));
  builder.RegisterService(&out->service_);
  for (const NamedService& other : out->others_) builder.RegisterService(other.service.get());
  builder.RegisterCallbackGenericService(&out->missing_);
  // Only reflection uses the synchronous API.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
  // Sets no limit on messages, because gRPC would answer RESOURCE_EXHAUSTED, which looks like
  // overload. call_reactor.cc checks the size and answers INVALID_ARGUMENT.
  SetUpPort({.name = "dragoman",
             .quota_bytes = options.limits.quota_bytes,
             .max_streams = options.limits.max_streams},
            &builder);
  // Clients find new servers only when their connections are renewed.
  if (options.connection_age_seconds > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               options.connection_age_seconds * 1000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               options.connection_grace_seconds * 1000);
  }
  out->server_ = builder.BuildAndStart();
  if (out->server_ == nullptr) return absl::InternalError("the gRPC server does not start");
  auto* health = out->server_->GetHealthCheckService();
  health->SetServingStatus("dragoman.v1.TranslationService", true);
  for (const NamedService& other : out->others_) health->SetServingStatus(other.name, true);
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
  engine::MutexLock lock(&health_mu_);
  if (draining_) return;
  server_->GetHealthCheckService()->SetServingStatus(model, serving);
}

void GrpcServer::SetNotServing() {
  engine::MutexLock lock(&health_mu_);
  draining_ = true;
  server_->GetHealthCheckService()->SetServingStatus(false);
}

void GrpcServer::Shutdown() {
  if (server_ == nullptr) return;
  // Connections end first, because gRPC's shutdown ends new calls as CANCELLED, which clients do
  // not retry.
  listener_->StopAccepting();
  listener_->EndConnections();
  listener_->WaitEmpty(kCloseGrace);
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
}

}  // namespace dragoman::server

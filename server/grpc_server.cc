#include "server/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>

#include "absl/strings/str_cat.h"

namespace dragoman {
namespace {

// For answers that gRPC has taken and not sent yet: closing at once loses them. An open
// Health.Watch makes every shutdown last as long.
constexpr std::chrono::milliseconds kCloseGrace{500};

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
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(options.listen, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&out->service_);
  builder.RegisterCallbackGenericService(&out->missing_);
  // Reflection alone uses the synchronous API.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 1);
  // Above what the application allows, so that it answers INVALID_ARGUMENT itself; gRPC's answer
  // is RESOURCE_EXHAUSTED, which looks like overload.
  builder.SetMaxReceiveMessageSize(options.max_message_bytes);
  // A second server on the same port would take half of the calls in silence.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
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
  const bool is_unix = options.listen.rfind("unix:", 0) == 0;
  if (out->server_ == nullptr || (port <= 0 && !is_unix)) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", options.listen, " (gRPC): is the port taken?"));
  }
  out->address_ =
      is_unix ? options.listen
              : absl::StrCat(options.listen.substr(0, options.listen.find_last_of(':') + 1), port);
  auto* health = out->server_->GetHealthCheckService();
  health->SetServingStatus("dragoman.v1.TranslationService", true);
  for (const Engine* engine : context->models.engines()) {
    health->SetServingStatus(engine->info().name, true);
  }
  return out;
}

GrpcServer::~GrpcServer() { Shutdown(); }

void GrpcServer::SetNotServing() {
  draining_ = true;
  server_->GetHealthCheckService()->SetServingStatus(false);
}

void GrpcServer::Shutdown() {
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + kCloseGrace);
  server_->Wait();
  server_.reset();
}

}  // namespace dragoman

#include "client/admin_client.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "client/status_map.h"

namespace dragoman::client {
namespace {

template <typename Response, typename Request, typename Method>
absl::StatusOr<Response> CallServer(v1::AdminService::Stub* stub, std::chrono::nanoseconds timeout,
                                    Method method, const Request& request) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(timeout));
  Response response;
  const grpc::Status status = (stub->*method)(&context, request, &response);
  if (!status.ok()) return FromGrpc(status, std::nullopt);
  return response;
}

grpc::ChannelArguments ArgumentsOf(const ChannelSecurity& security) {
  grpc::ChannelArguments arguments;
  if (!security.server_name.empty()) arguments.SetSslTargetNameOverride(security.server_name);
  return arguments;
}

}  // namespace

AdminClient::AdminClient(const std::string& server, const ChannelSecurity& security,
                         std::chrono::nanoseconds timeout)
    : stub_(v1::AdminService::NewStub(
          grpc::CreateCustomChannel(server, MakeCredentials(security), ArgumentsOf(security)))),
      timeout_(timeout) {}

absl::StatusOr<v1::LoadModelResponse> AdminClient::LoadModel(
    const std::string& name, const std::string& directory,
    const std::map<std::string, std::string>& settings) {
  v1::LoadModelRequest request;
  request.set_name(name);
  request.set_directory(directory);
  for (const auto& [key, value] : settings) (*request.mutable_settings())[key] = value;
  return CallServer<v1::LoadModelResponse>(stub_.get(), timeout_,
                                           &v1::AdminService::Stub::LoadModel, request);
}

absl::StatusOr<v1::ReloadModelResponse> AdminClient::ReloadModel(const std::string& name,
                                                                 bool only_if_changed) {
  v1::ReloadModelRequest request;
  request.set_name(name);
  request.set_only_if_changed(only_if_changed);
  return CallServer<v1::ReloadModelResponse>(stub_.get(), timeout_,
                                             &v1::AdminService::Stub::ReloadModel, request);
}

absl::StatusOr<v1::UnloadModelResponse> AdminClient::UnloadModel(const std::string& name) {
  v1::UnloadModelRequest request;
  request.set_name(name);
  return CallServer<v1::UnloadModelResponse>(stub_.get(), timeout_,
                                             &v1::AdminService::Stub::UnloadModel, request);
}

absl::StatusOr<v1::ReloadAllResponse> AdminClient::ReloadAll() {
  return CallServer<v1::ReloadAllResponse>(
      stub_.get(), timeout_, &v1::AdminService::Stub::ReloadAll, v1::ReloadAllRequest());
}

absl::StatusOr<v1::ListModelsResponse> AdminClient::ListModels() {
  return CallServer<v1::ListModelsResponse>(
      stub_.get(), timeout_, &v1::AdminService::Stub::ListModels, v1::ListModelsRequest());
}

absl::StatusOr<v1::DrainResponse> AdminClient::Drain(
    std::optional<std::chrono::nanoseconds> limit) {
  v1::DrainRequest request;
  if (limit.has_value()) {
    constexpr int64_t kSecond = 1'000'000'000;
    request.mutable_limit()->set_seconds(limit->count() / kSecond);
    request.mutable_limit()->set_nanos(static_cast<int32_t>(limit->count() % kSecond));
  }
  return CallServer<v1::DrainResponse>(stub_.get(), timeout_, &v1::AdminService::Stub::Drain,
                                       request);
}

absl::StatusOr<v1::SetLogLevelResponse> AdminClient::SetLogLevel(const std::string& level) {
  v1::SetLogLevelRequest request;
  request.set_level(level);
  return CallServer<v1::SetLogLevelResponse>(stub_.get(), timeout_,
                                             &v1::AdminService::Stub::SetLogLevel, request);
}

}  // namespace dragoman::client

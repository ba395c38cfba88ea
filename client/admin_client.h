// A client of one daemon's AdminService, which changes the models that the daemon serves.
//
// Thread-safe. Every call blocks until its answer arrives. The client never retries, because the
// daemon may have made a change even if its answer was lost.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "client/channel_security.h"
#include "dragoman/v1/translation.grpc.pb.h"

namespace dragoman::client {

class AdminClient {
 public:
  // `server` has the form of --admin-listen: host:port or unix:PATH. Each call takes no longer than
  // `timeout`. REQUIRES: CheckSecurity(security, server) has returned OK.
  AdminClient(const std::string& server, const ChannelSecurity& security,
              std::chrono::nanoseconds timeout);

  absl::StatusOr<v1::LoadModelResponse> LoadModel(
      const std::string& name, const std::string& directory,
      const std::map<std::string, std::string>& settings);
  absl::StatusOr<v1::ReloadModelResponse> ReloadModel(const std::string& name,
                                                      bool only_if_changed);
  absl::StatusOr<v1::UnloadModelResponse> UnloadModel(const std::string& name);
  absl::StatusOr<v1::ReloadAllResponse> ReloadAll();
  absl::StatusOr<v1::ListModelsResponse> ListModels();
  // `limit` is the time after which the server ends calls. Without it, the server's own drain limit
  // applies.
  absl::StatusOr<v1::DrainResponse> Drain(std::optional<std::chrono::nanoseconds> limit);
  absl::StatusOr<v1::SetLogLevelResponse> SetLogLevel(const std::string& level);

 private:
  const std::unique_ptr<v1::AdminService::Stub> stub_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace dragoman::client

// AdminService of one daemon: what changes the models that it serves.
//
// Thread-safe; every call waits for its answer. Nothing is ever tried again: a change may have been
// made though its answer was lost.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "dragoman/v1/translation.grpc.pb.h"

namespace dragoman {

class AdminClient {
 public:
  // `server` as --admin-listen has it: host:port or unix:PATH. Each call takes no longer than
  // `timeout`.
  AdminClient(const std::string& server, std::chrono::nanoseconds timeout);

  absl::StatusOr<v1::LoadModelResponse> LoadModel(
      const std::string& name, const std::string& directory,
      const std::map<std::string, std::string>& settings);
  absl::StatusOr<v1::ReloadModelResponse> ReloadModel(const std::string& name,
                                                      bool only_if_changed);
  absl::StatusOr<v1::UnloadModelResponse> UnloadModel(const std::string& name);
  // Without a limit: the server's.
  absl::StatusOr<v1::DrainResponse> Drain(std::optional<std::chrono::nanoseconds> limit);
  absl::StatusOr<v1::SetLogLevelResponse> SetLogLevel(const std::string& level);

 private:
  const std::unique_ptr<v1::AdminService::Stub> stub_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace dragoman

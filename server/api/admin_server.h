// AdminService on an address of its own: everyone who can connect, with TLS everyone who has a
// certificate of its authorities, may change what is served. Loads and unloads models, applies the
// configuration again, drains, sets the log level.
//
// Thread-safe. Loads run on the model manager's thread, one after another, and drains on one of
// their own, which no load holds up; gRPC's threads never wait for either.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/base/clock.h"
#include "server/base/tls_store.h"
#include "server/models/model_manager.h"
#include "server/observe/metrics.h"

namespace dragoman::server {

// The result of ReloadAll.
struct ReloadReport {
  std::vector<ModelChange> models;
  std::vector<std::string> at_next_start;  // names of settings that have changed
};

// Everything outlives the server.
struct AdminHooks {
  ModelManager* manager = nullptr;
  const ModelTable* models = nullptr;
  Metrics* metrics = nullptr;
  const engine::Clock* clock = nullptr;
  // Refuses calls from now on; returns how many were cut off when the time was over.
  std::function<int64_t(std::chrono::nanoseconds limit)> drain;
  std::chrono::nanoseconds drain_limit{0};  // of a request that names none
  std::function<bool()> draining;
  // Called on the manager's thread.
  std::function<absl::StatusOr<ReloadReport>()> reload_all;
};

class AdminServer {
 public:
  // `address` is host:port, where port 0 takes a free one, or unix:PATH, which only this user may
  // open. `tls`, which outlives the server: nullptr for none. UNAVAILABLE if it cannot listen.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(const Address& address,
                                                            const AdminHooks& hooks,
                                                            const TlsStore* tls = nullptr);
  // Waits for what is under way.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  // The text of the address, with the port that was bound.
  const std::string& address() const { return address_; }

 private:
  class Service;
  class OtherMethods;

  explicit AdminServer(const AdminHooks& hooks);

  const std::unique_ptr<Service> service_;
  const std::unique_ptr<OtherMethods> others_;
  std::string address_;
  // Handshakes ask it for certificates. Shared with gRPC, which lets go of it before they end.
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace dragoman::server

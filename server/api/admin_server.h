// AdminService on its own address: loads and unloads models, applies the configuration again,
// drains, sets the log level. Every client that can connect may use it. With TLS, a client needs a
// certificate that an authority in `tls` has issued.
//
// Thread-safe. Loads run one after another on the model manager's thread. Drains run on a thread of
// their own, so a load does not delay a drain. gRPC's threads wait for neither.
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

struct ReloadReport {
  std::vector<ModelChange> models;
  std::vector<std::string> at_next_start;  // changed settings that take effect then
};

// Everything is borrowed and outlives the server.
struct AdminHooks {
  ModelManager* manager = nullptr;
  const ModelTable* models = nullptr;
  Metrics* metrics = nullptr;
  const engine::Clock* clock = nullptr;
  // Refuses calls from now on, and waits for the calls in flight. Returns the number of calls that
  // were cut off because `limit` had passed.
  std::function<int64_t(std::chrono::nanoseconds limit)> drain;
  std::chrono::nanoseconds drain_limit{0};  // the limit for requests without a limit of their own
  std::function<bool()> draining;
  // Called on the manager's thread.
  std::function<absl::StatusOr<ReloadReport>()> reload_all;
};

class AdminServer {
 public:
  // `address` is host:port (port 0 means any free port) or unix:PATH. Only the user of this process
  // may open the Unix socket. `tls` outlives the server; nullptr means no TLS. UNAVAILABLE if the
  // server cannot listen.
  static absl::StatusOr<std::unique_ptr<AdminServer>> Start(const Address& address,
                                                            const AdminHooks& hooks,
                                                            const TlsStore* tls = nullptr);
  // Waits for all work in progress.
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
  // Gives certificates to handshakes. The server keeps it, because gRPC releases its own reference
  // before the last handshake.
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace dragoman::server

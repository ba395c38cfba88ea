// The certificates and API keys that the daemon uses to check its clients. Reloads them when their
// files change.
//
// Thread-safe after Open.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/base/file_watch.h"
#include "server/base/tls_store.h"
#include "server/call/api_keys.h"
#include "server/observe/metrics.h"
#include "server/settings/config.h"

namespace dragoman::server {

class Security {
 public:
  // Reads the files that the settings name, and reads them again whenever they change.
  // INVALID_ARGUMENT says what is wrong with them. `metrics` must outlive this object.
  static absl::StatusOr<std::unique_ptr<Security>> Open(const ServerConfig& config,
                                                        Metrics* metrics);

  // nullptr without TLS.
  const TlsStore* tls() const { return tls_.get(); }
  // Returns a store with the same certificate as tls(), which trusts the authorities that issue
  // administrators' certificates. Returns nullptr if there are no such authorities.
  const TlsStore* admin_tls() const { return admin_tls_.get(); }
  // nullptr if calls need no key.
  const ApiKeys* keys() const { return keys_.get(); }

  // Makes the watching thread read all files again soon. SIGHUP uses it.
  void ReloadAll() { watch_.ReloadAll(); }

 private:
  explicit Security(Metrics* metrics);

  absl::Status OpenTls(const ServerConfig& config);
  absl::Status OpenKeys(const ServerConfig& config);
  absl::Status ReloadTls();
  void ReportTls(const char* what) const;
  void ReportKeys() const;

  Metrics* const metrics_;
  std::unique_ptr<TlsStore> tls_;
  std::unique_ptr<TlsStore> admin_tls_;
  std::unique_ptr<ApiKeys> keys_;
  FileWatch watch_;  // last, because its thread uses the other members
};

}  // namespace dragoman::server

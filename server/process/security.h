// The certificates and API keys by which the daemon checks its clients, kept as fresh as their
// files.
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
  // Reads the files that the settings name, and from now on again when they change; logs what is in
  // effect. INVALID_ARGUMENT says what is wrong with them. `metrics` outlives it.
  static absl::StatusOr<std::unique_ptr<Security>> Open(const ServerConfig& config,
                                                        Metrics* metrics);

  // nullptr: there is no TLS, or calls need no key.
  const TlsStore* tls() const { return tls_.get(); }
  // The same certificate with the authorities of those who may administer.
  const TlsStore* admin_tls() const { return admin_tls_.get(); }
  const ApiKeys* keys() const { return keys_.get(); }

  // Reads all files again soon, on SIGHUP.
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
  FileWatch watch_;  // the last: its thread uses the others
};

}  // namespace dragoman::server

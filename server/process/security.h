// What the daemon checks its clients by: its certificates and their keys, kept as fresh as their
// files.
//
// Thread-safe after Open.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/metrics/metrics.h"
#include "server/security/api_keys.h"
#include "server/security/file_watch.h"
#include "server/security/tls_store.h"
#include "server/settings/config.h"

namespace dragoman {

class Security {
 public:
  // Reads the files that the settings name, and from now on again when they change; says in the log
  // what holds. INVALID_ARGUMENT names what is wrong with them. `metrics` outlives it.
  static absl::StatusOr<std::unique_ptr<Security>> Open(const ServerConfig& config,
                                                        Metrics* metrics);

  // nullptr: no TLS; calls need no key.
  const TlsStore* tls() const { return tls_.get(); }
  const ApiKeys* keys() const { return keys_.get(); }

  // SIGHUP: reads all files again soon.
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
  std::unique_ptr<ApiKeys> keys_;
  FileWatch watch_;  // the last: its thread uses the others
};

}  // namespace dragoman

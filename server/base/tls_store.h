// Reads and checks the certificate for new connections, and replaces it while connections are open.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

struct TlsPaths {
  std::string certificate;  // PEM file: the server's certificate, then its issuers'
  std::string key;          // PEM file without a password
  std::string client_ca;    // PEM file: issuers of clients' certificates; "": clients need none
};

struct TlsMaterial {
  // PEM texts.
  std::string certificate;
  std::string key;
  std::string client_ca;  // "": clients need no certificate

  // Facts about the server's own certificate, for logs and metrics. Times are seconds since 1970.
  std::string subject;
  std::string serial;  // hexadecimal
  int64_t not_after = 0;
};

// Reads a certificate, its key, and the authorities of clients' certificates. INVALID_ARGUMENT
// names the file and what is wrong with it: it does not exist, it is not PEM, the key is not the
// certificate's, or the certificate is not for servers or not valid at `now` (seconds since 1970).
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, int64_t now);

// PEM files of a TLS client.
struct TlsClientPaths {
  std::string authorities;  // issuers of the server's certificate; "": the system's issuers
  std::string certificate;  // the client's certificate, then its issuers'; "": none
  std::string key;          // the certificate's key, without a password
};

// The texts of the files in TlsClientPaths; "" where the path is "".
struct TlsClientMaterial {
  std::string authorities;
  std::string certificate;
  std::string key;
};

// Reads the files of a client. INVALID_ARGUMENT names the file and what is wrong with it: it does
// not exist, it is not PEM, or the key does not belong to the certificate.
absl::StatusOr<TlsClientMaterial> ReadTlsClientFiles(const TlsClientPaths& paths);

// Thread-safe. A connection keeps the certificate with which it began.
class TlsStore {
 public:
  // Returns the present time in seconds since 1970.
  using WallClock = std::function<int64_t()>;

  // Reads the files. Returns the errors of ReadTlsFiles.
  static absl::StatusOr<std::unique_ptr<TlsStore>> Open(TlsPaths paths, WallClock now);

  // Reads the files again. Returns true if their content changed. On an error, the old material
  // stays in use.
  absl::StatusOr<bool> Reload();

  // Returns the material in use. Shared, because Reload may replace it.
  std::shared_ptr<const TlsMaterial> current() const {
    engine::MutexLock lock(&mu_);
    return current_;
  }
  // Reports whether clients must have a certificate. Never changes.
  bool wants_clients() const { return !paths_.client_ca.empty(); }
  const TlsPaths& paths() const { return paths_; }

 private:
  TlsStore(TlsPaths paths, WallClock now, TlsMaterial first);

  const TlsPaths paths_;
  const WallClock now_;

  mutable engine::Mutex mu_;
  std::shared_ptr<const TlsMaterial> current_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server

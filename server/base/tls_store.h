// The certificate that new connections get, read from files and proven before it is used, and how
// it is exchanged while others stay.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"

namespace dragoman::server {

struct TlsPaths {
  std::string certificate;  // PEM, the server's own first, followed by its issuers'
  std::string key;          // PEM, without a password
  std::string client_ca;    // PEM; "": clients need no certificate
};

// All is PEM text, as TLS libraries take it.
struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string client_ca;  // "": clients need no certificate

  // Facts about the server's own certificate, for the log and for metrics; times are seconds since
  // 1970.
  std::string subject;
  std::string serial;  // hexadecimal
  int64_t not_before = 0;
  int64_t not_after = 0;
};

// Reads a certificate, its key, and the authorities of clients' certificates, and checks that they
// belong together. INVALID_ARGUMENT names the file and what is wrong with it: not there, not PEM, a
// key that is not the certificate's, a certificate that is not valid at `now` (seconds since 1970).
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, int64_t now);

// Files of a client of TLS, in PEM format.
struct TlsClientPaths {
  std::string authorities;  // of the server's certificate; "": those of the system
  std::string certificate;  // the client's own with its issuers'; "": the client shows none
  std::string key;          // of the certificate, without a password
};

// The texts of these files; "" for those that there are none of.
struct TlsClientMaterial {
  std::string authorities;
  std::string certificate;
  std::string key;
};

// Reads the files of a client. INVALID_ARGUMENT names the file and what is wrong with it: it is not
// there, it is not PEM, or the key is not the certificate's.
absl::StatusOr<TlsClientMaterial> ReadTlsClientFiles(const TlsClientPaths& paths);

// Thread-safe. Connections keep the certificate with which they began.
class TlsStore {
 public:
  // Seconds since 1970.
  using WallClock = std::function<int64_t()>;
  static WallClock SystemTime();

  // Reads the files; INVALID_ARGUMENT as ReadTlsFiles.
  static absl::StatusOr<std::unique_ptr<TlsStore>> Open(TlsPaths paths, WallClock now);

  // Reads the files again; true if something has changed. With an error the old ones stay in use.
  absl::StatusOr<bool> Reload();

  // The material in use. Shared, because it may be exchanged while it is read.
  std::shared_ptr<const TlsMaterial> current() const {
    engine::MutexLock lock(&mu_);
    return current_;
  }
  // Whether clients must have a certificate: never changes.
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

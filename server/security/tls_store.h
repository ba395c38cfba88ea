// The certificate that new connections get, and how it is exchanged while others stay.
//
// Thread-safe. Connections keep the certificate with which they began.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/base/mutex.h"
#include "server/security/tls_files.h"

namespace dragoman {

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
    MutexLock lock(&mu_);
    return current_;
  }
  // Whether clients must have a certificate: never changes.
  bool wants_clients() const { return !paths_.client_ca.empty(); }
  const TlsPaths& paths() const { return paths_; }

 private:
  TlsStore(TlsPaths paths, WallClock now, TlsMaterial first);

  const TlsPaths paths_;
  const WallClock now_;

  mutable Mutex mu_;
  std::shared_ptr<const TlsMaterial> current_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman

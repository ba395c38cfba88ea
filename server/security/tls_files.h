// A certificate, its key, and the authorities of clients' certificates: read from files and proven
// to belong together before they are used.
//
// Pure but for reading the files.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

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

// INVALID_ARGUMENT names the file and what is wrong with it: not there, not PEM, a key that is not
// the certificate's, a certificate that is not valid at `now` (seconds since 1970).
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, int64_t now);

}  // namespace dragoman

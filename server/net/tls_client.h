// TLS as the client of another server: whom to trust, and the certificate to show. OpenSSL's context
// of it.
//
// Immutable and thread-safe.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace dragoman {

// PEM texts.
struct TlsClientFiles {
  std::string authorities;  // "": the machine's
  std::string certificate;  // with its chain, and its key; "": none is shown
  std::string key;
};

class TlsClient {
 public:
  // INVALID_ARGUMENT says what is wrong with them: "found no certificate in PEM format", of which.
  static absl::StatusOr<std::shared_ptr<const TlsClient>> Make(const TlsClientFiles& files);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // A connection in which the server's certificate has to be of `host`, a name or a number. Owned by
  // the caller; nullptr where there is no memory.
  SSL* NewConnection(const std::string& host) const;

 private:
  explicit TlsClient(SSL_CTX* context) : context_(context) {}

  SSL_CTX* const context_;
};

}  // namespace dragoman

// Makes OpenSSL contexts from the certificates of a TlsStore. Each handshake uses the certificates
// that the store has at that time.
//
// Thread-safe.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "engine/base/mutex.h"
#include "server/base/tls_store.h"
#include "server/transport/exchange_server.h"

namespace dragoman::server {

class TlsContexts {
 public:
  // `store` must outlive this object.
  TlsContexts(const TlsStore* store, ClientCertificates clients)
      : store_(store), clients_(clients) {}

  // Returns the context for a new connection. A connection keeps its context until it ends. If
  // OpenSSL rejects the newest certificate, the previous context stays in use, and one log line
  // reports it. Returns null if OpenSSL has never accepted a certificate.
  std::shared_ptr<boost::asio::ssl::context> Current();

 private:
  const TlsStore* const store_;
  const ClientCertificates clients_;

  engine::Mutex mu_;
  std::shared_ptr<boost::asio::ssl::context> context_ ABSL_GUARDED_BY(mu_);
  // The material of the last attempt to make a context. Materials are compared by address. If this
  // one were destroyed, a later one could get its address.
  std::shared_ptr<const TlsMaterial> material_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server

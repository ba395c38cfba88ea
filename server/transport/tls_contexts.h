// OpenSSL's contexts of the certificates of a TlsStore: each handshake gets those that are current.
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
  // `store` outlives it.
  TlsContexts(const TlsStore* store, ClientCertificates clients)
      : store_(store), clients_(clients) {}

  // The context of a new connection. Shared, because connections keep the certificate with which
  // they began. Null: there has never been one that OpenSSL takes. Where it does not take the
  // newest, the one before stays in use, and the log says so once.
  std::shared_ptr<boost::asio::ssl::context> Current();

 private:
  const TlsStore* const store_;
  const ClientCertificates clients_;

  engine::Mutex mu_;
  std::shared_ptr<boost::asio::ssl::context> context_ ABSL_GUARDED_BY(mu_);
  // The material of which the context was made, or could not be made. Held, so that later material
  // has another address.
  std::shared_ptr<const TlsMaterial> material_ ABSL_GUARDED_BY(mu_);
};

}  // namespace dragoman::server

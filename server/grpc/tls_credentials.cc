#include "server/grpc/tls_credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <string>

#include "engine/base/mutex.h"

namespace dragoman {
namespace {

// gRPC's C++ layer has no way to a fetcher of certificates, but its interface can be implemented,
// and the C layer has one.
class TlsCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsCredentials(const TlsStore* store) : store_(store) {
    const auto request = store->wants_clients()
                             ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(request, Fetch, this));
  }
  ~TlsCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  // Called before the first handshake and at each one, on gRPC's threads.
  static grpc_ssl_certificate_config_reload_status Fetch(
      void* data, grpc_ssl_server_certificate_config** config) {
    auto* const self = static_cast<TlsCredentials*>(data);
    const std::shared_ptr<const TlsMaterial> now = self->store_->current();
    MutexLock lock(&self->mu_);
    if (now == self->fetched_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{now->key.c_str(), now->certificate.c_str()};
    // gRPC asserts that there are authorities. Where no client is asked for a certificate they are
    // never used: any will do.
    const std::string& authorities = now->client_ca.empty() ? now->certificate : now->client_ca;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
    if (*config == nullptr) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_FAIL;
    self->fetched_ = now;
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const TlsStore* const store_;
  grpc_server_credentials* credentials_ = nullptr;

  Mutex mu_;
  // Held, so that later material has another address.
  std::shared_ptr<const TlsMaterial> fetched_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(const TlsStore* store) {
  return std::make_shared<TlsCredentials>(store);
}

}  // namespace dragoman

#include "server/transport/tls_contexts.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <string>
#include <utility>

#include "server/base/log.h"

namespace dragoman::server {
namespace {

namespace ssl = boost::asio::ssl;

// The protocols in ALPN's format. A client that offers only other protocols (h2) is served without
// ALPN.
constexpr unsigned char kProtocols[] = "\x08http/1.1";

int ChooseProtocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* size,
                   const unsigned char* offered, unsigned offered_size, void* /*data*/) {
  unsigned char* chosen = nullptr;
  const int found = SSL_select_next_proto(&chosen, size, kProtocols, sizeof(kProtocols) - 1,
                                          offered, offered_size);
  if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

// Accepts any client certificate. The connection checks the result of the verification after the
// handshake.
int TakeAnyClient(int /*valid*/, X509_STORE_CTX* /*chain*/) { return 1; }

// Returns null on failure and sets `why`.
std::shared_ptr<ssl::context> MakeContext(const TlsMaterial& material, ClientCertificates clients,
                                          std::string* why) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  const auto bytes = [](const std::string& text) { return boost::asio::buffer(text); };
  context->use_certificate_chain(bytes(material.certificate), error);
  if (!error) context->use_private_key(bytes(material.key), ssl::context::pem, error);
  const bool asks = clients != ClientCertificates::kNone;
  SSL_CTX* const raw = context->native_handle();
  if (!error && asks) {
    // Adds all authorities, because Asio's own function adds only the first.
    BIO* const reader =
        BIO_new_mem_buf(material.client_ca.data(), static_cast<int>(material.client_ca.size()));
    while (X509* const authority = PEM_read_bio_X509(reader, nullptr, nullptr, nullptr)) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(raw), authority);
      SSL_CTX_add_client_CA(raw, authority);
      X509_free(authority);
    }
    BIO_free(reader);
    ERR_clear_error();
  }
  if (error) {
    *why = error.message();
    return nullptr;
  }
  // The gRPC port allows the same versions.
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  // Forbids renegotiation, because each one costs as much as a handshake.
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  // Without the cache, sessions exist only as tickets, whose keys belong to this context. So no
  // session outlives the certificate or the authorities of the context.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  static constexpr unsigned char kSessions[] = "dragoman";
  SSL_CTX_set_session_id_context(raw, kSessions, sizeof(kSessions) - 1);
  SSL_CTX_set_alpn_select_cb(raw, ChooseProtocol, nullptr);
  if (clients == ClientCertificates::kRequired) {
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  } else if (asks) {
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, TakeAnyClient);
  }
  return context;
}

}  // namespace

std::shared_ptr<ssl::context> TlsContexts::Current() {
  std::shared_ptr<const TlsMaterial> now = store_->current();
  std::string why;
  std::shared_ptr<ssl::context> result;
  {
    engine::MutexLock lock(&mu_);
    if (now != material_) {
      if (auto made = MakeContext(*now, clients_, &why)) context_ = std::move(made);
      material_ = now;
    }
    result = context_;
  }
  if (!why.empty()) {
    Log(LogLevel::kError, "HTTP does not take the new certificate, the old one stays in use",
        {{"serial", now->serial}, {"why", why}});
  }
  return result;
}

}  // namespace dragoman::server

#include "server/net/tls_client.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "server/net/openssl_objects.h"

namespace dragoman {
namespace {

X509* ReadOne(BIO* bio) { return PEM_read_bio_X509(bio, nullptr, NoPassword, nullptr); }

absl::Status NoCertificate(const char* of) {
  return absl::InvalidArgumentError(
      absl::StrCat(of, ": found no certificate in PEM format, expected one"));
}

absl::Status AddAuthorities(const std::string& pem, SSL_CTX* context) {
  if (pem.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return absl::OkStatus();
    return absl::InvalidArgumentError("authorities: found none of this machine, expected a file");
  }
  const Bio bio = BioOf(pem);
  int found = 0;
  while (X509* const authority = ReadOne(bio.get())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    X509_free(authority);
    ++found;
  }
  return found > 0 ? absl::OkStatus() : NoCertificate("authorities");
}

absl::Status ShowCertificate(const TlsClientFiles& files, SSL_CTX* context) {
  if (files.certificate.empty()) return absl::OkStatus();
  const Bio bio = BioOf(files.certificate);
  int found = 0;
  while (X509* const next = ReadOne(bio.get())) {
    const bool taken = found++ == 0 ? SSL_CTX_use_certificate(context, next) == 1
                                    : SSL_CTX_add1_chain_cert(context, next) == 1;
    X509_free(next);
    if (!taken) return NoCertificate("certificate");
  }
  if (found == 0) return NoCertificate("certificate");
  EVP_PKEY* const key =
      PEM_read_bio_PrivateKey(BioOf(files.key).get(), nullptr, NoPassword, nullptr);
  if (key == nullptr) {
    return absl::InvalidArgumentError(
        "key: found no private key in PEM format without a password, expected one");
  }
  const bool fits = SSL_CTX_use_PrivateKey(context, key) == 1;
  EVP_PKEY_free(key);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError("key: found one that does not belong to the certificate");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TlsClient>> TlsClient::Make(const TlsClientFiles& files) {
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (context == nullptr) return absl::ResourceExhaustedError("OpenSSL has no memory");
  std::shared_ptr<const TlsClient> out(new TlsClient(context));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  absl::Status status = AddAuthorities(files.authorities, context);
  if (status.ok()) status = ShowCertificate(files, context);
  ERR_clear_error();
  if (!status.ok()) return status;
  return out;
}

TlsClient::~TlsClient() { SSL_CTX_free(context_); }

SSL* TlsClient::NewConnection(const std::string& host) const {
  SSL* const ssl = SSL_new(context_);
  if (ssl == nullptr) return nullptr;
  in6_addr number{};
  const bool is_number = inet_pton(AF_INET, host.c_str(), &number) == 1 ||
                         inet_pton(AF_INET6, host.c_str(), &number) == 1;
  const bool set = is_number ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1
                             : SSL_set1_host(ssl, host.c_str()) == 1 &&
                                   SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
  if (set) return ssl;
  SSL_free(ssl);
  return nullptr;
}

}  // namespace dragoman

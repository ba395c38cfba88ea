#include "client/channel_security.h"

#include <grpc/support/log.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

// Reports whether traffic to this address stays on the machine. An address that begins with "127."
// counts only if it has no other characters than digits and dots, because 127.example.org is a host
// name.
bool IsLocal(std::string_view address) {
  if (address.starts_with("unix:")) return true;
  for (const std::string_view scheme : {"ipv4:", "ipv6:"}) {
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  }
  const std::string_view host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
}

// Reports whether the PEM texts are a certificate and the private key that belongs to it.
bool BelongTogether(const std::string& certificate, const std::string& key) {
  const auto reader = [](const std::string& text) {
    return std::unique_ptr<BIO, decltype(&BIO_free)>(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), &BIO_free);
  };
  // Without this callback, OpenSSL would ask for the password of an encrypted key on the terminal.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  const std::unique_ptr<X509, decltype(&X509_free)> own(
      PEM_read_bio_X509(reader(certificate).get(), nullptr, no_password, nullptr), &X509_free);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> secret(
      PEM_read_bio_PrivateKey(reader(key).get(), nullptr, no_password, nullptr), &EVP_PKEY_free);
  const bool fits =
      own != nullptr && secret != nullptr && X509_check_private_key(own.get(), secret.get()) == 1;
  ERR_clear_error();
  return fits;
}

// Guards tls_error, because gRPC logs on its own threads.
std::mutex tls_error_mutex;
std::string tls_error;

void KeepTlsError(gpr_log_func_args* line) {
  const std::string_view message(line->message);
  constexpr std::string_view kHandshake = "Handshake failed";
  if (line->severity != GPR_LOG_SEVERITY_ERROR || !message.starts_with(kHandshake)) return;
  // The reason is the last part of messages such as "... SSL_ERROR_SSL: error:0A000086:SSL
  // routines::certificate verify failed."
  const size_t reason = message.rfind(':');
  const std::lock_guard<std::mutex> lock(tls_error_mutex);
  tls_error = std::string(message.substr(reason + 1));
  while (!tls_error.empty() && tls_error.back() == '.') tls_error.pop_back();
}

}  // namespace

void KeepTlsErrors() { gpr_set_log_function(KeepTlsError); }

std::string LastTlsError() {
  const std::lock_guard<std::mutex> lock(tls_error_mutex);
  return tls_error;
}

absl::Status CheckSecurity(const ChannelSecurity& security, const std::string& address) {
  if (security.certificate.empty() != security.key.empty()) {
    return absl::InvalidArgumentError(security.key.empty()
                                          ? "found --cert without --key, expected both"
                                          : "found --key without --cert, expected both");
  }
  if (!security.key.empty() && !BelongTogether(security.certificate, security.key)) {
    return absl::InvalidArgumentError(
        "--cert and --key: found files that do not go together, expected a certificate and its "
        "private key, without a password");
  }
  if (security.tls || security.api_key.empty() || security.plaintext_key || IsLocal(address)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the API key would travel to '", address,
                   "' unencrypted, expected --tls (or --plaintext-key where something else "
                   "encrypts the way)"));
}

std::shared_ptr<grpc::ChannelCredentials> MakeCredentials(const ChannelSecurity& security) {
  if (!security.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = security.authorities;
  options.pem_cert_chain = security.certificate;
  options.pem_private_key = security.key;
  return grpc::SslCredentials(options);
}

std::string NewApiKey() {
  std::array<unsigned char, 32> bits{};
  if (RAND_bytes(bits.data(), bits.size()) != 1) return "";
  // The prefix lets programs that scan repositories for secrets recognise a key.
  return absl::StrCat("dgm_", absl::WebSafeBase64Escape(absl::string_view(
                                  reinterpret_cast<const char*>(bits.data()), bits.size())));
}

std::string HashOfApiKey(const std::string& key) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(key.data()), key.size(), hash.data());
  return absl::StrCat("sha256:", absl::BytesToHexString(absl::string_view(
                                     reinterpret_cast<const char*>(hash.data()), hash.size())));
}

bool IsApiKey(const std::string& key) {
  constexpr size_t kMaxBytes = 1024;
  return !key.empty() && key.size() <= kMaxBytes &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

}  // namespace dragoman::client

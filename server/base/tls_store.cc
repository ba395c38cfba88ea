#include "server/base/tls_store.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/file_watch.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

template <auto kFree>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
using Certificate = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// Returns a reader of `text`. REQUIRES: `text` outlives the reader.
Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// A pem_password_cb without a password, so that OpenSSL does not ask the terminal. Sets `asked`, a
// bool, to true.
int NoPassword(char* /*to*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return 0;
}

// Returns every certificate of a PEM text, or none if one of them cannot be read.
std::vector<Certificate> ReadCertificates(const std::string& text) {
  std::vector<Certificate> out;
  const Bio bio = BioOf(text);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    out.emplace_back(next);
  }
  // PEM_R_NO_START_LINE means that no certificate follows. Any other last error means that a
  // certificate is broken.
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) out.clear();
  return out;
}

absl::StatusOr<Key> ReadKey(const std::string& path, const std::string& text) {
  const Bio bio = BioOf(text);
  bool asked = false;
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, &asked));
  ERR_clear_error();
  if (asked) return WrongFile(path, "found a key with a password, expected one without");
  if (key == nullptr) return WrongFile(path, "found no private key in PEM format");
  return key;
}

std::optional<int64_t> Seconds(const ASN1_TIME* time) {
  std::tm fields{};
  if (ASN1_TIME_to_tm(time, &fields) != 1) return std::nullopt;
  return static_cast<int64_t>(timegm(&fields));
}

std::string Date(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm fields{};
  gmtime_r(&time, &fields);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &fields);
  return text;
}

std::string SubjectOf(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? std::string(text, static_cast<size_t>(size)) : "";
}

std::string SerialOf(X509* certificate) {
  const std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number(
      ASN1_INTEGER_to_BN(X509_get_serialNumber(certificate), nullptr));
  if (number == nullptr) return "";
  char* digits = BN_bn2hex(number.get());
  std::string text = digits == nullptr ? "" : digits;
  OPENSSL_free(digits);
  return text;
}

// Reads certificates into `text`.
absl::StatusOr<std::vector<Certificate>> ReadChain(const std::string& path, std::string* text) {
  absl::StatusOr<std::string> bytes = ReadSmallFile(path);
  if (!bytes.ok()) return bytes.status();
  *text = *std::move(bytes);
  ERR_clear_error();
  std::vector<Certificate> chain = ReadCertificates(*text);
  if (chain.empty()) return WrongFile(path, "found no certificate in PEM format");
  return chain;
}

// Reads a certificate and the key that belongs to it, and returns the certificate.
absl::StatusOr<Certificate> ReadPair(const std::string& certificate_path,
                                     const std::string& key_path, std::string* certificate,
                                     std::string* key_text) {
  absl::StatusOr<std::vector<Certificate>> chain = ReadChain(certificate_path, certificate);
  if (!chain.ok()) return chain.status();
  absl::StatusOr<std::string> bytes = ReadSmallFile(key_path);
  if (!bytes.ok()) return bytes.status();
  *key_text = *std::move(bytes);
  const absl::StatusOr<Key> key = ReadKey(key_path, *key_text);
  if (!key.ok()) return key.status();
  const bool belongs = X509_check_private_key(chain->front().get(), key->get()) == 1;
  ERR_clear_error();
  if (!belongs) {
    return WrongFile(key_path,
                     absl::StrCat("found a key that does not belong to the certificate in ",
                                  Quoted(certificate_path)));
  }
  return std::move(chain->front());
}

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, int64_t now) {
  TlsMaterial out;
  const absl::StatusOr<Certificate> certificate =
      ReadPair(paths.certificate, paths.key, &out.certificate, &out.key);
  if (!certificate.ok()) return certificate.status();
  X509* const own = certificate->get();
  const std::optional<int64_t> begin = Seconds(X509_get0_notBefore(own));
  const std::optional<int64_t> end = Seconds(X509_get0_notAfter(own));
  if (!begin.has_value() || !end.has_value()) {
    return WrongFile(paths.certificate, "found a certificate whose dates cannot be read");
  }
  if (now >= *end) {
    return WrongFile(paths.certificate, absl::StrCat("found a certificate that expired at ",
                                                     Date(*end), ", expected a valid one"));
  }
  if (now < *begin) {
    return WrongFile(paths.certificate, absl::StrCat("found a certificate that is valid only from ",
                                                     Date(*begin), " on, expected a valid one"));
  }
  // Clients check in every handshake that the certificate may be used for servers.
  const bool is_for_servers = X509_check_purpose(own, X509_PURPOSE_SSL_SERVER, 0) == 1;
  ERR_clear_error();
  if (!is_for_servers) {
    return WrongFile(
        paths.certificate,
        "found a certificate that is not for servers, expected one whose extended key usage has "
        "serverAuth and whose key usage has digitalSignature, or one without these extensions");
  }
  if (!paths.client_ca.empty()) {
    const auto authorities = ReadChain(paths.client_ca, &out.client_ca);
    if (!authorities.ok()) return authorities.status();
  }
  out.subject = SubjectOf(own);
  out.serial = SerialOf(own);
  out.not_after = *end;
  return out;
}

absl::StatusOr<TlsClientMaterial> ReadTlsClientFiles(const TlsClientPaths& paths) {
  TlsClientMaterial out;
  if (!paths.authorities.empty()) {
    const auto authorities = ReadChain(paths.authorities, &out.authorities);
    if (!authorities.ok()) return authorities.status();
  }
  if (!paths.certificate.empty()) {
    const auto own = ReadPair(paths.certificate, paths.key, &out.certificate, &out.key);
    if (!own.ok()) return own.status();
  }
  return out;
}

TlsStore::TlsStore(TlsPaths paths, WallClock now, TlsMaterial first)
    : paths_(std::move(paths)),
      now_(std::move(now)),
      current_(std::make_shared<const TlsMaterial>(std::move(first))) {}

absl::StatusOr<std::unique_ptr<TlsStore>> TlsStore::Open(TlsPaths paths, WallClock now) {
  absl::StatusOr<TlsMaterial> first = ReadTlsFiles(paths, now());
  if (!first.ok()) return first.status();
  return std::unique_ptr<TlsStore>(
      new TlsStore(std::move(paths), std::move(now), *std::move(first)));
}

absl::StatusOr<bool> TlsStore::Reload() {
  absl::StatusOr<TlsMaterial> read = ReadTlsFiles(paths_, now_());
  if (!read.ok()) return read.status();
  const auto next = std::make_shared<const TlsMaterial>(*std::move(read));
  engine::MutexLock lock(&mu_);
  if (next->certificate == current_->certificate && next->key == current_->key &&
      next->client_ca == current_->client_ca) {
    return false;
  }
  current_ = next;
  return true;
}

}  // namespace dragoman::server

#include "server/security/tls_store.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/net/openssl_objects.h"
#include "server/security/file_watch.h"

namespace dragoman {
namespace {

using Certificate = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// Every certificate of a PEM text; empty if one of them cannot be read, or there is none.
std::vector<Certificate> ReadCertificates(const std::string& text) {
  std::vector<Certificate> out;
  const Bio bio = BioOf(text);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    out.emplace_back(next);
  }
  // Where nothing is left the last error says so; else one of them is broken.
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

}  // namespace

absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, int64_t now) {
  TlsMaterial out;
  for (const auto& [path, text] :
       {std::make_pair(&paths.certificate, &out.certificate), std::make_pair(&paths.key, &out.key),
        std::make_pair(&paths.client_ca, &out.client_ca)}) {
    if (path == &paths.client_ca && path->empty()) continue;
    absl::StatusOr<std::string> bytes = ReadSmallFile(*path);
    if (!bytes.ok()) return bytes.status();
    *text = *std::move(bytes);
  }
  ERR_clear_error();
  const std::vector<Certificate> chain = ReadCertificates(out.certificate);
  if (chain.empty()) return WrongFile(paths.certificate, "found no certificate in PEM format");
  const absl::StatusOr<Key> key = ReadKey(paths.key, out.key);
  if (!key.ok()) return key.status();
  X509* const own = chain.front().get();
  const bool belongs = X509_check_private_key(own, key->get()) == 1;
  ERR_clear_error();
  if (!belongs) {
    return WrongFile(paths.key,
                     absl::StrCat("found a key that does not belong to the certificate in ",
                                  Quoted(paths.certificate)));
  }
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
  // Clients check this in every handshake.
  const bool is_for_servers = X509_check_purpose(own, X509_PURPOSE_SSL_SERVER, 0) == 1;
  ERR_clear_error();
  if (!is_for_servers) {
    return WrongFile(
        paths.certificate,
        "found a certificate that is not for servers, expected one whose extended key "
        "usage has serverAuth and whose key usage has digitalSignature, or one without "
        "these "
        "extensions");
  }
  if (!paths.client_ca.empty() && ReadCertificates(out.client_ca).empty()) {
    return WrongFile(paths.client_ca, "found no certificate in PEM format");
  }
  out.subject = SubjectOf(own);
  out.serial = SerialOf(own);
  out.not_before = *begin;
  out.not_after = *end;
  return out;
}

TlsStore::WallClock TlsStore::SystemTime() {
  return [] {
    return static_cast<int64_t>(
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  };
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
  MutexLock lock(&mu_);
  if (next->certificate == current_->certificate && next->key == current_->key &&
      next->client_ca == current_->client_ca) {
    return false;
  }
  current_ = next;
  return true;
}

}  // namespace dragoman

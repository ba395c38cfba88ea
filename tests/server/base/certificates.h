// Makes certificates for tests with OpenSSL: an authority, and certificates that it issues.
#pragma once

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace dragoman::testing {

class Authority {
 public:
  struct Issued {
    std::string certificate;  // PEM
    std::string key;
  };
  struct Wish {
    std::string name = "localhost";
    int64_t begin = -3600;  // seconds from now
    int64_t end = 86'400;
    bool client = false;  // a client certificate; otherwise a server certificate
    // The extension in OpenSSL's configuration syntax. null: derived from `client`. "": none.
    const char* purposes = nullptr;
    const char* key_usage = "";  // "": none
  };

  explicit Authority(const std::string& name) : key_(NewKey()), certificate_(X509_new()) {
    Fill(certificate_, key_, name, -3600, 86'400);
    X509_set_issuer_name(certificate_, X509_get_subject_name(certificate_));
    Extend(certificate_, NID_basic_constraints, "critical,CA:TRUE");
    Extend(certificate_, NID_key_usage, "critical,keyCertSign");
    X509_sign(certificate_, key_, EVP_sha256());
  }
  ~Authority() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  std::string pem() const {
    return Text([this](BIO* to) { PEM_write_bio_X509(to, certificate_); });
  }

  Issued Issue(const Wish& wish) const {
    EVP_PKEY* const key = NewKey();
    X509* const own = X509_new();
    Fill(own, key, wish.name, wish.begin, wish.end);
    X509_set_issuer_name(own, X509_get_subject_name(certificate_));
    Extend(own, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    const char* const usual = wish.client ? "clientAuth" : "serverAuth";
    const char* const purposes = wish.purposes == nullptr ? usual : wish.purposes;
    if (*purposes != '\0') Extend(own, NID_ext_key_usage, purposes);
    if (*wish.key_usage != '\0') Extend(own, NID_key_usage, wish.key_usage);
    X509_sign(own, key_, EVP_sha256());
    Issued issued{Text([own](BIO* to) { PEM_write_bio_X509(to, own); }), Text([key](BIO* to) {
                    PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
                  })};
    X509_free(own);
    EVP_PKEY_free(key);
    return issued;
  }
  Issued Issue() const { return Issue(Wish()); }

 private:
  static EVP_PKEY* NewKey() { return EVP_EC_gen("P-256"); }

  static void Fill(X509* to, EVP_PKEY* key, const std::string& name, int64_t begin, int64_t end) {
    static int64_t serial = 1;
    X509_set_version(to, X509_VERSION_3);
    ASN1_INTEGER_set_int64(X509_get_serialNumber(to), serial++);
    X509_gmtime_adj(X509_getm_notBefore(to), begin);
    X509_gmtime_adj(X509_getm_notAfter(to), end);
    X509_set_pubkey(to, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(to), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  }

  static void Extend(X509* to, int kind, const char* value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value);
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
  }

  template <typename Write>
  static std::string Text(const Write& write) {
    BIO* const bio = BIO_new(BIO_s_mem());
    write(bio);
    char* data = nullptr;
    const auto size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<size_t>(size));
    BIO_free(bio);
    return text;
  }

  EVP_PKEY* const key_;
  X509* const certificate_;
};

// Replaces the file atomically.
inline void Replace(const std::string& path, const std::string& text) {
  const std::string beside = path + ".new";
  std::ofstream(beside, std::ios::binary) << text;
  std::rename(beside.c_str(), path.c_str());
}

}  // namespace dragoman::testing

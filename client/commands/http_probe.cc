#include "client/commands/http_probe.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

using std::chrono::steady_clock;

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;

struct Url {
  bool tls = false;
  std::string authority;  // host:port as in the URL
  std::string host;       // the host without brackets
  std::string path;
};

absl::StatusOr<Url> ParseUrl(const std::string& text) {
  const absl::Status wrong = absl::InvalidArgumentError(absl::StrCat(
      "found the URL '", text, "', expected http://HOST:PORT/PATH or https://HOST:PORT/PATH"));
  Url url;
  std::string_view rest = text;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    url.tls = true;
  } else {
    return wrong;
  }
  const size_t slash = rest.find('/');
  url.authority = std::string(rest.substr(0, slash));
  url.path = slash == std::string_view::npos ? "/" : std::string(rest.substr(slash));
  const size_t colon = url.authority.rfind(':');
  int port = 0;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(url.authority.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return wrong;
  }
  url.host = url.authority.substr(0, colon);
  if (url.host.front() == '[' && url.host.back() == ']') {
    url.host = url.host.substr(1, url.host.size() - 2);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  if (url.host.empty() || std::any_of(text.begin(), text.end(), is_control)) return wrong;
  return url;
}

// Returns OpenSSL's last error, such as "certificate verify failed", or `otherwise` if OpenSSL has
// none.
std::string Reason(const char* otherwise) {
  const unsigned long error = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(error);
  ERR_clear_error();
  return reason == nullptr ? otherwise : reason;
}

// A callback for OpenSSL, which would otherwise ask for the password of an encrypted key on the
// terminal.
int NoPassword(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return 0; }

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

absl::Status Trust(const ChannelSecurity& security, SSL_CTX* context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (security.authorities.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return absl::OkStatus();
  }
  const Bio reader = Reader(security.authorities);
  int found = 0;
  while (const std::unique_ptr<X509, Free> authority{
      PEM_read_bio_X509(reader.get(), nullptr, NoPassword, nullptr)}) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get());
    ++found;
  }
  ERR_clear_error();  // the error that says that the text has ended
  if (found > 0) return absl::OkStatus();
  return absl::InvalidArgumentError("found no certificate in --ca, expected PEM");
}

absl::Status Identify(const ChannelSecurity& security, SSL_CTX* context) {
  if (security.certificate.empty()) return absl::OkStatus();
  const std::unique_ptr<X509, Free> own(
      PEM_read_bio_X509(Reader(security.certificate).get(), nullptr, NoPassword, nullptr));
  const std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(Reader(security.key).get(), nullptr, NoPassword, nullptr));
  if (own != nullptr && key != nullptr && SSL_CTX_use_certificate(context, own.get()) == 1 &&
      SSL_CTX_use_PrivateKey(context, key.get()) == 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--cert and --key: ", Reason("expected a certificate and its private key")));
}

// Makes a non-blocking connection, with or without TLS. Does not connect yet.
absl::StatusOr<Bio> Connection(const Url& url, const ChannelSecurity& security) {
  if (!url.tls) {
    Bio bio(BIO_new_connect(url.authority.c_str()));
    BIO_set_nbio(bio.get(), 1);
    return bio;
  }
  const std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  for (const absl::Status& status :
       {Trust(security, context.get()), Identify(security, context.get())}) {
    if (!status.ok()) return status;
  }
  Bio bio(BIO_new_ssl_connect(context.get()));
  BIO_set_conn_hostname(bio.get(), url.authority.c_str());
  BIO_set_nbio(bio.get(), 1);
  SSL* ssl = nullptr;
  BIO_get_ssl(bio.get(), &ssl);
  SSL_set_mode(ssl, SSL_MODE_AUTO_RETRY);
  const std::string& name = security.server_name.empty() ? url.host : security.server_name;
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) != 1) {
    ERR_clear_error();  // the error that says that `name` is not an IP address
    SSL_set_tlsext_host_name(ssl, name.c_str());
    SSL_set1_host(ssl, name.c_str());
  }
  return bio;
}

// Waits until the connection can be read or written. Returns false if the time `end` comes first.
bool Await(BIO* bio, steady_clock::time_point end) {
  int fd = -1;
  BIO_get_fd(bio, &fd);
  const short events = BIO_should_read(bio) ? POLLIN : POLLOUT;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now()).count();
  if (left <= 0) return false;
  pollfd wait{fd, events, 0};
  // If a signal interrupts the wait, the caller tries again.
  return poll(&wait, 1, static_cast<int>(std::min<int64_t>(left, 1000 * 3600))) != 0;
}

// Returns the status code of an HTTP/1 answer, or 0 if it has no HTTP/1 status line.
int StatusOf(std::string_view answer) {
  int status = 0;
  if (answer.starts_with("HTTP/1.") && answer.size() >= 12 && answer[8] == ' ') {
    std::from_chars(answer.data() + 9, answer.data() + 12, status);
  }
  return status;
}

}  // namespace

absl::StatusOr<HttpAnswer> HttpGet(const std::string& url_text, const ChannelSecurity& security,
                                   std::chrono::nanoseconds timeout) {
  const absl::StatusOr<Url> url = ParseUrl(url_text);
  if (!url.ok()) return url.status();
  const auto end = steady_clock::now() + timeout;
  absl::StatusOr<Bio> connection = Connection(*url, security);
  if (!connection.ok()) return connection.status();
  BIO* const bio = connection->get();
  const absl::Status late =
      absl::DeadlineExceededError(absl::StrCat("no answer of ", url->authority, " in time"));

  while (BIO_do_connect(bio) <= 0) {
    if (!BIO_should_retry(bio)) {
      return absl::UnavailableError(
          absl::StrCat("cannot connect to ", url_text, ": ", Reason("connection refused")));
    }
    if (!Await(bio, end)) return late;
  }
  const std::string request = absl::StrCat("GET ", url->path, " HTTP/1.1\r\nHost: ", url->authority,
                                           "\r\nConnection: close\r\n\r\n");
  for (size_t at = 0; at < request.size();) {
    const int sent = BIO_write(bio, request.data() + at, static_cast<int>(request.size() - at));
    if (sent > 0) {
      at += static_cast<size_t>(sent);
    } else if (!BIO_should_retry(bio)) {
      return absl::UnavailableError(
          absl::StrCat("cannot send to ", url_text, ": ", Reason("connection closed")));
    } else if (!Await(bio, end)) {
      return late;
    }
  }
  // Headers and body are short. The rest of a longer answer is not read.
  std::string answer;
  while (answer.size() < 2 * HttpAnswer::kMost) {
    char buffer[1024];
    const int got = BIO_read(bio, buffer, sizeof(buffer));
    if (got > 0) {
      answer.append(buffer, static_cast<size_t>(got));
    } else if (!BIO_should_retry(bio)) {
      break;
    } else if (!Await(bio, end)) {
      return late;
    }
  }
  HttpAnswer out;
  out.status = StatusOf(answer);
  if (out.status == 0) {
    return absl::UnavailableError(absl::StrCat("found no answer of HTTP at ", url_text, ": ",
                                               Reason("the server closed the connection")));
  }
  const size_t body = answer.find("\r\n\r\n");
  if (body != std::string::npos) out.body = answer.substr(body + 4, HttpAnswer::kMost);
  return out;
}

}  // namespace dragoman::client

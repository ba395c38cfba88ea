#include "server/net/http_post.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "tests/server/security/certificates.h"

namespace dragoman {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using testing::Authority;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Takes one connection on the loopback and does what it is told with it.
class OneConnection {
 public:
  explicit OneConnection(std::function<void(int fd)> serve) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const int fd = accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      serve(fd);
      close(fd);
    });
  }
  ~OneConnection() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }

 private:
  int listener_ = -1;
  int port_ = 0;
  std::thread thread_;
};

std::string ReadUntil(int fd, const std::string& end) {
  std::string text;
  char c = 0;
  while (!text.ends_with(end) && read(fd, &c, 1) == 1) text += c;
  return text;
}

void Say(int fd, const std::string& text) {
  EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

HttpPostTarget TargetAt(int port, const std::string& host = "127.0.0.1") {
  return {.address = {.host = host, .port = port}, .path = "/v1/traces", .headers = {}, .tls = {}};
}

int Post(int port, const std::string& body, milliseconds timeout = seconds(30)) {
  return HttpPost(TargetAt(port), "application/json", body, timeout).status;
}

TEST(HttpPost, SendsTheBodyAndReadsTheStatus) {
  std::string request;
  {
    const OneConnection server([&](int fd) {
      request = ReadUntil(fd, "{}");
      Say(fd, "HTTP/1.1 20");  // in two pieces
      Say(fd, "2 Accepted\r\nContent-Length: 0\r\n\r\n");
    });
    EXPECT_EQ(Post(server.port(), "{}"), 202);
  }
  EXPECT_THAT(request, StartsWith("POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(request, EndsWith("Content-Length: 2\r\nConnection: close\r\n\r\n{}"));
}

TEST(HttpPost, SendsHeadersOfItsOwn) {
  std::string request;
  {
    const OneConnection server([&](int fd) {
      request = ReadUntil(fd, "{}");
      Say(fd, "HTTP/1.1 200 OK\r\n");
    });
    HttpPostTarget to = TargetAt(server.port());
    to.headers = {{"Authorization", "Basic c2VjcmV0"}, {"x-scope", "a b"}};
    EXPECT_EQ(HttpPost(to, "application/json", "{}", seconds(30)).status, 200);
  }
  EXPECT_THAT(request, HasSubstr("\r\nAuthorization: Basic c2VjcmV0\r\nx-scope: a b\r\n"));
}

// A server with TLS, which asks for a client's certificate where it gets authorities of such.
class TlsPeer {
 public:
  TlsPeer(const Authority::Issued& own, const std::string& client_ca)
      : context_(SSL_CTX_new(TLS_server_method())) {
    BIO* const pem =
        BIO_new_mem_buf(own.certificate.data(), static_cast<int>(own.certificate.size()));
    X509* const certificate = PEM_read_bio_X509(pem, nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context_, certificate);
    X509_free(certificate);
    BIO_free(pem);
    BIO* const key_pem = BIO_new_mem_buf(own.key.data(), static_cast<int>(own.key.size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_pem, nullptr, nullptr, nullptr);
    SSL_CTX_use_PrivateKey(context_, key);
    EVP_PKEY_free(key);
    BIO_free(key_pem);
    if (client_ca.empty()) return;
    BIO* const ca = BIO_new_mem_buf(client_ca.data(), static_cast<int>(client_ca.size()));
    X509* const authority = PEM_read_bio_X509(ca, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), authority);
    X509_free(authority);
    BIO_free(ca);
    SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  ~TlsPeer() { SSL_CTX_free(context_); }
  TlsPeer(const TlsPeer&) = delete;
  TlsPeer& operator=(const TlsPeer&) = delete;

  // Answers one request with 200; returns the request, or "" where there was no handshake.
  std::string Serve(int fd) const {
    SSL* const ssl = SSL_new(context_);
    SSL_set_fd(ssl, fd);
    std::string request;
    if (SSL_accept(ssl) == 1) {
      char c = 0;
      while (!request.ends_with("{}") && SSL_read(ssl, &c, 1) == 1) request += c;
      constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\n\r\n";
      if (!request.empty()) SSL_write(ssl, kAnswer, sizeof(kAnswer) - 1);
    }
    SSL_free(ssl);
    ERR_clear_error();
    return request;
  }

 private:
  SSL_CTX* const context_;
};

class HttpsPost : public ::testing::Test {
 protected:
  HttpsPost() { std::signal(SIGPIPE, SIG_IGN); }

  // The result of a post to `peer`, which gets `request`.
  static HttpPostResult PostTo(const TlsPeer& peer, const TlsClientFiles& files,
                               std::string* request, const std::string& host = "localhost") {
    HttpPostResult result;
    const OneConnection server([&](int fd) { *request = peer.Serve(fd); });
    HttpPostTarget to = TargetAt(server.port(), host);
    auto tls = TlsClient::Make(files);
    EXPECT_TRUE(tls.ok()) << tls.status();
    if (tls.ok()) to.tls = *tls;
    return HttpPost(to, "application/json", "{}", seconds(30));
  }

  const Authority authority_{"of servers"};
  const Authority other_{"another"};
};

TEST_F(HttpsPost, SendsToAServerOfItsAuthorities) {
  const TlsPeer peer(authority_.Issue(), "");
  std::string request;
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const HttpPostResult result = PostTo(
        peer, {.authorities = authority_.pem(), .certificate = {}, .key = {}}, &request, host);
    EXPECT_EQ(result.status, 200) << result.error;
    EXPECT_THAT(request, AllOf(StartsWith("POST /v1/traces"), EndsWith("{}")));
  }
}

TEST_F(HttpsPost, SendsNothingToAServerOfOthers) {
  const TlsPeer peer(other_.Issue(), "");
  std::string request;
  const HttpPostResult result =
      PostTo(peer, {.authorities = authority_.pem(), .certificate = {}, .key = {}}, &request);
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.error, HasSubstr("TLS: certificate of localhost: "));
  EXPECT_EQ(request, "");
}

TEST_F(HttpsPost, ShowsItsCertificateToAServerThatAsks) {
  const TlsPeer peer(authority_.Issue(), other_.pem());
  const Authority::Issued own = other_.Issue({.name = "dragomand", .client = true});
  std::string request;
  const HttpPostResult known = PostTo(
      peer, {.authorities = authority_.pem(), .certificate = own.certificate, .key = own.key},
      &request);
  EXPECT_EQ(known.status, 200) << known.error;
  const HttpPostResult unknown =
      PostTo(peer, {.authorities = authority_.pem(), .certificate = {}, .key = {}}, &request);
  EXPECT_EQ(unknown.status, 0);
  EXPECT_NE(unknown.error, "");
  EXPECT_EQ(request, "");
}

TEST_F(HttpsPost, RefusesWhatIsNoCertificateAndKeysOfOthers) {
  const auto error = [](const TlsClientFiles& files) {
    return std::string(TlsClient::Make(files).status().message());
  };
  const Authority::Issued one = authority_.Issue();
  const Authority::Issued two = authority_.Issue();
  EXPECT_THAT(error({.authorities = "x", .certificate = {}, .key = {}}),
              StartsWith("authorities: found no certificate"));
  EXPECT_THAT(error({.authorities = authority_.pem(), .certificate = "x", .key = one.key}),
              StartsWith("certificate: found no certificate"));
  EXPECT_THAT(error({.authorities = authority_.pem(), .certificate = one.certificate, .key = "x"}),
              StartsWith("key: found no private key"));
  EXPECT_THAT(
      error({.authorities = authority_.pem(), .certificate = one.certificate, .key = two.key}),
      StartsWith("key: found one that does not belong"));
}

TEST(HttpPost, ABodyLargerThanTheSocketsBuffersGoesThrough) {
  const std::string body(8 << 20, 'x');
  const OneConnection server([&](int fd) {
    ReadUntil(fd, "\r\n\r\n");
    size_t read_bytes = 0;
    std::string buffer(1 << 16, '\0');
    while (read_bytes < body.size()) {
      const ssize_t got = read(fd, buffer.data(), buffer.size());
      if (got <= 0) break;
      read_bytes += static_cast<size_t>(got);
    }
    Say(fd, read_bytes == body.size() ? "HTTP/1.1 200 OK\r\n\r\n" : "HTTP/1.1 400 Short\r\n\r\n");
  });
  EXPECT_EQ(Post(server.port(), body), 200);
}

TEST(HttpPost, WhatIsNoAnswerIsNone) {
  for (const char* answer : {"", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1\r\n"}) {
    const OneConnection server([answer](int fd) {
      ReadUntil(fd, "{}");
      Say(fd, answer);
    });
    EXPECT_EQ(Post(server.port(), "{}"), 0) << answer;
  }
}

TEST(HttpPost, NobodyThereIsNoAnswer) {
  int port = 0;
  {
    const OneConnection gone([](int) {});
    port = gone.port();
  }
  EXPECT_EQ(Post(port, "{}"), 0);
  const HttpPostResult unknown =
      HttpPost(TargetAt(1, "no-such-host.invalid"), "text/plain", "", seconds(1));
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.error, HasSubstr("no-such-host.invalid"));
}

TEST(HttpPost, ASilentServerIsWaitedForOnlySoLong) {
  const OneConnection server([](int fd) { ReadUntil(fd, "never"); });  // until the client goes
  EXPECT_EQ(Post(server.port(), "{}", milliseconds(50)), 0);
}

}  // namespace
}  // namespace dragoman

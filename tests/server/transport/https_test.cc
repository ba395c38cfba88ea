// Tests the HTTP side with TLS: which clients get answers, and the effect of a new certificate.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/transport/exchange_server.h"
#include "server/transport/http.h"
#include "tests/server/base/certificates.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using testing::Authority;

class HttpsTest : public ::testing::Test {
 protected:
  HttpsTest() {
    SetLogLevel(LogLevel::kOff);
    testing::Replace(paths_.client_ca, authority_.pem());
    Write(authority_.Issue({.name = "first"}));
    hooks_.metrics = [] { return std::string("metrics"); };
    hooks_.not_live = [] { return std::string(); };
    hooks_.not_ready = [] { return std::string("loading"); };
  }
  ~HttpsTest() override {
    server_.reset();
    SetLogLevel(LogLevel::kInfo);
  }

  void Write(const Authority::Issued& issued) {
    testing::Replace(paths_.certificate, issued.certificate);
    testing::Replace(paths_.key, issued.key);
  }

  void Start(bool mutual) {
    auto store = ExpectOk(TlsStore::Open(paths_, UnixNow));
    store_ = *std::move(store);
    auto server =
        ExpectOk(HttpServer::Start({.host = "127.0.0.1"}, hooks_, 16, {store_.get(), mutual}));
    server_ = *std::move(server);
    address_ = server_->address();
  }

  // The HTTP status, and the subject of the server's certificate. The status is 0 if the handshake
  // failed.
  struct Answer {
    int status = 0;
    std::string subject;
  };
  Answer Get(const std::string& path, const Authority::Issued& shows = {},
             int newest = TLS1_3_VERSION) {
    Answer answer;
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, newest);
    // Allows the client to use TLS before 1.2, so that only the server can refuse such versions.
    SSL_CTX_set_security_level(context, 0);
    if (!shows.key.empty()) {
      BIO* const certificate = BIO_new_mem_buf(shows.certificate.data(), -1);
      BIO* const key = BIO_new_mem_buf(shows.key.data(), -1);
      X509* const own = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
      EVP_PKEY* const secret = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
      SSL_CTX_use_certificate(context, own);
      SSL_CTX_use_PrivateKey(context, secret);
      X509_free(own);
      EVP_PKEY_free(secret);
      BIO_free(certificate);
      BIO_free(key);
    }
    BIO* const connection = BIO_new_ssl_connect(context);
    BIO_set_conn_hostname(connection, address_.c_str());
    if (BIO_do_handshake(connection) == 1) {
      SSL* tls = nullptr;
      BIO_get_ssl(connection, &tls);
      X509* const shown = SSL_get1_peer_certificate(tls);
      char name[64] = "";
      X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, name, sizeof(name));
      answer.subject = name;
      X509_free(shown);
      const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      BIO_write(connection, request.data(), static_cast<int>(request.size()));
      std::string text;
      char buffer[4096];
      // Reads only the headers, because the end of the connection takes longer.
      for (int n = 0; text.find("\r\n\r\n") == std::string::npos &&
                      (n = BIO_read(connection, buffer, sizeof(buffer))) > 0;) {
        text.append(buffer, static_cast<size_t>(n));
      }
      if (text.starts_with("HTTP/1.1 ")) answer.status = std::stoi(text.substr(9, 3));
    }
    BIO_free_all(connection);
    SSL_CTX_free(context);
    ERR_clear_error();
    return answer;
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  TlsPaths paths_{folder_ + "tls.crt", folder_ + "tls.key", folder_ + "ca.crt"};
  const Authority authority_{"Test CA"};
  const Authority stranger_{"Another CA"};
  HttpHooks hooks_;
  std::unique_ptr<TlsStore> store_;
  std::unique_ptr<HttpServer> server_;
  std::string address_;
};

// A handler that answers every request with 200.
class AnyPath final : public HttpHandler {
 public:
  bool AcceptsWebSocket(const HttpRequest& /*upgrade*/) const override { return false; }
  void Handle(std::shared_ptr<HttpExchange> exchange) override {
    exchange->Respond(HttpResponse());
  }
};

TEST_F(HttpsTest, AnswersEverybodyWhoSpeaksTls) {
  Start(false);
  EXPECT_EQ(Get("/metrics").status, 200);
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/metrics").subject, "first");
  EXPECT_EQ(Get("/metrics", {}, TLS1_2_VERSION).status, 200);
  EXPECT_EQ(Get("/metrics", {}, TLS1_1_VERSION).status, 0);
}

TEST_F(HttpsTest, MutualAsksAllButProbesForACertificate) {
  Start(true);
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/metrics").status, 403);
  EXPECT_EQ(Get("/nothing").status, 403);
  EXPECT_EQ(Get("/metrics", authority_.Issue({.client = true})).status, 200);
  EXPECT_EQ(Get("/metrics", authority_.Issue({.client = true}), TLS1_2_VERSION).status, 200);
  EXPECT_EQ(Get("/metrics", stranger_.Issue({.client = true})).status, 403);
  EXPECT_EQ(Get("/metrics", authority_.Issue({.begin = -7200, .end = -10, .client = true})).status,
            403);
  // A server's certificate is not valid for clients.
  EXPECT_EQ(Get("/metrics", authority_.Issue()).status, 403);
}

// The port of --http, which --tls-client-ca makes require client certificates.
TEST_F(HttpsTest, WhereCertificatesAreRequiredNobodyElseGetsPastTheHandshake) {
  auto store = ExpectOk(TlsStore::Open(paths_, UnixNow));
  ExchangeServerOptions options;
  options.listener.address = {.host = "127.0.0.1"};
  options.listener.max_connections = 16;
  options.held_bytes = 1 << 20;
  options.tls = store->get();
  options.clients = ClientCertificates::kRequired;
  AnyPath handler;
  const SteadyClock clock;
  auto server = ExpectOk(ExchangeServer::Start(options, &handler, &clock));
  address_ = (*server)->address();
  for (const int newest : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    EXPECT_EQ(Get("/", authority_.Issue({.client = true}), newest).status, 200);
    EXPECT_EQ(Get("/", {}, newest).status, 0);
    EXPECT_EQ(Get("/", stranger_.Issue({.client = true}), newest).status, 0);
    EXPECT_EQ(Get("/", authority_.Issue(), newest).status, 0);
  }
}

TEST_F(HttpsTest, TheNextConnectionGetsTheNewCertificate) {
  Start(false);
  for (const char* name : {"second", "third", "fourth"}) {
    Write(authority_.Issue({.name = name}));
    ASSERT_EQ(store_->Reload().value(), true);
    EXPECT_EQ(Get("/livez").subject, name);
    EXPECT_EQ(Get("/livez").status, 200);
  }
}

}  // namespace
}  // namespace dragoman::server

// The whole server over a loopback port with TLS and API keys, around a scripted engine.
#include "server/process/security.h"

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.grpc.pb.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "tests/server/base/certificates.h"
#include "tests/server/process/serving_fixture.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using testing::Authority;
using ::testing::HasSubstr;

class SecurityTest : public ServingFixture {
 protected:
  void Start() {
    ASSERT_NO_FATAL_FAILURE(OpenSecurity());
    StartServing();
  }

  void WriteServer(const Authority::Issued& issued) {
    config_.tls_cert = folder_ + "tls.crt";
    config_.tls_key = folder_ + "tls.key";
    testing::Replace(config_.tls_key, issued.key);
    testing::Replace(config_.tls_cert, issued.certificate);
  }

  // A client of the key file: its name, its key and further fields.
  struct Known {
    std::string name;
    std::string key;
    std::string more;
  };
  void WriteKeys(const std::vector<Known>& clients) {
    config_.api_keys = folder_ + "keys.json";
    std::string list;
    for (const Known& client : clients) {
      absl::StrAppend(&list, list.empty() ? "" : ",", R"({"name": ")", client.name,
                      R"(", "keys": [")", HashOfKey(client.key), "\"]", client.more, "}");
    }
    testing::Replace(config_.api_keys, absl::StrCat(R"({"clients": [)", list, "]}"));
  }

  // The certificates of a channel. Empty fields are not used.
  struct Who {
    std::string trusts;
    Authority::Issued shows;
  };
  std::shared_ptr<grpc::Channel> Connect(const Who& who = {}) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::SslCredentialsOptions tls{who.trusts, who.shows.key, who.shows.certificate};
    return grpc::CreateCustomChannel(
        serving_->address(),
        who.trusts.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(tls),
        arguments);
  }

  static void Bring(const std::string& key, grpc::ClientContext* context) {
    if (!key.empty()) context->AddMetadata("authorization", "Bearer " + key);
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  }

  static grpc::Status Translate(const std::shared_ptr<grpc::Channel>& channel,
                                const std::string& key = "", const std::string& text = "Hallo",
                                std::string* pushback = nullptr) {
    grpc::ClientContext context;
    Bring(key, &context);
    v1::TranslateRequest request;
    request.add_contents(text);
    v1::TranslateResponse response;
    const grpc::Status status =
        v1::TranslationService::NewStub(channel)->Translate(&context, request, &response);
    const auto& trailers = context.GetServerTrailingMetadata();
    const auto at = trailers.find("grpc-retry-pushback-ms");
    if (pushback != nullptr && at != trailers.end()) {
      pushback->assign(at->second.data(), at->second.size());
    }
    return status;
  }

  // Waits until `holds` returns true. The watch reads files on its own thread.
  template <typename Holds>
  static bool Eventually(const Holds& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  const Authority authority_{"Test CA"};
  const Authority stranger_{"Another CA"};
};

// ------------------------------------------------------------------ TLS

TEST_F(SecurityTest, TlsServesThoseWhoTrustItAndNoPlaintext) {
  WriteServer(authority_.Issue());
  Start();
  EXPECT_TRUE(Translate(Connect({.trusts = authority_.pem()})).ok());
  EXPECT_EQ(Translate(Connect()).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(Translate(Connect({.trusts = stranger_.pem()})).error_code(),
            grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(engine_.submitted(), 1U);
}

TEST_F(SecurityTest, MutualTlsServesClientsOfItsAuthorityOnly) {
  WriteServer(authority_.Issue());
  config_.tls_client_ca = folder_ + "ca.crt";
  testing::Replace(config_.tls_client_ca, authority_.pem());
  Start();
  const auto code = [&](const Authority::Issued& shown) {
    return Translate(Connect({.trusts = authority_.pem(), .shows = shown})).error_code();
  };
  EXPECT_EQ(code(authority_.Issue({.client = true})), grpc::StatusCode::OK);
  EXPECT_EQ(code({}), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(stranger_.Issue({.client = true})), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(code(authority_.Issue({.begin = -7200, .end = -10, .client = true})),
            grpc::StatusCode::UNAVAILABLE);
  // A server's certificate is not valid for clients.
  EXPECT_EQ(code(authority_.Issue()), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(engine_.submitted(), 1U);
}

TEST_F(SecurityTest, ANewCertificateIsForNewConnectionsAndCutsNone) {
  WriteServer(authority_.Issue());
  Start();
  const auto old_connection = Connect({.trusts = authority_.pem()});
  engine_.HoldJobs();
  grpc::ClientContext context;
  Bring("", &context);
  v1::TranslateRequest request;
  request.add_contents("Hallo");
  const auto stub = v1::TranslationService::NewStub(old_connection);
  const auto reader = stub->StreamTranslate(&context, request);
  const FakeEngine::Held held = engine_.WaitHeld();

  WriteServer(stranger_.Issue());
  security_->ReloadAll();
  ASSERT_TRUE(Eventually([&] {
    return metrics_.Scrape().find(R"(files="certificates",outcome="ok"} 1)") != std::string::npos;
  }));
  const auto list = [&](const std::shared_ptr<grpc::Channel>& channel) {
    grpc::ClientContext own;
    Bring("", &own);
    v1::ListModelsResponse models;
    return v1::TranslationService::NewStub(channel)->ListModels(&own, {}, &models).error_code();
  };
  EXPECT_EQ(list(Connect({.trusts = stranger_.pem()})), grpc::StatusCode::OK);
  EXPECT_EQ(list(Connect({.trusts = authority_.pem()})), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(list(old_connection), grpc::StatusCode::OK);
  engine_.Finish(held.id, absl::OkStatus());
  v1::StreamTranslateResponse message;
  while (reader->Read(&message)) {
  }
  EXPECT_TRUE(reader->Finish().ok());

  // A private key that does not match the certificate is refused, and the old pair stays in use.
  testing::Replace(config_.tls_key, authority_.Issue().key);
  security_->ReloadAll();
  ASSERT_TRUE(Eventually([&] {
    return metrics_.Scrape().find(R"(files="certificates",outcome="error"} 1)") !=
           std::string::npos;
  }));
  EXPECT_EQ(list(Connect({.trusts = stranger_.pem()})), grpc::StatusCode::OK);
}

// ------------------------------------------------------------------ API keys

TEST_F(SecurityTest, WithoutAKeyOrWithAWrongOneNothingIsRead) {
  WriteKeys({{"web", "right", ""}});
  Start();
  const auto channel = Connect();
  EXPECT_EQ(Translate(channel, "right").error_code(), grpc::StatusCode::OK);
  EXPECT_EQ(Translate(channel, "").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(Translate(channel, "wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(engine_.submitted(), 1U);
  ExpectMetric(R"(dragoman_rejected_total{reason="denied"} 2)");
  ExpectMetric(
      R"(dragoman_rpcs_total{api="dragoman",code="UNAUTHENTICATED",method="Translate"} 2)");

  // Lists need a key, too. Health checks do not.
  grpc::ClientContext list;
  Bring("", &list);
  v1::ListModelsResponse models;
  EXPECT_EQ(v1::TranslationService::NewStub(channel)->ListModels(&list, {}, &models).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
  grpc::ClientContext check;
  Bring("", &check);
  ::grpc::health::v1::HealthCheckResponse health;
  EXPECT_TRUE(::grpc::health::v1::Health::NewStub(channel)->Check(&check, {}, &health).ok());
}

TEST_F(SecurityTest, AClientThatHasUsedUpItsRateIsToldWhenToComeBack) {
  WriteKeys({{"web", "one", R"(, "characters_per_minute": 60)"}, {"app", "two", ""}});
  Start();
  const auto channel = Connect();
  EXPECT_TRUE(Translate(channel, "one", std::string(60, 'a')).ok());
  std::string pushback;
  const grpc::Status status = Translate(channel, "one", std::string(30, 'a'), &pushback);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("characters per minute"));
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.details(0).UnpackTo(&retry));
  // 30 characters at one a second, less the time that this test takes.
  EXPECT_GE(retry.retry_delay().seconds(), 20);
  EXPECT_LE(retry.retry_delay().seconds(), 30);
  EXPECT_GT(std::stoi(pushback), 20'000);
  EXPECT_TRUE(Translate(channel, "two", std::string(1000, 'a')).ok());
  ExpectMetric(R"(dragoman_rejected_total{reason="rate"} 1)");
}

TEST_F(SecurityTest, WhatTheEngineRefusesCostsNoRate) {
  WriteKeys({{"web", "one", R"(, "characters_per_minute": 60)"}});
  Start();
  engine::Admission refusal;
  refusal.status = absl::ResourceExhaustedError("full");
  refusal.reason = engine::RejectReason::kQueueFull;
  engine_.RefuseNext(refusal);
  EXPECT_FALSE(Translate(Connect(), "one", std::string(60, 'a')).ok());
  EXPECT_TRUE(Translate(Connect(), "one", std::string(60, 'a')).ok());
}

TEST_F(SecurityTest, ClientsAreToldApartByTheirKeysAndNotByTheirAddress) {
  WriteKeys({{"web", "one", R"(, "share": 3)"}, {"app", "two", ""}});
  Start();
  engine_.HoldJobs();
  const auto channel = Connect();
  const auto stub = v1::TranslationService::NewStub(channel);
  v1::TranslateRequest request;
  request.add_contents("Hallo");
  std::vector<FakeEngine::Held> held;
  for (const char* key : {"one", "two", "one"}) {
    grpc::ClientContext context;
    Bring(key, &context);
    const auto reader = stub->StreamTranslate(&context, request);
    held.push_back(engine_.WaitHeld());
    engine_.Finish(held.back().id, absl::OkStatus());
    v1::StreamTranslateResponse message;
    while (reader->Read(&message)) {
    }
    EXPECT_TRUE(reader->Finish().ok());
  }
  EXPECT_EQ(held[0].job.client, "key:web");
  EXPECT_EQ(held[0].job.share, 3);
  EXPECT_EQ(held[1].job.client, "key:app");
  EXPECT_EQ(held[1].job.share, 1);
  EXPECT_EQ(held[2].job.client, held[0].job.client);
}

TEST_F(SecurityTest, ARevokedKeyEndsItsStream) {
  WriteKeys({{"web", "one", ""}, {"app", "two", ""}});
  Start();
  engine_.HoldJobs();
  const auto channel = Connect();
  const auto stub = v1::TranslationService::NewStub(channel);
  v1::TranslateRequest request;
  request.add_contents("eins");
  request.add_contents("zwei");
  grpc::ClientContext web_context;
  Bring("one", &web_context);
  const auto web = stub->StreamTranslate(&web_context, request);
  const FakeEngine::Held revoked = engine_.WaitHeld();
  grpc::ClientContext app_context;
  Bring("two", &app_context);
  const auto app = stub->StreamTranslate(&app_context, request);
  const FakeEngine::Held other = engine_.WaitHeld();
  // The key will be revoked in the middle of this stream.
  engine_.Play(revoked, [&](engine::TranslationSink* sink) {
    sink->OnItem(FakeEngine::Answer(revoked.job, 0));
  });
  v1::StreamTranslateResponse message;
  ASSERT_TRUE(web->Read(&message));
  EXPECT_EQ(message.translation().translated_text(), "[eins]");

  WriteKeys({{"app", "two", ""}});
  security_->ReloadAll();
  EXPECT_FALSE(web->Read(&message));
  const grpc::Status status = web->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_THAT(status.error_message(), HasSubstr("the API key was revoked"));
  EXPECT_EQ(engine_.WaitCancel(), std::make_pair(revoked.id, engine::CancelCause::kRevoked));

  engine_.Finish(other.id, absl::OkStatus());
  while (app->Read(&message)) {
  }
  EXPECT_TRUE(app->Finish().ok());
  EXPECT_EQ(Translate(channel, "one").error_code(), grpc::StatusCode::UNAUTHENTICATED);
}

TEST_F(SecurityTest, ABrokenKeyFileStopsTheStartAndNoServer) {
  WriteKeys({{"web", "one", ""}});
  Start();
  testing::Replace(config_.api_keys, "{");
  security_->ReloadAll();
  ASSERT_TRUE(Eventually([&] {
    return metrics_.Scrape().find(R"(files="api_keys",outcome="error"} 1)") != std::string::npos;
  }));
  EXPECT_TRUE(Translate(Connect(), "one").ok());
  EXPECT_EQ(Security::Open(config_, &metrics_).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace dragoman::server

// Tests Google's and Riva's services over a loopback port with a scripted engine. Their calls
// behave like calls of our own service.
#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <memory>

#include "google/cloud/translate/v3/translation_service.grpc.pb.h"
#include "google/rpc/status.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "nvidia/riva/nmt/riva_nmt.grpc.pb.h"
#include "server/compat/google_v3.h"
#include "server/compat/riva.h"
#include "tests/server/process/serving_fixture.h"

namespace dragoman::server {
namespace {

using ::testing::HasSubstr;

class OtherInterfacesTest : public ServingFixture {
 protected:
  OtherInterfacesTest() {
    StartServing();
    channel_ = grpc::CreateChannel(serving_->address(), grpc::InsecureChannelCredentials());
    google_ = google_v3::TranslationService::NewStub(channel_);
    riva_ = riva::RivaTranslation::NewStub(channel_);
  }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<google_v3::TranslationService::Stub> google_;
  std::unique_ptr<riva::RivaTranslation::Stub> riva_;
};

TEST_F(OtherInterfacesTest, AreOursInAllElse) {
  grpc::ClientContext context;
  context.AddMetadata("x-request-id", "job 7");
  google_v3::TranslateTextRequest request;
  request.add_contents("eins");
  request.set_source_language_code("de");
  request.set_target_language_code("en");
  google_v3::TranslateTextResponse response;
  const grpc::Status status = google_->TranslateText(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.translations_size(), 1);
  EXPECT_EQ(response.translations(0).translated_text(), "[eins]");
  EXPECT_EQ(context.GetServerInitialMetadata().count("x-request-id"), 1U);
  ExpectMetric(R"(dragoman_rpcs_total{api="google_v3",code="OK",method="Translate"} 1)");

  grpc::ClientContext other;
  riva::TranslateTextRequest text;
  text.add_texts("zwei");
  text.set_source_language("de");
  text.set_target_language("en");
  text.mutable_id()->set_value("mine");
  riva::TranslateTextResponse answer;
  ASSERT_TRUE(riva_->TranslateText(&other, text, &answer).ok());
  EXPECT_EQ(answer.translations(0).text(), "[zwei]");
  EXPECT_EQ(answer.translations(0).language(), "en");
  EXPECT_EQ(answer.id().value(), "mine");
  ExpectMetric(R"(dragoman_rpcs_total{api="riva",code="OK",method="Translate"} 1)");
}

TEST_F(OtherInterfacesTest, AnItemsErrorIsTheCalls) {
  engine_.FailItem(1, absl::InvalidArgumentError("contents[1]: too long"));
  grpc::ClientContext context;
  google_v3::TranslateTextRequest request;
  request.add_contents("eins");
  request.add_contents("zwei");
  request.set_source_language_code("de");
  request.set_target_language_code("en");
  google_v3::TranslateTextResponse response;
  const grpc::Status status = google_->TranslateText(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("too long"));
  google::rpc::Status rpc;
  EXPECT_TRUE(rpc.ParseFromString(status.error_details()));
  ExpectMetric(
      R"(dragoman_rpcs_total{api="google_v3",code="INVALID_ARGUMENT",method="Translate"} 1)");
}

TEST_F(OtherInterfacesTest, ListsAreCountedAsTheirs) {
  grpc::ClientContext context;
  google_v3::GetSupportedLanguagesRequest request;
  request.set_display_language_code("en");
  google_v3::SupportedLanguages languages;
  ASSERT_TRUE(google_->GetSupportedLanguages(&context, request, &languages).ok());
  ASSERT_EQ(languages.languages_size(), 2);
  EXPECT_EQ(languages.languages(0).display_name(), "German");
  ExpectMetric(R"(dragoman_rpcs_total{api="google_v3",code="OK",method="ListLanguages"} 1)");

  grpc::ClientContext other;
  riva::AvailableLanguageResponse pairs;
  ASSERT_TRUE(riva_->ListSupportedLanguagePairs(&other, {}, &pairs).ok());
  EXPECT_EQ(pairs.languages().at("de-en").src_lang(0), "de");
  ExpectMetric(R"(dragoman_rpcs_total{api="riva",code="OK",method="ListLanguages"} 1)");
}

TEST_F(OtherInterfacesTest, HealthKnowsThem) {
  const auto health = ::grpc::health::v1::Health::NewStub(channel_);
  for (const char* service :
       {"google.cloud.translation.v3.TranslationService", "nvidia.riva.nmt.RivaTranslation"}) {
    grpc::ClientContext context;
    ::grpc::health::v1::HealthCheckRequest request;
    ::grpc::health::v1::HealthCheckResponse response;
    request.set_service(service);
    ASSERT_TRUE(health->Check(&context, request, &response).ok()) << service;
    EXPECT_EQ(response.status(), ::grpc::health::v1::HealthCheckResponse::SERVING) << service;
  }
}

}  // namespace
}  // namespace dragoman::server

// A client learns nothing over gRPC about models that its key does not allow. Every method of every
// service is called on two servers, of which only one has such a model. Both must answer alike.
#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "dragoman/v1/translation.pb.h"
#include "google/cloud/translate/v3/translation_service.pb.h"
#include "nvidia/riva/nmt/riva_nmt.pb.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "server/process/security.h"
#include "server/process/serving.h"
#include "tests/server/base/certificates.h"
#include "tests/server/glossary_engine.h"
#include "tests/server/served_models.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

// Fills the fields so that they ask for the hidden model, its languages (French to Japanese) or its
// glossary "fish".
void Fill(bool by_name, Message* message) {
  const auto* const reflection = message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message->GetDescriptor()->field(i);
    const std::string name(field->name());
    std::string value;
    if (name == "contents" || name == "content" || name == "texts") value = "a";
    if (name == "name") value = "projects/p/locations/l/glossaries/fish";
    if (by_name && name == "model") value = "hidden";
    if (!by_name && name.starts_with("source_language")) value = "fr";
    if (!by_name && name.starts_with("target_language")) value = "ja";
    if (value.empty()) continue;
    if (field->is_repeated()) {
      reflection->AddString(message, field, value);
    } else {
      reflection->SetString(message, field, value);
    }
  }
}

class Side {
 public:
  Side(const TempDirectory& folder, bool has_hidden) {
    config_.listen = {.host = "127.0.0.1"};
    config_.http.reset();
    config_.longest_call_seconds = 60;
    config_.api_keys = folder.path() + "/keys.json";
    open_.mutable_info()->name = "open";
    hidden_.mutable_info()->name = "hidden";
    hidden_.mutable_info()->pairs = {{"fr", "ja"}};
    hidden_.AddGlossary("fish", {{"hareng", "nishin"}});
    EXPECT_TRUE(models_.Put(Borrowed(&open_)).ok());
    if (has_hidden) {
      EXPECT_TRUE(models_.Put(Borrowed(&hidden_)).ok());
    }
    auto security = ExpectOk(Security::Open(config_, &metrics_));
    security_ = *std::move(security);
    auto serving = ExpectOk(Serving::Start(config_, &models_, &clock_, &metrics_, security_.get()));
    serving_ = *std::move(serving);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateChannel(serving_->address(), grpc::InsecureChannelCredentials()));
  }

  // Calls a method and returns its status and its response messages as text.
  std::string AnswerTo(const MethodDescriptor& method, bool by_name, const std::string& key) {
    auto* const factory = google::protobuf::MessageFactory::generated_factory();
    const std::unique_ptr<Message> in(factory->GetPrototype(method.input_type())->New());
    const std::unique_ptr<Message> out(factory->GetPrototype(method.output_type())->New());
    Fill(by_name, in.get());
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + key);
    context.AddMetadata("x-request-id", "mine");
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    grpc::CompletionQueue queue;
    const std::string path = absl::StrCat("/", std::string(method.service()->full_name()), "/",
                                          std::string(method.name()));
    const auto call = stub_->PrepareCall(&context, path, &queue);
    const auto wait = [&queue] {
      void* tag = nullptr;
      bool ok = false;
      return queue.Next(&tag, &ok) && ok;
    };
    call->StartCall(nullptr);
    wait();
    const grpc::Slice slice(in->SerializeAsString());
    call->WriteLast(grpc::ByteBuffer(&slice, 1), {}, nullptr);
    wait();
    std::string all;
    grpc::ByteBuffer read;
    for (call->Read(&read, nullptr); wait(); call->Read(&read, nullptr)) {
      std::vector<grpc::Slice> slices;
      EXPECT_TRUE(read.Dump(&slices).ok());
      std::string bytes;
      for (const grpc::Slice& one : slices) bytes.append(one.begin(), one.end());
      EXPECT_TRUE(out->ParseFromString(bytes));
      absl::StrAppend(&all, out->DebugString(), "\n");
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    return absl::StrCat(static_cast<int>(status.error_code()), " ", status.error_message(), "\n",
                        all);
  }

 private:
  ServerConfig config_;
  SteadyClock clock_;
  FakeEngine open_;
  GlossaryEngine hidden_;
  ModelTable models_{&clock_, {}, {}};
  Metrics metrics_{&clock_};
  std::unique_ptr<Security> security_;
  std::unique_ptr<Serving> serving_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

class GrpcRightsTest : public ::testing::Test {
 protected:
  GrpcRightsTest() {
    SetLogLevel(LogLevel::kOff);
    std::string clients;
    for (const auto& [name, model] :
         {std::pair("some", "open"), std::pair("none", "gone"), std::pair("all", "*")}) {
      absl::StrAppend(&clients, clients.empty() ? "" : ",", R"({"name": ")", name,
                      R"(", "models": [")", model, R"("], "keys": [")",
                      HashOfKey(std::string(name) + "-key"), R"("]})");
    }
    testing::Replace(folder_.path() + "/keys.json",
                     absl::StrCat(R"({"clients": [)", clients, "]}"));
    with_ = std::make_unique<Side>(folder_, true);
    without_ = std::make_unique<Side>(folder_, false);
  }
  ~GrpcRightsTest() override { SetLogLevel(LogLevel::kInfo); }

  template <typename Check>
  static void ForEveryMethod(const Check& check) {
    for (const Descriptor* const of :
         {v1::TranslateRequest::descriptor(),
          google::cloud::translation::v3::TranslateTextRequest::descriptor(),
          nvidia::riva::nmt::TranslateTextRequest::descriptor()}) {
      for (int i = 0; i < of->file()->service_count(); ++i) {
        const ServiceDescriptor* const service = of->file()->service(i);
        for (int j = 0; j < service->method_count(); ++j) {
          for (const bool by_name : {false, true}) check(*service->method(j), by_name);
        }
      }
    }
  }

  const TempDirectory folder_;
  std::unique_ptr<Side> with_;
  std::unique_ptr<Side> without_;
};

TEST_F(GrpcRightsTest, NoMethodShowsAModelToAKeyThatMayNotUseIt) {
  for (const std::string key : {"some-key", "none-key"}) {
    ForEveryMethod([&](const MethodDescriptor& method, bool by_name) {
      EXPECT_EQ(with_->AnswerTo(method, by_name, key), without_->AnswerTo(method, by_name, key))
          << key << ": " << method.full_name();
    });
  }
}

TEST_F(GrpcRightsTest, AKeyThatMayUseItSeesIt) {
  int different = 0;
  ForEveryMethod([&](const MethodDescriptor& method, bool by_name) {
    different += with_->AnswerTo(method, by_name, "all-key") !=
                 without_->AnswerTo(method, by_name, "all-key");
  });
  EXPECT_GE(different, 16);
}

}  // namespace
}  // namespace dragoman::server

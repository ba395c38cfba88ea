// AdminService over a loopback port, around scripted engines.
#include "server/api/admin_server.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/time_util.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "dragoman/v1/translation.grpc.pb.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"
#include "tests/server/fake_engine.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class AdminServerTest : public ::testing::Test {
 protected:
  AdminServerTest() {
    SetLogLevel(LogLevel::kOff);
    for (const char* name : {"a", "b", "c"}) {
      directory_.Write(std::string(name) + "/config.json", name);
    }
    EXPECT_TRUE(manager_.LoadAll({Model("a"), Model("b")}).ok());
    manager_.Start();
    Start({.host = "127.0.0.1"});
  }
  ~AdminServerTest() override {
    manager_.Stop();
    server_.reset();
    SetLogLevel(LogLevel::kInfo);
  }

  void Start(const Address& address) {
    AdminHooks hooks;
    hooks.manager = &manager_;
    hooks.models = &table_;
    hooks.metrics = &metrics_;
    hooks.clock = &clock_;
    hooks.drain_limit = std::chrono::seconds(30);
    hooks.drain = [this](std::chrono::nanoseconds limit) {
      drained_for_ = limit;
      draining_ = true;
      return int64_t{3};
    };
    hooks.draining = [this] { return draining_.load(); };
    auto started = ExpectOk(AdminServer::Start(address, hooks));
    server_ = *std::move(started);
    stub_ = v1::AdminService::NewStub(
        grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  }

  ModelSettings Model(const std::string& name) const {
    ModelSettings settings;
    settings.model_name = name;
    settings.model_directory = root_ / name;
    return settings;
  }

  grpc::Status Load(const std::string& name, const std::string& directory,
                    v1::LoadModelResponse* out) {
    grpc::ClientContext context;
    v1::LoadModelRequest request;
    request.set_name(name);
    request.set_directory(directory);
    return stub_->LoadModel(&context, request, out);
  }

  const TempDirectory directory_;
  const fs::path root_ = directory_.path();
  const SteadyClock clock_;
  Metrics metrics_{&clock_};
  std::function<void()> while_loading_;  // set while nothing is loaded
  ModelTable table_{&clock_, {"a", "b"}, {}};
  ModelManager manager_{
      &table_,
      &metrics_,
      &clock_,
      {},
      ModelSettings{},
      [](const ModelSettings&, const ModelShare&, engine::LoadContext*) { return DevicePlan(); },
      [this](const ModelSettings& settings, const ModelShare&, engine::EngineObserver*,
             engine::LoadContext* load) -> absl::StatusOr<std::unique_ptr<engine::Engine>> {
        load->files().Note(settings.model_directory + "/config.json", true);
        if (while_loading_) while_loading_();
        auto engine = std::make_unique<FakeEngine>();
        engine->mutable_info()->name = settings.model_name;
        return engine;
      }};
  std::chrono::nanoseconds drained_for_{0};
  std::atomic<bool> draining_{false};
  std::unique_ptr<AdminServer> server_;
  std::unique_ptr<v1::AdminService::Stub> stub_;
};

TEST_F(AdminServerTest, LoadsReloadsAndUnloads) {
  v1::LoadModelResponse loaded;
  ASSERT_TRUE(Load("c", (root_ / "c").string(), &loaded).ok());
  EXPECT_EQ(loaded.model().name(), "c");
  EXPECT_EQ(loaded.model().version(), 1);
  EXPECT_EQ(loaded.model().checksum().size(), 64U);
  EXPECT_NE(table_.Find("c"), nullptr);

  v1::ReloadModelRequest again;
  again.set_name("c");
  again.set_only_if_changed(true);
  v1::ReloadModelResponse reloaded;
  {
    grpc::ClientContext context;
    ASSERT_TRUE(stub_->ReloadModel(&context, again, &reloaded).ok());
    EXPECT_FALSE(reloaded.reloaded());
  }
  again.set_only_if_changed(false);
  {
    grpc::ClientContext context;
    ASSERT_TRUE(stub_->ReloadModel(&context, again, &reloaded).ok());
    EXPECT_TRUE(reloaded.reloaded());
    EXPECT_EQ(reloaded.model().version(), 2);
  }
  v1::UnloadModelRequest unload;
  unload.set_name("c");
  v1::UnloadModelResponse unloaded;
  grpc::ClientContext context;
  ASSERT_TRUE(stub_->UnloadModel(&context, unload, &unloaded).ok());
  EXPECT_EQ(table_.Find("c"), nullptr);
  EXPECT_THAT(metrics_.Scrape(),
              HasSubstr(R"(dragoman_rpcs_total{api="dragoman",code="OK",method="ReloadModel"} 2)"));
}

TEST_F(AdminServerTest, ErrorsHaveTheCodesOfTheContract) {
  v1::LoadModelResponse loaded;
  EXPECT_EQ(Load("x y", "/m", &loaded).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  const grpc::Status missing = Load("d", "/nowhere/at/all", &loaded);
  EXPECT_EQ(missing.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(missing.error_message(), HasSubstr("/nowhere/at/all: no such directory"));
  v1::UnloadModelRequest unload;
  unload.set_name("x");
  v1::UnloadModelResponse unloaded;
  grpc::ClientContext context;
  const grpc::Status unknown = stub_->UnloadModel(&context, unload, &unloaded);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("one of a, b"));
  // The statuses of the manager keep their codes.
  unload.set_name("a");
  {
    grpc::ClientContext first;
    ASSERT_TRUE(stub_->UnloadModel(&first, unload, &unloaded).ok());
  }
  unload.set_name("b");
  grpc::ClientContext last;
  const grpc::Status only = stub_->UnloadModel(&last, unload, &unloaded);
  EXPECT_EQ(only.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(only.error_message(), HasSubstr("the only model"));
  while_loading_ = [this] { directory_.Write("b/config.json", "while it is read"); };
  grpc::ClientContext torn;
  v1::ReloadModelRequest reload;
  reload.set_name("b");
  v1::ReloadModelResponse reloaded;
  const grpc::Status changed = stub_->ReloadModel(&torn, reload, &reloaded);
  EXPECT_EQ(changed.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(changed.error_message(), HasSubstr("changed while it was read"));
  EXPECT_THAT(metrics_.Scrape(),
              AllOf(HasSubstr(R"(code="FAILED_PRECONDITION",method="UnloadModel"} 1)"),
                    HasSubstr(R"(code="ABORTED",method="ReloadModel"} 1)")));
  grpc::ClientContext newer;
  v1::UnloadModelRequest with_option;
  with_option.GetReflection()->MutableUnknownFields(&with_option)->AddVarint(99, 1);
  EXPECT_EQ(stub_->UnloadModel(&newer, with_option, &unloaded).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  const auto translations = v1::TranslationService::NewStub(
      grpc::CreateChannel(server_->address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext elsewhere;
  v1::ListModelsResponse models;
  const grpc::Status other = translations->ListModels(&elsewhere, {}, &models);
  EXPECT_EQ(other.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(other.error_message(), AllOf(HasSubstr("ListModels"), HasSubstr("--listen")));
}

TEST_F(AdminServerTest, TooManyChangesAreRefusedAndNoneIsLost) {
  std::promise<void> held;
  std::promise<void> begun;
  ASSERT_TRUE(manager_
                  .Post([&](bool) {
                    begun.set_value();
                    held.get_future().wait();
                  })
                  .ok());
  begun.get_future().wait();
  std::vector<std::future<grpc::Status>> calls;
  for (size_t i = 0; i < ModelManager::kMaxPosted; ++i) {
    calls.push_back(std::async(std::launch::async, [this] {
      grpc::ClientContext context;
      v1::ReloadModelRequest request;
      request.set_name("a");
      v1::ReloadModelResponse response;
      return stub_->ReloadModel(&context, request, &response);
    }));
  }
  // The queue may not be full yet. An additional call is then queued itself and times out, so the
  // loop tries again.
  grpc::Status refused;
  while (refused.error_code() != grpc::StatusCode::RESOURCE_EXHAUSTED) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
    v1::ReloadModelRequest request;
    request.set_name("b");
    v1::ReloadModelResponse response;
    refused = stub_->ReloadModel(&context, request, &response);
  }
  held.set_value();
  int done = 0;
  for (auto& call : calls) done += call.get().ok() ? 1 : 0;
  // The additional call that timed out may have taken one of the places.
  EXPECT_GE(done, static_cast<int>(ModelManager::kMaxPosted) - 1);
  EXPECT_EQ(table_.Find("a")->version, 1 + done);
}

TEST_F(AdminServerTest, DrainsAndTakesNoChangesThen) {
  grpc::ClientContext context;
  v1::DrainRequest request;
  v1::DrainResponse response;
  ASSERT_TRUE(stub_->Drain(&context, request, &response).ok());
  EXPECT_EQ(response.cancelled(), 3);
  EXPECT_EQ(drained_for_, std::chrono::seconds(30));
  grpc::ClientContext shorter;
  *request.mutable_limit() = google::protobuf::util::TimeUtil::MillisecondsToDuration(250);
  ASSERT_TRUE(stub_->Drain(&shorter, request, &response).ok());
  EXPECT_EQ(drained_for_, std::chrono::milliseconds(250));
  grpc::ClientContext negative;
  request.mutable_limit()->set_seconds(-1);
  request.mutable_limit()->set_nanos(0);
  EXPECT_EQ(stub_->Drain(&negative, request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  v1::LoadModelResponse loaded;
  EXPECT_EQ(Load("c", (root_ / "c").string(), &loaded).error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(AdminServerTest, ADrainWaitsForNoLoad) {
  std::promise<void> held;
  std::promise<void> begun;
  ASSERT_TRUE(manager_
                  .Post([&](bool) {
                    begun.set_value();
                    held.get_future().wait();
                  })
                  .ok());
  begun.get_future().wait();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  v1::DrainResponse response;
  const grpc::Status drained = stub_->Drain(&context, {}, &response);
  held.set_value();
  EXPECT_TRUE(drained.ok()) << drained.error_message();
  EXPECT_EQ(response.cancelled(), 3);
}

// A google.protobuf.Duration can hold more seconds than an int64_t can hold as nanoseconds.
TEST_F(AdminServerTest, ADrainsLimitIsOfTheRangeOrRefused) {
  const auto drain = [this](int64_t seconds, int32_t nanos) {
    grpc::ClientContext context;
    v1::DrainRequest request;
    request.mutable_limit()->set_seconds(seconds);
    request.mutable_limit()->set_nanos(nanos);
    v1::DrainResponse response;
    return stub_->Drain(&context, request, &response);
  };
  const std::pair<int64_t, int32_t> wrong[] = {{std::numeric_limits<int64_t>::max(), 0},
                                               {std::numeric_limits<int64_t>::min(), 0},
                                               {std::numeric_limits<int64_t>::max(), -1},
                                               {9'223'372'036, 999'999'999},
                                               {18'446'744'074, 0},
                                               {86'400, 1},
                                               {0, -1},
                                               {1, -1},
                                               {1, 1'000'000'000},
                                               {-1, 0}};
  for (const auto& [seconds, nanos] : wrong) {
    const grpc::Status status = drain(seconds, nanos);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << seconds << " " << nanos;
    EXPECT_THAT(status.error_message(),
                AllOf(HasSubstr("limit: found " + std::to_string(seconds) + " s"),
                      HasSubstr("expected 0 to 86400 s")));
  }
  EXPECT_FALSE(draining_);
  EXPECT_TRUE(drain(86'400, 0).ok());
  EXPECT_EQ(drained_for_, std::chrono::hours(24));
}

// gRPC decompresses a message before the server sees its size, and by default accepts up to 4 GiB.
TEST_F(AdminServerTest, TakesNeitherCompressedNorLargeMessages) {
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::SetLogLevelRequest request;
    request.set_level(std::string(100'000, '0'));
    v1::SetLogLevelResponse response;
    EXPECT_EQ(stub_->SetLogLevel(&context, request, &response).error_code(),
              grpc::StatusCode::UNIMPLEMENTED);
  }
  grpc::ClientContext context;
  v1::SetLogLevelRequest request;
  request.set_level(std::string(2 << 20, '0'));
  v1::SetLogLevelResponse response;
  const grpc::Status large = stub_->SetLogLevel(&context, request, &response);
  EXPECT_EQ(large.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(large.error_message(), HasSubstr("1048576"));
}

TEST_F(AdminServerTest, SetsTheLogLevel) {
  grpc::ClientContext context;
  v1::SetLogLevelRequest request;
  request.set_level("error");
  v1::SetLogLevelResponse response;
  ASSERT_TRUE(stub_->SetLogLevel(&context, request, &response).ok());
  EXPECT_EQ(response.previous(), "off");
  grpc::ClientContext wrong;
  request.set_level("loud");
  const grpc::Status status = stub_->SetLogLevel(&wrong, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("'loud'"));
  EXPECT_EQ(SetLogLevel(LogLevel::kOff), LogLevel::kError);
}

TEST_F(AdminServerTest, OnAUnixSocketOnlyItsUserMayConnect) {
  const std::string path = (root_ / "admin.sock").string();
  server_.reset();
  Start({.unix_path = path});
  v1::LoadModelResponse loaded;
  EXPECT_TRUE(Load("c", (root_ / "c").string(), &loaded).ok());
  struct stat found {};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(AdminServerTest, ATakenPortIsAnError) {
  AdminHooks hooks;
  hooks.manager = &manager_;
  hooks.models = &table_;
  const auto other =
      AdminServer::Start(*ParseAddress(server_->address(), AddressForms::kHostPort), hooks);
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.status().message()), HasSubstr(server_->address()));
}

}  // namespace
}  // namespace dragoman::server

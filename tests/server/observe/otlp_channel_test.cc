#include "server/observe/otlp_channel.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/mutex.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h"
#include "server/base/log.h"
#include "tests/server/base/certificates.h"
#include "tests/support/expect_ok.h"
#include "tests/support/temp_directory.h"

namespace dragoman::server {
namespace {

using opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;
using opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;
using opentelemetry::proto::collector::trace::v1::TraceService;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Authority;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A collector on a loopback port.
class Collector final : public TraceService::Service {
 public:
  // The status of each call, in order. When none is left, calls get OK.
  std::deque<grpc::Status> answers;
  int64_t rejected = 0;
  bool hangs = false;  // until the collector or the call ends

  explicit Collector(int port = 0, const std::shared_ptr<grpc::ServerCredentials>& credentials =
                                       grpc::InsecureServerCredentials()) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(absl::StrCat("127.0.0.1:", port), credentials, &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    EXPECT_NE(server_, nullptr);
  }
  ~Collector() override {
    {
      engine::MutexLock lock(&mu_);
      ending_ = true;
      changed_.NotifyAll();
    }
    server_->Shutdown();
  }

  int port() const { return port_; }
  size_t calls() {
    engine::MutexLock lock(&mu_);
    return requests_.size();
  }
  ExportTraceServiceRequest request(size_t index) {
    engine::MutexLock lock(&mu_);
    return requests_[index];
  }
  std::string metadata(const std::string& name) {
    engine::MutexLock lock(&mu_);
    return metadata_[name];
  }
  void WaitForCall() {
    engine::MutexLock lock(&mu_);
    while (requests_.empty()) changed_.Wait(&mu_);
  }

 private:
  grpc::Status Export(grpc::ServerContext* context, const ExportTraceServiceRequest* request,
                      ExportTraceServiceResponse* response) override {
    engine::MutexLock lock(&mu_);
    requests_.push_back(*request);
    metadata_.clear();
    for (const auto& [name, value] : context->client_metadata()) {
      metadata_[std::string(name.data(), name.size())] = std::string(value.data(), value.size());
    }
    changed_.NotifyAll();
    while (hangs && !ending_) changed_.Wait(&mu_);
    if (rejected > 0) response->mutable_partial_success()->set_rejected_spans(rejected);
    if (answers.empty()) return grpc::Status::OK;
    grpc::Status answer = answers.front();
    answers.pop_front();
    return answer;
  }

  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  engine::Mutex mu_;
  engine::CondVar changed_;
  bool ending_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<ExportTraceServiceRequest> requests_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, std::string> metadata_ ABSL_GUARDED_BY(mu_);
};

OtlpSettings SettingsFor(int port) {
  OtlpSettings settings;
  settings.collector = {.host = "127.0.0.1", .port = port};
  return settings;
}

std::unique_ptr<OtlpChannel> Open(const OtlpSettings& settings) {
  auto channel = ExpectOk(OpenOtlpChannel(settings, milliseconds(1)));
  return *std::move(channel);
}

OtlpRequest Request(const std::string& name) {
  OtlpRequest request;
  request.add_resource_spans()->add_scope_spans()->add_spans()->set_name(name);
  return request;
}

absl::StatusCode CodeOf(OtlpChannel* channel) {
  return channel->Export(Request("a")).status().code();
}

TEST(OtlpChannel, SendsABatchWithTheHeaders) {
  Collector collector;
  collector.rejected = 1;
  OtlpSettings settings = SettingsFor(collector.port());
  settings.headers = {{"authorization", "Basic c2VjcmV0"}, {"x-scope-orgid", "7"}};
  const auto channel = Open(settings);
  const auto answer = ExpectOk(channel->Export(Request("a")));
  EXPECT_EQ(answer->rejected, 1);
  ASSERT_EQ(collector.calls(), 1U);
  EXPECT_EQ(collector.request(0).resource_spans(0).scope_spans(0).spans(0).name(), "a");
  EXPECT_EQ(collector.metadata("authorization"), "Basic c2VjcmV0");
  EXPECT_EQ(collector.metadata("x-scope-orgid"), "7");
  EXPECT_THAT(collector.metadata("user-agent"), StartsWith("dragomand/"));
}

TEST(OtlpChannel, SendsAgainWhatTheCollectorCannotTakeNow) {
  Collector collector;
  const auto channel = Open(SettingsFor(collector.port()));
  collector.answers = {grpc::Status(grpc::UNAVAILABLE, ""), grpc::Status(grpc::ABORTED, "")};
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kOk);
  EXPECT_EQ(collector.calls(), 3U);
  collector.answers.assign(3, grpc::Status(grpc::UNAVAILABLE, "full"));
  EXPECT_EQ(channel->Export(Request("a")).status(), absl::UnavailableError("full"));
  EXPECT_EQ(collector.calls(), 6U);
}

TEST(OtlpChannel, DoesNotSendAgainWhatTheCollectorRefuses) {
  Collector collector;
  const auto channel = Open(SettingsFor(collector.port()));
  for (const grpc::StatusCode code :
       {grpc::INVALID_ARGUMENT, grpc::UNAUTHENTICATED, grpc::RESOURCE_EXHAUSTED}) {
    const size_t before = collector.calls();
    collector.answers = {grpc::Status(code, "")};
    EXPECT_EQ(CodeOf(channel.get()), static_cast<absl::StatusCode>(code));
    EXPECT_EQ(collector.calls(), before + 1);
  }
}

TEST(OtlpChannel, AnErrorHasNoValueOfAHeader) {
  Collector collector;
  OtlpSettings settings = SettingsFor(collector.port());
  settings.headers = {{"api-key", "secret"}};
  const auto channel = Open(settings);
  collector.answers = {grpc::Status(grpc::UNAUTHENTICATED, "the key secret is unknown")};
  EXPECT_EQ(channel->Export(Request("a")).status().message(), "the key (header) is unknown");
}

TEST(OtlpChannel, ASlowCollectorHasTheTimeoutForABatch) {
  Collector collector;
  collector.hangs = true;
  OtlpSettings settings = SettingsFor(collector.port());
  settings.timeout = milliseconds(100);
  const auto channel = Open(settings);
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kDeadlineExceeded);
}

TEST(OtlpChannel, CancelEndsTheBatchUnderWayAndThoseThatFollow) {
  Collector collector;
  collector.hangs = true;
  OtlpSettings settings = SettingsFor(collector.port());
  settings.timeout = milliseconds(0);
  const auto channel = Open(settings);
  std::thread ending([&] {
    collector.WaitForCall();
    channel->Cancel();
  });
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kCancelled);
  ending.join();
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kCancelled);
  EXPECT_EQ(collector.calls(), 1U);
}

TEST(OtlpChannel, ACollectorThatComesLateGetsWhatFollows) {
  auto collector = std::make_unique<Collector>();
  const int port = collector->port();
  collector.reset();
  const auto channel = Open(SettingsFor(port));
  const absl::Status away = channel->Export(Request("a")).status();
  EXPECT_EQ(away.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(away.message()), HasSubstr("Connection refused"));
  collector = std::make_unique<Collector>(port);
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (CodeOf(channel.get()) != absl::StatusCode::kOk) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
  EXPECT_EQ(collector->calls(), 1U);
}

class OtlpChannelTls : public ::testing::Test {
 protected:
  OtlpChannelTls() {
    testing::Replace(folder_ + "ca.crt", authority_.pem());
    Show(authority_);
  }

  // Writes a client certificate of this authority to the client's files.
  void Show(const Authority& authority) {
    const Authority::Issued issued = authority.Issue({.client = true});
    testing::Replace(folder_ + "own.key", issued.key);
    testing::Replace(folder_ + "own.crt", issued.certificate);
  }

  std::unique_ptr<Collector> Start(bool asks_for_certificates) {
    const Authority::Issued issued = authority_.Issue();
    grpc::SslServerCredentialsOptions options(
        asks_for_certificates ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                              : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
    options.pem_root_certs = authority_.pem();
    options.pem_key_cert_pairs.push_back({issued.key, issued.certificate});
    return std::make_unique<Collector>(0, grpc::SslServerCredentials(options));
  }

  OtlpSettings TlsSettings(const Collector& collector) const {
    OtlpSettings settings = SettingsFor(collector.port());
    settings.tls = true;
    settings.files.authorities = folder_ + "ca.crt";
    return settings;
  }

  OtlpSettings MutualSettings(const Collector& collector) const {
    OtlpSettings settings = TlsSettings(collector);
    settings.files.certificate = folder_ + "own.crt";
    settings.files.key = folder_ + "own.key";
    return settings;
  }

  const TempDirectory directory_;
  const std::string folder_ = directory_.path() + "/";
  const Authority authority_{"of the collector"};
};

TEST_F(OtlpChannelTls, SendsToACollectorOfATrustedAuthorityOnly) {
  const auto collector = Start(false);
  EXPECT_EQ(CodeOf(Open(TlsSettings(*collector)).get()), absl::StatusCode::kOk);
  testing::Replace(folder_ + "ca.crt", Authority("another").pem());
  const auto channel = Open(TlsSettings(*collector));
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kUnavailable);
  EXPECT_EQ(collector->calls(), 1U);
}

TEST_F(OtlpChannelTls, ShowsTheCertificateOfTheClient) {
  const auto collector = Start(true);
  EXPECT_NE(CodeOf(Open(TlsSettings(*collector)).get()), absl::StatusCode::kOk);
  EXPECT_EQ(CodeOf(Open(MutualSettings(*collector)).get()), absl::StatusCode::kOk);
  EXPECT_EQ(collector->calls(), 1U);
}

TEST_F(OtlpChannelTls, ReadsCertificatesAgainThatChange) {
  const auto collector = Start(true);
  Show(Authority("another"));
  const auto channel = Open(MutualSettings(*collector));
  EXPECT_NE(CodeOf(channel.get()), absl::StatusCode::kOk);
  Show(authority_);
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kOk);
  // The certificates from before stay in use.
  testing::Replace(folder_ + "own.crt", "nothing");
  EXPECT_EQ(CodeOf(channel.get()), absl::StatusCode::kOk);
}

TEST_F(OtlpChannelTls, FilesThatCannotBeUsedAreRefused) {
  const auto collector = Start(false);
  testing::Replace(folder_ + "ca.crt", "nothing");
  EXPECT_THAT(std::string(OpenOtlpChannel(TlsSettings(*collector)).status().message()),
              HasSubstr("found no certificate in PEM format"));
}

}  // namespace
}  // namespace dragoman::server

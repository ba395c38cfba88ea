#include "server/observe/otlp_channel.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/base/mutex.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h"
#include "server/base/file_watch.h"
#include "server/base/log.h"
#include "server/base/version.h"

namespace dragoman::server {
namespace {

using opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;
using opentelemetry::proto::collector::trace::v1::TraceService;

// The longest wait between two attempts to connect.
constexpr int kMaxReconnectMs = 10'000;
// With pings, gRPC ends a connection on which nothing was acknowledged for 20 seconds, as when the
// collector's machine is down. Collectors allow at most one ping in five minutes.
constexpr int kPingMs = 300'000;
// Batches of up to this many bytes can be sent again. A batch of 512 spans has about a quarter of
// that.
constexpr int kRetryBytes = 1 << 20;

// Retries the codes that OTLP declares retryable, except RESOURCE_EXHAUSTED. That code is retryable
// only with details that gRPC's retries do not read.
std::string RetryPolicy(std::chrono::milliseconds retry_after) {
  const double first = std::chrono::duration<double>(retry_after).count();
  return absl::StrCat(
      R"({"methodConfig": [{"name": [{"service": ")", TraceService::service_full_name(),
      R"("}], "retryPolicy": {"maxAttempts": 3, "initialBackoff": ")", first,
      R"(s", "maxBackoff": ")", 2 * first, R"(s", "backoffMultiplier": 2,)",
      R"( "retryableStatusCodes": ["CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE",)",
      R"( "UNAVAILABLE", "DATA_LOSS"]}}]})");
}

class GrpcOtlpChannel final : public OtlpChannel {
 public:
  GrpcOtlpChannel(OtlpSettings settings, std::string retry_policy)
      : settings_(std::move(settings)), retry_policy_(std::move(retry_policy)) {}

  absl::Status Connect() {
    stamps_ = Stamps();
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (settings_.tls) {
      absl::StatusOr<TlsClientMaterial> files = ReadTlsClientFiles(settings_.files);
      if (!files.ok()) return files.status();
      credentials = grpc::SslCredentials({.pem_root_certs = std::move(files->authorities),
                                          .pem_private_key = std::move(files->key),
                                          .pem_cert_chain = std::move(files->certificate)});
    }
    grpc::ChannelArguments arguments;
    arguments.SetUserAgentPrefix(absl::StrCat("dragomand/", kVersion));
    arguments.SetServiceConfigJSON(retry_policy_);
    arguments.SetInt(GRPC_ARG_PER_RPC_RETRY_BUFFER_SIZE, kRetryBytes);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxReconnectMs);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMs);
    stub_ = TraceService::NewStub(
        grpc::CreateCustomChannel(AddressText(settings_.collector), credentials, arguments));
    return absl::OkStatus();
  }

  absl::StatusOr<OtlpAnswer> Export(const OtlpRequest& request) override {
    Refresh();
    grpc::ClientContext call;
    if (settings_.timeout.count() > 0) {
      call.set_deadline(std::chrono::system_clock::now() + settings_.timeout);
    }
    for (const auto& [name, value] : settings_.headers) call.AddMetadata(name, value);
    if (!SetCall(&call)) return absl::CancelledError("the exporter ends");
    ExportTraceServiceResponse response;
    const grpc::Status status = stub_->Export(&call, request, &response);
    SetCall(nullptr);
    if (!status.ok()) {
      return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                          WithoutHeaders(status.error_message()));
    }
    return OtlpAnswer{response.partial_success().rejected_spans(),
                      WithoutHeaders(response.partial_success().error_message())};
  }

  void Cancel() override {
    engine::MutexLock lock(&mu_);
    cancelled_ = true;
    if (call_ != nullptr) call_->TryCancel();
  }

 private:
  // Sets the call that Cancel ends; nullptr: none. Returns false if Cancel was called before.
  bool SetCall(grpc::ClientContext* call) {
    engine::MutexLock lock(&mu_);
    call_ = call;
    return !cancelled_;
  }

  std::string Stamps() const {
    const TlsClientPaths& files = settings_.files;
    return absl::StrCat(FileStampOf(files.authorities), "\n", FileStampOf(files.certificate), "\n",
                        FileStampOf(files.key));
  }

  void Refresh() {
    if (!settings_.tls || Stamps() == stamps_) return;
    const absl::Status status = Connect();
    if (status.ok()) {
      Log(LogLevel::kInfo, "certificates for the collector of spans were read again");
    } else {
      Log(LogLevel::kError,
          "certificates for the collector of spans cannot be read again, the old ones stay in use",
          {{"error", std::string(status.message())}});
    }
  }

  // Hides the values of headers. A collector's answer may quote the key that it refuses.
  std::string WithoutHeaders(std::string text) const {
    for (const auto& [name, value] : settings_.headers) {
      if (!value.empty()) absl::StrReplaceAll({{value, "(header)"}}, &text);
    }
    return text;
  }

  const OtlpSettings settings_;
  const std::string retry_policy_;

  // Used only by the sending thread.
  std::string stamps_;  // the files' stamps when they were read last
  std::unique_ptr<TraceService::Stub> stub_;

  engine::Mutex mu_;
  grpc::ClientContext* call_ ABSL_GUARDED_BY(mu_) = nullptr;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpChannel>> OpenOtlpChannel(
    OtlpSettings settings, std::chrono::milliseconds retry_after) {
  auto channel = std::make_unique<GrpcOtlpChannel>(std::move(settings), RetryPolicy(retry_after));
  const absl::Status status = channel->Connect();
  if (!status.ok()) return status;
  return channel;
}

}  // namespace dragoman::server

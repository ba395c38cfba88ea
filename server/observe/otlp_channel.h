// The connection to an OpenTelemetry collector: OTLP over gRPC.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "opentelemetry/proto/collector/trace/v1/trace_service.pb.h"
#include "server/observe/otlp_settings.h"

namespace dragoman::server {

using OtlpRequest = opentelemetry::proto::collector::trace::v1::ExportTraceServiceRequest;

// The answer of a collector that took a batch.
struct OtlpAnswer {
  int64_t rejected = 0;  // spans of the batch that it did not take
  std::string message;   // why, or a warning; often ""
};

class OtlpChannel {
 public:
  virtual ~OtlpChannel() = default;

  // Sends one batch and waits for the answer. With an error the whole batch is lost; its message has
  // no value of a header. Called by one thread at a time.
  virtual absl::StatusOr<OtlpAnswer> Export(const OtlpRequest& request) = 0;

  // Ends the Export under way, and each that follows, at once. From any thread.
  virtual void Cancel() = 0;
};

// Opens a channel that connects with its first batch, and again when a connection breaks. A batch that
// the collector cannot take now is sent again, up to three times in all within the timeout: the first
// time about `retry_after` later, then twice as long. Certificates and keys that change are read again
// before the next batch; while they cannot be used the ones before stay in use, and the log says so.
absl::StatusOr<std::unique_ptr<OtlpChannel>> OpenOtlpChannel(
    OtlpSettings settings, std::chrono::milliseconds retry_after = std::chrono::seconds(1));

}  // namespace dragoman::server

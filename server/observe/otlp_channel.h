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

// The answer of a collector that accepted a batch.
struct OtlpAnswer {
  int64_t rejected = 0;  // spans of the batch that the collector did not accept
  std::string message;   // why, or a warning; often ""
};

class OtlpChannel {
 public:
  virtual ~OtlpChannel() = default;

  // Sends one batch and waits for the answer. On an error the whole batch is lost. The error
  // message contains no value of a header. Called by one thread at a time.
  virtual absl::StatusOr<OtlpAnswer> Export(const OtlpRequest& request) = 0;

  // Makes the running Export, and every later one, return an error without further waiting. Any
  // thread may call it.
  virtual void Cancel() = 0;
};

// Opens a channel that connects with its first batch, and again when a connection breaks. If the
// collector cannot accept a batch now, the channel sends the batch up to two more times within the
// timeout: after about `retry_after`, then after twice as long. Changed certificates and keys are
// read again before the next batch. If they cannot be used, the old ones stay in use and the log
// says so.
absl::StatusOr<std::unique_ptr<OtlpChannel>> OpenOtlpChannel(
    OtlpSettings settings, std::chrono::milliseconds retry_after = std::chrono::seconds(1));

}  // namespace dragoman::server

// Reads where and how spans are sent: the flag --otlp, and the environment variables of
// OpenTelemetry's specification ("OpenTelemetry Protocol Exporter"). The flag overrides the
// variables of the endpoint.
//
// Each option has two variables, OTEL_EXPORTER_OTLP_TRACES_X and OTEL_EXPORTER_OTLP_X. The first of
// the two that is not empty is used.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/address.h"
#include "server/base/tls_store.h"

namespace dragoman::server {

struct OtlpSettings {
  Address collector;
  bool tls = false;
  TlsClientPaths files;  // used with TLS only
  // gRPC metadata: names in lower case, and values that may be secrets.
  std::vector<std::pair<std::string, std::string>> headers;
  // The time to deliver a batch, for all attempts together. 0: no limit.
  std::chrono::milliseconds timeout{10'000};
};

// Returns the value of an environment variable, or nullptr, as std::getenv does.
using Environment = std::function<const char*(const char* name)>;

// Reads the settings and the files that they name. `flag` is the value of --otlp. Returns nullopt
// if neither the flag nor a variable names a collector. INVALID_ARGUMENT names the variable, what
// was found and what was expected, and never shows the value of a header.
absl::StatusOr<std::optional<OtlpSettings>> ReadOtlpSettings(const std::optional<HttpUrl>& flag,
                                                             const Environment& environment);

}  // namespace dragoman::server

// Where spans go and how: the flag --otlp, and the environment variables of OpenTelemetry's specification
// ("OpenTelemetry Protocol Exporter"). The flag overrides the variables of the endpoint.
//
// Each option has two variables, OTEL_EXPORTER_OTLP_TRACES_X and OTEL_EXPORTER_OTLP_X. The first that is
// not empty counts.
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
  TlsClientPaths files;  // with TLS only
  // Metadata of gRPC: names in lower case, values that may be secrets.
  std::vector<std::pair<std::string, std::string>> headers;
  // The time that the collector has to take a batch, all attempts together. 0: no limit.
  std::chrono::milliseconds timeout{10'000};
};

// The value of an environment variable, or nullptr: std::getenv.
using Environment = std::function<const char*(const char* name)>;

// Reads the settings, and the files that they name. `flag` is the value of --otlp. nullopt where neither
// the flag nor a variable names a collector. INVALID_ARGUMENT names the variable, what was found and what
// was expected, and never shows the value of a header.
absl::StatusOr<std::optional<OtlpSettings>> ReadOtlpSettings(const std::optional<HttpUrl>& flag,
                                                             const Environment& environment);

}  // namespace dragoman::server

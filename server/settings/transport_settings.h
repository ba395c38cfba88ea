// The settings from which the limits on network use are computed
// (server/transport/transport_limits.h). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/base/address.h"

namespace dragoman::server {

// The fields have the names of their flags. The help says what 0 means.
struct TransportSettings {
  int max_items = 1024;
  int max_code_points = 30'000;
  int max_streams = 1024;
  int max_connections = 0;
  int receive_memory_mb = 0;
  std::string tls_cert;  // "": no TLS
  // The HTTP port, which may have as many connections as the gRPC port. nullopt: HTTP is off.
  std::optional<Address> http{{.host = "127.0.0.1", .port = 8080}};
};

// Returns the maximum number of bytes of a request with max_items items, max_code_points code
// points in them and as many in target prefixes, and 1 MiB of terms and phrases.
int64_t NeededMessageBytes(int max_items, int64_t max_code_points);

// Returns INVALID_ARGUMENT if the settings contradict each other.
absl::Status CheckTransportSettings(const TransportSettings& settings);

// Returns the size of the largest request in bytes.
int64_t MessageBytes(const TransportSettings& settings);

}  // namespace dragoman::server

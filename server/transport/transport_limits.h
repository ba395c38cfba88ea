// Computes the limits of the ports for calls from the settings, and the limit on descriptors, which
// all ports share. Pure functions, except RaiseDescriptorLimit.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "server/settings/transport_settings.h"

namespace dragoman::server {

struct TransportLimits {
  int64_t message_bytes = 0;  // of one request
  int max_streams = 0;        // concurrent calls of one connection
  int max_connections = 0;    // open at once
  // Bytes of incoming requests, of all connections together.
  int64_t receive_bytes = 0;
  // The memory that gRPC may use for connections, calls and requests: its ResourceQuota. Close to
  // the quota gRPC closes connections without calls. Above the quota it ends calls.
  int64_t quota_bytes = 0;
  // The memory that OpenSSL uses for connections, which the quota does not count; 0 without TLS.
  int64_t tls_bytes = 0;
  // The limit on accepted streams without a request, of all connections, and the extra memory that
  // they may use. Above the limit the connections that contribute are closed (ResetWatch).
  int64_t wasted_streams = 0;
  int64_t reset_bytes = 0;
  // The most open connections of the HTTP port, and their memory, including receive_bytes of
  // requests and answers; 0 without HTTP.
  int http_connections = 0;
  int64_t http_bytes = 0;
};

// `descriptors` is the number that the process may have open. INVALID_ARGUMENT if the connections
// of the settings need more. REQUIRES: `settings` passed CheckTransportSettings.
absl::StatusOr<TransportLimits> ComputeTransportLimits(const TransportSettings& settings,
                                                       int64_t descriptors);

// Returns the most connections of the port for probes and metrics, for that limit on descriptors.
int HttpConnections(int64_t descriptors);

// Raises the soft limit on open files to the hard limit. Returns the resulting limit.
int64_t RaiseDescriptorLimit();

}  // namespace dragoman::server

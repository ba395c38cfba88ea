// Computes the limits of the ports for calls (gRPC and HTTP) from the settings and from the limit
// on descriptors, which all ports share. Pure functions, except RaiseDescriptorLimit.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "server/settings/transport_settings.h"

namespace dragoman::server {

struct TransportLimits {
  int64_t message_bytes = 0;  // the largest request
  int max_streams = 0;        // concurrent calls of one connection
  int max_connections = 0;    // the most connections that may be open at once
  // Bytes of incoming requests, of all connections together.
  int64_t receive_bytes = 0;
  // The bytes that gRPC may use for connections, calls and requests: its ResourceQuota. When gRPC
  // is close to the quota, it closes connections without calls. Above the quota, it ends calls.
  int64_t quota_bytes = 0;
  // The bytes that OpenSSL uses for connections, which the quota does not count; 0 without TLS.
  int64_t tls_bytes = 0;
  // wasted_streams is the limit on unfinished streams without a request, of all connections
  // together. Above this limit, the connections that have such streams are closed (ResetWatch).
  // reset_bytes is the memory that these streams may use in addition to quota_bytes.
  int64_t wasted_streams = 0;
  int64_t reset_bytes = 0;
  // The maximum number of open connections of the HTTP port for calls, and the bytes that they use,
  // including receive_bytes for requests and answers. Both are 0 without HTTP.
  int http_connections = 0;
  int64_t http_bytes = 0;
};

// `descriptors` is the number of descriptors that the process may have open. Returns
// INVALID_ARGUMENT if the connections that `settings` allow need more. REQUIRES:
// CheckTransportSettings has accepted `settings`.
absl::StatusOr<TransportLimits> ComputeTransportLimits(const TransportSettings& settings,
                                                       int64_t descriptors);

// Returns the maximum number of connections of the port for operators (http.h), if the process may
// have `descriptors` open.
int HttpConnections(int64_t descriptors);

// Raises the soft limit on open files to the hard limit. Returns the resulting limit.
int64_t RaiseDescriptorLimit();

}  // namespace dragoman::server

// Limits on what the network may cost: those of the ports for calls, computed from the settings, and the
// limit on descriptors, which all ports share. Pure but for RaiseDescriptorLimit.
#pragma once

#include <cstdint>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/settings/transport_settings.h"

namespace dragoman::server {

struct TransportLimits {
  int64_t message_bytes = 0;  // of one request
  int max_streams = 0;        // calls at once of one connection
  int max_connections = 0;    // open at once
  // Bytes of requests on their way in, of all connections together.
  int64_t receive_bytes = 0;
  // All that gRPC may hold for connections, calls and requests: its ResourceQuota. Close to it, it
  // closes connections without calls, beyond it it ends calls.
  int64_t quota_bytes = 0;
  // Memory that OpenSSL holds for connections, which the quota does not count; 0 without TLS.
  int64_t tls_bytes = 0;
  // Streams that were accepted and brought no request yet, of all connections together, before
  // those that sent most of them are closed, and the memory that they may take on top.
  int64_t wasted_streams = 0;
  int64_t reset_bytes = 0;
  // Connections of the HTTP port that may be open at once, and the memory that they may take, with
  // receive_bytes of requests and answers under way; 0 without HTTP.
  int http_connections = 0;
  int64_t http_bytes = 0;
};

// `descriptors`: how many the process may have open. INVALID_ARGUMENT if the connections that were
// asked for do not fit into them. REQUIRES: CheckTransportSettings.
absl::StatusOr<TransportLimits> ComputeTransportLimits(const TransportSettings& settings,
                                                       int64_t descriptors);

// The most connections of the port for probes and metrics, for that limit on descriptors.
int HttpConnections(int64_t descriptors);

// Raises the soft limit on open files to the hard one; returns the limit then in effect.
int64_t RaiseDescriptorLimit();

}  // namespace dragoman::server

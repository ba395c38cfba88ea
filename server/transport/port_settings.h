// The settings that both gRPC ports share: limits on the cost of a connection, replacements for
// unsuitable defaults of gRPC 1.51, and certificates.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <memory>

#include "server/base/tls_store.h"

namespace dragoman::server {

struct PortLimits {
  const char* name = "";    // the name of gRPC's ResourceQuota, for gRPC's own log
  int64_t quota_bytes = 0;  // the most memory that gRPC may use for connections and their calls
  int max_streams = 0;      // concurrent calls of one connection
  // The size of the largest request. gRPC refuses larger requests with RESOURCE_EXHAUSTED. -1: gRPC
  // refuses none, because the calls check the size themselves.
  int max_message_bytes = -1;
};

// Sets the limits, and makes gRPC refuse compressed messages with UNIMPLEMENTED.
void SetUpPort(const PortLimits& limits, grpc::ServerBuilder* builder);

// Returns credentials with the certificates of `store`. Each handshake uses the certificates that
// the store has at that time. If the store has client authorities, the handshake fails unless the
// client has a certificate that one of these authorities has issued. REQUIRES: `store` outlives
// every server that has the credentials.
//
// gRPC's FileWatcherCertificateProvider is not used, because version 1.51 replaces a valid pair by
// a certificate and a key that do not belong together, and then refuses all clients.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(const TlsStore* store);

}  // namespace dragoman::server

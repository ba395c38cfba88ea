// The settings of a gRPC port before its calls are looked at: limits on what a connection may cost,
// which both ports have, settings that gRPC 1.51 gets wrong by default, and certificates.
#pragma once

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <memory>

#include "server/base/tls_store.h"

namespace dragoman::server {

struct PortLimits {
  const char* name = "";    // the quota's name in gRPC's own log
  int64_t quota_bytes = 0;  // the most that gRPC may hold for connections and their calls
  int max_streams = 0;      // of one connection
  // The largest request; gRPC refuses larger ones with RESOURCE_EXHAUSTED. -1: calls check the size
  // themselves.
  int max_message_bytes = -1;
};

// Makes compressed messages UNIMPLEMENTED, and sets the limits. May be called before or after
// services and ports are added.
void SetUpPort(const PortLimits& limits, grpc::ServerBuilder* builder);

// The certificates of `store`: each handshake gets those that are current. `store` outlives every
// server that has the credentials. With client authorities a client without a certificate of theirs
// does not get past its handshake.
//
// gRPC's own FileWatcherCertificateProvider is not used, because in 1.51 it takes a certificate and
// a key that do not belong together, drops the old pair for them, and then refuses everybody.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(const TlsStore* store);

}  // namespace dragoman::server

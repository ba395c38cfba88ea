// The certificates of a TlsStore as gRPC's server credentials: each handshake gets those that are
// current.
//
// gRPC's own FileWatcherCertificateProvider is not used, because in 1.51 it takes a certificate and
// a key that do not belong together, drops the old pair for them, and then refuses everybody.
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "server/security/tls_store.h"

namespace dragoman {

// `store` outlives every server that has the credentials. With client authorities a client without
// a certificate of theirs does not get past its handshake.
std::shared_ptr<grpc::ServerCredentials> MakeTlsCredentials(const TlsStore* store);

}  // namespace dragoman

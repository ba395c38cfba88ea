// One HTTP/1.1 POST on a connection of its own, for reports of the daemon to other servers.
//
// Thread-safe; blocks, and so is for threads with nothing else to do.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/address.h"
#include "server/net/tls_client.h"

namespace dragoman {

struct HttpPostTarget {
  Address address;
  std::string path;
  // Besides Host, Content-Type, Content-Length and Connection. Without control characters.
  std::vector<std::pair<std::string, std::string>> headers;
  // Shared with whoever exchanges it for newer certificates. nullptr: no TLS.
  std::shared_ptr<const TlsClient> tls;
};

struct HttpPostResult {
  int status = 0;     // of the answer; 0: there was none, and
  std::string error;  // why, for people
};

// Each step (connection, handshake, sending, the answer) has `timeout`. The name server has its own
// time. REQUIRES: where there is TLS, SIGPIPE is ignored.
HttpPostResult HttpPost(const HttpPostTarget& to, const std::string& content_type,
                        const std::string& body, std::chrono::milliseconds timeout);

}  // namespace dragoman

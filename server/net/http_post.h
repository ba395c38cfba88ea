// One HTTP/1.1 POST on a connection of its own, for reports of the daemon to other servers.
//
// Thread-safe; blocks, and so is for threads with nothing else to do. No TLS.
#pragma once

#include <chrono>
#include <string>

#include "server/base/address.h"

namespace dragoman {

// The status of the answer, or 0 if there was none within `timeout`, counted anew for the
// connection, for sending and for the answer. The name server has its own time.
int HttpPost(const Address& to, const std::string& path, const std::string& content_type,
             const std::string& body, std::chrono::milliseconds timeout);

}  // namespace dragoman

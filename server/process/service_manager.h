// Messages to the service manager that started the daemon: systemd with Type=notify, or another
// with the protocol of sd_notify(3).
#pragma once

#include <string>

#include "absl/status/status.h"

namespace dragoman::server {

// Sends `state`, lines such as "READY=1", to the socket that NOTIFY_SOCKET names: a path, or '@'
// and an abstract name. Returns OK without sending if NOTIFY_SOCKET is not set. UNAVAILABLE if the
// state cannot be sent. Thread-safe.
absl::Status NotifyServiceManager(const std::string& state);

}  // namespace dragoman::server

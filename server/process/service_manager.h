// Messages to the service manager that started the daemon: systemd with Type=notify, or another that
// speaks the protocol of sd_notify(3).
#pragma once

#include <string>

#include "absl/status/status.h"

namespace dragoman::server {

// Sends `state`, lines such as "READY=1", to the socket that NOTIFY_SOCKET names: a path, or '@' and an
// abstract name. Without NOTIFY_SOCKET nothing is sent, and that is OK. UNAVAILABLE where nobody
// listens there: the manager then waits for the daemon until its own limit. Thread-safe.
absl::Status NotifyServiceManager(const std::string& state);

}  // namespace dragoman::server

#include "server/transport/transport_limits.h"

#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr int64_t kKiB = 1024;
constexpr int64_t kMiB = 1024 * kKiB;

// The default of receive_bytes is this many times the largest request.
constexpr int64_t kRequestsAtOnce = 32;
// Bytes for an idle connection, or for a call without its request. Measured: 20 to 40 KiB.
constexpr int64_t kConnectionBytes = 64 * kKiB;
// Bytes for a connection's TLS. Measured: 60 to 70 KiB.
constexpr int64_t kTlsBytes = 96 * kKiB;
// Bytes for a reset stream: about 20 KiB, and at least as much again for the streams that arrive
// before the connection is closed.
constexpr int64_t kWastedStreamBytes = 64 * kKiB;

constexpr int kUsualConnections = 4096;
// The listener has a second descriptor of each connection (listener.h).
constexpr int64_t kDescriptorsPerConnection = 2;
// Descriptors that are reserved for files, event queues and pipes.
constexpr int64_t kOtherDescriptors = 128;

}  // namespace

int HttpConnections(int64_t descriptors) {
  return static_cast<int>(std::clamp<int64_t>(descriptors / 8, 16, 512));
}

absl::StatusOr<TransportLimits> ComputeTransportLimits(const TransportSettings& settings,
                                                       int64_t descriptors) {
  TransportLimits limits;
  limits.message_bytes = MessageBytes(settings);
  limits.max_streams = settings.max_streams;
  const int64_t others =
      kOtherDescriptors + kDescriptorsPerConnection * HttpConnections(descriptors);
  const int64_t ports = settings.http.has_value() ? 2 : 1;
  const int64_t room = (descriptors - others) / kDescriptorsPerConnection / ports;
  if (room < std::max(1, settings.max_connections)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--max-connections: found ", settings.max_connections, ", which needs ",
        ports * kDescriptorsPerConnection * std::max(1, settings.max_connections) + others,
        " open files, expected at most the ", descriptors,
        " that this process may have (ulimit -Hn)"));
  }
  limits.max_connections = settings.max_connections > 0
                               ? settings.max_connections
                               : static_cast<int>(std::min<int64_t>(room, kUsualConnections));
  limits.receive_bytes = settings.receive_memory_mb > 0 ? settings.receive_memory_mb * kMiB
                                                        : kRequestsAtOnce * limits.message_bytes;
  limits.quota_bytes = limits.receive_bytes + limits.max_connections * kConnectionBytes;
  if (!settings.tls_cert.empty()) limits.tls_bytes = limits.max_connections * kTlsBytes;
  if (ports > 1) {
    limits.http_connections = limits.max_connections;
    limits.http_bytes = limits.quota_bytes + limits.tls_bytes;
  }
  limits.reset_bytes = limits.quota_bytes;
  limits.wasted_streams = limits.reset_bytes / kWastedStreamBytes;
  return limits;
}

int64_t RaiseDescriptorLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur != limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  // Clamped because rlim_t has a value for "unlimited", which Linux does not use for open files.
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, int64_t{1} << 30));
}

}  // namespace dragoman::server

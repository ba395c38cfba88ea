#include "server/settings/config_check.h"

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"
#include "server/guard/guard.h"
#include "server/settings/refusal.h"

namespace dragoman {
namespace {

absl::Status CheckAddress(std::string_view name, const std::string& address, bool unix_allowed) {
  if (unix_allowed && address.rfind("unix:", 0) == 0 && address.size() > 5) return absl::OkStatus();
  const size_t colon = address.find_last_of(':');
  int port = -1;
  if (colon != std::string::npos && colon > 0) {
    const char* begin = address.data() + colon + 1;
    const char* end = address.data() + address.size();
    const auto result = std::from_chars(begin, end, port);
    if (result.ec != std::errc() || result.ptr != end) port = -1;
  }
  if (port < 0 || port > 65'535) {
    return Refuse("--", name, Quoted(address),
                  absl::StrCat("host:port with a port from 0 to 65535",
                               unix_allowed ? ", or unix:PATH" : ""));
  }
  return absl::OkStatus();
}

// AdminService does not authenticate its callers.
absl::Status CheckAdminAddress(const std::string& address) {
  if (address == "off") return absl::OkStatus();
  absl::Status status = CheckAddress("admin-listen", address, true);
  if (!status.ok()) return status;
  const std::string host = address.substr(0, address.find_last_of(':'));
  const bool loopback =
      address.starts_with("unix:") || host == "localhost" || host == "[::1]" ||
      (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
  if (loopback) return status;
  return Refuse("--", "admin-listen", Quoted(address),
                "off, a loopback address (127.0.0.1:PORT) or unix:PATH: whoever reaches it may "
                "load and unload models");
}

absl::Status CheckTls(const ServerConfig& config) {
  if (config.tls_cert.empty() != config.tls_key.empty()) {
    return Refuse("--", config.tls_cert.empty() ? "tls-cert" : "tls-key", "nothing",
                  config.tls_cert.empty() ? "a file beside --tls-key" : "a file beside --tls-cert");
  }
  if (!config.tls_client_ca.empty() && config.tls_cert.empty()) {
    return Refuse("--", "tls-client-ca", Quoted(config.tls_client_ca), "--tls-cert with it");
  }
  if (config.metrics_tls != HttpTlsMode::kOff && config.tls_cert.empty()) {
    return Refuse("--", "metrics-tls", config.metrics_tls == HttpTlsMode::kMutual ? "mutual" : "on",
                  "--tls-cert with it, or off");
  }
  if (config.metrics_tls == HttpTlsMode::kMutual && config.tls_client_ca.empty()) {
    return Refuse("--", "metrics-tls", "mutual", "--tls-client-ca with it, or on");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckProcess(const ServerConfig& config) {
  absl::Status status = CheckAddress("listen", config.listen, true);
  if (status.ok() && config.http != "off") status = CheckAddress("http", config.http, true);
  if (status.ok()) status = CheckAdminAddress(config.admin_listen);
  if (status.ok() && config.metrics != "off") {
    status = CheckAddress("metrics", config.metrics, false);
  }
  if (status.ok()) status = CheckTransportSettings(config);
  if (status.ok()) status = CheckTls(config);
  return status;
}

}  // namespace dragoman

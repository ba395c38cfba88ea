#include "server/process/security.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "server/base/log.h"
#include "server/base/steady_clock.h"

namespace dragoman::server {
namespace {

constexpr char kCertificates[] = "certificates";
constexpr char kApiKeys[] = "api keys";

std::string Label(const std::string& what) { return what == kApiKeys ? "api_keys" : what; }

// Returns the addresses for calls that other machines can reach; "" if there are none.
std::string AddressesBeyondLoopback(const ServerConfig& config) {
  std::vector<std::string> open;
  if (!IsLoopback(config.listen)) open.push_back(AddressText(config.listen));
  if (config.http.has_value() && !IsLoopback(*config.http)) {
    open.push_back(AddressText(*config.http));
  }
  return absl::StrJoin(open, ", ");
}

void WarnOfStrangers(const ServerConfig& config) {
  const std::string open = AddressesBeyondLoopback(config);
  if (open.empty() || !config.tls_client_ca.empty()) return;
  Log(LogLevel::kWarn, "without --api-keys anyone who reaches this address may translate",
      {{"listen", open}});
}

}  // namespace

Security::Security(Metrics* metrics)
    : metrics_(metrics), watch_([metrics](const std::string& what, bool ok) {
        metrics->OnFilesRead(Label(what), ok);
      }) {}

absl::StatusOr<std::unique_ptr<Security>> Security::Open(const ServerConfig& config,
                                                         Metrics* metrics) {
  std::unique_ptr<Security> security(new Security(metrics));
  absl::Status status = security->OpenTls(config);
  if (status.ok()) status = security->OpenKeys(config);
  if (!status.ok()) return status;
  if (!security->watch_.empty()) security->watch_.Start();
  return security;
}

absl::Status Security::OpenTls(const ServerConfig& config) {
  if (config.tls_cert.empty()) return absl::OkStatus();
  // Watches the files before it reads them, so that no change is missed.
  std::vector<std::string> paths = {config.tls_cert, config.tls_key};
  if (!config.tls_client_ca.empty()) paths.push_back(config.tls_client_ca);
  if (!config.admin_client_ca.empty()) paths.push_back(config.admin_client_ca);
  watch_.Add({kCertificates, std::move(paths), [this] { return ReloadTls(); }});
  auto tls = TlsStore::Open({config.tls_cert, config.tls_key, config.tls_client_ca}, UnixNow);
  if (!tls.ok()) return tls.status();
  tls_ = *std::move(tls);
  if (!config.admin_client_ca.empty()) {
    auto admin = TlsStore::Open({config.tls_cert, config.tls_key, config.admin_client_ca}, UnixNow);
    if (!admin.ok()) return admin.status();
    admin_tls_ = *std::move(admin);
  }
  ReportTls("certificate");
  metrics_->OnFilesInUse(Label(kCertificates));
  return absl::OkStatus();
}

absl::Status Security::OpenKeys(const ServerConfig& config) {
  if (config.api_keys.empty()) {
    WarnOfStrangers(config);
    return absl::OkStatus();
  }
  watch_.Add({kApiKeys, {config.api_keys}, [this] {
                const absl::Status status = keys_->Reload();
                if (status.ok()) ReportKeys();
                return status;
              }});
  auto keys = ApiKeys::Open(config.api_keys);
  if (!keys.ok()) return keys.status();
  keys_ = *std::move(keys);
  ReportKeys();
  metrics_->OnFilesInUse(Label(kApiKeys));
  const std::string open = AddressesBeyondLoopback(config);
  if (tls_ == nullptr && !open.empty()) {
    Log(LogLevel::kWarn, "API keys travel unencrypted: there is no --tls-cert", {{"listen", open}});
  }
  return absl::OkStatus();
}

absl::Status Security::ReloadTls() {
  const absl::StatusOr<bool> changed = tls_->Reload();
  if (changed.ok() && *changed) ReportTls("certificate changed");
  if (!changed.ok() || admin_tls_ == nullptr) return changed.status();
  return admin_tls_->Reload().status();
}

void Security::ReportTls(const char* what) const {
  const std::shared_ptr<const TlsMaterial> now = tls_->current();
  metrics_->SetCertificateEnd(now->not_after);
  Log(LogLevel::kInfo, what,
      {{"subject", now->subject},
       {"serial", now->serial},
       {"not_after", now->not_after},
       {"client_certificates", tls_->wants_clients()}});
}

void Security::ReportKeys() const {
  Log(LogLevel::kInfo, kApiKeys, {{"clients", keys_->clients()}, {"keys", keys_->keys()}});
}

}  // namespace dragoman::server

#include "server/process/span_export.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/version.h"
#include "server/observe/otlp_channel.h"
#include "server/observe/otlp_settings.h"

namespace dragoman::server {

absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const engine::Clock* clock) {
  absl::StatusOr<std::optional<OtlpSettings>> settings =
      ReadOtlpSettings(config.otlp, [](const char* name) { return std::getenv(name); });
  if (!settings.ok()) return settings.status();
  if (!settings->has_value()) return nullptr;
  auto channel = OpenOtlpChannel(**std::move(settings));
  if (!channel.ok()) return channel.status();
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, HOST_NAME_MAX);
  return std::make_unique<OtlpExporter>(
      ProcessAttributes{{"service.name", "dragomand"},
                        {"service.version", kVersion},
                        {"service.instance.id", absl::StrCat(host, ":", getpid())},
                        {"host.name", host}},
      *std::move(channel), clock);
}

}  // namespace dragoman::server

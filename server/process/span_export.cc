#include "server/process/span_export.h"

#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/base/version.h"
#include "server/trace/otlp_collector.h"

namespace dragoman {
namespace {

// The timeout of a connection to the collector, and of its answer.
constexpr std::chrono::milliseconds kCollectorTimeout{2000};

// The headers for the collector that the environment has, by OpenTelemetry's names.
std::string OtlpHeadersOfEnvironment() {
  for (const char* name : {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"}) {
    const char* const text = std::getenv(name);
    if (text != nullptr && *text != '\0') return text;
  }
  return "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<OtlpExporter>> StartSpans(const ServerConfig& config,
                                                         const Clock* clock) {
  if (!config.otlp.has_value()) return nullptr;
  auto collector = OtlpCollector::Open({.url = *config.otlp,
                                        .header_text = OtlpHeadersOfEnvironment(),
                                        .header_file = config.otlp_headers,
                                        .authorities = config.otlp_ca,
                                        .certificate = config.otlp_cert,
                                        .key = config.otlp_key});
  if (!collector.ok()) return collector.status();
  char host[HOST_NAME_MAX + 1] = "";
  gethostname(host, HOST_NAME_MAX);
  return std::make_unique<OtlpExporter>(
      std::vector<std::pair<std::string, std::string>>{
          {"service.name", "dragomand"},
          {"service.version", kVersion},
          {"service.instance.id", absl::StrCat(host, ":", getpid())},
          {"host.name", host}},
      // Shared, because a post may be under way still when the exporter is gone.
      [collector = *std::move(collector)](const std::string& body) {
        return collector->Post(body, kCollectorTimeout);
      },
      clock);
}

}  // namespace dragoman

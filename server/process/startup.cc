#include "server/process/startup.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/base/log.h"
#include "server/base/version.h"
#include "server/observe/otlp_channel.h"
#include "server/observe/otlp_settings.h"
#include "server/process/memory_limit.h"

namespace dragoman::server {
namespace {

void LogOff(const std::string& because) {
  Log(LogLevel::kInfo, "languages are not detected", {{"because", because}});
}

// Returns the file that --language-model auto means for a program at `executable`. For
// PREFIX/bin/dragomand it is PREFIX/share/dragoman/models/lid.176/lid.176.ftz.
std::string InstalledLanguageModel(const std::string& executable) {
  const std::filesystem::path prefix =
      std::filesystem::path(executable).parent_path().parent_path();
  return prefix / "share/dragoman/models/lid.176/lid.176.ftz";
}

}  // namespace

absl::StatusOr<OpenedDetector> StartDetection(const ServerConfig& config) {
  std::string file = config.language_model;
  if (file == "off") {
    LogOff("--language-model is off");
    return OpenedDetector{};
  }
  if (file == "auto") {
    std::error_code error;
    file = InstalledLanguageModel(std::filesystem::read_symlink("/proc/self/exe", error));
    if (*DetectionLibrary() == '\0') {
      LogOff("this build has no library for it");
      return OpenedDetector{};
    }
    if (!std::filesystem::exists(file, error)) {
      LogOff(absl::StrCat("there is no ", file, ", and --language-model names none"));
      return OpenedDetector{};
    }
  }
  const int64_t limit = FindMemoryLimits("", 0, ThreadStackBytes()).most.bytes;
  const int64_t left = limit - SumOf(ServingMemory(config, {}));
  auto detector = OpenDetector(file, config.language_model_sha256, std::max<int64_t>(left, 0));
  if (!detector.ok()) {
    return absl::Status(detector.status().code(),
                        absl::StrCat("--language-model: ", detector.status().message()));
  }
  Log(LogLevel::kInfo, "languages are detected",
      {{"model", file},
       {"languages", detector->detector->languages().size()},
       {"memory_bytes", detector->memory.held}});
  return detector;
}

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

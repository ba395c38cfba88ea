// `dragoman load` over HTTP, with LibreTranslate's API: a closed loop with the same texts, counts
// and report. So both API adapters of the daemon and LibreTranslate's own server are measured in
// the same way.
//
//   http_load --server HOST:PORT --input FILE --concurrency C (--duration S | --requests N)
//             [--warmup S]
//
// Each of the C callers has its own connection, which stays open. Prints one JSON object.
#include <sys/resource.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/commands/command.h"
#include "client/commands/line_source.h"
#include "client/load/load_report.h"
#include "tests/bench/http/http_load_driver.h"

namespace dragoman {
namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int Wrong(const std::string& message) {
  std::cerr << "http_load: " << message << "\n";
  return client::kExitUsage;
}

int Main(const std::vector<std::string>& arguments) {
  std::string server;
  std::string input;
  std::string path = "/translate";
  std::string source = "de";
  std::string target = "en";
  int64_t concurrency = 1;
  std::optional<double> duration;
  std::optional<int64_t> requests;
  double warmup = 0;
  client::FlagTable flags;
  flags.String("server", "HOST:PORT", &server, "an IPv4 address and a port of HTTP");
  flags.String("input", "FILE", &input, "lines to send, in order and over and over");
  flags.String("path", "PATH", &path, "the path that is asked (default: /translate)");
  flags.String("source", "CODE", &source, "source language (default: de)");
  flags.String("target", "CODE", &target, "target language (default: en)");
  flags.Int("concurrency", "C", 1, 100'000, &concurrency, "callers, each with a connection");
  flags.OptionalNumber("duration", "S", 1e-3, 1e7, &duration, "seconds that are measured");
  flags.OptionalInt("requests", "N", 1, int64_t{1} << 50, &requests, "ends after N requests");
  flags.Number("warmup", "S", 0, 1e7, &warmup, "seconds before, which are not measured");
  const auto positional = flags.Parse(arguments);
  if (!positional.ok()) {
    return Wrong(std::string(positional.status().message()) + "\n" + flags.Help());
  }
  if (!positional->empty()) return Wrong("found '" + positional->front() + "', expected flags");
  const std::pair<std::string, std::string> address =
      absl::StrSplit(server, absl::MaxSplits(':', 1));
  int port = 0;
  if (!absl::SimpleAtoi(address.second, &port) || port < 1 || port > 65535) {
    return Wrong("--server: found '" + server + "', expected HOST:PORT");
  }
  if (!duration.has_value() && !requests.has_value()) {
    return Wrong("expected --duration or --requests or both");
  }
  const auto lines = client::ReadLinesOf(input, size_t{1} << 30);
  if (!lines.ok()) return Wrong(std::string(lines.status().message()));
  std::vector<std::string> bodies;
  for (const std::string& line : *lines) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const nlohmann::json body = {
        {"q", line}, {"source", source}, {"target", target}, {"format", "text"}};
    bodies.push_back(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (bodies.empty()) return Wrong(input + " has no text, expected lines that are not empty");
  const auto driver =
      HttpLoadDriver::Open(address.first, port, path, bodies, static_cast<int>(concurrency));
  if (!driver.ok()) return Wrong(std::string(driver.status().message()));

  client::LoadReportContext context;
  client::LoadOptions& options = context.options;
  options.concurrency = static_cast<int>(concurrency);
  options.warmup = client::Seconds(warmup);
  options.duration = client::Seconds(duration.value_or(1e7));
  if (requests.has_value()) options.max_calls = *requests;
  context.tokens = false;
  const double cpu_before = CpuSeconds();
  const client::LoadReport report = client::RunLoad(options, driver->get());
  context.client_cpu_seconds = CpuSeconds() - cpu_before;
  std::cout << client::LoadReportJson(report, context) << "\n";
  return report.ok > 0 ? client::kExitOk : client::kExitFailed;
}

}  // namespace
}  // namespace dragoman

int main(int argc, char** argv) {
  return dragoman::Main(std::vector<std::string>(argv + 1, argv + argc));
}

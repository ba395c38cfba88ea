#include "client/load/load_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/status_map.h"

namespace dragoman::client {
namespace {

using json = nlohmann::ordered_json;

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};

double Milliseconds(std::chrono::nanoseconds duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

double PerSecond(int64_t count, const LoadReport& report) {
  const double seconds = std::chrono::duration<double>(report.window).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

json ToJson(const Histogram& histogram) {
  json object;
  for (const auto& [name, fraction] : kPercentiles) {
    object[name] = Milliseconds(histogram.Percentile(fraction));
  }
  object["max"] = Milliseconds(histogram.max());
  object["mean"] = Milliseconds(histogram.mean());
  object["count"] = histogram.count();
  return object;
}

json ToJson(const std::map<absl::StatusCode, int64_t>& errors) {
  json object = json::object();
  for (const auto& [code, count] : errors) object[CodeName(code)] = count;
  return object;
}

std::string ToText(const char* name, const Histogram& histogram) {
  std::string text = absl::StrFormat("%-14s", name);
  for (const auto& [percentile, fraction] : kPercentiles) {
    absl::StrAppendFormat(&text, " %s %.1f ms ", percentile,
                          Milliseconds(histogram.Percentile(fraction)));
  }
  absl::StrAppendFormat(&text, " max %.1f ms\n", Milliseconds(histogram.max()));
  return text;
}

std::string ToText(const char* name, const std::map<absl::StatusCode, int64_t>& errors) {
  if (errors.empty()) return "";
  std::string text = absl::StrFormat("%-14s", name);
  for (const auto& [code, count] : errors) {
    absl::StrAppendFormat(&text, " %s %d", CodeName(code), count);
  }
  return text + "\n";
}

const char* NameOf(LoadReport::Window window) {
  switch (window) {
    case LoadReport::Window::kDuration:
      return "duration";
    case LoadReport::Window::kAllBusy:
      return "all_busy";
    case LoadReport::Window::kToLastAnswer:
      return "to_last_answer";
  }
  return "";
}

// Returns a note if the throughput is measured over another time span than the duration, or is not
// meaningful. Else returns "".
std::string WindowNote(const LoadReport& report, const LoadOptions& options) {
  if (report.window_kind == LoadReport::Window::kDuration) return "";
  std::string note = report.window_kind == LoadReport::Window::kAllBusy
                         ? "while all callers were busy: from the first answer after the warm-up "
                           "to the last call"
                         : "of all calls, to the last answer";
  if (options.rate <= 0 && report.sent < 2 * int64_t{options.concurrency}) {
    note += absl::StrFormat("; %d calls of %d callers say little of throughput, send more",
                            report.sent, options.concurrency);
  }
  return note;
}

// Returns the first error, or "" if all calls ended with OK.
std::string FirstError(const LoadReport& report) {
  if (report.first_error.ok()) return "";
  return absl::StrCat(CodeName(report.first_error.code()), ": ", report.first_error.message());
}

}  // namespace

std::string LoadReportJson(const LoadReport& report, const LoadReportContext& context) {
  const LoadOptions& options = context.options;
  json object = {{"mode", options.rate > 0 ? "open" : "closed"},
                 {"batch", context.batch},
                 {"join_lines", context.join_lines},
                 {"stream", context.stream},
                 {"seconds", std::chrono::duration<double>(report.window).count()},
                 {"sent", report.sent},
                 {"answered", report.answered},
                 {"accepted", report.accepted},
                 {"ok", report.ok},
                 {"failed", report.failed},
                 {"refused", report.refused},
                 {"unavailable", report.unavailable},
                 {"refused_with_hint", report.refused_with_hint},
                 {"errors", ToJson(report.errors)},
                 {"first_error", FirstError(report)},
                 {"item_errors", ToJson(report.item_errors)},
                 {"measured", NameOf(report.window_kind)},
                 {"sentences", report.items},
                 {"sentences_per_second", PerSecond(report.items, report)},
                 {"characters", report.characters},
                 {"characters_per_second", PerSecond(report.characters, report)},
                 {"latency_ms", ToJson(report.latency)},
                 {"send_delay_ms", ToJson(report.send_delay)},
                 {"client_cpu_seconds", context.client_cpu_seconds}};
  if (options.rate > 0) {
    object["rate"] = options.rate;
    object["arrivals"] = options.constant ? "constant" : "poisson";
  } else {
    object["concurrency"] = options.concurrency;
  }
  if (!context.beams.empty()) object["beams"] = context.beams;
  if (context.stream) object["first_message_ms"] = ToJson(report.first_message);
  if (context.tokens) {
    object["source_tokens"] = report.source_tokens;
    object["target_tokens"] = report.target_tokens;
    object["source_tokens_per_second"] = PerSecond(report.source_tokens, report);
    object["target_tokens_per_second"] = PerSecond(report.target_tokens, report);
  }
  return object.dump();
}

std::string LoadReportText(const LoadReport& report, const LoadReportContext& context) {
  std::string text = absl::StrFormat(
      "%-14s sent %d, answered %d, accepted %d, ok %d, failed %d, refused %d, unavailable %d\n",
      "calls", report.sent, report.answered, report.accepted, report.ok, report.failed,
      report.refused, report.unavailable);
  text += ToText("errors", report.errors);
  if (!report.first_error.ok()) {
    absl::StrAppendFormat(&text, "%-14s %s\n", "first of them", FirstError(report));
  }
  text += ToText("item errors", report.item_errors);
  absl::StrAppendFormat(&text, "%-14s %d in %.2f s: %.1f/s\n", "sentences", report.items,
                        std::chrono::duration<double>(report.window).count(),
                        PerSecond(report.items, report));
  absl::StrAppendFormat(&text, "%-14s %d of sources: %.1f/s\n", "characters", report.characters,
                        PerSecond(report.characters, report));
  if (const std::string note = WindowNote(report, context.options); !note.empty()) {
    absl::StrAppendFormat(&text, "%-14s %s\n", "", note);
  }
  if (context.tokens) {
    absl::StrAppendFormat(&text, "%-14s %.1f source/s, %.1f target/s\n", "tokens",
                          PerSecond(report.source_tokens, report),
                          PerSecond(report.target_tokens, report));
  }
  text += ToText("latency", report.latency);
  if (context.stream) text += ToText("first message", report.first_message);
  text += ToText("send delay", report.send_delay);
  absl::StrAppendFormat(&text, "%-14s %.2f s of CPU\n", "this client", context.client_cpu_seconds);
  return text;
}

}  // namespace dragoman::client

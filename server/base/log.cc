#include "server/base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <ctime>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "server/base/line_writer.h"

namespace dragoman::server {
namespace {

constexpr std::array<const char*, 6> kNames = {"trace", "debug", "info", "warn", "error", "off"};

constexpr std::array<spdlog::level::level_enum, kNames.size()> kSpdlogLevels = {
    spdlog::level::trace, spdlog::level::debug, spdlog::level::info,
    spdlog::level::warn,  spdlog::level::err,   spdlog::level::off};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  return kSpdlogLevels[static_cast<size_t>(level)];
}

std::string Timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(
                          now - std::chrono::system_clock::from_time_t(seconds))
                          .count();
  thread_local std::time_t last = -1;
  thread_local std::string text;  // of the second `last`
  if (seconds != last) {
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::array<char, 40> buffer{};
    text.assign(buffer.data(),
                std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%S", &utc));
    last = seconds;
  }
  const std::string digits = std::to_string(1000 + millis);
  return text + "." + digits.substr(1) + "Z";
}

std::string TextOf(const LogFields& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Returns a line with the fields time, level and msg, then `fields`, a part of a JSON object.
std::string LineOf(const char* level, std::string_view msg, std::string_view fields) {
  LogText start;
  start.Add("time", Timestamp());
  start.Add("level", level);
  start.Add("msg", msg);
  std::string line = "{" + start.json();
  if (!fields.empty()) line += ",";
  line += fields;
  return line + "}";
}

std::string PartOf(const LogFields& fields) {
  const std::string object = TextOf(fields);
  return object.substr(1, object.size() - 2);
}

std::string DroppedLine(int64_t dropped) {
  LogText fields;
  fields.Add("dropped", dropped);
  return LineOf("warn", "log lines dropped", fields.json());
}

// Passes lines to standard error, or to the function of SetLogSink.
class QueueSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void Redirect(std::function<void(std::string_view)> to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    to_ = std::move(to);
  }
  LineWriter& writer() { return writer_; }

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    const std::string_view line(msg.payload.data(), msg.payload.size());
    if (to_) {
      to_(line);
    } else {
      writer_.Write(std::string(line));
    }
  }
  void flush_() override {}

 private:
  std::function<void(std::string_view)> to_;
  LineWriter writer_{STDERR_FILENO, kLogQueueBytes, DroppedLine};
};

struct Logger {
  Logger() {
    // Without this handler, spdlog prints exceptions of a sink to standard error and waits for its
    // reader.
    logger.set_error_handler([this](const std::string&) { lost.fetch_add(1); });
  }
  std::shared_ptr<QueueSink> sink = std::make_shared<QueueSink>();
  spdlog::logger logger{"dragomand", sink};
  std::atomic<LogLevel> level{LogLevel::kInfo};
  std::atomic<bool> peers{true};
  std::atomic<int64_t> lost{0};  // lines lost to exceptions: memory ran out
};

// Never destroyed: threads may log until the process ends, and the destructor would wait for a
// stalled reader of standard error.
Logger& TheLogger() {
  static Logger* const logger = new Logger;
  return *logger;
}

void WriteLine(LogLevel level, std::string_view msg, std::string_view fields) {
  TheLogger().logger.log(SpdlogLevel(level), spdlog::string_view_t(LineOf(
                                                 kNames[static_cast<size_t>(level)], msg, fields)));
}

LineWriter& Output() {
  static auto* const output = new LineWriter(STDOUT_FILENO, kOutputQueueBytes, nullptr);
  return *output;
}

// The writer that OnCrash flushes, nullptr before FlushLogOnCrash. The writer is never destroyed.
std::atomic<const LineWriter*> crash_writer{nullptr};

void OnCrash(int signal) {
  constexpr std::chrono::milliseconds kLongest{500};
  if (const LineWriter* writer = crash_writer.load()) writer->FlushInHandler(kLongest);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

bool IsLogged(LogLevel level) {
  return level >= TheLogger().level.load() && level < LogLevel::kOff;
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

const char* LogLevelName(LogLevel level) { return kNames[static_cast<size_t>(level)]; }

LogLevel SetLogLevel(LogLevel level) {
  Logger& log = TheLogger();
  log.logger.set_level(SpdlogLevel(level));
  return log.level.exchange(level);
}

void SetLogPeers(bool on) { TheLogger().peers = on; }

bool LogsPeers() { return TheLogger().peers; }

std::string WithoutAddresses(std::string_view text) {
  const auto of_address = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
           c == '.' || c == '[' || c == ']';
  };
  const auto of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  std::string out;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    while (end < text.size() && of_address(text[end])) ++end;
    const std::string_view run = text.substr(at, end - at);
    // A run of address characters that has a digit is an IPv4 address if it has at least three
    // dots. Otherwise it is an IPv6 address if it has at least two colons and is not part of a
    // word.
    const auto dots = std::count(run.begin(), run.end(), '.');
    const auto colons = std::count(run.begin(), run.end(), ':');
    const bool has_digit = run.find_first_of("0123456789") != std::string_view::npos;
    // In gRPC's "ipv6:[::1]:50051", the run begins with the 6.
    const bool of_grpc = text.substr(0, at).ends_with("ipv");
    const bool inside =
        (at > 0 && of_word(text[at - 1]) && !of_grpc) || (end < text.size() && of_word(text[end]));
    if (has_digit && (dots >= 3 || (colons >= 2 && !inside))) {
      out += "(address)";
    } else {
      out += run;
    }
    at = end;
    if (at < text.size()) out += text[at++];
  }
  return out;
}

void SetLogSink(std::function<void(std::string_view)> sink) {
  TheLogger().sink->Redirect(std::move(sink));
}

void Log(LogLevel level, std::string_view msg, const LogFields& fields) {
  if (!IsLogged(level)) return;
  try {
    if (LogsPeers() || !fields.contains("peer")) {
      WriteLine(level, msg, PartOf(fields));
      return;
    }
    LogFields without = fields;
    without.erase("peer");
    WriteLine(level, msg, PartOf(without));
  } catch (const std::exception&) {
    TheLogger().lost.fetch_add(1);
  }
}

void Log(LogLevel level, std::string_view msg, const LogText& fields) {
  if (!IsLogged(level)) return;
  try {
    WriteLine(level, msg, fields.json());
  } catch (const std::exception&) {
    TheLogger().lost.fetch_add(1);
  }
}

void LogText::AddName(std::string_view name) {
  if (!json_.empty()) json_ += ',';
  json_ += '"';
  json_ += name;
  json_ += "\":";
}

void LogText::Add(std::string_view name, std::string_view value) {
  AddName(name);
  const auto needs_escape = [](char c) {
    return static_cast<signed char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7F;
  };
  if (std::ranges::any_of(value, needs_escape)) {
    json_ += TextOf(value);
    return;
  }
  json_ += '"';
  json_ += value;
  json_ += '"';
}

void LogText::Add(std::string_view name, int64_t value) {
  AddName(name);
  json_ += std::to_string(value);
}

void LogText::Add(std::string_view name, double value) {
  AddName(name);
  std::array<char, 32> digits{};
  json_.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void LogText::Add(std::string_view name, const LogFields& value) {
  AddName(name);
  json_ += TextOf(value);
}

int64_t LogLinesDropped() { return TheLogger().sink->writer().dropped() + TheLogger().lost.load(); }

void PrintLine(std::string line) { Output().Write(std::move(line)); }

bool FlushLines(std::chrono::nanoseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  const bool logged = TheLogger().sink->writer().Flush(timeout);
  const auto left = end - std::chrono::steady_clock::now();
  return Output().Flush(std::max(left, std::chrono::steady_clock::duration::zero())) && logged;
}

void FlushLogOnCrash() {
  crash_writer = &TheLogger().sink->writer();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now {};
    // Keep an existing handler: a sanitizer's handler reports more than OnCrash.
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      std::signal(signal, OnCrash);
    }
  }
}

}  // namespace dragoman::server

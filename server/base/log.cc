#include "server/base/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
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
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  std::array<char, 40> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::string out(text.data(), length);
  const std::string digits = std::to_string(1000 + millis);
  return out + "." + digits.substr(1) + "Z";
}

LogFields StartOfLine(std::string_view level, std::string_view msg) {
  LogFields line = LogFields::object();
  line["time"] = Timestamp();
  line["level"] = level;
  line["msg"] = msg;
  return line;
}

std::string TextOf(const LogFields& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string DroppedLine(int64_t dropped) {
  LogFields line = StartOfLine("warn", "log lines dropped");
  line["dropped"] = dropped;
  return TextOf(line);
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
  Logger& log = TheLogger();
  if (level == LogLevel::kOff || !log.logger.should_log(SpdlogLevel(level))) return;
  try {
    LogFields line = StartOfLine(kNames[static_cast<size_t>(level)], msg);
    line.update(fields);
    if (!log.peers) line.erase("peer");
    log.logger.log(SpdlogLevel(level), TextOf(line));
  } catch (const std::exception&) {
    log.lost.fetch_add(1);
  }
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

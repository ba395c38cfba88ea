#include "server/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

namespace dragoman {
namespace {

constexpr std::array<std::string_view, 6> kNames = {"trace", "debug", "info",
                                                    "warn",  "error", "off"};

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::off;
}

// Standard error, or a function of a test.
class SwitchSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  void Redirect(std::function<void(std::string_view)> to) {
    const std::lock_guard<std::mutex> lock(mutex_);
    to_ = std::move(to);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    const std::string_view line(msg.payload.data(), msg.payload.size());
    if (to_) {
      to_(line);
      return;
    }
    std::string text(line);
    text += '\n';
    // One call per line, so that lines of several processes do not mix.
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  void flush_() override { std::fflush(stderr); }

 private:
  std::function<void(std::string_view)> to_;
};

struct Logger {
  std::shared_ptr<SwitchSink> sink = std::make_shared<SwitchSink>();
  spdlog::logger logger{"dragomand", sink};
};

// Never destroyed: threads may log until the process ends.
Logger& TheLogger() {
  static Logger* const logger = new Logger;
  return *logger;
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

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void SetLogLevel(LogLevel level) { TheLogger().logger.set_level(SpdlogLevel(level)); }

void SetLogSink(std::function<void(std::string_view)> sink) {
  TheLogger().sink->Redirect(std::move(sink));
}

void Log(LogLevel level, std::string_view msg, const LogFields& fields) {
  Logger& log = TheLogger();
  if (level == LogLevel::kOff || !log.logger.should_log(SpdlogLevel(level))) return;
  LogFields line = LogFields::object();
  line["time"] = Timestamp();
  line["level"] = kNames[static_cast<size_t>(level)];
  line["msg"] = msg;
  line.update(fields);
  log.logger.log(SpdlogLevel(level),
                 line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace dragoman

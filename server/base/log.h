// Logs one JSON object per line on standard error: time, level, msg, then fields.
//
// Thread-safe. Never waits for the reader of the lines: they go through a bounded queue, and a line
// is dropped and counted if the queue is full (line_writer.h). A line has ids, sizes, codes and
// durations, never text of a request. Must not be called with a lock held.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };

std::optional<LogLevel> ParseLogLevel(std::string_view name);  // such as "info"

// Fields keep their order.
using LogFields = nlohmann::ordered_json;

// The fields of a line as text, for lines that every call writes: a LogFields takes many
// allocations. Keeps the order.
class LogText {
 public:
  void Add(std::string_view name, std::string_view value);
  void Add(std::string_view name, const std::string& value) { Add(name, std::string_view(value)); }
  void Add(std::string_view name, const char* value) { Add(name, std::string_view(value)); }
  void Add(std::string_view name, int64_t value);
  void Add(std::string_view name, int value) { Add(name, int64_t{value}); }
  void Add(std::string_view name, double value);  // finite
  void Add(std::string_view name, const LogFields& value);

  // Returns a part of a JSON object: `"a":1,"b":"c"`.
  const std::string& json() const { return json_; }

 private:
  void AddName(std::string_view name);

  std::string json_;
};

const char* LogLevelName(LogLevel level);

// Drops lines below `level`. Returns the previous level.
LogLevel SetLogLevel(LogLevel level);

// Reports whether Log writes lines of `level`.
bool IsLogged(LogLevel level);

// SetLogPeers sets, and LogsPeers reports, whether lines have the field "peer". No other field has
// a client's address. On by default.
void SetLogPeers(bool on);
bool LogsPeers();

// Sends lines, without a line feed, to `sink` instead of standard error. For tests. nullptr
// restores standard error.
void SetLogSink(std::function<void(std::string_view)> sink);

// Returns a library's message with every IPv4 and IPv6 address and its port replaced by
// "(address)".
std::string WithoutAddresses(std::string_view text);

void Log(LogLevel level, std::string_view msg, const LogFields& fields = LogFields::object());
void Log(LogLevel level, std::string_view msg, const LogText& fields);

// Capacities of the queues of Log and of PrintLine, in bytes.
inline constexpr int64_t kLogQueueBytes = int64_t{4} << 20;
inline constexpr int64_t kOutputQueueBytes = int64_t{64} << 10;

// Returns how many lines of Log were dropped since the start.
int64_t LogLinesDropped();

// Prints a line of plain text on standard output. Never waits for the reader of standard output.
void PrintLine(std::string line);

// Waits at most `timeout` for all lines of Log and PrintLine. Returns false if some still wait.
bool FlushLines(std::chrono::nanoseconds timeout);

// Installs handlers for the signals of a crash (SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL). They
// wait at most half a second for the log's queue before the process ends. A signal that already has
// a handler keeps it.
void FlushLogOnCrash();

}  // namespace dragoman::server

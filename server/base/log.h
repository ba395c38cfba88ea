// One JSON object per line on standard error: time, level, msg, then fields.
//
// Thread-safe, and never waits for who reads the lines: they go through a bounded queue
// (line_writer.h), and what finds it full is dropped and counted. A line holds ids, sizes, codes
// and durations, never text of a request. Not to be called with a lock held.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };

std::optional<LogLevel> ParseLogLevel(std::string_view name);  // "info"

// Fields keep their order.
using LogFields = nlohmann::ordered_json;

const char* LogLevelName(LogLevel level);

// Returns the level before.
LogLevel SetLogLevel(LogLevel level);

// For tests: lines go to `sink` (without the line's end) instead; nullptr is standard error again.
void SetLogSink(std::function<void(std::string_view)> sink);

void Log(LogLevel level, std::string_view msg, const LogFields& fields = LogFields::object());

// What the queues of lines hold at most.
inline constexpr int64_t kLogQueueBytes = int64_t{4} << 20;
inline constexpr int64_t kOutputQueueBytes = int64_t{64} << 10;

// Lines of Log that nobody will read, since the start.
int64_t LogLinesDropped();

// A line of plain text on standard output, likewise without waiting.
void PrintLine(std::string line);

// Waits until all of these lines are written, but no longer than this. False: some are not.
bool FlushLines(std::chrono::nanoseconds timeout);

// From now on a signal that ends the process for an error of its own (abort, bad address) waits
// half a second at most for the log's queue. Leaves alone what already has a handler.
void FlushLogOnCrash();

}  // namespace dragoman

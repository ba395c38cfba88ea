// One JSON object per line on standard error: time, level, msg, then fields.
//
// Thread-safe, and never waits for the reader of the lines: they go through a bounded queue
// (line_writer.h), and a line that finds it full is dropped and counted. A line holds ids, sizes,
// codes and durations, never text of a request. Must not be called with a lock held.
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

std::optional<LogLevel> ParseLogLevel(std::string_view name);  // "info"

// Fields keep their order.
using LogFields = nlohmann::ordered_json;

const char* LogLevelName(LogLevel level);

// Returns the level before.
LogLevel SetLogLevel(LogLevel level);

// Whether lines have the field "peer", which is the only one that holds the address of a client. At
// first they do.
void SetLogPeers(bool on);
bool LogsPeers();

// Sends lines to `sink` (without the line's end) instead, in tests; nullptr restores standard
// error.
void SetLogSink(std::function<void(std::string_view)> sink);

// The text of a library with every IPv4 and IPv6 address in it, and its port, replaced by "(address)".
std::string WithoutAddresses(std::string_view text);

void Log(LogLevel level, std::string_view msg, const LogFields& fields = LogFields::object());

// The capacities of the queues of lines.
inline constexpr int64_t kLogQueueBytes = int64_t{4} << 20;
inline constexpr int64_t kOutputQueueBytes = int64_t{64} << 10;

// How many lines of Log were dropped since the start.
int64_t LogLinesDropped();

// A line of plain text on standard output, likewise without waiting.
void PrintLine(std::string line);

// Waits until all of these lines are written, but no longer than this. False: some are not.
bool FlushLines(std::chrono::nanoseconds timeout);

// From now on a signal that ends the process for an error of its own (abort, bad address) waits
// half a second at most for the log's queue. Signals that already have a handler keep it.
void FlushLogOnCrash();

}  // namespace dragoman::server

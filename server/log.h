// One JSON object per line on standard error: time, level, msg, then fields.
//
// Thread-safe. A line holds ids, sizes, codes and durations, never text of a request. Not to be
// called with a lock held.
#pragma once

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

void SetLogLevel(LogLevel level);

// For tests: lines go to `sink` (without the line's end) instead; nullptr is standard error again.
void SetLogSink(std::function<void(std::string_view)> sink);

void Log(LogLevel level, std::string_view msg, const LogFields& fields = LogFields::object());

}  // namespace dragoman

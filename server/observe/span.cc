#include "server/observe/span.h"

#include <algorithm>

namespace dragoman::server {
namespace {

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool IsId(std::string_view text) {
  return IsLowerHex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::optional<TraceParent> ParseTraceparent(std::string_view traceparent) {
  // version(2) - trace id(32) - parent id(16) - flags(2); later versions may append fields.
  if (traceparent.size() < 55 || traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-' || (traceparent.size() > 55 && traceparent[55] != '-')) {
    return std::nullopt;
  }
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace = traceparent.substr(3, 32);
  const std::string_view parent = traceparent.substr(36, 16);
  const std::string_view flags = traceparent.substr(53, 2);
  if (!IsLowerHex(version) || version == "ff" || !IsId(trace) || !IsId(parent) ||
      !IsLowerHex(flags) || (version == "00" && traceparent.size() != 55)) {
    return std::nullopt;
  }
  const char low = flags[1];
  const int bits = low <= '9' ? low - '0' : low - 'a' + 10;
  return TraceParent{std::string(trace), std::string(parent), (bits & 1) != 0};
}

}  // namespace dragoman::server

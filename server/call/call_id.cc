#include "server/call/call_id.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace dragoman {
namespace {

bool IsLowerHex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

std::string NewRequestId() {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  id.reserve(32);
  for (int word = 0; word < 2; ++word) {
    uint64_t bits = generator();
    for (int i = 0; i < 16; ++i, bits >>= 4U) id += kDigits[bits & 15U];
  }
  return id;
}

std::string TraceIdOf(std::string_view traceparent) {
  // version(2) - trace id(32) - parent id(16) - flags(2); later versions may append fields.
  if (traceparent.size() < 55 || traceparent[2] != '-' || traceparent[35] != '-' ||
      traceparent[52] != '-' || (traceparent.size() > 55 && traceparent[55] != '-')) {
    return "";
  }
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace = traceparent.substr(3, 32);
  const std::string_view parent = traceparent.substr(36, 16);
  const std::string_view flags = traceparent.substr(53, 2);
  if (!IsLowerHex(version) || version == "ff" || !IsLowerHex(trace) || !IsLowerHex(parent) ||
      !IsLowerHex(flags) || (version == "00" && traceparent.size() != 55) ||
      trace.find_first_not_of('0') == std::string_view::npos) {
    return "";
  }
  return std::string(trace);
}

std::string ClientOfPeer(std::string_view peer) {
  const bool has_port = peer.starts_with("ipv4:") || peer.starts_with("ipv6:");
  return std::string(has_port ? peer.substr(0, peer.find_last_of(':')) : peer);
}

}  // namespace dragoman

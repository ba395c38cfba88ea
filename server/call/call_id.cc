#include "server/call/call_id.h"

#include <cstdint>
#include <random>

namespace dragoman {
std::string NewId() {
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

std::string ClientOfPeer(std::string_view peer) {
  const bool has_port = peer.starts_with("ipv4:") || peer.starts_with("ipv6:");
  return std::string(has_port ? peer.substr(0, peer.find_last_of(':')) : peer);
}

}  // namespace dragoman

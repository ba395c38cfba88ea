#include "server/call/call_id.h"

#include <arpa/inet.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

// Returns the /64 network of an IPv6 address; "" for other texts and for IPv4-mapped addresses.
std::string Ipv6Network(std::string_view host) {
  in6_addr address{};
  if (inet_pton(AF_INET6, std::string(host).c_str(), &address) != 1) return "";
  if (IN6_IS_ADDR_V4MAPPED(&address)) return "";
  constexpr size_t kNetworkBytes = 8;
  std::fill(address.s6_addr + kNetworkBytes, std::end(address.s6_addr), 0);
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, &address, text.data(), text.size());
  return text.data();
}

}  // namespace

std::string NewId() {
  thread_local std::mt19937_64 generator = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return absl::StrCat(absl::Hex(generator(), absl::kZeroPad16),
                      absl::Hex(generator(), absl::kZeroPad16));
}

std::string NewSecretId() {
  std::array<uint64_t, 2> random{};
  // Fails only without the system's generator, which every supported kernel has.
  if (getrandom(random.data(), sizeof(random), 0) != sizeof(random)) std::abort();
  return absl::StrCat(absl::Hex(random[0], absl::kZeroPad16),
                      absl::Hex(random[1], absl::kZeroPad16));
}

std::string ClientOfPeer(std::string_view peer) {
  const bool is_v6 = peer.starts_with("ipv6:");
  if (!is_v6 && !peer.starts_with("ipv4:")) return std::string(peer);
  peer = peer.substr(0, peer.find_last_of(':'));
  if (is_v6) {
    // gRPC writes an IPv6 address in brackets and may percent-encode them.
    std::string_view host = peer.substr(std::string_view("ipv6:").size());
    for (const std::string_view open : {"[", "%5B"}) {
      if (host.starts_with(open)) host.remove_prefix(open.size());
    }
    for (const std::string_view close : {"]", "%5D"}) {
      if (host.ends_with(close)) host.remove_suffix(close.size());
    }
    if (const std::string network = Ipv6Network(host); !network.empty()) {
      return "ipv6:" + network + "/64";
    }
  }
  return std::string(peer);
}

std::string ClientName(const Grant* grant, std::string_view peer) {
  return grant == nullptr ? ClientOfPeer(peer) : "key:" + grant->client().name();
}

}  // namespace dragoman::server

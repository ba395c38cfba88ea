#include "server/base/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr int kMaxPort = 65'535;

std::optional<int> ParsePort(std::string_view text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || port < 0 || port > kMaxPort) return std::nullopt;
  return port;
}

bool IsIpv6(const std::string& host) {
  in6_addr number{};
  return inet_pton(AF_INET6, host.c_str(), &number) == 1;
}

// Returns the host without the brackets of an IPv6 number, or "" if the text is not a host.
std::string Host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    std::string host(text.substr(1, text.size() - 2));
    // The scope of a link-local address, such as "%eth0", follows the number.
    return IsIpv6(host.substr(0, host.find('%'))) ? host : "";
  }
  std::string host(text);
  if (host.find_first_of("[]/ ") != std::string::npos) return "";
  return host.find(':') == std::string::npos || IsIpv6(host) ? host : "";
}

}  // namespace

std::optional<Address> ParseAddress(std::string_view text, AddressForms forms) {
  if (forms == AddressForms::kHostOrUnix && text.starts_with(kUnix) && text.size() > kUnix.size()) {
    return Address{.unix_path = std::string(text.substr(kUnix.size()))};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Address address{.host = Host(text.substr(0, colon))};
  const std::optional<int> port = ParsePort(text.substr(colon + 1));
  if (address.host.empty() || !port.has_value()) return std::nullopt;
  address.port = *port;
  return address;
}

std::string AddressText(const Address& address) {
  if (!address.unix_path.empty()) return absl::StrCat("unix:", address.unix_path);
  const bool brackets = address.host.find(':') != std::string::npos;
  return absl::StrCat(brackets ? "[" : "", address.host, brackets ? "]:" : ":", address.port);
}

std::optional<HttpUrl> ParseHttpUrl(std::string_view url) {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kEncrypted = "https://";
  constexpr int kEncryptedPort = 443;
  HttpUrl out;
  out.tls = url.starts_with(kEncrypted);
  if (!out.tls && !url.starts_with(kPlain)) return std::nullopt;
  url.remove_prefix(out.tls ? kEncrypted.size() : kPlain.size());
  for (const char c : url) {
    if (c <= ' ' || c == '@' || c == '?' || c == '#' || c == 0x7F) return std::nullopt;
  }
  if (url.ends_with('/')) url.remove_suffix(1);
  std::string host(url);
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  if (out.tls && !has_port) absl::StrAppend(&host, ":", kEncryptedPort);
  std::optional<Address> address = ParseAddress(host, AddressForms::kHostPort);
  if (!address.has_value() || address->port == 0) return std::nullopt;
  out.address = *std::move(address);
  return out;
}

std::string HttpUrlText(const HttpUrl& url) {
  return absl::StrCat(url.tls ? "https://" : "http://", AddressText(url.address));
}

bool IsLoopback(const Address& address) {
  if (!address.unix_path.empty()) return true;
  if (address.host == "localhost" || address.host == "::1") return true;
  return address.host.starts_with("127.") &&
         address.host.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace dragoman::server

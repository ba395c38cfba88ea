// Network addresses on which the daemon listens or to which it sends reports. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

struct Address {
  std::string host;       // a host name or an IP address; an IPv6 address without brackets
  int port = 0;           // 0: listen on a free port
  std::string unix_path;  // if not empty: a Unix socket, and host and port are unused

  bool operator==(const Address&) const = default;
};

// Which forms of an address are allowed.
enum class AddressForms : uint8_t {
  kHostPort,   // host:port, port 0 to 65535; an IPv6 address should be in brackets
  kHostOrUnix  // host:port or unix:PATH
};

// Parses `text`. Returns nullopt if it has none of the allowed forms.
std::optional<Address> ParseAddress(std::string_view text, AddressForms forms);
// Returns "host:port", "[::1]:port" or "unix:PATH", which ParseAddress reads.
std::string AddressText(const Address& address);

// The scheme, host and port of an HTTP server's URL.
struct HttpUrl {
  bool tls = false;
  Address address;

  bool operator==(const HttpUrl&) const = default;
};

// Parses "http://HOST:PORT" or "https://HOST[:PORT]"; the default port is 443, and a slash may
// follow. Returns nullopt for any other text, also with a user, a path, a query or a fragment.
std::optional<HttpUrl> ParseHttpUrl(std::string_view url);
std::string HttpUrlText(const HttpUrl& url);

// Reports whether the address is on this machine: a Unix socket, localhost, ::1 or 127.*.
bool IsLoopback(const Address& address);

}  // namespace dragoman::server

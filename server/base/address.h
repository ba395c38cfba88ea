// Network addresses on which the daemon listens or to which it sends reports. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

struct Address {
  std::string host;       // a name or a number; an IPv6 number without its brackets
  int port = 0;           // 0: listen on a free port
  std::string unix_path;  // not "": a Unix socket, which has neither host nor port

  bool operator==(const Address&) const = default;
};

// Which forms of an address are allowed.
enum class AddressForms : uint8_t {
  kHostPort,   // host:port with a port from 0 to 65535; an IPv6 number should be in brackets
  kHostOrUnix  // also unix:PATH
};

// Returns nullopt for a text of any other form.
std::optional<Address> ParseAddress(std::string_view text, AddressForms forms);
// Returns "host:port", "[::1]:port" or "unix:PATH", which ParseAddress reads.
std::string AddressText(const Address& address);

// A server on the web.
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

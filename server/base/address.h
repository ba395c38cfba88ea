// Addresses on the network: where the daemon listens, and where it sends its reports. A text is
// parsed once, where it comes in. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman::server {

struct Address {
  std::string host;       // a name or a number; an IPv6 number without its brackets
  int port = 0;           // to listen on 0 takes a free one
  std::string unix_path;  // not "": a Unix socket, which has neither host nor port

  bool operator==(const Address&) const = default;
};

// Which forms of an address are allowed.
enum class AddressForms : uint8_t {
  kHostPort,   // host:port with a port from 0 to 65535; an IPv6 number is best put in brackets
  kHostOrUnix  // also unix:PATH
};

// nullopt for a text of any other form.
std::optional<Address> ParseAddress(std::string_view text, AddressForms forms);
// The inverse: "host:port", "[::1]:port" or "unix:PATH".
std::string AddressText(const Address& address);

// A server on the web.
struct HttpUrl {
  bool tls = false;
  Address address;

  bool operator==(const HttpUrl&) const = default;
};

// "http://HOST:PORT" or "https://HOST[:PORT]", where the port is 443 unless given; a slash may follow.
// nullopt for any other text, also with a user, a path, a query or a fragment.
std::optional<HttpUrl> ParseHttpUrl(std::string_view url);
std::string HttpUrlText(const HttpUrl& url);

// Whether what is sent there stays on this machine: a Unix socket, localhost, ::1, and the numbers
// that begin with 127.
bool IsLoopback(const Address& address);

}  // namespace dragoman::server

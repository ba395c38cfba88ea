#include "server/transport/request_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

// The bytes of a token in RFC 9110, 5.6.2.
constexpr std::array<bool, 256> MakeTokenBytes() {
  std::array<bool, 256> out{};
  for (int c = 'a'; c <= 'z'; ++c) out[static_cast<size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) out[static_cast<size_t>(c)] = true;
  for (int c = '0'; c <= '9'; ++c) out[static_cast<size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) out[static_cast<size_t>(c)] = true;
  return out;
}
constexpr std::array<bool, 256> kTokenBytes = MakeTokenBytes();

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kTokenBytes[static_cast<unsigned char>(c)];
  });
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

Refusal Wrong(std::string why) { return {400, std::move(why)}; }

std::vector<std::string_view> ValuesOf(const HttpRequest& request, std::string_view name) {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : request.headers) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::optional<Refusal> CheckLength(const HttpRequest& request, uint64_t body_bytes,
                                   Framing* framing) {
  const std::vector<std::string_view> lengths = ValuesOf(request, "content-length");
  const std::vector<std::string_view> codings = ValuesOf(request, "transfer-encoding");
  if (!lengths.empty() && !codings.empty()) {
    return Wrong("found both Content-Length and Transfer-Encoding, expected one of them");
  }
  if (lengths.size() > 1 || codings.size() > 1) {
    return Wrong(absl::StrCat("found ", lengths.size() + codings.size(), " headers ",
                              lengths.empty() ? "Transfer-Encoding" : "Content-Length",
                              ", expected one"));
  }
  if (!codings.empty()) {
    if (!absl::EqualsIgnoreCase(std::string(codings[0]), "chunked")) {
      return Refusal{
          501, absl::StrCat("Transfer-Encoding: found ", Quoted(codings[0]), ", expected chunked")};
    }
    framing->chunked = true;
  }
  if (lengths.empty()) return std::nullopt;
  // A valid length has at most 18 digits, more than any allowed body needs. The digits are checked
  // here because SimpleAtoi accepts signs and spaces.
  constexpr size_t kMostDigits = 18;
  const std::string_view digits = lengths[0];
  const bool valid = !digits.empty() && digits.size() <= kMostDigits &&
                     digits.find_first_not_of("0123456789") == std::string_view::npos &&
                     absl::SimpleAtoi(std::string(digits), &framing->content_length);
  if (!valid) {
    return Wrong(
        absl::StrCat("Content-Length: found ", Quoted(digits), ", expected a number of bytes"));
  }
  if (framing->content_length > body_bytes) {
    return Refusal{413, absl::StrCat("found a body of ", framing->content_length,
                                     " bytes, expected at most ", body_bytes)};
  }
  return std::nullopt;
}

}  // namespace

HeadScan ScanHead(std::string_view bytes, size_t scanned) {
  for (size_t i = scanned; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == '\n') {
      if (i == 0 || bytes[i - 1] != '\r') return {0, i, true};
      if (i >= 3 && bytes[i - 2] == '\n') return {i + 1, i + 1, false};
    } else if (i > 0 && bytes[i - 1] == '\r') {
      return {0, i, true};
    } else if (IsControl(c) && c != '\r' && c != '\t') {
      return {0, i, true};
    }
  }
  return {0, bytes.size(), false};
}

std::optional<Refusal> CheckHeadLines(std::string_view head) {
  size_t at = head.find("\r\n") + 2;  // after the request line, which the parser checks
  while (at + 2 < head.size()) {
    const size_t end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    if (line.front() == ' ' || line.front() == '\t') {
      return Wrong("found a header that goes on in the next line, expected it in one");
    }
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return Wrong("found a header without a colon, expected NAME: VALUE");
    }
    if (!IsToken(line.substr(0, colon))) {
      return Wrong(absl::StrCat("found ", Quoted(line.substr(0, colon)),
                                " as a header's name, expected letters, digits and hyphens, and "
                                "the colon right after them"));
    }
  }
  return std::nullopt;
}

std::optional<Refusal> CheckFraming(const HttpRequest& request, bool http11, uint64_t body_bytes,
                                    Framing* framing) {
  *framing = Framing();
  const size_t hosts = ValuesOf(request, "host").size();
  if (hosts > 1 || (hosts == 0 && http11)) {
    return Wrong(absl::StrCat("found ", hosts, " headers Host, expected one"));
  }
  if (std::optional<Refusal> wrong = CheckLength(request, body_bytes, framing)) return wrong;
  if (framing->chunked && !http11) {
    return Wrong("found Transfer-Encoding in HTTP/1.0, expected Content-Length");
  }
  for (const std::string_view coding : ValuesOf(request, "content-encoding")) {
    if (absl::EqualsIgnoreCase(std::string(coding), "identity")) continue;
    return Refusal{415, absl::StrCat("Content-Encoding: found ", Quoted(coding),
                                     ", expected a body that is not compressed")};
  }
  for (const std::string_view expected : ValuesOf(request, "expect")) {
    if (!absl::EqualsIgnoreCase(std::string(expected), "100-continue")) {
      return Refusal{417,
                     absl::StrCat("Expect: found ", Quoted(expected), ", expected 100-continue")};
    }
    framing->expects_continue = http11;
  }
  return std::nullopt;
}

RequestLine ReadRequestLine(std::string_view head) {
  RequestLine line;
  const size_t space = head.find(' ');
  if (space == std::string_view::npos || !IsToken(head.substr(0, space))) return line;
  line.method = head.substr(0, space);
  const std::string_view rest = head.substr(space + 1);
  const size_t end = rest.find_first_of(" ?");
  if (end == std::string_view::npos) return line;
  line.target = rest.substr(0, end);
  if (std::any_of(line.target.begin(), line.target.end(), IsControl)) line.target = {};
  return line;
}

std::optional<Refusal> SplitTarget(std::string_view target, std::string* path, std::string* query) {
  bool has_host = false;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!absl::StartsWithIgnoreCase(std::string(target), std::string(scheme))) continue;
    target.remove_prefix(scheme.size());
    target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
    has_host = true;
    break;
  }
  if (!has_host && (target.empty() || target.front() != '/')) {
    return Wrong(absl::StrCat("found ", Quoted(target), " as what is asked for, expected a path"));
  }
  const size_t mark = std::min(target.find('?'), target.size());
  query->assign(target.substr(std::min(mark + 1, target.size())));
  const std::string_view escaped = target.substr(0, mark);
  path->clear();
  if (escaped.empty()) path->push_back('/');
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] != '%') {
      // Repeated slashes are merged, because some clients join "http://host/" and "/translate".
      if (escaped[i] == '/' && i > 0 && escaped[i - 1] == '/') continue;
      *path += escaped[i];
      continue;
    }
    const int high = i + 2 < escaped.size() ? HexDigit(escaped[i + 1]) : -1;
    const int low = i + 2 < escaped.size() ? HexDigit(escaped[i + 2]) : -1;
    const char byte = static_cast<char>(16 * high + low);
    if (high < 0 || low < 0 || IsControl(byte)) {
      return Wrong(absl::StrCat("found the path ", Quoted(escaped),
                                ", expected escapes of two hexadecimal digits, of no control "
                                "character"));
    }
    *path += byte;
    i += 2;
  }
  return std::nullopt;
}

std::optional<Refusal> CheckHost(const HttpRequest& request, const AllowedHosts& allowed) {
  const std::string_view host = request.Header("host");
  if (!allowed.has_value() || host.empty()) return std::nullopt;
  const bool is_ip6 = host.front() == '[' && host.find(']') != std::string_view::npos;
  std::string name(is_ip6 ? host.substr(1, host.find(']') - 1) : host.substr(0, host.find(':')));
  if (name.ends_with('.')) name.pop_back();
  std::array<unsigned char, sizeof(in6_addr)> address{};
  if (inet_pton(is_ip6 ? AF_INET6 : AF_INET, name.c_str(), address.data()) == 1)
    return std::nullopt;
  if (absl::EqualsIgnoreCase(name, "localhost")) return std::nullopt;
  for (const std::string& one : *allowed) {
    if (absl::EqualsIgnoreCase(name, one)) return std::nullopt;
  }
  return Refusal{403,
                 absl::StrCat("Host: found ", Quoted(host),
                              ", expected localhost, an IP address or a name of --http-hosts")};
}

bool IsSameOrigin(const HttpRequest& upgrade) {
  const std::string_view origin = upgrade.Header("origin");
  if (origin.empty()) return true;
  const size_t at = origin.find("://");
  return at != std::string_view::npos &&
         absl::EqualsIgnoreCase(std::string(origin.substr(at + 3)),
                                std::string(upgrade.Header("host")));
}

bool AllowsOrigin(const std::vector<std::string>& allowed, std::string_view origin) {
  return !origin.empty() && std::any_of(allowed.begin(), allowed.end(), [&](const auto& one) {
    return one == "*" || one == origin;
  });
}

}  // namespace dragoman::server

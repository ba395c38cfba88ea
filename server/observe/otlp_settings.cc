#include "server/observe/otlp_settings.h"

#include <grpc/grpc.h>
#include <grpc/slice.h>

#include <charconv>
#include <string_view>
#include <system_error>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/base/hex.h"
#include "server/base/quoted.h"

namespace dragoman::server {
namespace {

struct Variable {
  std::string name;
  std::string value;  // "": the variable is not set
};

Variable FindVariable(const Environment& environment, const char* option) {
  Variable out;
  for (const char* prefix : {"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"}) {
    out.name = absl::StrCat(prefix, option);
    const char* const value = environment(out.name.c_str());
    if (value != nullptr && *value != '\0') {
      out.value = value;
      break;
    }
  }
  return out;
}

absl::Status RefuseVariable(const Variable& variable, const char* expected) {
  return absl::InvalidArgumentError(
      absl::StrCat(variable.name, ": found ", Quoted(variable.value), ", expected ", expected));
}

// Reads the endpoint, and whether it is reached by TLS.
absl::Status ReadEndpoint(const Variable& endpoint, const Variable& insecure, OtlpSettings* out) {
  bool plain = false;
  if (!insecure.value.empty()) {
    plain = absl::EqualsIgnoreCase(insecure.value, "true");
    if (!plain && !absl::EqualsIgnoreCase(insecure.value, "false")) {
      return RefuseVariable(insecure, "true or false");
    }
  }
  std::optional<HttpUrl> url = ParseHttpUrl(endpoint.value);
  if (!url.has_value()) {
    std::optional<Address> address = ParseAddress(endpoint.value, AddressForms::kHostPort);
    if (!address.has_value() || address->port == 0) {
      return RefuseVariable(endpoint, "http://HOST:PORT, https://HOST[:PORT] or HOST:PORT");
    }
    url = HttpUrl{.tls = !plain, .address = *std::move(address)};
  }
  out->collector = std::move(url->address);
  out->tls = url->tls;
  return absl::OkStatus();
}

absl::Status ReadTimeout(const Variable& timeout, OtlpSettings* out) {
  if (timeout.value.empty()) return absl::OkStatus();
  int32_t milliseconds = -1;
  const char* const end = timeout.value.data() + timeout.value.size();
  const auto [at, error] = std::from_chars(timeout.value.data(), end, milliseconds);
  if (error != std::errc() || at != end || milliseconds < 0) {
    return RefuseVariable(timeout, "milliseconds, a whole number 0..2147483647");
  }
  out->timeout = std::chrono::milliseconds(milliseconds);
  return absl::OkStatus();
}

// Returns nullopt for a '%' without two hexadecimal digits after it.
std::optional<std::string> PercentDecoded(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const absl::string_view digits = text.substr(i + 1, 2);
    if (digits.size() != 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return std::nullopt;
    }
    out += BytesOfHex({digits.data(), digits.size()});
    i += 2;
  }
  return out;
}

// Reports whether gRPC accepts this name in a caller's metadata. Others belong to gRPC or HTTP/2.
bool MayBeSent(const std::string& name) {
  for (const char* own : {"content-type", "te", "user-agent", "host"}) {
    if (name == own) return false;
  }
  return !name.starts_with("grpc-") &&
         grpc_header_key_is_legal(grpc_slice_from_static_buffer(name.data(), name.size())) != 0;
}

bool IsLegalValue(const std::string& name, const std::string& value) {
  return name.ends_with("-bin") || grpc_header_nonbin_value_is_legal(grpc_slice_from_static_buffer(
                                       value.data(), value.size())) != 0;
}

// Reads NAME=VALUE pairs, separated by commas, with percent-encoded values, as in W3C Baggage.
absl::Status ReadHeaders(const Variable& headers, OtlpSettings* out) {
  int number = 0;
  const auto refuse = [&headers, &number](const std::string& found, const char* expected) {
    return absl::InvalidArgumentError(absl::StrCat(headers.name, ": header ", number, ": found ",
                                                   found, ", expected ", expected));
  };
  for (const absl::string_view part : absl::StrSplit(headers.value, ',')) {
    const absl::string_view pair = absl::StripAsciiWhitespace(part);
    if (pair.empty()) continue;
    ++number;
    const size_t equals = pair.find('=');
    if (equals == absl::string_view::npos) return refuse("no '='", "NAME=VALUE");
    std::string name = absl::AsciiStrToLower(absl::StripAsciiWhitespace(pair.substr(0, equals)));
    // The error does not show the name, because a text that is here by mistake may be a secret,
    // too.
    if (!MayBeSent(name)) {
      return refuse("a name that gRPC does not send", "letters, digits, '-', '_' and '.'");
    }
    std::optional<std::string> value =
        PercentDecoded(absl::StripAsciiWhitespace(pair.substr(equals + 1)));
    if (!value.has_value() || !IsLegalValue(name, *value)) {
      return refuse("a value of " + Quoted(name) + " that cannot be sent",
                    "printable ASCII, percent-encoded");
    }
    out->headers.emplace_back(std::move(name), *std::move(value));
  }
  return absl::OkStatus();
}

// Reads the paths of the TLS files. Checks the files here, so that an error names the variable.
absl::Status ReadFiles(const Environment& environment, OtlpSettings* out) {
  const Variable authorities = FindVariable(environment, "CERTIFICATE");
  const Variable certificate = FindVariable(environment, "CLIENT_CERTIFICATE");
  const Variable key = FindVariable(environment, "CLIENT_KEY");
  if (certificate.value.empty() != key.value.empty()) {
    const auto& [missing, given] =
        key.value.empty() ? std::tie(key, certificate) : std::tie(certificate, key);
    return absl::InvalidArgumentError(
        absl::StrCat(missing.name, ": found nothing, expected a file with ", given.name));
  }
  const absl::Status trusted =
      ReadTlsClientFiles({.authorities = authorities.value, .certificate = "", .key = ""}).status();
  if (!trusted.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(authorities.name, ": ", trusted.message()));
  }
  const absl::Status own =
      ReadTlsClientFiles({.authorities = "", .certificate = certificate.value, .key = key.value})
          .status();
  if (!own.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(certificate.name, " and ", key.name, ": ", own.message()));
  }
  out->files = {authorities.value, certificate.value, key.value};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<OtlpSettings>> ReadOtlpSettings(const std::optional<HttpUrl>& flag,
                                                             const Environment& environment) {
  const Variable endpoint = FindVariable(environment, "ENDPOINT");
  if (!flag.has_value() && endpoint.value.empty()) return std::nullopt;
  const Variable protocol = FindVariable(environment, "PROTOCOL");
  if (!protocol.value.empty() && protocol.value != "grpc") return RefuseVariable(protocol, "grpc");
  OtlpSettings out;
  absl::Status status;
  if (flag.has_value()) {
    out.collector = flag->address;
    out.tls = flag->tls;
  } else {
    status = ReadEndpoint(endpoint, FindVariable(environment, "INSECURE"), &out);
  }
  if (status.ok()) status = ReadTimeout(FindVariable(environment, "TIMEOUT"), &out);
  if (status.ok()) status = ReadHeaders(FindVariable(environment, "HEADERS"), &out);
  if (status.ok() && out.tls) status = ReadFiles(environment, &out);
  if (!status.ok()) return status;
  return out;
}

}  // namespace dragoman::server

#include "server/trace/otlp_collector.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/base/log.h"
#include "server/base/quoted.h"
#include "server/security/file_watch.h"

namespace dragoman {
namespace {

constexpr char kDefaultPath[] = "/v1/traces";
constexpr size_t kMaxHeaders = 64;

// Headers that a POST has anyway, or that would change what follows it.
constexpr std::string_view kOwnHeaders[] = {"host",       "content-type",      "content-length",
                                            "connection", "transfer-encoding", "expect"};

// A field name of RFC 9110.
bool IsHeaderName(std::string_view name) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           kMarks.find(c) != std::string_view::npos;
  });
}

int Digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// nullopt: a '%' without two digits after it, or a character that no header may have.
std::optional<std::string> DecodeValue(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = Digit(text[i + 1]);
      const int low = Digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (c < ' ' || c == 0x7F) return std::nullopt;
    out += c;
  }
  return out;
}

absl::Status AboutOption(const std::string& what, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": ", status.message()));
}

}  // namespace

absl::StatusOr<HttpHeaders> ParseOtlpHeaders(std::string_view text) {
  HttpHeaders out;
  for (const absl::string_view part :
       absl::StrSplit(absl::string_view(text.data(), text.size()), absl::ByAnyChar(",\n\r"))) {
    const absl::string_view pair = absl::StripAsciiWhitespace(part);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    if (equals == absl::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("header ", out.size() + 1, ": found no '=', expected NAME=VALUE"));
    }
    std::string name(absl::StripAsciiWhitespace(pair.substr(0, equals)));
    if (!IsHeaderName(name)) {
      return absl::InvalidArgumentError(absl::StrCat("header ", out.size() + 1, ": found the name ",
                                                     Quoted(name), ", expected a token"));
    }
    for (const std::string_view own : kOwnHeaders) {
      if (!absl::EqualsIgnoreCase(name, absl::string_view(own.data(), own.size()))) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("header ", Quoted(name), ": every request has its own, expected others"));
    }
    const absl::string_view encoded = absl::StripAsciiWhitespace(pair.substr(equals + 1));
    std::optional<std::string> value = DecodeValue({encoded.data(), encoded.size()});
    if (!value.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("header ", Quoted(name),
                       ": found a value that is not percent-encoded text, expected it to be"));
    }
    if (out.size() == kMaxHeaders) {
      return absl::InvalidArgumentError(
          absl::StrCat("found more than ", kMaxHeaders, " headers, expected no more"));
    }
    out.emplace_back(std::move(name), *std::move(value));
  }
  return out;
}

std::string OtlpCollector::Stamps() const {
  std::string out;
  for (const std::string* path :
       {&settings_.header_file, &settings_.authorities, &settings_.certificate, &settings_.key}) {
    if (!path->empty()) absl::StrAppend(&out, FileStampOf(*path), "\n");
  }
  return out;
}

absl::StatusOr<HttpPostTarget> OtlpCollector::Read() const {
  HttpPostTarget target;
  target.address = settings_.url.address;
  target.path = settings_.url.path.empty() ? kDefaultPath : settings_.url.path;
  std::string text = settings_.header_text;
  if (!settings_.header_file.empty()) {
    absl::StatusOr<std::string> read = ReadSmallFile(settings_.header_file);
    if (!read.ok()) return AboutOption("--otlp-headers", read.status());
    text = *std::move(read);
  }
  absl::StatusOr<HttpHeaders> headers = ParseOtlpHeaders(text);
  if (!headers.ok()) {
    return AboutOption(settings_.header_file.empty()
                           ? "OTEL_EXPORTER_OTLP_HEADERS"
                           : "--otlp-headers: " + Quoted(settings_.header_file),
                       headers.status());
  }
  target.headers = *std::move(headers);
  if (!settings_.url.tls) return target;
  TlsClientFiles files;
  for (const auto& [flag, path, to] :
       {std::tuple("--otlp-ca", &settings_.authorities, &files.authorities),
        std::tuple("--otlp-cert", &settings_.certificate, &files.certificate),
        std::tuple("--otlp-key", &settings_.key, &files.key)}) {
    if (path->empty()) continue;
    absl::StatusOr<std::string> read = ReadSmallFile(*path);
    if (!read.ok()) return AboutOption(flag, read.status());
    *to = *std::move(read);
  }
  auto tls = TlsClient::Make(files);
  if (!tls.ok()) return AboutOption("--otlp", tls.status());
  target.tls = *std::move(tls);
  return target;
}

absl::StatusOr<std::shared_ptr<OtlpCollector>> OtlpCollector::Open(OtlpCollectorSettings settings) {
  std::shared_ptr<OtlpCollector> out(new OtlpCollector(std::move(settings)));
  out->stamps_ = out->Stamps();
  absl::StatusOr<HttpPostTarget> target = out->Read();
  if (!target.ok()) return target.status();
  out->target_ = *std::move(target);
  return out;
}

void OtlpCollector::Refresh() {
  std::string now = Stamps();
  if (now == stamps_) return;
  stamps_ = std::move(now);
  absl::StatusOr<HttpPostTarget> target = Read();
  if (target.ok()) {
    target_ = *std::move(target);
    Log(LogLevel::kInfo, "files of the collector of spans read again");
  } else {
    Log(LogLevel::kError,
        "files of the collector of spans not read again, the old ones stay in use",
        {{"error", std::string(target.status().message())}});
  }
}

HttpPostResult OtlpCollector::Post(const std::string& body, std::chrono::milliseconds timeout) {
  Refresh();
  return HttpPost(target_, "application/json", body, timeout);
}

}  // namespace dragoman

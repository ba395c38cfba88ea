// The collector of spans as the settings name it: its address, headers with secrets, certificates.
//
// For one thread at a time. Files are read at Open, and again before a post that finds them changed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/base/address.h"
#include "server/net/http_post.h"
#include "server/trace/otlp_exporter.h"

namespace dragoman {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Headers as in OTEL_EXPORTER_OTLP_HEADERS: NAME=VALUE with commas between, or in lines; values are
// percent-encoded, white space around names and values is none of them. INVALID_ARGUMENT names the
// header that is wrong, and never a value, for it may be a secret.
absl::StatusOr<HttpHeaders> ParseOtlpHeaders(std::string_view text);

struct OtlpCollectorSettings {
  HttpUrl url;              // without a path: /v1/traces
  std::string header_text;  // of the environment, as above; used where header_file is ""
  std::string header_file;  // "": none. As all files below
  std::string authorities;  // PEM, as the two below; "": the machine's
  std::string certificate;
  std::string key;
};

class OtlpCollector {
 public:
  // INVALID_ARGUMENT names the file, or the environment's headers, and what is wrong.
  static absl::StatusOr<std::shared_ptr<OtlpCollector>> Open(OtlpCollectorSettings settings);

  // Posts `body` once. Files that have changed are read first; where that fails those that were read
  // before stay in use, and the log says so once.
  HttpPostResult Post(const std::string& body, std::chrono::milliseconds timeout);

 private:
  explicit OtlpCollector(OtlpCollectorSettings settings) : settings_(std::move(settings)) {}

  std::string Stamps() const;
  absl::StatusOr<HttpPostTarget> Read() const;
  void Refresh();

  const OtlpCollectorSettings settings_;

  std::string stamps_;  // of what was read, or tried, last
  HttpPostTarget target_;
};

}  // namespace dragoman

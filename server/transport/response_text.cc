#include "server/transport/response_text.h"

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace dragoman::server {
namespace {

bool FitsLine(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

void AddHeader(std::string_view name, std::string_view value, std::string* text) {
  if (name.empty() || !FitsLine(name) || !FitsLine(value)) return;
  text->append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool HasBody(int status) { return status != 204 && status != 304 && status / 100 != 1; }

std::string ResponseText(const HttpResponse& response, const ResponseFrame& frame) {
  const auto reason =
      boost::beast::http::obsolete_reason(static_cast<boost::beast::http::status>(response.status));
  std::string text = absl::StrCat("HTTP/1.1 ", response.status, " ",
                                  std::string(reason.data(), reason.size()), "\r\n");
  const bool has_body = HasBody(response.status);
  if (has_body && !response.content_type.empty()) {
    AddHeader("Content-Type", response.content_type, &text);
  }
  for (const auto& [name, value] : response.headers) AddHeader(name, value, &text);
  // Keeps browsers from guessing the type and running an answer as a script.
  AddHeader("X-Content-Type-Options", "nosniff", &text);
  AddHeader("Date", frame.date, &text);
  if (has_body && frame.framing == BodyFraming::kLength) {
    AddHeader("Content-Length", absl::StrCat(response.text().size()), &text);
  }
  if (has_body && frame.framing == BodyFraming::kChunked) {
    AddHeader("Transfer-Encoding", "chunked", &text);
  }
  if (!frame.keep_alive) {
    AddHeader("Connection", "close", &text);
  } else if (!frame.http11) {
    AddHeader("Connection", "keep-alive", &text);
  }
  text += "\r\n";
  if (has_body && !frame.head_only && frame.framing == BodyFraming::kLength) text += response.body;
  return text;
}

std::string ChunkText(std::string_view piece) {
  std::string text = absl::StrFormat("%x\r\n", piece.size());
  text.append(piece).append("\r\n");
  return text;
}

std::string HttpDate() {
  // strftime is not used, because its day names depend on the locale.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm at{};
  gmtime_r(&now, &at);
  return absl::StrFormat("%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[at.tm_wday], at.tm_mday,
                         kMonths[at.tm_mon], at.tm_year + 1900, at.tm_hour, at.tm_min, at.tm_sec);
}

}  // namespace dragoman::server

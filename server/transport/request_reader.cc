#include "server/transport/request_reader.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// The maximum number of bytes of empty lines before a request. Some clients send empty lines after
// a body.
constexpr size_t kEmptyBytes = 4;
// The maximum number of bytes of a chunk's size line with its extensions. Also that of the
// trailers. Both are buffered until they are complete.
constexpr size_t kChunkHeadBytes = 8 * 1024;
// The maximum number of bytes of a body with its framing, for each byte of the largest allowed
// body. A chunk of one byte takes six bytes. More overhead would only waste the server's time.
constexpr size_t kWirePerBodyByte = 8;

}  // namespace

// Stores the parsed parts in the request. The callbacks report an error only if a limit is
// exceeded. The reader makes the other checks once the head is complete.
class RequestReader::Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(RequestReader* reader) : reader_(reader) {
    header_limit(static_cast<uint32_t>(reader->limits_.header_bytes + 4));
    body_limit(reader->limits_.body_bytes);
  }

 private:
  using Code = beast::error_code;
  using Text = beast::string_view;

  void on_request_impl(http::verb /*verb*/, Text method, Text target, int version,
                       Code& /*error*/) override {
    reader_->request_.method.assign(method.data(), method.size());
    reader_->http11_ = version == 11;
    target_.assign(target.data(), target.size());
  }
  void on_response_impl(int /*status*/, Text /*reason*/, int /*version*/,
                        Code& /*error*/) override {}
  void on_field_impl(http::field /*field*/, Text name, Text value, Code& error) override {
    auto& headers = reader_->request_.headers;
    if (reader_->head_done_) {  // a trailer
      trailer_bytes_ += name.size() + value.size() + 4;
      CheckFraming(trailer_bytes_, error);
      return;
    }
    if (headers.size() >= static_cast<size_t>(reader_->limits_.headers)) {
      error = http::error::header_limit;
      return;
    }
    std::string lower(name.data(), name.size());
    absl::AsciiStrToLower(&lower);
    headers.emplace_back(std::move(lower), std::string(value.data(), value.size()));
  }
  void on_header_impl(Code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<uint64_t>& /*length*/, Code& /*error*/) override {}
  size_t on_body_impl(Text bytes, Code& /*error*/) override {
    std::string& body = reader_->request_.body;
    const size_t needed = body.size() + bytes.size();
    // Doubles the capacity instead of reserving the announced length, which may be false. Never
    // reserves more than the announced length or, if there is none, the largest allowed body.
    if (needed > body.capacity()) {
      const auto left = content_length_remaining();
      const size_t most = left.has_value() ? body.size() + *left : reader_->limits_.body_bytes;
      // Copies into a new string, because reserve() on the old one would at least double its
      // capacity.
      std::string larger;
      larger.reserve(std::max(needed, std::min(most, 2 * body.capacity())));
      larger.append(body);
      body.swap(larger);
    }
    body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(uint64_t /*size*/, Text extensions, Code& error) override {
    CheckFraming(extensions.size(), error);
  }
  size_t on_chunk_body_impl(uint64_t /*remain*/, Text bytes, Code& error) override {
    return on_body_impl(bytes, error);
  }
  void on_finish_impl(Code& /*error*/) override {}

  void CheckFraming(size_t bytes, Code& error) {
    if (bytes <= kChunkHeadBytes) return;
    reader_->RefuseFraming();
    error = http::error::header_limit;
  }

  RequestReader* const reader_;
  size_t trailer_bytes_ = 0;

 public:
  std::string target_;
};

namespace {

Refusal RefusalOf(const beast::error_code& error, const ReadLimits& limits) {
  if (error == http::error::header_limit) {
    return {431, absl::StrCat("found more headers than allowed, expected at most ", limits.headers,
                              " of ", limits.header_bytes, " bytes in all")};
  }
  if (error == http::error::body_limit) {
    return {413, absl::StrCat("found a larger body than allowed, expected at most ",
                              limits.body_bytes, " bytes")};
  }
  if (error == http::error::bad_version) {
    return {505, "found another version of HTTP, expected HTTP/1.1 or HTTP/1.0"};
  }
  return {400, absl::StrCat("found a request that is not HTTP/1.1: ", error.message())};
}

}  // namespace

RequestReader::RequestReader(const ReadLimits& limits)
    : limits_(limits), parser_(std::make_unique<Parser>(this)) {}

RequestReader::~RequestReader() = default;

void RequestReader::Refuse(int status, std::string why) {
  refusal_ = Refusal{status, std::move(why)};
}

void RequestReader::RefuseFraming() {
  Refuse(400, absl::StrCat("found more than ", kChunkHeadBytes,
                           " bytes of a chunk's extensions, or of trailers"));
}

size_t RequestReader::Take(std::string_view bytes) {
  size_t taken = 0;
  if (!head_done_) taken = TakeHead(bytes);
  if (head_done_ && !is_complete_ && !refusal_.has_value()) taken += TakeBody(bytes.substr(taken));
  return taken;
}

size_t RequestReader::TakeHead(std::string_view bytes) {
  size_t empty = 0;
  while (!started_ && bytes.substr(empty).starts_with("\r\n")) {
    empty += 2;
    empty_bytes_ += 2;
    if (empty_bytes_ <= kEmptyBytes) continue;
    Refuse(400, "found empty lines, expected a request");
    return empty;
  }
  bytes.remove_prefix(empty);
  if (bytes.empty() || bytes == "\r") return empty;
  started_ = true;
  const size_t taken = ParseHead(bytes);
  if (refusal_.has_value()) {
    const RequestLine line = ReadRequestLine(bytes);
    request_.method = line.method;
    if (line.target.empty() ||
        SplitTarget(line.target, &request_.path, &request_.query).has_value()) {
      request_.path.clear();
    }
  }
  return empty + taken;
}

size_t RequestReader::ParseHead(std::string_view bytes) {
  const HeadScan scan = ScanHead(bytes, scanned_);
  scanned_ = scan.scanned;
  head_bytes_ = scanned_;
  if (scan.malformed) {
    Refuse(400,
           "found a control character, or a line that does not end with CR LF, in the headers");
    return 0;
  }
  if (scan.end == 0 ? bytes.size() > limits_.header_bytes : scan.end > limits_.header_bytes) {
    refusal_ = RefusalOf(http::error::header_limit, limits_);
    return 0;
  }
  if (scan.end == 0) return 0;
  const std::string_view head = bytes.substr(0, scan.end);
  if ((refusal_ = CheckHeadLines(head)).has_value()) return 0;
  beast::error_code error;
  const size_t taken = parser_->put({head.data(), head.size()}, error);
  if (error || taken != head.size()) {
    refusal_ = RefusalOf(error, limits_);
    return 0;
  }
  Framing framing;
  refusal_ = CheckFraming(request_, http11_, limits_.body_bytes, &framing);
  if (!refusal_.has_value()) {
    refusal_ = SplitTarget(parser_->target_, &request_.path, &request_.query);
  }
  if (refusal_.has_value()) return 0;
  head_bytes_ = 2 * head.size();  // the bytes in the buffer, and their copy in strings
  head_done_ = true;
  expects_continue_ = framing.expects_continue && !parser_->is_done();
  keep_alive_ = parser_->keep_alive();
  upgrade_ = http11_ && request_.method == "GET" && parser_->upgrade() &&
             absl::EqualsIgnoreCase(std::string(request_.Header("upgrade")), "websocket");
  is_complete_ = parser_->is_done();
  return taken;
}

size_t RequestReader::TakeBody(std::string_view bytes) {
  size_t taken = 0;
  while (taken < bytes.size()) {
    beast::error_code error;
    const std::string_view rest = bytes.substr(taken);
    const size_t n = parser_->put({rest.data(), rest.size()}, error);
    taken += n;
    wire_bytes_ += n;
    if (error == http::error::need_more) {
      if (rest.size() - n > kChunkHeadBytes) {
        RefuseFraming();
      }
      break;
    }
    if (error) {
      if (!refusal_.has_value()) refusal_ = RefusalOf(error, limits_);
      break;
    }
    is_complete_ = parser_->is_done();
    if (is_complete_) break;
    if (wire_bytes_ / kWirePerBodyByte > limits_.body_bytes) {
      Refuse(413, "found a body in too many chunks");
      break;
    }
  }
  return taken;
}

}  // namespace dragoman::server

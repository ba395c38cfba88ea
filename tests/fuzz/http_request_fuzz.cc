// Input: a byte that is the size of the portions in which the data arrives, and the bytes of a
// connection. The size of the portions must not change the result, an accepted request keeps the
// promises of request_reader.h and request_rules.h, and memory stays within the limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/transport/request_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using dragoman::server::HttpRequest;
using dragoman::server::ReadLimits;
using dragoman::server::RequestReader;

constexpr ReadLimits kLimits{.header_bytes = 2048, .headers = 16, .body_bytes = 512};

// Gives `bytes` to the reader in portions of `step` bytes. Returns how many bytes the reader took.
size_t Read(RequestReader* reader, std::string_view bytes, size_t step) {
  std::string come;
  size_t taken = 0;
  for (size_t at = 0; at < bytes.size() && !reader->is_complete() && !reader->refusal().has_value();
       at += step) {
    come += bytes.substr(at, step);
    const size_t n = reader->Take(come);
    dragoman::FuzzCheck(n <= come.size());
    taken += n;
    come.erase(0, n);
    // The bytes that the reader has not taken yet are bounded by the limit on headers or on the
    // line of a chunk.
    dragoman::FuzzCheck(reader->is_complete() || reader->refusal().has_value() ||
                        come.size() <= std::max<size_t>(kLimits.header_bytes, 8 * 1024));
    dragoman::FuzzCheck(reader->held() <= 4 * kLimits.header_bytes + 2 * kLimits.body_bytes);
  }
  return taken;
}

void CheckAccepted(const HttpRequest& request) {
  dragoman::FuzzCheck(request.path.starts_with('/'));
  dragoman::FuzzCheck(request.body.size() <= kLimits.body_bytes);
  dragoman::FuzzCheck(request.headers.size() <= static_cast<size_t>(kLimits.headers));
  dragoman::FuzzCheck(std::ranges::none_of(
      request.path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  size_t lengths = 0;
  size_t codings = 0;
  for (const auto& [name, value] : request.headers) {
    dragoman::FuzzCheck(!name.empty() && name.find_first_of(" \t\r\n:") == std::string::npos);
    dragoman::FuzzCheck(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; }));
    dragoman::FuzzCheck(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    lengths += name == "content-length" ? 1 : 0;
    codings += name == "transfer-encoding" ? 1 : 0;
  }
  dragoman::FuzzCheck(lengths + codings <= 1);
  if (lengths == 1) {
    dragoman::FuzzCheck(
        std::to_string(request.body.size()) ==
        std::string(request.Header("content-length"))
            .erase(0, std::min(request.Header("content-length").find_first_not_of('0'),
                               request.Header("content-length").size() - 1)));
  }
  if (lengths + codings == 0) dragoman::FuzzCheck(request.body.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  RequestReader at_once(kLimits);
  const size_t taken = Read(&at_once, bytes, std::max<size_t>(bytes.size(), 1));
  RequestReader in_parts(kLimits);
  const size_t taken_in_parts = Read(&in_parts, bytes, 1 + data[0] % 64);
  dragoman::FuzzCheck(at_once.is_complete() == in_parts.is_complete());
  if (at_once.is_complete()) {
    dragoman::FuzzCheck(taken == taken_in_parts);
    dragoman::FuzzCheck(at_once.request().body == in_parts.request().body);
    dragoman::FuzzCheck(at_once.request().headers == in_parts.request().headers);
    CheckAccepted(at_once.request());
  }
  return 0;
}

// Tests parsing requests from bytes: what is accepted, and the refusal of everything that two
// readers could parse as different requests.
#include "server/transport/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace dragoman::server {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr size_t kBody = 1000;

ReadLimits Limits() { return {.header_bytes = 4096, .headers = 20, .body_bytes = kBody}; }

// Feeds `bytes` to a reader in steps of `step` bytes. `left` gets the bytes that the reader did not
// take.
std::unique_ptr<RequestReader> Read(std::string bytes, size_t step, std::string* left = nullptr) {
  auto reader = std::make_unique<RequestReader>(Limits());
  std::string come;
  while (!bytes.empty() && !reader->is_complete() && !reader->refusal().has_value()) {
    come += bytes.substr(0, step);
    bytes.erase(0, step);
    come.erase(0, reader->Take(come));
  }
  if (left != nullptr) *left = come + bytes;
  return reader;
}

// Returns the status with which the bytes are refused, or 0 if they are not. Checks that feeding
// them at once and byte by byte gives the same.
int RefusedWith(const std::string& bytes) {
  const auto at_once = Read(bytes, bytes.size());
  const auto bytewise = Read(bytes, 1);
  const int first = at_once->refusal().has_value() ? at_once->refusal()->status : 0;
  const int second = bytewise->refusal().has_value() ? bytewise->refusal()->status : 0;
  EXPECT_EQ(first, second) << bytes;
  EXPECT_EQ(at_once->is_complete(), bytewise->is_complete()) << bytes;
  return first;
}

std::string Get(const std::string& headers) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}

TEST(RequestReader, OfARefusedRequestThePathIsKnownIfItHasCome) {
  const std::string long_line(5000, 'a');
  for (const auto& [text, status, path] : std::vector<std::tuple<std::string, int, std::string>>{
           {"POST /a%20b?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 413, "/a b"},
           {"POST /a HTTP/1.1\r\nHost: a\r\nX: " + long_line, 431, "/a"},
           {"GET /a?q=" + long_line, 431, "/a"},
           {"GET http://b/c?q=" + long_line, 431, "/c"},
           {"GET /" + long_line, 431, ""},
           {"POST /a HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "/a"},
           {"POST /a HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400, "/a"},
           {"POST /a HTTP/2.0\r\nHost: a\r\n\r\n", 505, "/a"},
           {"POST /a%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""},
           {"POST /a\x01z HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""},
           {"nonsense\r\n\r\n", 400, ""}}) {
    const auto reader = Read(text, text.size());
    ASSERT_TRUE(reader->refusal().has_value()) << text;
    EXPECT_EQ(reader->refusal()->status, status) << text;
    EXPECT_EQ(reader->request().path, path) << text;
    EXPECT_EQ(reader->request().method,
              text.starts_with("nonsense") ? "" : text.substr(0, text.find(' ')));
  }
}

TEST(RequestReader, ReadsRequestsHoweverTheyArePortioned) {
  const std::string text =
      "POST /a%20b/%C3%A9?x=%20&y HTTP/1.1\r\nHost: a\r\nX-Two: 1\r\nx-two:  2 \r\n"
      "Content-Length: 5\r\n\r\nhelloGET";
  for (size_t step = 1; step <= text.size(); ++step) {
    std::string left;
    const auto reader = Read(text, step, &left);
    ASSERT_TRUE(reader->is_complete()) << step;
    EXPECT_EQ(reader->request().method, "POST");
    EXPECT_EQ(reader->request().path, "/a b/\xC3\xA9");
    EXPECT_EQ(reader->request().query, "x=%20&y");
    EXPECT_EQ(reader->request().body, "hello");
    EXPECT_THAT(reader->request().headers,
                ElementsAre(Pair("host", "a"), Pair("x-two", "1"), Pair("x-two", "2"),
                            Pair("content-length", "5")));
    EXPECT_TRUE(reader->keep_alive());
    EXPECT_EQ(left, "GET");
  }
}

TEST(RequestReader, ReadsChunksAndDropsExtensionsAndTrailers) {
  const std::string text =
      "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;a=b;c=\"d\"\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\nrest";
  for (const size_t step : {1, 2, 7, 1000}) {
    std::string left;
    const auto reader = Read(text, step, &left);
    ASSERT_TRUE(reader->is_complete()) << step;
    EXPECT_EQ(reader->request().body, "hello!");
    EXPECT_EQ(reader->request().Header("trailer"), "");
    EXPECT_EQ(left, "rest");
  }
}

// The clients of LibreTranslate and DeepL send bodies with GET requests.
TEST(RequestReader, ABodyOfGetIsRead) {
  const auto reader = Read("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", 3);
  ASSERT_TRUE(reader->is_complete());
  EXPECT_EQ(reader->request().body, "{}");
}

TEST(RequestReader, SkipsTheEmptyLineThatOldClientsSendAfterABody) {
  EXPECT_TRUE(Read("\r\n" + Get(""), 1)->is_complete());
  EXPECT_EQ(RefusedWith("\r\n\r\n\r\n" + Get("")), 400);
}

TEST(RequestReader, KnowsWhetherTheConnectionStays) {
  EXPECT_TRUE(Read(Get(""), 99)->keep_alive());
  EXPECT_FALSE(Read(Get("Connection: close\r\n"), 99)->keep_alive());
  EXPECT_FALSE(Read("GET / HTTP/1.0\r\n\r\n", 99)->keep_alive());
  EXPECT_TRUE(Read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 99)->keep_alive());
}

TEST(RequestReader, KnowsWhoWaitsForContinue) {
  const auto reader = Read(Get("Expect: 100-continue\r\nContent-Length: 3\r\n"), 999);
  EXPECT_TRUE(reader->head_done());
  EXPECT_TRUE(reader->expects_continue());
  EXPECT_FALSE(Read(Get("Expect: 100-continue\r\n"), 999)->expects_continue());
  EXPECT_EQ(RefusedWith(Get("Expect: a miracle\r\n")), 417);
}

TEST(RequestReader, RefusesTwoWaysToSayWhereABodyEnds) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  const std::string length = "Content-Length: 0\r\n";
  EXPECT_EQ(RefusedWith(Get(chunked + length)), 400);
  EXPECT_EQ(RefusedWith(Get(length + chunked)), 400);
  EXPECT_EQ(RefusedWith(Get(length + length)), 400);
  EXPECT_EQ(RefusedWith(Get("Content-Length: 1\r\nContent-Length: 2\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("Content-Length: 5, 5\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get(chunked + chunked)), 400);
  EXPECT_EQ(RefusedWith(Get("Transfer-Encoding: chunked, chunked\r\n")), 501);
}

TEST(RequestReader, RefusesLengthsThatAreNotDigitsAlone) {
  for (const char* length : {"", "+5", "-1", "0x10", "1e3", "5;", "5.0", "99999999999999999999999",
                             "18446744073709551617", "\xEF\xBC\x95",
                             "\xA0"
                             "5"}) {
    EXPECT_EQ(RefusedWith(Get("Content-Length: " + std::string(length) + "\r\n")), 400) << length;
  }
}

// Beast treats a body with an unknown coding as no body, so that the body would be parsed as the
// next request.
TEST(RequestReader, RefusesCodingsThatItDoesNotKnow) {
  for (const char* coding : {"gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked",
                             "chunked;q=1", "\"chunked\"", ""}) {
    EXPECT_EQ(RefusedWith(Get("Transfer-Encoding: " + std::string(coding) + "\r\n")), 501)
        << coding;
  }
  EXPECT_EQ(RefusedWith("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(RequestReader, RefusesHeadersThatReadersTakeInDifferentWays) {
  EXPECT_EQ(RefusedWith(Get("A: b\r\n c\r\n")), 400);  // continues on the next line
  // The first header begins with a space.
  EXPECT_EQ(RefusedWith(Get(" A: b\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("Content-Length : 5\r\n")), 400);  // a space before the colon
  EXPECT_EQ(RefusedWith(Get("Content-Length\t: 5\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("A b: c\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get(": c\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("no colon\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("A: b\n")), 400);  // LF alone
  EXPECT_EQ(RefusedWith("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(RefusedWith(Get("A: b\rC: d\r\n")), 400);  // CR alone
  EXPECT_EQ(RefusedWith(Get(std::string("A: b\0c\r\n", 8))), 400);
  EXPECT_EQ(RefusedWith(Get("A: b\x01\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("A: b\x7f\r\n")), 400);
  EXPECT_EQ(RefusedWith(Get("Host: b\r\n")), 400);        // two Host headers
  EXPECT_EQ(RefusedWith("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host header
}

TEST(RequestReader, RefusesOtherProtocolsAndOddTargets) {
  EXPECT_EQ(RefusedWith("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(RefusedWith("GET / HTTP/1.2\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(RefusedWith("GET /\r\n\r\n"), 400);
  EXPECT_EQ(RefusedWith("\x16\x03\x01\x02"), 400);  // TLS on a plaintext port
  EXPECT_EQ(RefusedWith("GET / x HTTP/1.1\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(RefusedWith("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + Get("")), 400);
  // An unknown upgrade is ignored (RFC 9110, 7.8).
  const auto h2c = Read(Get("Upgrade: h2c\r\nConnection: Upgrade\r\n"), 999);
  EXPECT_TRUE(h2c->is_complete());
  EXPECT_FALSE(h2c->is_upgrade());
  for (const char* target :
       {"*", "a", "host:80", "/%", "/%4", "/%zz", "/%00", "/%0a", "ftp://a/"}) {
    EXPECT_EQ(RefusedWith("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n"), 400)
        << target;
  }
  EXPECT_EQ(Read("GET http://a?b HTTP/1.1\r\nHost: a\r\n\r\n", 99)->request().path, "/");
  EXPECT_EQ(Read("GET //a///b/?c//d HTTP/1.1\r\nHost: a\r\n\r\n", 99)->request().path, "/a/b/");
  EXPECT_EQ(Read("GET HTTPS://a:1/b?c HTTP/1.1\r\nHost: a\r\n\r\n", 99)->request().path, "/b");
}

TEST(RequestReader, RefusesCompressedBodies) {
  EXPECT_EQ(RefusedWith(Get("Content-Encoding: gzip\r\nContent-Length: 3\r\n")), 415);
  EXPECT_EQ(RefusedWith(Get("Content-Encoding: identity\r\n")), 0);
}

TEST(RequestReader, BoundsHeadersAndBodies) {
  EXPECT_EQ(RefusedWith(Get("A: " + std::string(5000, 'a') + "\r\n")), 431);
  std::string many;
  for (int i = 0; i < 30; ++i) many += "A: b\r\n";
  EXPECT_EQ(RefusedWith(Get(many)), 431);
  EXPECT_EQ(RefusedWith("GET /" + std::string(5000, 'a')), 431);
  EXPECT_EQ(RefusedWith(Get("Content-Length: 1001\r\n")), 413);
  const std::string chunked = Get("Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(RefusedWith(chunked + "3e9\r\n"), 413);
  EXPECT_EQ(RefusedWith(chunked + "ffffffffffffffff\r\n"), 413);
  EXPECT_EQ(RefusedWith(chunked + "fffffffffffffffff\r\n"), 400);
  std::string pieces = chunked;
  for (int i = 0; i < 11; ++i) pieces += "64\r\n" + std::string(100, 'a') + "\r\n";
  EXPECT_EQ(RefusedWith(pieces + "0\r\n\r\n"), 413);
}

// A client must not keep a reader busy with framing alone.
TEST(RequestReader, BoundsTheFramingOfChunks) {
  const std::string chunked = Get("Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(Read(chunked + "1;" + std::string(20'000, 'a'), 100)->refusal().value().status, 400);
  EXPECT_EQ(Read(chunked + "0\r\nA: " + std::string(20'000, 'a'), 100)->refusal().value().status,
            400);
  // The same limits hold if all bytes come in one packet.
  const std::string long_text(9000, 'a');
  EXPECT_EQ(RefusedWith(chunked + "1;" + long_text + "\r\nx\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(RefusedWith(chunked + "1\r\nx\r\n0\r\nA: " + long_text + "\r\n\r\n"), 400);
  EXPECT_EQ(RefusedWith(chunked + "1\r\nx\r\n0\r\nA: " + long_text.substr(4500) +
                        "\r\nB: " + long_text.substr(4500) + "\r\n\r\n"),
            400);
  std::string padded = chunked;
  for (size_t i = 0; i < kBody; ++i) padded += "1;pad=" + std::string(20, 'a') + "\r\nx\r\n";
  EXPECT_EQ(RefusedWith(padded + "0\r\n\r\n"), 413);
  std::string ones = chunked;
  for (size_t i = 0; i < kBody; ++i) ones += "1\r\nx\r\n";
  const auto reader = Read(ones + "0\r\n\r\n", 100);
  ASSERT_TRUE(reader->is_complete());
  EXPECT_EQ(reader->request().body.size(), kBody);
}

TEST(RequestReader, RefusesChunksThatAreNotFramedExactly) {
  const std::string chunked = Get("Transfer-Encoding: chunked\r\n");
  for (const char* body :
       {"5\nhello\n0\n\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "\r\n", "-1\r\n", "0x5\r\n\r\n",
        " 5\r\nhello\r\n", "5 \r\nhello\r\n", "g\r\n", "5\r\nhello0\r\n\r\n",
        "+5\r\nhello\r\n0\r\n\r\n", "5;a\nb\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nContent-Length: 0\r\n\r\n"}) {
    EXPECT_EQ(RefusedWith(chunked + body), 400) << body;
  }
}

// An announced length must not reserve memory.
TEST(RequestReader, TakesMemoryForWhatHasComeAndNotForWhatIsAnnounced) {
  RequestReader reader({.header_bytes = 4096, .headers = 20, .body_bytes = 100'000'000});
  const std::string text = Get("Content-Length: 100000000\r\n") + std::string(1000, 'a');
  EXPECT_EQ(reader.Take(text), text.size());
  EXPECT_LT(reader.held(), 4096U);
}

TEST(RequestReader, ABodyTakesNoMoreMemoryThanItIsAnnounced) {
  constexpr size_t kBytes = 100'000;
  RequestReader reader({.header_bytes = 4096, .headers = 20, .body_bytes = 1 << 20});
  reader.Take(Get("Content-Length: " + std::to_string(kBytes) + "\r\n"));
  for (size_t sent = 0; sent < kBytes; sent += 10'000) {
    ASSERT_EQ(reader.Take(std::string(10'000, 'a')), 10'000U);
    EXPECT_LE(reader.request().body.capacity(), kBytes) << sent;
  }
  EXPECT_TRUE(reader.is_complete());
}

TEST(RequestReader, ABodyInChunksTakesNoMoreMemoryThanABodyMayHave) {
  constexpr size_t kBytes = 100'000;
  RequestReader reader({.header_bytes = 4096, .headers = 20, .body_bytes = kBytes});
  reader.Take(Get("Transfer-Encoding: chunked\r\n"));
  std::string left;
  for (size_t sent = 0; sent < kBytes; sent += 10'000) {
    left += "2710\r\n" + std::string(10'000, 'a') + "\r\n";
    left.erase(0, reader.Take(left));
    EXPECT_LE(reader.request().body.capacity(), kBytes) << sent;
  }
  EXPECT_EQ(reader.request().body.size(), kBytes);
}

TEST(RequestReader, AWebSocketIsOneOfThisServersPagesOrOfNoPage) {
  HttpRequest request;
  request.headers = {{"host", "translate.example:8080"}};
  EXPECT_TRUE(IsSameOrigin(request));
  request.headers.emplace_back("origin", "http://translate.example:8080");
  EXPECT_TRUE(IsSameOrigin(request));
  for (const char* origin : {"http://evil.example", "http://translate.example", "null",
                             "http://translate.example:8080.evil.example"}) {
    request.headers.back().second = origin;
    EXPECT_FALSE(IsSameOrigin(request)) << origin;
  }
}

}  // namespace
}  // namespace dragoman::server

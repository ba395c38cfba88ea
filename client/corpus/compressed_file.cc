#include "client/corpus/compressed_file.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace dragoman::client {
namespace {

constexpr size_t kBlockBytes = 64 << 10;

class PlainFile : public Decompressor {
 public:
  explicit PlainFile(int fd) : Decompressor(fd) {}

 private:
  absl::Status Decode(std::string_view* raw, std::string* out, bool* has_more) override {
    out->append(*raw);
    *raw = {};
    *has_more = false;
    return absl::OkStatus();
  }
  absl::Status End() override { return absl::OkStatus(); }
};

class GzipFile : public Decompressor {
 public:
  explicit GzipFile(int fd) : Decompressor(fd) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    inflateInit2(&stream_, kGzipOnly);
  }
  ~GzipFile() override { inflateEnd(&stream_); }

 private:
  absl::Status Decode(std::string_view* raw, std::string* out, bool* has_more) override {
    if (!inside_) inflateReset(&stream_);
    inside_ = true;
    std::array<char, kBlockBytes> block;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw->data()));
    stream_.avail_in = static_cast<uInt>(raw->size());
    stream_.next_out = reinterpret_cast<Bytef*>(block.data());
    stream_.avail_out = static_cast<uInt>(block.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      return absl::DataLossError(
          absl::StrCat("damaged gzip data: ", stream_.msg == nullptr ? "no data" : stream_.msg));
    }
    raw->remove_prefix(raw->size() - stream_.avail_in);
    out->append(block.data(), block.size() - stream_.avail_out);
    *has_more = stream_.avail_out == 0;
    if (result == Z_STREAM_END) inside_ = *has_more = false;
    is_complete_ = !inside_;
    return absl::OkStatus();
  }
  absl::Status End() override {
    if (is_complete_) return absl::OkStatus();
    return absl::DataLossError("the gzip data is cut off");
  }

  z_stream stream_{};
  bool inside_ = false;       // inside a member
  bool is_complete_ = false;  // after a member
};

class ZstdFile : public Decompressor {
 public:
  explicit ZstdFile(int fd) : Decompressor(fd), stream_(ZSTD_createDStream()) {
    // Files of `zstd --long=31` too.
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, 31);
  }
  ~ZstdFile() override { ZSTD_freeDStream(stream_); }

 private:
  absl::Status Decode(std::string_view* raw, std::string* out, bool* has_more) override {
    std::array<char, kBlockBytes> block;
    ZSTD_inBuffer in{raw->data(), raw->size(), 0};
    ZSTD_outBuffer decoded{block.data(), block.size(), 0};
    const size_t left = ZSTD_decompressStream(stream_, &decoded, &in);
    if (ZSTD_isError(left) != 0) {
      return absl::DataLossError(absl::StrCat("damaged Zstandard data: ", ZSTD_getErrorName(left)));
    }
    raw->remove_prefix(in.pos);
    out->append(block.data(), decoded.pos);
    *has_more = decoded.pos == decoded.size;
    is_complete_ = left == 0;
    return absl::OkStatus();
  }
  absl::Status End() override {
    if (is_complete_) return absl::OkStatus();
    return absl::DataLossError("the Zstandard data is cut off");
  }

  ZSTD_DStream* const stream_;
  bool is_complete_ = false;  // after a frame
};

}  // namespace

Compression CompressionOf(std::string_view name) {
  if (name.ends_with(".gz")) return Compression::kGzip;
  return name.ends_with(".zst") ? Compression::kZstd : Compression::kNone;
}

struct Sha256::State {
  EVP_MD_CTX* const context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::string Sha256::Hex() const {
  const State copy;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_MD_CTX_copy_ex(copy.context, state_->context);
  EVP_DigestFinal_ex(copy.context, digest.data(), &size);
  return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(digest.data()), size));
}

absl::StatusOr<std::string> Sha256Of(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot open " + path);
  PlainFile file(fd);
  absl::Status status;
  std::string block;
  while (status.ok() && !file.ended()) {
    block.clear();
    status = file.Read(&block);
  }
  close(fd);
  if (!status.ok()) return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
  return file.raw_sha256();
}

std::unique_ptr<Decompressor> Decompressor::Create(int fd, Compression compression) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip:
      return std::make_unique<GzipFile>(fd);
    case Compression::kZstd:
      return std::make_unique<ZstdFile>(fd);
  }
  return std::make_unique<PlainFile>(fd);
}

absl::Status Decompressor::Read(std::string* out) {
  if (ended_) return absl::OkStatus();
  if (!has_buffered()) {
    raw_.resize(kBlockBytes);
    at_ = 0;
    ssize_t got = 0;
    do {
      got = read(fd_, raw_.data(), raw_.size());
    } while (got < 0 && errno == EINTR);
    raw_.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
    if (got < 0 && errno == EAGAIN) return absl::OkStatus();
    if (got <= 0) ended_ = true;
    if (got < 0) return absl::ErrnoToStatus(errno, "cannot read");
    if (got == 0) return End();
    raw_bytes_ += got;
    digest_.Add(raw_);
  }
  std::string_view left = std::string_view(raw_).substr(at_);
  absl::Status status = Decode(&left, out, &has_more_);
  at_ = raw_.size() - left.size();
  if (!status.ok()) ended_ = true;
  return status;
}

std::string Compress(std::string_view content, Compression compression) {
  std::string out;
  if (compression == Compression::kNone) {
    out = content;
  } else if (compression == Compression::kZstd) {
    constexpr int kLevel = 3;
    out.resize(ZSTD_compressBound(content.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), content.data(), content.size(), kLevel));
  } else {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kMemoryLevel = 8;  // zlib's default
    z_stream stream{};
    deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                 Z_DEFAULT_STRATEGY);
    out.resize(deflateBound(&stream, content.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
  }
  return out;
}

}  // namespace dragoman::client

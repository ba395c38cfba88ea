#include "engine/model/formats/zip_directory.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/base/concat.h"

namespace dragoman::engine {
namespace {

constexpr uint16_t kDeflate = 8;
constexpr uint64_t kAlwaysBytes = uint64_t{1} << 20;
// The maximum number of bytes for one call of zlib, whose sizes have 32 bits.
constexpr size_t kMaxInput = size_t{1} << 30;
constexpr size_t kBlock = size_t{256} << 10;

// Receives the decompressed bytes: counts them, updates the checksum, and passes them to the sink.
class Output {
 public:
  Output(const ZipEntry& entry, const ZipSink& sink) : entry_(entry), sink_(sink) {}

  uint64_t size() const { return size_; }
  bool IsWhole() const { return size_ == entry_.size && crc_ == entry_.crc; }
  absl::Status Write(std::span<const uint8_t> bytes) {
    size_ += bytes.size();
    crc_ = static_cast<uint32_t>(crc32_z(crc_, bytes.data(), bytes.size()));
    return sink_(bytes);
  }

 private:
  const ZipEntry& entry_;
  const ZipSink& sink_;
  uint64_t size_ = 0;
  uint32_t crc_ = 0;
};

struct EndInflate {
  void operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
  }
};

class Inflater {
 public:
  Inflater(std::string_view file, const ZipEntry& entry, Output* output)
      : file_(file), entry_(entry), output_(*output) {}

  absl::Status Run() {
    stream_.reset(new z_stream{});
    // A negative window size means that the data has no zlib header.
    if (inflateInit2(stream_.get(), -MAX_WBITS) != Z_OK) {
      return absl::ResourceExhaustedError(Concat(file_, ": no memory to decompress it"));
    }
    block_ = std::make_unique<std::array<uint8_t, kBlock>>();
    std::span<const uint8_t> input = entry_.stored;
    while (true) {
      const size_t given = std::min(input.size(), kMaxInput);
      stream_->next_in = const_cast<uint8_t*>(input.data());
      stream_->avail_in = static_cast<uInt>(given);
      stream_->next_out = block_->data();
      stream_->avail_out = static_cast<uInt>(kBlock);
      const int result = inflate(stream_.get(), Z_NO_FLUSH);
      input = input.subspan(given - stream_->avail_in);
      const std::span<const uint8_t> made(block_->data(), kBlock - stream_->avail_out);
      if (result != Z_OK && result != Z_STREAM_END) return Damaged();
      if (made.size() > entry_.size - output_.size()) return Damaged();
      if (absl::Status status = output_.Write(made); !status.ok()) return status;
      if (result == Z_STREAM_END) return input.empty() ? absl::OkStatus() : Damaged();
    }
  }

 private:
  absl::Status Damaged() const {
    return absl::InvalidArgumentError(Concat(file_, ": its compressed data is damaged behind byte ",
                                             output_.size(), " of ", entry_.size));
  }

  const std::string_view file_;
  const ZipEntry& entry_;
  Output& output_;
  std::unique_ptr<z_stream, EndInflate> stream_;
  std::unique_ptr<std::array<uint8_t, kBlock>> block_;
};

}  // namespace

absl::Status CheckZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                           uint64_t max_expansion) {
  if (entry.is_encrypted) {
    return absl::UnimplementedError(Concat(file, ": is encrypted, which is not supported"));
  }
  if (entry.method != kStored && entry.method != kDeflate) {
    return absl::UnimplementedError(Concat(file, ": is compressed by method ", entry.method,
                                           ", supported: 0, stored, and 8, deflate"));
  }
  if (entry.size > max_bytes) {
    return absl::InvalidArgumentError(
        Concat(file, ": ", entry.size, " bytes, expected at most ", max_bytes));
  }
  if (entry.size > kAlwaysBytes && entry.size / max_expansion > entry.stored.size()) {
    return absl::InvalidArgumentError(Concat(file, ": ", entry.size, " bytes compressed to ",
                                             entry.stored.size(), ", expected a ", max_expansion,
                                             "th or more"));
  }
  return absl::OkStatus();
}

absl::Status ReadZipEntry(std::string_view file, const ZipEntry& entry, uint64_t max_bytes,
                          const ZipSink& sink, uint64_t max_expansion) {
  absl::Status status = CheckZipEntry(file, entry, max_bytes, max_expansion);
  if (!status.ok()) return status;
  Output output(entry, sink);
  if (entry.method == kStored) {
    for (std::span<const uint8_t> rest = entry.stored; !rest.empty() && status.ok();) {
      const size_t now = std::min(rest.size(), kBlock);
      status = output.Write(rest.first(now));
      rest = rest.subspan(now);
    }
  } else {
    status = Inflater(file, entry, &output).Run();
  }
  if (!status.ok() || output.IsWhole()) return status;
  return absl::InvalidArgumentError(
      Concat(file, ": ", output.size() == entry.size ? "its checksum is wrong" : "it is cut short",
             ": the archive is damaged"));
}

}  // namespace dragoman::engine

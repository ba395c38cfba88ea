#include "server/settings/transport_settings.h"

#include "absl/strings/str_cat.h"

namespace dragoman::server {
namespace {

// Memory settings are in MiB.
constexpr int64_t kUnitBytes = int64_t{1} << 20;

// Bytes for all terms, do_not_translate and phrases of a request.
constexpr int64_t kPhraseBytes = kUnitBytes;
// Bytes for the names, labels and options of a request.
constexpr int64_t kRestBytes = int64_t{64} << 10;
// Bytes for the protobuf tag and length of an element.
constexpr int64_t kElementBytes = 6;

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

int64_t NeededMessageBytes(int max_items, int64_t max_code_points) {
  // A code point has up to 4 bytes. The factor 2 is for contents and target prefixes.
  return 2 * (4 * max_code_points + kElementBytes * max_items) + kPhraseBytes + kRestBytes;
}

int64_t MessageBytes(const TransportSettings& settings) {
  return RoundUp(NeededMessageBytes(settings.max_items, settings.max_code_points), kUnitBytes);
}

absl::Status CheckTransportSettings(const TransportSettings& settings) {
  const int64_t message = MessageBytes(settings);
  if (settings.receive_memory_mb > 0 && settings.receive_memory_mb * kUnitBytes < 2 * message) {
    return absl::InvalidArgumentError(
        absl::StrCat("--receive-memory-mb: found ", settings.receive_memory_mb,
                     ", expected at least ", 2 * message / kUnitBytes,
                     ", twice the largest request that --max-code-points and --max-items allow"));
  }
  return absl::OkStatus();
}

}  // namespace dragoman::server

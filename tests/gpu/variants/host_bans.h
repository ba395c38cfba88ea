// Claim e3: n-gram bans that are computed on the host, as fairseq does and FastSeq measures. The
// tokens of the hypotheses are copied to the host. The host waits for them, finds the bans and
// copies the bans back before the search may continue. Only measured, never served. The published
// program is Python over lists. This is the same rule in compiled code, so the remaining cost is
// that of the two copies.
//
// Bytes of a step with `rows` rows of `length` tokens: 4 rows length to the host, and 4 (rows + 1 +
// bans) back; then 16 rows are written on the device. The host waits once, so a step cannot be a
// graph. Production (PrepareRows) reads 4 length bytes of tokens and `length` bytes of ancestry for
// each row, and nothing leaves the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

// Finds the ids that row r must not have next: ids[offsets[r] .. offsets[r + 1]), ascending and
// without repeats. Returns their number over all rows. tokens [rows, stride], of which the first
// length[r] are the tokens of row r; no_repeat_ngram = n as in SEARCH.md e. offsets [rows + 1];
// ids: room for the sum of all lengths.
int64_t BanRepeatedNgrams(const int32_t* tokens, int64_t stride, std::span<const int32_t> length,
                          int32_t n, int32_t* offsets, int32_t* ids);

namespace cuda {

// Sets requests[r].masked[1] to the list of row r as above. All memory is on the device; the
// requests borrow `ids`. The old masked[1] is lost, so rows that mask other ids there are not
// supported.
Error PlaceBans(Stream stream, const int32_t* offsets, const int32_t* ids, int64_t rows,
                LogitRequest* requests);

// Computes bans on the host, with the copies there and back. Not thread-safe.
class HostBans {
 public:
  // Allocates tables for steps of up to `rows` rows of `stride` tokens.
  Error Create(int64_t rows, int64_t stride);

  // Sets the bans in the requests of rows 0 .. length.size() - 1. tokens [rows, stride] are in
  // device memory, as after a reorder. Waits for the stream once. The requests' lists are valid
  // until the next Run.
  Error Run(Stream stream, const int32_t* tokens, std::span<const int32_t> length, int32_t n,
            LogitRequest* requests);

 private:
  int64_t stride_ = 0;
  Event here_;                // the copied tokens have arrived on the host
  PinnedBuffer tokens_;       // on the host: [rows, stride]
  PinnedBuffer lists_;        // on the host: offsets [rows + 1], ids
  DeviceBuffer lists_there_;  // the same on the device
};

}  // namespace cuda
}  // namespace dragoman::kernels

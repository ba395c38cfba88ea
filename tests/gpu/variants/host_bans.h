// Claim e3: n-gram bans made on the host, as fairseq does and FastSeq measures: the hypotheses'
// tokens are copied to the host, which waits for them, finds the bans there, and copies them back
// before the search may go on. Only measured, never served. (The published one is Python over
// lists; this is the text of the rule itself, compiled: what is left is the way there and back.)
//
// Bytes of a step with `rows` rows of `length` tokens: 4 rows length to the host, and back
// 4 (rows + 1 + bans); then 16 rows written on the device. And one wait of the host, so that a step
// is no graph. Production (PrepareRows) reads 4 length of tokens and `length` of ancestry a row,
// and nothing leaves the device.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/stream.h"
#include "kernels/search/row.h"

namespace dragoman::kernels {

// The ids that row r may not have next lie in ids[offsets[r] .. offsets[r + 1]), ascending and
// without repeats; returns how many there are in all. tokens [rows, stride], of which the first
// length[r] are the real tokens of row r; no_repeat_ngram = n as in SEARCH.md e.
// offsets [rows + 1]; ids: room for the sum of all lengths.
int64_t BanRepeatedNgrams(const int32_t* tokens, int64_t stride, std::span<const int32_t> length,
                          int32_t n, int32_t* offsets, int32_t* ids);

namespace cuda {

// requests[r].masked[1] becomes the list of row r as above. Device memory; `ids` is borrowed by the
// requests. Of masked[1] nothing is kept: rows that mask other ids by themselves are not for this.
Error PlaceBans(Stream stream, const int32_t* offsets, const int32_t* ids, int64_t rows,
                LogitRequest* requests);

// The way there and back. Not thread-safe.
class HostBans {
 public:
  // Makes the tables for steps of up to `rows` rows of `stride` tokens.
  Error Create(int64_t rows, int64_t stride);

  // Bans in the requests of rows 0 .. length.size() - 1; tokens [rows, stride] in device memory, as
  // after a reorder. Waits for the stream once. The requests' lists hold until the next Run.
  Error Run(Stream stream, const int32_t* tokens, std::span<const int32_t> length, int32_t n,
            LogitRequest* requests);

 private:
  int64_t stride_ = 0;
  Event here_;                // the tokens are
  PinnedBuffer tokens_;       // of the host: [rows, stride]
  PinnedBuffer lists_;        // of the host: offsets [rows + 1], ids
  DeviceBuffer lists_there_;  // the same
};

}  // namespace cuda
}  // namespace dragoman::kernels

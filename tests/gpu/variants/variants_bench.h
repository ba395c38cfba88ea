// The parts of variants_bench. Each part replaces one thing of the production by the papers' way
// and times both on cuda:0 in one run, on the same rows: beam 4, position 30, source of 30 tokens,
// shapes of OPUS-MT's "base" (6 layers, d 512, 8 heads, V 58,101), float16.
//
// Calls use different memory in turn, until the memory that both ways read exceeds L2. A line of a
// part has `rows`, production_seconds, variant_seconds and ratio (production / variant: below 1 the
// production is faster). If a part moves memory, the line has production_bytes and variant_bytes,
// counted for a step.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"

namespace dragoman::bench {

inline constexpr int kBeam = 4;
inline constexpr int kPosition = 30;  // of the new token, so 30 positions are before it
inline constexpr int kSource = 30;
inline constexpr int kLayers = 6;
inline constexpr int kHeads = 8;
inline constexpr int kHeadDim = 64;
inline constexpr int kVocabulary = 58101;

// Full batches of 64, 256 and 1,024 sentences.
inline constexpr int64_t kStepRows[] = {256, 1024, 4096};

// b1, b2: logits in memory, with one pass and with five kinds of sweeps.
absl::StatusOr<nlohmann::json> SweepVariant();

// e1: reorders by ancestry and by copies of K/V. The ancestry's cost in the beam step (one byte for
// each position) is in neither time.
absl::StatusOr<nlohmann::json> ReorderVariant();

// e2: one copy of source K/V for each sentence, and one for each hypothesis. Also with reorders
// that copy the source K/V, as in programs that reorder all of the decoder's state.
absl::StatusOr<nlohmann::json> CrossVariant();

// e3: n-gram bans on the device and on the host. Both times include the rest of PrepareRows.
absl::StatusOr<nlohmann::json> BanVariant();

// Returns a line of a part, and prints it.
nlohmann::json VariantLine(int64_t rows, double production_seconds, double variant_seconds);

}  // namespace dragoman::bench

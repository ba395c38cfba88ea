// The parts of variants_bench. Each switches one thing from the production's way to that of the
// papers and times both on cuda:0 in one run, on the same rows: beam 4, position 30, source of 30
// tokens, shapes of OPUS-MT's "base" (6 layers, d 512, 8 heads, V 58,101), float16.
//
// Memory rotates between calls until what both ways read is beyond L2. A line of a part has `rows`,
// production_seconds, variant_seconds, ratio (production / variant: below 1 the production is
// faster), and where it moves memory production_bytes and variant_bytes, counted for a step.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"

namespace dragoman::bench {

inline constexpr int kBeam = 4;
inline constexpr int kPosition = 30;  // of the new token: so many lie before it
inline constexpr int kSource = 30;
inline constexpr int kLayers = 6;
inline constexpr int kHeads = 8;
inline constexpr int kHeadDim = 64;
inline constexpr int kVocabulary = 58101;

// Full batches of 64, 256 and 1,024 sentences.
inline constexpr int64_t kStepRows[] = {256, 1024, 4096};

// b1, b2: the logits lie in memory; one pass, against five kinds of sweeps.
absl::StatusOr<nlohmann::json> SweepVariant();

// e1: ancestry, against K/V copied on reorder. What the ancestry costs in the beam step (a byte for
// each position) is not in the times of either way.
absl::StatusOr<nlohmann::json> ReorderVariant();

// e2: source K/V once for a sentence, against once for a hypothesis; and the same when a reorder
// copies them too, as where all of the decoder's state is reordered.
absl::StatusOr<nlohmann::json> CrossVariant();

// e3: n-gram bans where the rows are asked, against on the host. Both with the rest of PrepareRows.
absl::StatusOr<nlohmann::json> BanVariant();

// A line of a part; prints it too.
nlohmann::json VariantLine(int64_t rows, double production_seconds, double variant_seconds);

}  // namespace dragoman::bench

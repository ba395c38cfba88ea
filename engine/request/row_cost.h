// The cost of a search's row where steps and batches are filled, in rows of plain beam search, so
// that no mix of requests makes steps much longer than as many plain rows would.
#pragma once

#include <cstdint>

#include "kernels/search/options.h"

namespace dragoman {

// Measured by `search_bench row-costs` (tests/bench/details/row_costs.md, "What a row costs") on
// the bundled model, whose rows are the cheapest there are: beside larger models' rows everything
// here is nearer to 1. Options that cost up to one and a half rows count as one; options that are
// not named cost no more, even at their extremes: beams of 64, 128 required tokens, 4,096 nodes of
// forbidden phrases, n-gram bans, partials, alignment.
inline int32_t RowCost(const SearchOptions& o) {
  const bool penalty = o.repetition_penalty != 1.0F || o.encoder_repetition_penalty != 1.0F;
  // A weight for every token of the vocabulary; its limits and the penalty are sweeps of their own.
  if (o.sampling.enabled) return penalty ? 3 : 2;
  // The normaliser is made again.
  if (penalty && (o.penalise_logits || o.renormalize)) return 2;
  return 1;
}

}  // namespace dragoman

// Scripts for ScriptedModel: seeded random logits with competing hypotheses and EOS at all lengths.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/engine/support/scripted_model.h"

namespace dragoman::testing {

inline uint64_t Mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// Token 0 is EOS, the last token is start and pad. The source's first token seeds the sentence. Its
// second token, or 0, is about the length at which EOS becomes likely.
inline Script RandomScript(int vocabulary) {
  return [vocabulary](std::span<const int32_t> source, std::span<const int32_t> prefix) {
    uint64_t state = Mix(static_cast<uint64_t>(source[0]));
    for (const int32_t token : prefix) state = Mix(state ^ static_cast<uint64_t>(token + 1));
    std::vector<float> logits(static_cast<size_t>(vocabulary));
    for (size_t i = 0; i < logits.size(); ++i) {
      const uint64_t bits = Mix(state ^ (i << 32));
      logits[i] = static_cast<float>(static_cast<double>(bits >> 11) * 0x1.0p-53 * 4.0);
    }
    const int32_t wanted = source.size() > 1 ? source[1] : 0;
    logits[0] += 0.7F * (static_cast<float>(prefix.size()) - static_cast<float>(wanted));
    return logits;
  };
}

}  // namespace dragoman::testing

// Philox 4x32-10 (Salmon et al. 2011, Random123): a counter-based generator, so that a draw depends
// on its place only and on no state.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman {

struct PhiloxCounter {
  uint32_t word[4];
};

DRAGOMAN_HD inline PhiloxCounter Philox(PhiloxCounter c, uint64_t key) {
  auto key0 = static_cast<uint32_t>(key);
  auto key1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53U} * c.word[0];
    const uint64_t b = uint64_t{0xCD9E8D57U} * c.word[2];
    c = {{static_cast<uint32_t>(b >> 32) ^ c.word[1] ^ key0, static_cast<uint32_t>(b),
          static_cast<uint32_t>(a >> 32) ^ c.word[3] ^ key1, static_cast<uint32_t>(a)}};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return c;
}

// In [0, 1), 24 bits.
DRAGOMAN_HD inline float UnitFloat(uint32_t bits) {
  return static_cast<float>(bits >> 8) * 0x1.0p-24F;
}

}  // namespace dragoman

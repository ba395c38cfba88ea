// No-repeat n-grams (SEARCH.md e; FastSeq): which tokens would make an n-gram come twice.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace dragoman {

// Calls `ban(token)` for every token that followed the history's last n - 1 tokens before; a token
// may come twice. `at(i)` is the i-th of the `length` tokens. n <= 0: off; n == 1 bans every token
// used so far.
template <class At, class Ban>
DRAGOMAN_HD void ForRepeatedNgrams(int32_t n, int32_t length, At at, Ban ban) {
  if (n <= 0 || length < n) return;
  const int32_t last = length - (n - 1);  // where the last n - 1 tokens begin
  for (int32_t i = 0; i < last; ++i) {
    bool same = true;
    for (int32_t j = 0; same && j < n - 1; ++j) same = at(i + j) == at(last + j);
    if (same) ban(at(i + n - 1));
  }
}

}  // namespace dragoman

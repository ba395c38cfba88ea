// The connections of a port, for metrics.
#pragma once

#include <cstdint>

namespace dragoman::server {

struct ConnectionStats {
  int64_t open = 0;      // connections now
  int64_t capacity = 0;  // connections that may be open at once
  int64_t accepted = 0;  // since the start
  int64_t refused = 0;   // closed because of the limit on all connections or on those of one peer
};

}  // namespace dragoman::server

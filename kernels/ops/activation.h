// Activations of the feed-forward layers.
#pragma once

namespace dragoman {

enum class Activation {
  kNone,
  kRelu,
  kGelu,   // exact: x * (1 + erf(x / sqrt 2)) / 2
  kSwish,  // x * sigmoid(x)
};

}  // namespace dragoman

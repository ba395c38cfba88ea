// How an ensemble combines the predictions of its members (kernels/ops/output_mean.h).
#pragma once

#include <cstdint>

namespace dragoman::kernels {

inline constexpr int kMaxEnsembleMembers = 8;

enum class MeanKind : uint8_t { kProbability, kLogProbability };

}  // namespace dragoman::kernels

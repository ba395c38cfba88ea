#include <sys/auxv.h>

#include <array>

#include "kernels/cpu/isa.h"

namespace dragoman::kernels::cpu {
namespace {

// Bits of AT_HWCAP and AT_HWCAP2, from asm/hwcap.h of Linux on arm64.
constexpr unsigned long kDotProducts = 1UL << 20;  // HWCAP_ASIMDDP
constexpr unsigned long kI8mm = 1UL << 13;         // HWCAP2_I8MM
constexpr unsigned long kBFloat16 = 1UL << 14;     // HWCAP2_BF16

}  // namespace

std::span<const IsaEntry> IsaEntries() {
  static const std::array<IsaEntry, 3> entries = [] {
    const bool dotprod = (getauxval(AT_HWCAP) & kDotProducts) != 0;
    constexpr unsigned long kBoth = kI8mm | kBFloat16;
    const bool i8mm = dotprod && (getauxval(AT_HWCAP2) & kBoth) == kBoth;
    return std::array<IsaEntry, 3>{{
        {Isa::kNeon, "neon", &kNeonKernels, &kNeonQuantized, true},
        {Isa::kDotprod, "dotprod", &kNeonKernels, &kDotprodQuantized, dotprod},
        {Isa::kI8mm, "i8mm", &kNeonKernels, &kI8mmQuantized, i8mm},
    }};
  }();
  return entries;
}

}  // namespace dragoman::kernels::cpu

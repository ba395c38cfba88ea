#include "engine/decode/backend.h"

#include <algorithm>

namespace dragoman {
namespace {

// Pages for each of max_rows, when no memory size is given: four of self K/V are 128 positions a
// row, and so a beam of 64 up to a limit of 512 positions at 256 rows; one of cross K/V is a
// source of 32 tokens for every slot.
constexpr int kSelfPagesPerRow = 4;
constexpr int kCrossPagesPerRow = 1;

}  // namespace

PagePlan PlanPagesOf(const PageRequest& request, int64_t page_bytes) {
  const int32_t least_cross = 2 * request.longest_source;
  PagePlan plan;
  if (request.bytes == 0) {
    plan.self_pages = request.max_rows * kSelfPagesPerRow;
    plan.cross_pages = std::max(request.max_rows * kCrossPagesPerRow, least_cross);
    return plan;
  }
  const int64_t pages = request.bytes / page_bytes;
  plan.cross_pages = static_cast<int32_t>(
      std::max<int64_t>(pages / (kSelfPagesPerRow + kCrossPagesPerRow), least_cross));
  plan.self_pages = static_cast<int32_t>(std::clamp<int64_t>(pages - plan.cross_pages, 0, 1 << 24));
  return plan;
}

}  // namespace dragoman

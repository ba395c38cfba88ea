#include "engine/decode/backend.h"

#include <algorithm>

namespace dragoman::engine {
namespace {

// The numbers of pages that are planned for each row if no memory size is set. A page has 32
// positions. So a row gets room for 128 positions of its hypothesis and for 32 source tokens.
constexpr int kSelfPagesPerRow = 4;
constexpr int kCrossPagesPerRow = 1;

}  // namespace

PagePlan PlanPagesOf(const PageRequest& request, int64_t page_bytes) {
  const int32_t least_cross = 2 * request.longest_source;
  PagePlan plan;
  int64_t bytes = request.bytes;
  if (bytes == 0) {
    // Plans pages for one segment with the longest output and the widest beam, and in addition for
    // the usual rows. If there were room only for the segment, the page rule
    // (kernels/search/plan.h) would pause all other segments until this segment has ended.
    plan.self_pages = static_cast<int32_t>(
        request.widest_segment +
        std::max<int64_t>(int64_t{request.max_rows} * kSelfPagesPerRow, request.default_segment));
    plan.cross_pages = std::max(request.max_rows * kCrossPagesPerRow, least_cross);
    const int64_t usual = (int64_t{plan.self_pages} + plan.cross_pages) * page_bytes;
    if (request.most_bytes == 0 || usual <= request.most_bytes) return plan;
    bytes = request.most_bytes;
  }
  const int64_t pages = bytes / page_bytes;
  plan.cross_pages = static_cast<int32_t>(
      std::max<int64_t>(pages / (kSelfPagesPerRow + kCrossPagesPerRow), least_cross));
  plan.self_pages = static_cast<int32_t>(std::clamp<int64_t>(pages - plan.cross_pages, 0, 1 << 24));
  return plan;
}

}  // namespace dragoman::engine

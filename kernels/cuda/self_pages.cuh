// Finds the pages of the self-attention KV cache that a decoding step needs
// (kernels/base/kv_pages.h): for each row, the page of every position of the row's hypothesis. Also
// finds adjacent rows of the same lane.
#pragma once

#include <cstdint>

#include "kernels/base/kv_pages.h"

namespace dragoman::kernels::cuda {

// Finds a row's pages through the tables of SelfKvTables. That takes three loads, one after the
// other, in every layer.
class PagesByAncestry {
 public:
  __device__ PagesByAncestry(const StepRows& rows, const SelfKvTables& tables, int row)
      : tables_(tables),
        lanes_(tables.slot_lanes + int64_t{rows.slot[row]} * kMaxSlotLanes),
        own_(lanes_[rows.lane[row]]),
        ancestry_(tables.ancestry + own_ * tables.max_positions) {}

  // Own: the page of the row's new position.
  __device__ int64_t Own(int position) const { return Page(own_, position); }
  // Before: the page of position p < position of the row, whose new position is `position`. For
  // other p it is any page that exists.
  __device__ int Before(int p, int position) const {
    return p < position ? Page(lanes_[ancestry_[p]], p) : 0;
  }
  // InFirstTile: like Before, for p < kPagePositions.
  __device__ int InFirstTile(int p, int position) const { return Before(p, position); }

 private:
  __device__ int Page(int64_t lane, int p) const {
    return tables_.lane_pages[lane * tables_.pages_per_lane + p / kPagePositions];
  }

  const SelfKvTables& tables_;
  const int32_t* const lanes_;
  const int64_t own_;
  const uint8_t* const ancestry_;
};

// Reads pages from the step's table StepRows::pages. That takes one load, which does not depend on
// the load of the row's position.
class PagesOfStep {
 public:
  __device__ PagesOfStep(const StepRows& rows, const SelfKvTables&, int row)
      : rows_(rows), row_(row) {}

  __device__ int64_t Own(int position) const { return Pages()[position]; }
  __device__ int Before(int p, int position) const { return p < position ? Pages()[p] : 0; }
  // The table has an entry for every p < kPagePositions, so its load need not wait for the
  // position.
  __device__ int InFirstTile(int p, int position) const {
    const int page = Pages()[p];
    return p < position ? page : 0;
  }

 private:
  __device__ const int32_t* Pages() const { return rows_.pages + row_ * rows_.page_stride; }

  const StepRows& rows_;
  const int row_;
};

// Reports whether `row` and the row before it belong to the same lane of the same slot. All loads
// are independent of each other.
__device__ inline bool FollowsInLane(const StepRows& rows, int row) {
  const int before = max(row - 1, 0);
  const int other = (rows.slot[row] ^ rows.slot[before]) | (rows.lane[row] ^ rows.lane[before]);
  return row > 0 && other == 0;
}

}  // namespace dragoman::kernels::cuda

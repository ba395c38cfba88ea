// Page tables of self-attention in a device's memory, for tests of decoding operations: the tables
// of a search with random reorders, and those of one lane that gets several positions at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kernels/base/kv_pages.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/step_rows.h"

namespace dragoman::kernels {

struct SearchSlot {
  int beam = 1;
  int admitted = 0;  // the step in which it starts
};

// Slots that begin at different steps and change their width at every step. Lanes are scattered
// over the batch and pages over the pool.
class RandomBeams {
 public:
  static constexpr int kMaxPositions = 70;
  static constexpr int kPagesPerLane = 3;

  explicit RandomBeams(std::vector<SearchSlot> slots) : slots_(std::move(slots)), random_(5) {
    int lanes = 0;
    for (const SearchSlot& s : slots_) lanes += s.beam;
    const std::vector<int32_t> numbers = Shuffled(lanes);
    slot_lanes_.assign(slots_.size() * kMaxSlotLanes, 1 << 30);
    int next = 0;
    for (size_t s = 0; s < slots_.size(); ++s) {
      for (int b = 0; b < slots_[s].beam; ++b) {
        slot_lanes_[s * kMaxSlotLanes + size_t(b)] = numbers[size_t(next++)];
      }
    }
    lane_pages_ = Shuffled(lanes * kPagesPerLane);
    ancestry_.assign(size_t(lanes) * kMaxPositions, 255);
    live_.assign(slots_.size(), 1);
  }

  // Plans the rows of the next step.
  void Plan() {
    rows_.clear();
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int position = step_ - slots_[s].admitted;
      if (position < 0) continue;
      for (int lane = 0; lane < live_[s]; ++lane) rows_.push_back({int32_t(s), lane, position});
    }
  }

  // Gives every slot that ran a random width and random parents for the next step.
  void Reorder() {
    for (size_t s = 0; s < slots_.size(); ++s) {
      const int position = step_ - slots_[s].admitted;
      if (position < 0) continue;
      std::vector<std::vector<uint8_t>> parents;
      for (int lane = 0; lane < live_[s]; ++lane) {
        const uint8_t* row = Ancestry(int(s), lane);
        parents.emplace_back(row, row + position);
        parents.back().push_back(uint8_t(lane));
      }
      live_[s] = 1 + int(random_() % unsigned(slots_[s].beam));
      for (int lane = 0; lane < live_[s]; ++lane) {
        const auto& parent = parents[random_() % parents.size()];
        std::copy(parent.begin(), parent.end(), Ancestry(int(s), lane));
      }
    }
    ++step_;
  }

  const std::vector<StepRow>& rows() const { return rows_; }
  int step() const { return step_; }
  int64_t pages() const { return static_cast<int64_t>(lane_pages_.size()); }

  // Returns the lane of the row's slot that wrote position p of its hypothesis, or will write it.
  int Writer(const StepRow& row, int p) const {
    return p == row.position ? row.lane : Ancestry(row.slot, row.lane)[p];
  }

  // Returns StepRows::pages of some rows. Positions beyond the row's have no page.
  std::vector<int32_t> PagesOf(size_t first, size_t count, size_t bucket) const {
    constexpr size_t kStride = size_t{kPagesPerLane} * kPagePositions;
    std::vector<int32_t> pages(bucket * kStride, 1 << 30);
    for (size_t r = 0; r < count; ++r) {
      const StepRow& row = rows_[first + r];
      for (int p = 0; p <= row.position; ++p) {
        const int32_t number =
            slot_lanes_[size_t(row.slot) * kMaxSlotLanes + size_t(Writer(row, p))];
        pages[r * kStride + size_t(p)] =
            lane_pages_[size_t(number) * kPagesPerLane + size_t(p) / kPagePositions];
      }
    }
    return pages;
  }

  // Some rows of the step and the current tables, in a device's memory.
  class OnDevice {
   public:
    OnDevice(const OpDevice& device, const RandomBeams& beams, size_t first, size_t count,
             size_t bucket)
        : rows_(device,
                {beams.rows_.begin() + std::ptrdiff_t(first),
                 beams.rows_.begin() + std::ptrdiff_t(first + count)},
                bucket),
          lane_pages_(device, beams.lane_pages_),
          slot_lanes_(device, beams.slot_lanes_),
          ancestry_(device, beams.ancestry_),
          pages_(device, beams.PagesOf(first, count, bucket)) {}

    SelfKvTables Tables(void* pool) const {
      return {.pool = pool,
              .lane_pages = lane_pages_.data(),
              .pages_per_lane = kPagesPerLane,
              .slot_lanes = slot_lanes_.data(),
              .ancestry = ancestry_.data(),
              .max_positions = kMaxPositions};
    }
    DecodeRows Cpu() const { return rows_.Cpu(); }
    // Returns the rows with or without the step's page table.
    cuda::StepRows Step(bool by_table) const {
      cuda::StepRows step = rows_.Step();
      if (by_table) {
        step.pages = pages_.data();
        step.page_stride = kPagesPerLane * kPagePositions;
      }
      return step;
    }

   private:
    const RowsOnDevice rows_;
    const OpArray<int32_t> lane_pages_;
    const OpArray<int32_t> slot_lanes_;
    const OpArray<uint8_t> ancestry_;
    const OpArray<int32_t> pages_;
  };

 private:
  std::vector<int32_t> Shuffled(int count) {
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), random_);
    return numbers;
  }
  const uint8_t* Ancestry(int slot, int lane) const {
    const int32_t number = slot_lanes_[size_t(slot) * kMaxSlotLanes + size_t(lane)];
    return ancestry_.data() + size_t(number) * kMaxPositions;
  }
  uint8_t* Ancestry(int slot, int lane) {
    return const_cast<uint8_t*>(std::as_const(*this).Ancestry(slot, lane));
  }

  const std::vector<SearchSlot> slots_;
  std::mt19937 random_;
  int step_ = 0;
  std::vector<int> live_;
  std::vector<StepRow> rows_;
  std::vector<int32_t> slot_lanes_;
  std::vector<int32_t> lane_pages_;
  std::vector<uint8_t> ancestry_;
};

// The second of two lanes of a batch, which is lane 0 of its slot. The two lanes own pages 0 to 3.
class LaneOnDevice {
 public:
  static constexpr int64_t kPages = 4;

  explicit LaneOnDevice(const OpDevice& device)
      : device_(device),
        lane_pages_(device, {0, 3, 2, 1}),
        slot_lanes_(device, Lanes()),
        ancestry_(device, std::vector<uint8_t>(2 * kMaxPositions, 0)),
        pages_(device, Pages()) {}

  SelfKvTables Tables(void* pool) const {
    return {.pool = pool,
            .lane_pages = lane_pages_.data(),
            .pages_per_lane = 2,
            .slot_lanes = slot_lanes_.data(),
            .ancestry = ancestry_.data(),
            .max_positions = kMaxPositions};
  }
  // Returns rows of the lane at `position` and the following positions, in a bucket of `bucket`.
  RowsOnDevice Rows(int position, size_t count, size_t bucket) const {
    std::vector<StepRow> rows;
    for (size_t r = 0; r < count; ++r) rows.push_back({0, 0, position + int(r)});
    return {device_, rows, bucket};
  }
  // Makes `step` use its page table.
  void ByTable(cuda::StepRows* step) const {
    step->pages = pages_.data();
    step->page_stride = kMaxPositions;
  }

 private:
  static constexpr int kMaxPositions = 2 * kPagePositions;

  static std::vector<int32_t> Lanes() {
    std::vector<int32_t> lanes(kMaxSlotLanes, 1 << 30);
    lanes[0] = 1;
    return lanes;
  }
  static std::vector<int32_t> Pages() {
    std::vector<int32_t> pages;
    for (int r = 0; r < kMaxPositions; ++r) {
      for (int p = 0; p < kMaxPositions; ++p) pages.push_back(p < kPagePositions ? 2 : 1);
    }
    return pages;
  }

  const OpDevice device_;
  const OpArray<int32_t> lane_pages_;
  const OpArray<int32_t> slot_lanes_;
  const OpArray<uint8_t> ancestry_;
  const OpArray<int32_t> pages_;
};

}  // namespace dragoman::kernels

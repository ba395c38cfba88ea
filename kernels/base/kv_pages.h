// Pages of K/V memory. A page holds K and V of kPagePositions positions in all decoder layers. A
// self page has positions of one lane, a cross page positions of one segment's source. Both kinds
// have one size and come from one pool. engine/ARCHITECTURE.md, "Terms" defines slot, lane and row.
//
// The structs are plain values that a device can use. Elements have the compute type. A CPU reads
// half as many bytes in bfloat16 as in float32, and a little more than a quarter in int8. In every
// type no bit of a row depends on other rows. Only the operations that write and read pages know
// their layout. On the CPU:
//   self page    [layer][K | V][position][heads * head_dim]
//   cross page   [layer][head][ K: [head_dim][position] | V: [position][head_dim] ]
//   in int8      self [layer][position] of rows, cross [layer] of blocks of int8_kv_row.h
// Cross K is transposed: scores are computed for many positions at once. Self K is not, because the
// positions of a hypothesis come from the pages of different lanes. On a device, where a warp takes
// one head and reads positions as rows, all pages are
//   [layer][head][K | V][position][head_dim]
// Decoders without self-attention have states in their self pages (kernels/ops/recurrence.h).
#pragma once

#include <cstdint>

#include "kernels/base/compute_type.h"
#include "kernels/base/host_device.h"
#include "kernels/base/int8_kv_row.h"

namespace dragoman::kernels {

inline constexpr int kPagePositions = 32;

// The largest number of heads that the attention operations take.
inline constexpr int kMaxAttentionHeads = 64;

// The limit of a slot's lanes: the row length of the table `slot_lanes`. Each byte of the table
// `ancestry` is the number of a lane and so below this limit.
inline constexpr int kMaxSlotLanes = 64;

struct KvLayout {
  int32_t layers = 0;
  int32_t heads = 0;
  int32_t head_dim = 0;
  // The type of elements in the CPU's pages: kFloat32, kBFloat16, or kInt8 if HasInt8Rows().
  ComputeType host_element = ComputeType::kFloat32;
  // 0, or for an ensemble of models: the number of bytes from one CPU page to the next. Each page
  // then has one part for the layout of each model, and `pool` points to this layout's part of page
  // 0.
  int64_t host_page_stride = 0;

  DRAGOMAN_HD int32_t width() const { return heads * head_dim; }
  DRAGOMAN_HD int64_t ElementsPerPage() const {
    return int64_t{2} * layers * kPagePositions * width();
  }
  // HostPageBytes returns the number of bytes from one CPU page to the next. HostPartBytes returns
  // the number of bytes of this layout's part of a page.
  int64_t HostPageBytes() const {
    return host_page_stride > 0 ? host_page_stride : HostPartBytes();
  }
  int64_t HostPartBytes() const {
    return host_element == ComputeType::kInt8 ? int64_t{layers} * kPagePositions * Int8Row().bytes
                                              : ElementsPerPage() * ElementBytes(host_element);
  }
  // Returns the average number of bytes of an element, including its share of the scales.
  double HostElementBytes() const {
    return static_cast<double>(HostPartBytes()) / static_cast<double>(ElementsPerPage());
  }
  DRAGOMAN_HD static int64_t PagesFor(int64_t positions) {
    return (positions + kPagePositions - 1) / kPagePositions;
  }

  // SelfK, SelfV, CrossK and CrossV return offsets in elements from the start of a CPU page that is
  // not in int8. `position` is the position's index within the page.
  DRAGOMAN_HD int64_t SelfK(int layer, int position) const {
    return (int64_t{2} * layer * kPagePositions + position) * width();
  }
  DRAGOMAN_HD int64_t SelfV(int layer, int position) const {
    return ((int64_t{2} * layer + 1) * kPagePositions + position) * width();
  }
  DRAGOMAN_HD int64_t CrossK(int layer, int head) const {
    return (int64_t{layer} * heads + head) * 2 * kPagePositions * head_dim;
  }
  DRAGOMAN_HD int64_t CrossV(int layer, int head) const {
    return CrossK(layer, head) + int64_t{kPagePositions} * head_dim;
  }
  // HasInt8Rows reports whether the heads fit the row format of int8_kv_row.h. Int8Row and
  // Int8Block return the formats of rows and blocks. Int8BlockAt and Int8RowAt return offsets in
  // bytes from the start of a page.
  bool HasInt8Rows() const {
    return head_dim % 16 == 0 && RoundedUp(heads, kInt8HeadLanes) * head_dim <= kMaxInt8RowBytes;
  }
  Int8KvRow Int8Row() const {
    int32_t lanes = 1;
    while (lanes < heads && lanes < kInt8HeadLanes) lanes *= 2;
    const int32_t all = RoundedUp(heads, lanes);
    const int32_t k_bytes = RoundedUp(all * head_dim, 64);
    const int32_t scales_at = k_bytes + RoundedUp(width(), 64);
    return {heads,
            head_dim,
            lanes,
            all / lanes,
            k_bytes,
            scales_at,
            scales_at + RoundedUp(2 * all * static_cast<int32_t>(sizeof(float)), 64)};
  }
  // A block takes at most as many bytes as the rows of the same positions.
  Int8KvBlock Int8Block() const {
    constexpr int32_t kScales = kPagePositions * static_cast<int32_t>(sizeof(float));
    const int32_t numbers = kPagePositions * head_dim;
    return {heads,   head_dim,    2 * numbers + 2 * kScales,
            numbers, 2 * numbers, 2 * numbers + kScales};
  }
  int64_t Int8BlockAt(int layer) const { return Int8RowAt(layer, 0); }
  int64_t Int8RowAt(int layer, int position) const {
    return (int64_t{layer} * kPagePositions + position) * Int8Row().bytes;
  }
  // Returns the offset of a position's K, in elements, from the start of a self page or a cross
  // page on a device. V of a position is DeviceVOffset elements after its K.
  DRAGOMAN_HD int64_t DeviceK(int layer, int head, int position) const {
    return ((int64_t{layer} * heads + head) * 2 * kPagePositions + position) * head_dim;
  }
  DRAGOMAN_HD int64_t DeviceVOffset() const { return int64_t{kPagePositions} * head_dim; }

 private:
  static constexpr int32_t RoundedUp(int32_t n, int32_t step) {
    return (n + step - 1) / step * step;
  }
};

// The rows of a step, one entry per row in each array. The rows of a slot are adjacent.
struct DecodeRows {
  int64_t count = 0;
  const int32_t* slot = nullptr;
  const int32_t* lane = nullptr;      // within the slot, 0 .. kMaxSlotLanes - 1
  const int32_t* position = nullptr;  // the new token's position in its hypothesis, from 0
};

// Reports whether `row` belongs to the same lane as the row before it. If it does, it attends over
// the K/V that the row before it writes.
inline bool FollowsInLane(const DecodeRows& rows, int64_t row) {
  return row > 0 && row < rows.count && rows.slot[row] == rows.slot[row - 1] &&
         rows.lane[row] == rows.lane[row - 1];
}

// Returns the first row from `row` on that begins a lane. Threads divide the rows at such rows
// only, because one thread must process all rows of a lane, in order.
inline int64_t NextLane(const DecodeRows& rows, int64_t row) {
  while (FollowsInLane(rows, row)) ++row;
  return row;
}

// The tables that locate the self-attention K/V of every hypothesis. A lane's number in the whole
// batch is slot_lanes[slot * kMaxSlotLanes + lane]. Its page for position p is lane_pages[number *
// pages_per_lane + p / kPagePositions]. The page's memory is pool + page * ElementsPerPage().
// ancestry[number * max_positions + p] is the lane (within the slot) that wrote position p of the
// hypothesis that is now in that lane.
struct SelfKvTables {
  void* pool = nullptr;
  const int32_t* lane_pages = nullptr;
  int32_t pages_per_lane = 0;
  const int32_t* slot_lanes = nullptr;
  const uint8_t* ancestry = nullptr;
  int32_t max_positions = 0;
};

// The tables that locate the cross-attention K/V of every slot. Page i of a slot (source positions
// 32 i ..) is pages[slot * pages_per_slot + i].
struct CrossKvTables {
  const void* pool = nullptr;
  const int32_t* pages = nullptr;
  int32_t pages_per_slot = 0;
  const int32_t* source_length = nullptr;  // [slots]: the number of source positions, > 0
};

namespace cuda {

// The rows of a step in device memory. A launch is sized for `rows` rows, the size of the step's
// bucket (engine/decode/cuda/row_buckets.h). Only the device knows *count, the number of rows that
// the step really has. Kernels never read the entries from *count on.
struct StepRows {
  int64_t rows = 0;
  const int32_t* count = nullptr;  // [1]
  // The same fields as in DecodeRows. Only the first *count entries are defined.
  const int32_t* slot = nullptr;      // [rows]
  const int32_t* lane = nullptr;      // [rows]
  const int32_t* position = nullptr;  // [rows]
  // The slots that run, in row order, at most `rows`. Slot number slots[i] has the rows
  // first_row[i] .. first_row[i + 1] - 1; the last slot has the rows up to *count - 1.
  const int32_t* slots = nullptr;
  const int32_t* first_row = nullptr;
  const int32_t* slot_count = nullptr;  // [1]
  // The page of every position that a row attends over in self-attention, as a look-up in
  // SelfKvTables gives it. The table is made once for all layers of a step. nullptr: kernels look
  // the pages up in SelfKvTables.
  const int32_t* pages = nullptr;  // [rows, page_stride]
  int64_t page_stride = 0;  // a multiple of kPagePositions, at least the positions of any row
};

}  // namespace cuda
}  // namespace dragoman::kernels

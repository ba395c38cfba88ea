// Cross K/V of several sources, one per slot. WriteCrossKv writes them to scattered pages of a pool
// full of NaN, in a device's memory.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "kernels/ops/cross_attention.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {

class CrossPages {
 public:
  // If `by_layer`, calls WriteCrossKv once for each layer, otherwise once for all layers.
  CrossPages(const OpDevice& device, const KvLayout& layout, std::vector<int32_t> lengths,
             bool by_layer = false)
      : layout_(layout),
        lengths_(std::move(lengths)),
        offsets_(Sums(lengths_, [](int32_t n) { return n; })),
        page_offsets_(Sums(lengths_, [](int32_t n) { return KvLayout::PagesFor(n); })),
        pages_(Shuffled(page_offsets_.back())),
        kv_(Rounded(RandomFloats(size_t(offsets_.back()) * layout.layers * 2 * Width(), 9),
                    device.type)),
        pool_(device, std::vector<float>(pages_.size() * layout.ElementsPerPage(), NAN)),
        slot_pages_(device, SlotPages()),
        lengths_on_device_(device, lengths_) {
    const int count = by_layer ? 1 : layout.layers;
    for (int first = 0; first < layout.layers; first += count) Write(device, first, count);
  }

  // Rows of heads * head_dim.
  std::vector<const float*> K(int slot, int layer) const { return Rows(slot, layer, 0); }
  std::vector<const float*> V(int slot, int layer) const { return Rows(slot, layer, Width()); }
  const OpNumbers& pool() const { return pool_; }
  CrossKvTables Tables() const {
    return {pool_.data(), slot_pages_.data(), kPagesPerSlot, lengths_on_device_.data()};
  }

 private:
  static constexpr int kPagesPerSlot = 8;

  template <class Amount>
  static std::vector<int32_t> Sums(const std::vector<int32_t>& lengths, Amount amount) {
    std::vector<int32_t> sums = {0};
    for (const int32_t n : lengths) sums.push_back(sums.back() + static_cast<int32_t>(amount(n)));
    return sums;
  }
  static std::vector<int32_t> Shuffled(int32_t count) {
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(3));
    return numbers;
  }

  size_t Width() const { return static_cast<size_t>(layout_.width()); }
  std::vector<int32_t> SlotPages() const {
    std::vector<int32_t> table(lengths_.size() * kPagesPerSlot, 1 << 30);
    for (size_t s = 0; s < lengths_.size(); ++s) {
      std::copy(pages_.begin() + page_offsets_[s], pages_.begin() + page_offsets_[s + 1],
                table.begin() + std::ptrdiff_t(s * kPagesPerSlot));
    }
    return table;
  }
  std::vector<const float*> Rows(int slot, int layer, size_t at) const {
    std::vector<const float*> rows;
    for (int t = offsets_[size_t(slot)]; t < offsets_[size_t(slot) + 1]; ++t) {
      rows.push_back(kv_.data() + (size_t(t) * layout_.layers + layer) * 2 * Width() + at);
    }
    return rows;
  }

  void Write(const OpDevice& device, int first_layer, int layer_count) const {
    const size_t row = size_t(layout_.layers) * 2 * Width();
    const size_t part = size_t(layer_count) * 2 * Width();
    std::vector<float> kv;
    for (int t = 0; t < offsets_.back(); ++t) {
      const float* from = kv_.data() + size_t(t) * row + size_t(first_layer) * 2 * Width();
      kv.insert(kv.end(), from, from + part);
    }
    const OpNumbers in(device, kv);
    const OpArray<int32_t> offsets(device, offsets_);
    const OpArray<int32_t> page_offsets(device, page_offsets_);
    const OpArray<int32_t> pages(device, pages_);
    const auto segments = static_cast<int64_t>(lengths_.size());
    if (device.launches()) {
      const auto write = DRAGOMAN_LAUNCHER(device, WriteCrossKv);
      EXPECT_LAUNCHED(write(kTestStream, device.type, layout_, first_layer, layer_count, in.data(),
                            offsets.data(), segments, page_offsets.data(), pages.data(),
                            static_cast<int64_t>(pages_.size()), pool_.data()));
    } else {
      OpContext context(device.threads, 1);
      WriteCrossKv(context, layout_, first_layer, layer_count, static_cast<const float*>(in.data()),
                   offsets.data(), segments, page_offsets.data(), pages.data(), pool_.data());
    }
    // Waits, because the device may still read the pool.
    (void)pool_.Bits();
  }

  const KvLayout layout_;
  const std::vector<int32_t> lengths_;
  const std::vector<int32_t> offsets_;
  const std::vector<int32_t> page_offsets_;
  const std::vector<int32_t> pages_;
  const std::vector<float> kv_;
  const OpNumbers pool_;
  const OpArray<int32_t> slot_pages_;
  const OpArray<int32_t> lengths_on_device_;
};

}  // namespace dragoman::kernels

#include "engine/decode/page_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "engine/decode/kv_memory.h"

namespace dragoman::engine {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
// 153,600 bytes per page, so that the ends of pages and chunks do not coincide.
constexpr kernels::KvLayout kThinLayout{3, 5, 40};

// Returns the number of bytes of the pages first .. first + count - 1 that are resident.
int64_t Resident(const KvMemory& memory, int32_t first, int32_t count) {
  const int64_t system_page = sysconf(_SC_PAGESIZE);
  const int64_t begin = first * kThinLayout.HostPageBytes() / system_page * system_page;
  const int64_t end = (int64_t{first} + count) * kThinLayout.HostPageBytes();
  std::vector<unsigned char> pages(
      static_cast<size_t>((end - begin + system_page - 1) / system_page));
  EXPECT_EQ(mincore(static_cast<char*>(memory.pool()) + begin, static_cast<size_t>(end - begin),
                    pages.data()),
            0);
  return system_page *
         std::count_if(pages.begin(), pages.end(), [](unsigned char c) { return (c & 1) != 0; });
}

// Manages self pages as a batch does, and fills each page that it takes with the page's number.
class Pages {
 public:
  Pages(int32_t self, int32_t cross)
      : memory_(*KvMemory::Create(kThinLayout, self, cross)),
        page_memory_(memory_->SelfPageMemory()) {
    for (int32_t i = self; i-- > 0;) free_.push_back(i);
  }

  int32_t Take() {
    const int32_t page = free_.back();
    free_.pop_back();
    page_memory_.NoteTaken(&page, 1);
    Fill(page);
    return page;
  }
  void GiveBack(std::vector<int32_t> pages) {
    const auto sorted = static_cast<int32_t>(free_.size());
    free_.insert(free_.end(), pages.begin(), pages.end());
    page_memory_.PutInOrder(free_.data(), sorted, static_cast<int32_t>(free_.size()));
    EXPECT_TRUE(std::is_sorted(free_.rbegin(), free_.rend()));
  }
  void Fill(int32_t page) { std::memset(At(page), 1 + page % 250, Bytes()); }
  bool IsWhole(int32_t page) const {
    const auto name = static_cast<unsigned char>(1 + page % 250);
    return std::all_of(At(page), At(page) + Bytes(), [&](unsigned char c) { return c == name; });
  }

  void EndPeriod() { page_memory_.EndPeriod(free_.data(), static_cast<int32_t>(free_.size())); }
  PageMemory& of_self() { return page_memory_; }
  KvMemory& memory() { return *memory_; }

 private:
  unsigned char* At(int32_t page) const {
    return static_cast<unsigned char*>(memory_->pool()) + page * kThinLayout.HostPageBytes();
  }
  static size_t Bytes() { return static_cast<size_t>(kThinLayout.HostPageBytes()); }

  const std::unique_ptr<KvMemory> memory_;
  PageMemory page_memory_;
  std::vector<int32_t> free_;
};

TEST(PageMemory, WhatWasNotUsedForAPeriodGoesInPieces) {
  Pages pages(200, 120);
  EXPECT_EQ(pages.of_self().resident_bytes(), 0);
  std::vector<int32_t> taken;
  for (int i = 0; i < 150; ++i) taken.push_back(pages.Take());
  const int64_t most = pages.of_self().resident_bytes();
  EXPECT_GE(most, 150 * kThinLayout.HostPageBytes());
  EXPECT_LE(most, 150 * kThinLayout.HostPageBytes() + 2 * PageMemory::kChunkBytes);
  pages.GiveBack(taken);

  // The pages were used in the period that ends here.
  pages.EndPeriod();
  EXPECT_FALSE(pages.of_self().GiveBackIdle(most));
  EXPECT_EQ(pages.of_self().resident_bytes(), most);

  pages.EndPeriod();
  EXPECT_TRUE(pages.of_self().GiveBackIdle(8 * kMiB));
  EXPECT_EQ(pages.of_self().resident_bytes(), most - 8 * kMiB);
  EXPECT_LE(Resident(pages.memory(), 0, 200), most - 8 * kMiB);
  EXPECT_FALSE(pages.of_self().GiveBackIdle(most));
  EXPECT_EQ(pages.of_self().resident_bytes(), 0);
  EXPECT_EQ(Resident(pages.memory(), 0, 200), 0);
}

TEST(PageMemory, AUseLastsUntilThePageComesBack) {
  Pages pages(100, 10);
  std::vector<int32_t> taken;
  for (int i = 0; i < 90; ++i) taken.push_back(pages.Take());
  const int64_t most = pages.of_self().resident_bytes();
  pages.EndPeriod();
  pages.GiveBack(taken);
  pages.EndPeriod();  // the pages were in use in this period
  pages.of_self().GiveBackIdle(most);
  EXPECT_EQ(pages.of_self().resident_bytes(), most);
  pages.EndPeriod();
  pages.of_self().GiveBackIdle(most);
  EXPECT_EQ(pages.of_self().resident_bytes(), 0);
}

TEST(PageMemory, WhatIsTakenBetweenThePeriodAndItsTurnStays) {
  Pages pages(100, 10);
  std::vector<int32_t> taken;
  for (int i = 0; i < 90; ++i) taken.push_back(pages.Take());
  pages.GiveBack(taken);
  pages.EndPeriod();
  pages.EndPeriod();
  const int32_t page = pages.Take();
  EXPECT_FALSE(pages.of_self().GiveBackIdle(100 * kMiB));
  EXPECT_TRUE(pages.IsWhole(page));
  EXPECT_EQ(pages.of_self().resident_bytes(), PageMemory::kChunkBytes);
}

// A high load leaves the few pages in use spread over the pool. Each is replaced when it becomes
// free. The pages in use must move to the low end of the pool.
TEST(PageMemory, ALowLoadAfterAHighOneNeedsLittle) {
  Pages pages(1000, 10);
  std::vector<int32_t> taken;
  for (int i = 0; i < 900; ++i) taken.push_back(pages.Take());
  std::mt19937 random(1);
  std::shuffle(taken.begin(), taken.end(), random);
  pages.GiveBack({taken.begin() + 5, taken.end()});
  taken.resize(5);
  for (int period = 0; period < 8; ++period) {
    pages.EndPeriod();
    pages.of_self().GiveBackIdle(1000 * kMiB);
    pages.GiveBack({taken.front()});
    taken.erase(taken.begin());
    taken.push_back(pages.Take());
  }
  EXPECT_EQ(pages.of_self().resident_bytes(), PageMemory::kChunkBytes);
  EXPECT_EQ(Resident(pages.memory(), 0, 1000), PageMemory::kChunkBytes);
}

// A page in use keeps its bytes whatever is freed around it, and the reported resident bytes are
// never less than the real ones.
TEST(PageMemory, PagesInUseKeepTheirBytes) {
  constexpr int32_t kSelf = 230;
  constexpr int32_t kCross = 90;
  Pages pages(kSelf, kCross);
  KvMemory& memory = pages.memory();
  std::vector<int32_t> self;
  std::vector<std::vector<int32_t>> cross;
  std::mt19937 random(7);
  const auto draw = [&random](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  int64_t given_back = 0;
  for (int step = 0; step < 3000; ++step) {
    const bool rises = step / 300 % 2 == 0;
    if (self.size() < kSelf && draw(10) < (rises ? 8 : 2)) self.push_back(pages.Take());
    if (!self.empty() && draw(10) < (rises ? 2 : 8)) {
      std::swap(self[static_cast<size_t>(draw(static_cast<int>(self.size())))], self.back());
      ASSERT_TRUE(pages.IsWhole(self.back())) << step;
      pages.GiveBack({self.back()});
      self.pop_back();
    }
    const int count = 1 + draw(3);
    if (memory.cross_pages_free() >= count && draw(10) < (rises ? 8 : 2)) {
      cross.push_back(memory.TakeCross(count));
      for (const int32_t page : cross.back()) pages.Fill(page);
    }
    if (!cross.empty() && draw(10) < (rises ? 2 : 8)) {
      std::swap(cross[static_cast<size_t>(draw(static_cast<int>(cross.size())))], cross.back());
      for (const int32_t page : cross.back()) ASSERT_TRUE(pages.IsWhole(page)) << step;
      memory.GiveBackCross(cross.back());
      cross.pop_back();
    }
    if (draw(25) == 0) {
      pages.EndPeriod();
      memory.EndCrossPeriod();
    }
    const int64_t there = pages.of_self().resident_bytes() + memory.cross_resident_bytes();
    pages.of_self().GiveBackIdle(4 * kMiB);
    memory.GiveBackIdleCross(4 * kMiB);
    const int64_t left = pages.of_self().resident_bytes() + memory.cross_resident_bytes();
    given_back += there - left;
    // Both kinds of pages share one chunk, which is not counted.
    if (step % 50 == 0) {
      EXPECT_LE(Resident(memory, 0, kSelf + kCross), left + PageMemory::kChunkBytes) << step;
    }
  }
  EXPECT_GT(given_back, 50 * kMiB);
}

TEST(PageMemory, ADevicesPagesAreAllThereAndStay) {
  std::vector<float> device(static_cast<size_t>(8 * kThinLayout.ElementsPerPage()));
  KvMemory memory(kThinLayout, 5, 3, KvBlock{device.data(), 1000, [](void*) {}});
  EXPECT_FALSE(memory.is_lazy());
  memory.GiveBackCross(memory.TakeCross(3));
  memory.EndCrossPeriod();
  memory.EndCrossPeriod();
  EXPECT_FALSE(memory.GiveBackIdleCross(kMiB));
  EXPECT_EQ(memory.cross_resident_bytes(), 0);
}

}  // namespace
}  // namespace dragoman::engine

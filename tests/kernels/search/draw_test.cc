// Compares draws (kernels/search/draw.h) with the same draws from a sorted list.
#include "kernels/search/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/kernels/search/counting_group.h"
#include "tests/kernels/search/host_thread_group.h"

namespace dragoman::kernels {
namespace {

using testing::CountingGroup;
using testing::HostThreadGroup;

class Row {
 public:
  explicit Row(std::vector<float> scores)
      : scores_(std::move(scores)),
        max_(*std::max_element(scores_.begin(), scores_.end())),
        weights_(scores_.size()),
        bins_(DrawWorkspace::kBins) {}

  template <class ThreadGroup>
  int32_t Draw(const ThreadGroup& group, const SearchOptions& o, uint32_t part) {
    return dragoman::kernels::Draw(group, o, scores_.data(), size(), max_,
                                   static_cast<float>(part) * 0x1p-24F,
                                   {weights_.data(), bins_.data()});
  }

  // Returns the token that SEARCH.md a.8 draws from the sorted list of all tokens.
  int32_t Expected(const SearchOptions& o, uint32_t part) const {
    struct Token {
      float weight;
      int32_t id;
    };
    std::vector<Token> tokens;
    const float scale = 1.0F / o.temperature;
    for (int32_t i = 0; i < size(); ++i) {
      tokens.push_back({ExpNonPositive((scores_[static_cast<size_t>(i)] - max_) * scale), i});
    }
    if (max_ == -INFINITY) return -1;
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const Token& a, const Token& b) { return a.weight > b.weight; });
    if (o.sampling.top_k > 0 && o.sampling.top_k < size()) {
      tokens.resize(static_cast<size_t>(o.sampling.top_k));
    }
    // Sums are whole numbers, so 128 bits hold them and their products with `part` exactly.
    __extension__ using Sum = unsigned __int128;
    const auto mass = [](const Token& t) { return static_cast<uint64_t>(t.weight * 0x1p40F); };
    Sum all = 0;
    for (const Token& t : tokens) all += mass(t);
    if (o.sampling.top_p < 1.0F) {
      const double reach = static_cast<double>(o.sampling.top_p) * static_cast<double>(all);
      Sum sum = 0;
      size_t kept = 0;
      while (kept == 0 || static_cast<double>(sum) < reach) sum += mass(tokens[kept++]);
      tokens.resize(kept);
      all = sum;
    }
    Sum sum = 0;
    for (const Token& t : tokens) {
      sum += mass(t);
      if (sum << 24 > all * part) return t.id;
    }
    return -2;
  }

  int32_t size() const { return static_cast<int32_t>(scores_.size()); }

 private:
  const std::vector<float> scores_;
  const float max_;
  std::vector<float> weights_;
  std::vector<uint64_t> bins_;
};

// Returns scores that are hard in one way: ties, one token far above the others, masked tokens, or
// all equal.
std::vector<float> Scores(int kind, int size, std::mt19937& random) {
  std::normal_distribution<float> normal(-8.0F, 2.5F);
  std::vector<float> x(static_cast<size_t>(size));
  for (float& v : x) {
    v = normal(random);
    if (kind == 1) v = std::floor(v);                   // about ten different numbers
    if (kind == 2) v = -8.0F + 1e-6F * normal(random);  // nearly equal
    if (kind == 3) v = -8.0F;
    if (kind == 4 && random() % 4 != 0) v = -INFINITY;
  }
  if (kind == 5) x[random() % x.size()] = 30.0F;
  return x;
}

constexpr uint32_t kLastPart = (1U << 24) - 1;

SearchOptions Sampling(int top_k, float top_p, float temperature) {
  SearchOptions o;
  o.sampling.enabled = true;
  o.sampling.top_k = top_k;
  o.sampling.top_p = top_p;
  o.temperature = temperature;
  return o;
}

TEST(Draw, IsTheTokenOfTheSortedList) {
  std::mt19937 random(1);
  int draws = 0;
  for (const int size : {1, 2, 31, 300, 3000}) {
    for (int kind = 0; kind < 6; ++kind) {
      Row row(Scores(kind, size, random));
      for (const int top_k : {0, 1, 2, 50, 299, 1'000'000}) {
        for (const float top_p : {1.0F, 0.9F, 1e-6F}) {
          for (const float temperature : {1.0F, 0.05F, 3.0F, 100.0F}) {
            const SearchOptions o = Sampling(top_k, top_p, temperature);
            for (const uint32_t part :
                 {0U, kLastPart, static_cast<uint32_t>(random()) & kLastPart}) {
              ASSERT_EQ(row.Draw(SingleThread(), o, part), row.Expected(o, part))
                  << size << " tokens of kind " << kind << ", top_k " << top_k << ", top_p "
                  << top_p << ", temperature " << temperature << ", part " << part;
              ++draws;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(draws, 5 * 6 * 6 * 3 * 4 * 3);
}

TEST(Draw, IsTheSameForAGroupOfThirtyTwo) {
  std::mt19937 random(2);
  for (int kind = 0; kind < 6; ++kind) {
    for (const int top_k : {0, 50}) {
      for (const float top_p : {1.0F, 0.9F}) {
        const SearchOptions o = Sampling(top_k, top_p, 1.5F);
        const std::vector<float> scores = Scores(kind, 1000, random);
        Row solo(scores);
        Row many(scores);
        const auto part = static_cast<uint32_t>(random()) & kLastPart;
        const int32_t expected = solo.Draw(SingleThread(), o, part);
        testing::RunGroup(32, [&](const HostThreadGroup& group) {
          const int32_t token = many.Draw(group, o, part);
          EXPECT_EQ(token, expected) << "kind " << kind << ", member " << group.rank();
        });
      }
    }
  }
}

TEST(Draw, NothingIsDrawnFromARowOfNothing) {
  Row row(std::vector<float>(300, -INFINITY));
  EXPECT_EQ(row.Draw(SingleThread(), Sampling(0, 1.0F, 1.0F), 5), -1);
}

// Every draw goes through the row a few times, not once for each token that it keeps.
TEST(Draw, CostsAFewSweepsWhateverTheOptions) {
  std::mt19937 random(3);
  constexpr int kSize = 8000;
  for (int kind = 0; kind < 6; ++kind) {
    Row row(Scores(kind, kSize, random));
    for (const int top_k : {0, 50, 7999, 1'000'000}) {
      for (const float top_p : {1.0F, 0.9F}) {
        CountingGroup::Counts counts;
        row.Draw(CountingGroup(&counts), Sampling(top_k, top_p, 3.0F), kLastPart);
        EXPECT_LE(counts.meetings, 60) << "kind " << kind << ", top_k " << top_k;
        EXPECT_LE(counts.additions, 8 * kSize) << "kind " << kind << ", top_k " << top_k;
      }
    }
  }
}

TEST(ExpNonPositive, IsExpAndNeverMoreThanOne) {
  EXPECT_EQ(ExpNonPositive(0.0F), 1.0F);
  EXPECT_EQ(ExpNonPositive(-0.0F), 1.0F);
  EXPECT_LE(ExpNonPositive(-INFINITY), 2e-38F);
  for (float x = -86.9F; x < 0; x += 0.00137F) {
    const double expected = std::exp(static_cast<double>(x));
    const float found = ExpNonPositive(x);
    ASSERT_NEAR(found / expected, 1.0, 3e-7) << x;
    ASSERT_LE(found, 1.0F) << x;
  }
}

}  // namespace
}  // namespace dragoman::kernels

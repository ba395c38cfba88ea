// Tests the code of the device's output layer on the host, in groups of threads, against a sort and
// a sum in double, with ties, masks, and every number of members.
#include "kernels/ops/output_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>

#include "kernels/ops/fused_parts.h"
#include "tests/kernels/ops/row_questions.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman::kernels {
namespace {

constexpr int kMembers = 8;
constexpr int kPerMember = 5;

// The data that the members of a group share.
struct Meeting {
  explicit Meeting(int members) : members(members), barrier(members) {}
  const int members;
  std::barrier<> barrier;
  std::atomic<bool> any[2] = {false, false};
};

class HostGroup {
 public:
  HostGroup(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return meeting_.members; }
  void Sync() const { meeting_.barrier.arrive_and_wait(); }
  bool Any(bool here) const {
    std::atomic<bool>& any = meeting_.any[turn_];
    turn_ = 1 - turn_;
    if (here) any = true;
    Sync();
    const bool result = any;
    meeting_.any[turn_] = false;  // for the next call, which no member has reached yet
    Sync();
    return result;
  }
  int Claim(int32_t* counter) const { return std::atomic_ref<int32_t>(*counter).fetch_add(1); }
  void SetBit(uint32_t* word, int bit) const {
    std::atomic_ref<uint32_t>(*word).fetch_or(1U << bit);
  }

 private:
  Meeting& meeting_;
  const int rank_;
  mutable int turn_ = 0;
};

// Calls run(group) for each member of a group.
template <class Run>
void OnGroup(int members, const Run& run) {
  Meeting meeting(members);
  std::vector<std::jthread> threads;
  for (int rank = 1; rank < members; ++rank) {
    threads.emplace_back([&, rank] { run(HostGroup(meeting, rank)); });
  }
  run(HostGroup(meeting, 0));
}

using Shared = MaterializedShared<kMembers, kPerMember>;

// Returns a row with ties and some -inf. In some trials all columns are equal, or ascend so that
// every column enters the list.
std::vector<float> RandomRow(int vocabulary, int trial, std::mt19937& random) {
  std::vector<float> x(vocabulary);
  for (int c = 0; c < vocabulary; ++c) {
    switch (trial % 5) {
      case 0:
        x[c] = float(random() % 7);
        break;
      case 1:
        x[c] = 2.5F;
        break;
      case 2:
        x[c] = float(c) * 0.01F;
        break;
      default:
        x[c] = float(random() % 100000) / 5000.0F - 10.0F;
    }
    if (random() % 40 == 0) x[c] = -INFINITY;
  }
  return x;
}

// Folds one row. If the question stores its logits, they replace those in the row's own memory.
Answer FoldOnHost(int members, const Question& q, std::vector<float> logits,
                  const std::vector<float>* bias) {
  Answer answer;
  LogitSummary summary;
  const auto vocabulary = static_cast<int>(logits.size());
  const LogitRequest request = Ask(q, answer, vocabulary, summary);
  const auto shared = std::make_unique<Shared>();
  const std::vector<float> before = logits;
  OnGroup(members, [&](const HostGroup& group) {
    if (bias != nullptr) {
      FoldLogits<true>(group, *shared, logits.data(), bias->data(), vocabulary, request, q.store,
                       summary);
    } else {
      FoldLogits<false>(group, *shared, logits.data(), nullptr, vocabulary, request, q.store,
                        summary);
    }
  });
  Take(summary, answer);
  if (q.store) {
    answer.materialized = logits;
  } else {
    EXPECT_TRUE(SameBits(before.data(), logits.data(), logits.size()));
  }
  return answer;
}

TEST(OutputFold, MaterializedRowsAreThoseOfASortWhateverTheGroup) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    const int vocabulary = 1 + static_cast<int>(random() % 400);
    const int members = 1 << random() % 3;
    const auto logits = RandomRow(vocabulary, trial, random);
    auto bias = RandomFloats(vocabulary, trial);
    if (trial % 5 < 3) std::fill(bias.begin(), bias.end(), 1.0F);  // keeps the ties
    if (trial % 7 == 0) bias[vocabulary / 2] = -INFINITY;
    const bool biased = trial % 2 == 0;
    std::vector<float> sum = logits;
    for (int c = 0; biased && c < vocabulary; ++c) sum[c] += bias[c];
    const Question q = RandomQuestions(1, vocabulary, trial)[0];
    ExpectAnswer(FoldOnHost(members, q, logits, biased ? &bias : nullptr), q, sum);
    if (HasFailure()) return;
  }
}

TEST(OutputFold, AllColumnsMayBeTakenOrNone) {
  const std::vector<float> equal(300, 1.5F);
  std::vector<int32_t> all(300);
  for (int i = 0; i < 300; ++i) all[i] = i;
  for (const bool mask_first : {false, true}) {
    for (Question q : {Question{.k = 64}, Question{.k = 0, .wanted = {0, 299}},
                       Question{.k = 5, .wanted = all}, Question{.k = 5, .excluded = all}}) {
      q.mask_first = mask_first;
      ExpectAnswer(FoldOnHost(kMembers, q, equal, nullptr), q, equal);
      q.masked[1] = {0, 7, 8, 298};
      ExpectAnswer(FoldOnHost(kMembers, q, equal, nullptr), q, equal);
      q.masked[0] = all;
      ExpectAnswer(FoldOnHost(kMembers, q, equal, nullptr), q, equal);
    }
  }
}

TEST(OutputFold, BadLogitsFlagTheRowUnlessTheyAreExcluded) {
  for (const float bad : {NAN, INFINITY}) {
    for (const int at : {0, 123, 299}) {
      std::vector<float> logits = RandomFloats(300, 3);
      logits[at] = bad;
      Question q{.k = 8};
      for (const bool normaliser : {false, true}) {
        q.normaliser = normaliser;
        EXPECT_TRUE(FoldOnHost(kMembers, q, logits, nullptr).nan);
        q.excluded = {at};
        ExpectAnswer(FoldOnHost(kMembers, q, logits, nullptr), q, logits);
        q.excluded = {};
      }
    }
  }
}

TEST(OutputFold, TheSameRowHasTheSameBitsInEveryRun) {
  const auto logits = RandomFloats(4000, 9, 3.0F);
  const Question q{.k = 20, .wanted = {2, 900}, .masked = {{5}, {17, 30}}};
  const Answer first = FoldOnHost(kMembers, q, logits, nullptr);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(FoldOnHost(kMembers, q, logits, nullptr) == first);
}

// Each tile has a sum, and each range of tiles has a list. Merged, they must be the row's summary.
TEST(OutputFold, PartsAreMergedWhateverTheRangesAndTheOrderOfTheirLists) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    const int tile = 1 + static_cast<int>(random() % 9);
    const int vocabulary = 1 + static_cast<int>(random() % 700);
    const int tiles = (vocabulary + tile - 1) / tile;
    const int list = 4 << random() % 3;
    Question q{.k = static_cast<int>(random() % (list + 1)), .normaliser = random() % 4 != 0};
    std::vector<float> logits = RandomRow(vocabulary, trial, random);
    if (trial % 11 == 0) logits[random() % vocabulary] = trial % 2 == 0 ? NAN : INFINITY;

    std::vector<LogSum> sums;
    for (int t = 0; t < tiles; ++t) {
      LogSum sum;
      bool nan = false;
      for (int c = t * tile; c < std::min(vocabulary, (t + 1) * tile); ++c) {
        nan = nan || std::isnan(logits[c]);
        Merge(sum, {logits[c], 1.0F});
      }
      if (nan) sum.max = NAN;
      sums.push_back(sum);
    }
    const int ranges = 1 + static_cast<int>(random() % 6);
    std::vector<TokenScore> best;
    for (int r = 0; r < ranges; ++r) {
      std::vector<TokenScore> entries(list, {-INFINITY, 1 << 30});
      TopList top{entries.data(), list, 0};
      for (int c = r; c < vocabulary; c += ranges) Insert(top, {logits[c], c});
      std::shuffle(entries.begin(), entries.end(), random);
      best.insert(best.end(), entries.begin(), entries.end());
    }

    Answer answer;
    LogitSummary summary;
    const LogitRequest request = Ask(q, answer, vocabulary, summary);
    const RowParts parts{sums.data(), tiles, best.data(), static_cast<int>(best.size())};
    FoldShared<kMembers> shared;
    OnGroup(1 << random() % 4,
            [&](const HostGroup& group) { MergeParts(group, shared, parts, request, summary); });
    Take(summary, answer);
    ExpectAnswer(answer, q, logits);
    if (HasFailure()) return;
  }
}

// Every tile must be in exactly one range. All processors must be busy, with no more ranges than
// that takes.
TEST(OutputFold, RangesCoverTheTilesOnce) {
  for (const int tiles : {1, 2, 7, 125, 227, 1001}) {
    for (const int processors : {1, 7, 108, 132}) {
      for (int64_t blocks = 1; blocks < 200; ++blocks) {
        const TileRanges r = DivideTiles(tiles, blocks, processors, 1);
        EXPECT_GE(r.ranges * r.tiles, tiles);
        EXPECT_LT((r.ranges - 1) * r.tiles, tiles);
        EXPECT_LE(r.ranges * blocks, std::max<int64_t>(blocks, processors));
        // No division among this number of processors has a shorter longest range.
        const int64_t share = std::max<int64_t>(1, processors / blocks);
        EXPECT_EQ(r.tiles,
                  (tiles + std::min<int64_t>(share, tiles) - 1) / std::min<int64_t>(share, tiles));
      }
    }
  }
}

// With several waves of blocks, every tile must be in exactly one range, there must be no more
// blocks than `kWaves` waves can hold, and no other division may take less time.
TEST(OutputFold, RangesOfSeveralWavesKeepTheProcessorsBusy) {
  constexpr int kWaves = 8;
  for (const int tiles : {1, 7, 227, 1001}) {
    for (const int processors : {1, 7, 58, 108, 142}) {
      for (const int64_t blocks : {1, 2, 3, 8, 31, 32, 33, 69}) {
        SCOPED_TRACE(std::to_string(tiles) + " tiles, " + std::to_string(blocks) + " blocks, " +
                     std::to_string(processors) + " processors");
        const auto time = [&](const TileRanges& r) {
          return (r.ranges * blocks + processors - 1) / processors * (r.tiles + 1);
        };
        const TileRanges r = DivideTiles(tiles, blocks, processors, kWaves);
        ASSERT_GE(r.ranges * r.tiles, tiles);
        ASSERT_LT((r.ranges - 1) * r.tiles, tiles);
        ASSERT_LE(r.ranges * blocks, std::max<int64_t>(blocks, kWaves * processors));
        ASSERT_LE(time(r), time(DivideTiles(tiles, blocks, processors, 1)));
        for (int each = 1; each <= tiles; ++each) {
          const TileRanges other{(tiles + each - 1) / each, each};
          if (other.ranges * blocks > kWaves * processors) continue;
          ASSERT_LE(time(r), time(other)) << each << " tiles each";
        }
      }
    }
  }
}

// 4,096 rows on an L4 are 32 blocks for 58 processors. One range of tiles would leave 26 of them
// idle.
TEST(OutputFold, RowBlocksThatDoNotDivideTheProcessorsComeInWaves) {
  const TileRanges r = DivideTiles(227, 32, 58, 8);
  const int64_t rounds = (r.ranges * 32 + 57) / 58;
  EXPECT_LT(rounds * r.tiles, 227 * 32 / 58 * 1.08);
}

// Tests the list that four lanes share in the fused kernel: each lane replaces entries of its
// share, and all lanes know the worst entry of the list.
template <int kShare>
void ExpectSharedListIsThatOfASort(int trial, std::mt19937& random) {
  BestShare<kShare> lanes[4];
  for (int lane = 0; lane < 4; ++lane) lanes[lane].Clear(lane);
  const auto worst_of_all = [&] {
    TokenScore worst = lanes[0].Worst();
    for (const auto& lane : lanes) {
      if (Better(worst, lane.Worst())) worst = lane.Worst();
    }
    return worst;
  };
  TokenScore worst = BestShare<kShare>::FirstWorst();
  ASSERT_EQ(worst.token, worst_of_all().token);
  const int n = static_cast<int>(random() % 80);
  std::vector<TokenScore> all(n);
  for (int i = 0; i < n; ++i) {
    all[i] = {trial % 2 == 0 ? float(random() % 6) : float(random() % 100000), i};
  }
  std::shuffle(all.begin(), all.end(), random);
  for (const TokenScore& x : all) {
    if (!Better(x, worst)) continue;
    for (auto& lane : lanes) lane.Replace(worst.token, x);
    worst = worst_of_all();
  }
  std::vector<TokenScore> found;
  for (const auto& lane : lanes) {
    for (int i = 0; i < kShare; ++i) {
      if (lane.score[i] > -INFINITY) found.push_back({lane.score[i], lane.token[i]});
    }
  }
  std::sort(found.begin(), found.end(), Better);
  std::sort(all.begin(), all.end(), Better);
  all.resize(std::min(all.size(), size_t{4} * kShare));
  ASSERT_EQ(found.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(found[i].token, all[i].token);
}

TEST(OutputFold, AListSharedByFourLanesIsThatOfASort) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 3000; ++trial) {
    ExpectSharedListIsThatOfASort<1>(trial, random);
    ExpectSharedListIsThatOfASort<2>(trial, random);
    ExpectSharedListIsThatOfASort<4>(trial, random);
  }
}

}  // namespace
}  // namespace dragoman::kernels

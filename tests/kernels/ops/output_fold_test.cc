// The text of the device's output layer, run on the host by teams of threads: against a sort and a
// sum in double, with ties, masks, and every number of members.
#include "kernels/ops/output_fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>

#include "tests/kernels/ops/row_questions.h"
#include "tests/kernels/ops/test_support.h"

namespace dragoman {
namespace {

constexpr int kMembers = 8;
constexpr int kPerMember = 5;

// What the members of a team share.
struct Meeting {
  explicit Meeting(int members) : members(members), barrier(members) {}
  const int members;
  std::barrier<> barrier;
  std::atomic<bool> any[2] = {false, false};
};

class HostTeam {
 public:
  HostTeam(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return meeting_.members; }
  void Sync() const { meeting_.barrier.arrive_and_wait(); }
  bool Any(bool here) const {
    std::atomic<bool>& any = meeting_.any[turn_];
    turn_ = 1 - turn_;
    if (here) any = true;
    Sync();
    const bool result = any;
    meeting_.any[turn_] = false;  // of the next time: nobody has come there
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

// Calls run(team) for each member of a team.
template <class Run>
void OnTeam(int members, const Run& run) {
  Meeting meeting(members);
  std::vector<std::jthread> threads;
  for (int rank = 1; rank < members; ++rank) {
    threads.emplace_back([&, rank] { run(HostTeam(meeting, rank)); });
  }
  run(HostTeam(meeting, 0));
}

using Shared = StoredShared<kMembers, kPerMember>;

// A row with ties, with -inf, in some trials all equal or ascending (every column enters).
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

// Folds one row; of a question that stores, the row's own memory is what is kept.
Answer FoldOnHost(int members, const Question& q, std::vector<float> logits,
                  const std::vector<float>* bias) {
  Answer answer;
  RowFold fold;
  const auto vocabulary = static_cast<int>(logits.size());
  const RowQuery query = Ask(q, answer, vocabulary, fold);
  const auto shared = std::make_unique<Shared>();
  const std::vector<float> before = logits;
  OnTeam(members, [&](const HostTeam& team) {
    FoldLogits(team, *shared, logits.data(), bias == nullptr ? nullptr : bias->data(), vocabulary,
               query, q.store, fold);
  });
  Take(fold, answer);
  if (q.store) {
    answer.stored = logits;
  } else {
    EXPECT_TRUE(SameBits(before.data(), logits.data(), logits.size()));
  }
  return answer;
}

TEST(OutputFold, StoredRowsAreThoseOfASortWhateverTheTeam) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    const int vocabulary = 1 + static_cast<int>(random() % 400);
    const int members = 1 << random() % 3;
    const auto logits = RandomRow(vocabulary, trial, random);
    auto bias = RandomFloats(vocabulary, trial);
    if (trial % 5 < 3) std::fill(bias.begin(), bias.end(), 1.0F);  // ties stay ties
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

// Tiles with their sums, ranges of tiles with their lists: merged, they are the row's fold.
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
    RowFold fold;
    const RowQuery query = Ask(q, answer, vocabulary, fold);
    const RowParts parts{sums.data(), tiles, best.data(), static_cast<int>(best.size())};
    FoldShared<kMembers> shared;
    OnTeam(1 << random() % 4,
           [&](const HostTeam& team) { MergeParts(team, shared, parts, query, fold); });
    Take(fold, answer);
    ExpectAnswer(answer, q, logits);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace dragoman

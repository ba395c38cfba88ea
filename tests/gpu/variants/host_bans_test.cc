// Compares bans that the host computes with those of PrepareRow (prepare_row.h), which follows the
// ancestry.
#include "tests/gpu/variants/host_bans.h"

#include <random>
#include <vector>

#include "kernels/search/prepare_row.h"
#include "tests/gpu/variants/variants_test.h"
#include "tests/kernels/ops/op_device.h"

namespace dragoman::kernels {
namespace {

constexpr int kBeam = 5;
constexpr int kStride = 40;
constexpr int kEos = 1000;  // in no history

// A slot whose hypotheses were reordered at random.
class Histories {
 public:
  Histories(int length, int vocabulary, int n, unsigned seed)
      : tokens_(kBeam * kStride), ancestry_(kBeam * kStride), forbidden_(kBeam) {
    std::mt19937 random(seed);
    for (int32_t& t : tokens_) t = static_cast<int32_t>(random() % unsigned(vocabulary));
    for (uint8_t& a : ancestry_) a = static_cast<uint8_t>(random() % kBeam);
    state_.status = SlotStatus::kRunning;
    state_.options.beam = kBeam;
    state_.options.max_tokens = kStride - 2;
    state_.options.eos = kEos;
    state_.options.no_repeat_ngram = n;
    state_.length = length;
    state_.live = kBeam;
    view_.state = &state_;
    view_.lanes = kLanes;
    view_.arrays.tokens = tokens_.data();
    view_.arrays.ancestry = ancestry_.data();
    view_.arrays.forbidden = forbidden_.data();
    view_.arrays.stride = kStride;
  }

  // Returns the tokens of each hypothesis in a row of its own, as a copy of the hypotheses has
  // them.
  std::vector<int32_t> Copied() const {
    std::vector<int32_t> copied(kBeam * kStride, -1);
    for (int lane = 0; lane < kBeam; ++lane) {
      for (int i = 0; i < state_.length; ++i) {
        copied[static_cast<size_t>(lane * kStride + i)] = view_.Token(lane, i);
      }
    }
    return copied;
  }
  std::vector<int32_t> Asked(int lane) const {
    std::vector<int32_t> wanted(kMaxWantedIds);
    std::vector<int32_t> masked(static_cast<size_t>(MaxRowMasks(kStride, 0)));
    LogitRequest request;
    PrepareRow(view_, lane, view_.state->length, wanted.data(), masked.data(), request);
    return {request.masked[1].ids, request.masked[1].ids + request.masked[1].count};
  }

 private:
  static constexpr int32_t kLanes[kBeam] = {3, 0, 4, 1, 2};
  std::vector<int32_t> tokens_;
  std::vector<uint8_t> ancestry_;
  std::vector<int32_t> forbidden_;
  SlotState state_;
  SlotView view_;
};

TEST(BanRepeatedNgrams, AreWhatTheRowsAskFor) {
  size_t bans = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const int length = static_cast<int>(seed % 31);
    const int n = static_cast<int>(seed % 5);
    const Histories histories(length, 4, n, seed);
    const std::vector<int32_t> lengths(kBeam, length);
    std::vector<int32_t> offsets(kBeam + 1, -1);
    std::vector<int32_t> ids(static_cast<size_t>(kBeam * length + 1));
    const int64_t all = BanRepeatedNgrams(histories.Copied().data(), kStride, lengths, n,
                                          offsets.data(), ids.data());
    ASSERT_EQ(all, offsets.back());
    for (int lane = 0; lane < kBeam; ++lane) {
      const auto at = static_cast<size_t>(lane);
      ASSERT_EQ(std::vector<int32_t>(ids.begin() + offsets[at], ids.begin() + offsets[at + 1]),
                histories.Asked(lane))
          << "seed " << seed << " lane " << lane;
    }
    bans += static_cast<size_t>(all);
  }
  EXPECT_GT(bans, 1000U);
}

using PlaceBansTest = OnOpDevice;

TEST_P(PlaceBansTest, GivesEachRowItsList) {
  const OpDevice device = GetParam();
  constexpr int kRows = 300;  // more than two blocks
  std::vector<int32_t> offsets = {0};
  for (int r = 0; r < kRows; ++r) offsets.push_back(offsets.back() + r % 4);
  const OpArray<int32_t> offsets_there(device, offsets);
  const OpArray<int32_t> ids(device, std::vector<int32_t>(static_cast<size_t>(offsets.back())));
  const int32_t other = 0;
  LogitRequest request;
  request.k = 4;
  request.masked[0] = {&other, 1};
  const OpArray<LogitRequest> requests(device, std::vector<LogitRequest>(kRows + 1, request));
  EXPECT_LAUNCHED(DRAGOMAN_LAUNCHER(device, PlaceBans)(kTestStream, offsets_there.data(),
                                                       ids.data(), kRows, requests.data()));
  const std::vector<LogitRequest> placed = requests.Download();
  for (int r = 0; r < kRows; ++r) {
    const LogitRequest& q = placed[static_cast<size_t>(r)];
    ASSERT_EQ(q.masked[1].ids, ids.data() + offsets[static_cast<size_t>(r)]) << r;
    ASSERT_EQ(q.masked[1].count, r % 4) << r;
    ASSERT_EQ(q.masked[0].ids, &other);
    ASSERT_EQ(q.k, 4);
  }
  EXPECT_EQ(placed.back().masked[1].ids, nullptr);
}

DRAGOMAN_FOR_LAUNCH_DEVICES(PlaceBansTest, FloatDevices());

#ifdef DRAGOMAN_HAVE_CUDA
// Runs twice: the second run must not overwrite a list that the first run is still copying.
TEST(HostBansOnCuda, ThereAndBack) {
  const std::string why = WhyNoCuda();
  if (!why.empty()) GTEST_SKIP() << "CUDA cases skipped: " << why;
  const OpDevice device = {.cuda = true};
  cuda::OwnedStream stream;
  EXPECT_LAUNCHED(stream.Create(cuda::StreamPriority::kHigh));
  cuda::HostBans bans;
  EXPECT_LAUNCHED(bans.Create(kBeam, kStride));
  for (const int n : {2, 1}) {
    const Histories histories(30, 6, n, 7);
    const OpArray<int32_t> tokens(device, histories.Copied());
    const OpArray<LogitRequest> requests(device, std::vector<LogitRequest>(kBeam));
    const std::vector<int32_t> lengths(kBeam, 30);
    EXPECT_LAUNCHED(bans.Run(stream.get(), tokens.data(), lengths, n, requests.data()));
    EXPECT_LAUNCHED(stream.Wait());
    const std::vector<LogitRequest> placed = requests.Download();
    for (int lane = 0; lane < kBeam; ++lane) {
      const IdList list = placed[static_cast<size_t>(lane)].masked[1];
      std::vector<int32_t> ids(static_cast<size_t>(list.count));
      EXPECT_LAUNCHED(cuda::Copy(stream.get(), ids.data(), list.ids,
                                 int64_t{list.count} * int64_t{sizeof(int32_t)}));
      EXPECT_LAUNCHED(stream.Wait());
      EXPECT_EQ(ids, histories.Asked(lane)) << lane;
    }
  }
}
#endif

}  // namespace
}  // namespace dragoman::kernels

// Tests the output layer in every implementation (Way), on the CPU, on a device and emulated,
// against a sort and a sum in double. All numbers are small integers and all biases are multiples
// of 1/4, so every product is exact in any order and type. Tokens, scores and wanted logits must
// therefore agree to the bit. Ties are frequent.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <set>

#include "kernels/cuda/device.h"
#include "kernels/ops/output_fold.h"
#include "kernels/ops/output_layer.h"
#include "kernels/ops/output_layer_cuda.h"
#include "tests/kernels/ops/emulated_ops.h"
#include "tests/kernels/ops/op_device.h"
#include "tests/kernels/ops/output_problem.h"
#include "tests/kernels/ops/row_questions.h"

namespace dragoman::kernels {
namespace {

// kFused: the device's own fused code, or Hopper's in the emulation. kMma: the fused code for mma,
// in the emulation only.
enum class Way { kCpu, kMaterialized, kFused, kMma };

bool IsFused(Way way) { return way == Way::kFused || way == Way::kMma; }

const char* NameOf(Way way) {
  if (way == Way::kCpu) return "CPU";
  if (way == Way::kMaterialized) return "materialized";
  return way == Way::kFused ? "fused" : "fused by mma";
}

std::vector<Answer> FoldOnCpu(const Problem& p) {
  const auto layer = OutputLayer::Create(p.w.data(), p.bias.data(), p.d, p.vocabulary);
  std::vector<LogitRequest> requests;
  std::vector<LogitSummary> summaries(p.questions.size());
  std::vector<Answer> answers(p.questions.size());
  for (size_t r = 0; r < answers.size(); ++r) {
    requests.push_back(Ask(p.questions[r], answers[r], p.vocabulary, summaries[r]));
  }
  OpContext context;
  layer->Fold(context, p.hidden.data(), p.rows(), requests.data(), summaries.data());
  for (size_t r = 0; r < answers.size(); ++r) Take(summaries[r], answers[r]);
  return answers;
}

std::vector<float> AllProducts(const Problem& p) {
  std::vector<float> all;
  for (int r = 0; r < p.rows(); ++r) {
    const std::vector<float> row = p.Products(r);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

// Folds chunks of at most `chunk` rows. The launches are for three rows more than there are.
std::vector<Answer> FoldMaterialized(const OpDevice& device, const Problem& p, int chunk) {
  const OpArray<float> logits(device, AllProducts(p));
  const OpArray<float> bias(device, p.bias);
  const Questionnaire asked(device, p.questions, logits.data());
  std::vector<int32_t> list(size_t(p.rows()) + 3, -1);
  std::iota(list.begin(), list.end() - 3, 0);
  const OpArray<int32_t> rows(device, list);
  const OpArray<int32_t> count(device, {p.rows()});
  const cuda::MaterializedRows materialized{rows.data(), count.data(),
                                            static_cast<int64_t>(list.size())};
  const auto fold = DRAGOMAN_LAUNCHER(device, FoldMaterializedLogits);
  for (int first = 0; first < static_cast<int>(list.size()); first += chunk) {
    EXPECT_LAUNCHED(fold(kTestStream, logits.data() + int64_t{first} * p.vocabulary, p.vocabulary,
                         bias.data(), p.vocabulary, materialized, first,
                         std::min<int64_t>(chunk, static_cast<int64_t>(list.size()) - first),
                         asked.requests(), asked.summaries()));
  }
  return asked.Answers(logits.Download(), p.vocabulary);
}

// The fused code that the emulation runs: the one for Hopper, or the one with mma instructions.
enum class FusedCode { kHopper, kMma };

std::unique_ptr<cuda::FusedOutput> CreateFused(const OpDevice& device, const void* weight,
                                               const float* bias, int d, int vocabulary,
                                               int processors, std::string* why,
                                               FusedCode code = FusedCode::kHopper,
                                               QuantizedType quantized = QuantizedType::kNone) {
  if (device.emulated) {
    const auto create =
        code == FusedCode::kHopper ? cuda::EmulatedFusedOutputOf : cuda::EmulatedMmaOutputOf;
    return create(processors, device.type, quantized, weight, bias, d, vocabulary, why);
  }
#ifdef DRAGOMAN_HAVE_CUDA
  return cuda::FusedOutput::Create(device.type, quantized, weight, bias, d, vocabulary, why);
#else
  *why = "this build has no CUDA";
  return nullptr;
#endif
}

// A step of the fused layer: how many rows it is launched for, and which rows it must leave alone.
struct FusedShape {
  int bucket = 0;  // raised to the number of rows
  int max_k = cuda::kMaxFusedTopK;
  int processors = 132;                 // of the emulation
  std::set<int> unfit_slots;            // slots that cannot be fused; each slot has three rows
  FusedCode code = FusedCode::kHopper;  // of the emulation
  QuantizedType quantized = QuantizedType::kNone;
};

std::vector<Answer> FoldFused(const OpDevice& device, const Problem& p, FusedShape shape) {
  shape.bucket = std::max(shape.bucket, p.rows());
  const Questionnaire asked(device, p.questions, nullptr);
  const int slots = (p.rows() + 2) / 3;
  std::vector<SlotState> states(slots);
  for (int s = 0; s < slots; ++s) {
    states[s].options.beam = 4;
    states[s].options.sampling.enabled = shape.unfit_slots.count(s) > 0;
  }
  const OpArray<SlotState> state(device, states);
  std::vector<SlotView> views(slots);
  for (int s = 0; s < slots; ++s) views[s].state = state.data() + s;
  const OpArray<SlotView> view(device, views);
  std::vector<int32_t> slot(shape.bucket, 1 << 30);
  for (int r = 0; r < p.rows(); ++r) slot[r] = r / 3;
  const OpArray<int32_t> row_slot(device, slot);
  const OpArray<int32_t> count(device, {p.rows()});
  const cuda::StepRows rows{.rows = shape.bucket, .count = count.data(), .slot = row_slot.data()};
  const OpNumbers w(device, p.w);
  const OpArray<float> bias(device, p.bias);
  std::vector<float> padded = p.hidden;
  padded.resize(size_t(shape.bucket) * p.d, NAN);  // rows beyond the count must not be read
  const OpNumbers hidden(device, padded);
  std::string why;
  const auto fused = CreateFused(device, w.data(), bias.data(), p.d, p.vocabulary, shape.processors,
                                 &why, shape.code, shape.quantized);
  if (fused == nullptr) {
    ADD_FAILURE() << why;
    return {};
  }
  const OpBytes workspace(device, size_t(fused->WorkspaceBytes(shape.bucket)));
  EXPECT_LAUNCHED(fused->Fold(kTestStream, workspace.data(), hidden.data(), rows, view.data(),
                              shape.max_k, asked.requests(), asked.summaries()));
  return asked.Answers({}, p.vocabulary);
}

// Reports whether the device has the fused layer. It has none in f32, or if there is no code for
// it.
bool HasFused(const OpDevice& device) {
  if (!device.cuda && !device.emulated) return false;
  const OpNumbers w(device, std::vector<float>(64, 1.0F));
  std::string why;
  const auto fused = CreateFused(device, w.data(), nullptr, 64, 1, 1, &why);
  bool can = device.type != ComputeType::kFloat32;
#ifdef DRAGOMAN_HAVE_CUDA
  if (device.cuda) {
    cuda::DeviceInfo info;
    EXPECT_LAUNCHED(cuda::Describe(0, &info));
    can = can && (info.major == 8 || (info.major == 9 && info.minor == 0) || info.major >= 12);
  }
#endif
  EXPECT_EQ(fused != nullptr, can) << why;
  if (fused == nullptr) std::printf("no fused output layer: %s\n", why.c_str());
  return fused != nullptr;
}

std::vector<Way> WaysOf(const OpDevice& device) {
  if (!device.cuda && !device.emulated) return {Way::kCpu};
  // Materialized logits are f32 in every type, so the emulation tests them in one type only.
  if (device.emulated && HasFused(device)) return {Way::kFused, Way::kMma};
  if (HasFused(device)) return {Way::kMaterialized, Way::kFused};
  return {Way::kMaterialized};
}

std::vector<Answer> FoldBy(Way way, const OpDevice& device, const Problem& p) {
  if (way == Way::kCpu) return FoldOnCpu(p);
  if (way == Way::kMaterialized) return FoldMaterialized(device, p, 16);
  return FoldFused(device, p, {.code = way == Way::kMma ? FusedCode::kMma : FusedCode::kHopper});
}

void ExpectAnswers(const std::vector<Answer>& answers, const Problem& p) {
  ASSERT_EQ(answers.size(), p.questions.size());
  for (int r = 0; r < p.rows(); ++r) {
    SCOPED_TRACE(r);
    ExpectAnswer(answers[r], p.questions[r], p.Logits(r));
  }
}

using OutputDeviceTest = OnOpDevice;
class FusedOutputTest : public OnOpDevice {};  // in the 16-bit types

// Returns both kinds of code for the emulation. A card has its own kind.
std::vector<FusedCode> CodesOf(const OpDevice& device) {
  if (device.emulated) return {FusedCode::kHopper, FusedCode::kMma};
  return {FusedCode::kHopper};
}

std::vector<OpDevice> QuantizedDevices() {
  std::vector<OpDevice> devices = LaunchDevices();
  std::erase_if(devices, [](const OpDevice& d) { return d.type == ComputeType::kFloat32; });
  return devices;
}

TEST(FusedOutputCode, WhereThereIsNoneTheFusedWayIsNotThereEither) {
  const std::vector<uint16_t> weight(64 * 8);
  for (const bool there : {false, true}) {
    cuda::EmulateFusedCode(there);
    std::string why;
    EXPECT_EQ(cuda::EmulatedMmaOutputOf(4, ComputeType::kFloat16, QuantizedType::kNone,
                                        weight.data(), nullptr, 64, 8, &why) != nullptr,
              there)
        << why;
    EXPECT_EQ(why.find("its code does not run on this device"), there ? std::string::npos : 0);
    const auto fused = cuda::EmulatedFusedOutputOf(4, ComputeType::kFloat16, QuantizedType::kNone,
                                                   weight.data(), nullptr, 64, 8, &why);
    EXPECT_EQ(fused != nullptr, there) << why;
    EXPECT_EQ(why.empty(), there);
    if (!there) {
      EXPECT_EQ(why.find("its code, sm_90a's, does not run on this device"), 0U) << why;
    }
  }
}

// Code that was compiled for another architecture has empty kernels, so it must not be used.
TEST(FusedOutputCode, ByMmaIsForTheArchitecturesThatHaveIt) {
  const std::vector<uint16_t> weight(64 * 8);
  for (const auto& [architecture, there] : {std::pair{75, false},
                                            {80, true},
                                            {86, true},
                                            {89, true},
                                            {90, false},
                                            {100, false},
                                            {103, false},
                                            {120, true}}) {
    cuda::EmulateFusedCode(true, architecture);
    std::string why;
    for (const QuantizedType quantized : {QuantizedType::kNone, QuantizedType::kInt8}) {
      const auto fused = cuda::EmulatedMmaOutputOf(4, ComputeType::kFloat16, quantized,
                                                   weight.data(), nullptr, 64, 8, &why);
      EXPECT_EQ(fused != nullptr, there) << architecture << ": " << why;
      EXPECT_EQ(why, there ? "" : "there is none for this device, only for 8.x and from 12.0 on");
    }
    const bool has_float8 = there && architecture >= 89;
    const auto fused = cuda::EmulatedMmaOutputOf(4, ComputeType::kFloat16, QuantizedType::kFloat8,
                                                 weight.data(), nullptr, 64, 8, &why);
    EXPECT_EQ(fused != nullptr, has_float8) << architecture << ": " << why;
    if (there && !has_float8) {
      EXPECT_EQ(why, "its tensor cores have no float8, which begins with 8.9; they have int8");
    }
  }
  cuda::EmulateFusedCode(true);
  std::string why;
  for (const auto& [quantized, d, expected] :
       {std::tuple{QuantizedType::kNone, 48, "d is not a multiple of 32"},
        {QuantizedType::kInt8, 96, "d is not a multiple of 64"}}) {
    EXPECT_EQ(cuda::EmulatedMmaOutputOf(4, ComputeType::kFloat16, quantized, weight.data(), nullptr,
                                        d, 8, &why),
              nullptr);
    EXPECT_EQ(why, expected);
  }
  for (const auto& [quantized, d, expected] :
       {std::tuple{QuantizedType::kNone, 1088, "d is not a multiple of 64 up to 1024"},
        {QuantizedType::kInt8, 64, "d is not a multiple of 128 up to 2048"},
        {QuantizedType::kFloat8, 2176, "d is not a multiple of 128 up to 2048"}}) {
    EXPECT_EQ(cuda::EmulatedFusedOutputOf(4, ComputeType::kFloat16, quantized, weight.data(),
                                          nullptr, d, 8, &why),
              nullptr);
    EXPECT_EQ(why, expected);
  }
}

// If new code fails several tests, begin with this one. It shows which weight (of which token and
// element) each row reads.
TEST_P(OutputDeviceTest, OneHotRowsReadOneElementOfEveryToken) {
  const OpDevice device = GetParam();
  for (const int d : {64, 512, 1024}) {
    Problem p{d, 520, {}, std::vector<float>(520, 0.0F), {}, {}};
    for (int c = 0; c < p.vocabulary; ++c) {
      for (int i = 0; i < d; ++i) p.w.push_back(float((c * 31 + i * 17) % 127 - 63));
    }
    const int rows = 160;
    p.hidden.resize(size_t(rows) * d);
    for (int r = 0; r < rows; ++r) {
      p.hidden[size_t(r) * d + r * 37 % d] = 1.0F;
      Question q{.k = 1};
      for (int i = 0; i < kMaxWanted; ++i) q.wanted.push_back((r % 40) + i * 40);
      p.questions.push_back(q);
    }
    for (const Way way : WaysOf(device)) {
      const std::vector<Answer> answers = FoldBy(way, device, p);
      ASSERT_EQ(answers.size(), size_t(rows));
      int wrong = 0;
      for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < kMaxWanted && wrong < 20; ++i) {
          const int token = p.questions[r].wanted[i];
          const int element = r * 37 % d;
          const float expected = p.w[size_t(token) * d + element];
          if (answers[r].wanted[i] == expected) continue;
          ++wrong;
          ADD_FAILURE() << NameOf(way) << ", d " << d << ", row " << r << ", element " << element
                        << " of token " << token << ": " << answers[r].wanted[i] << " and not "
                        << expected;
        }
      }
    }
  }
}

TEST_P(OutputDeviceTest, AnswersAreThoseOfASort) {
  const OpDevice device = GetParam();
  for (const auto& [d, vocabulary, rows] : {std::tuple{64, 1, 3},
                                            {64, 255, 20},
                                            {128, 256, 7},
                                            {192, 257, 20},
                                            {512, 3001, 20},
                                            {576, 700, 5},
                                            {1024, 1111, 20},
                                            {64, 58'101, 4},
                                            {64, 900, 131}}) {
    SCOPED_TRACE(std::to_string(d) + " x " + std::to_string(vocabulary));
    for (const Way way : WaysOf(device)) {
      Problem p = MakeProblem(d, vocabulary, rows, static_cast<uint32_t>(vocabulary));
      if (IsFused(way)) MakeFusable(p);
      ExpectAnswers(FoldBy(way, device, p), p);
    }
  }
}

// Asks for lists of every length from 0 to kMaxTopK. For one of them, fewer tokens remain after the
// exclusions.
TEST_P(OutputDeviceTest, EveryK) {
  const OpDevice device = GetParam();
  for (const Way way : WaysOf(device)) {
    Problem p = MakeProblem(64, 601, kMaxTopK + 1, 5);
    for (int k = 0; k <= kMaxTopK; ++k) p.questions[k].k = k;
    p.questions[17].excluded.clear();
    for (int c = 5; c < 601; ++c) p.questions[17].excluded.push_back(c);  // leaves 5 tokens
    if (IsFused(way)) MakeFusable(p);
    ExpectAnswers(FoldBy(way, device, p), p);
  }
}

// The fold marks excluded tokens for one stretch of the vocabulary at a time. If it makes no list,
// nothing else synchronises a group's threads between stretches. The test excludes the first half
// of even stretches and the second half of odd ones. Excluded tokens have large logits, so a sum
// that includes one by mistake is far too large.
TEST_P(OutputDeviceTest, MarksOfOneStretchAreNotThoseOfTheNext) {
  const OpDevice device = GetParam();
  constexpr int kStretch = kMaterializedThreads * kMaterializedPerThread;
  constexpr int kRows = 6;
  Problem p = MakeProblem(64, 5 * kStretch + 99, kRows, 14);
  p.questions.assign(kRows, Question{.k = 0});
  for (int c = 0; c < p.vocabulary; ++c) {
    if (c / (kStretch / 2) % 4 == 1 || c / (kStretch / 2) % 4 == 2) continue;
    p.bias[c] += 20.0F;
    for (Question& q : p.questions) q.excluded.push_back(c);
  }
  for (const Way way : WaysOf(device)) ExpectAnswers(FoldBy(way, device, p), p);
}

TEST_P(OutputDeviceTest, ARowIsBitEqualInAnyCompany) {
  const OpDevice device = GetParam();
  Problem p = MakeProblem(128, 2'003, 140, 9);
  for (float& b : p.bias) b += 0.1F;  // makes the sums inexact
  for (const Way way : WaysOf(device)) {
    if (IsFused(way)) MakeFusable(p);
    const std::vector<Answer> all = FoldBy(way, device, p);
    ASSERT_EQ(all.size(), size_t(140));
    for (const std::vector<int>& company :
         {std::vector{0}, {139}, {77}, {139, 3}, {9, 8, 7, 6, 5, 139, 130, 131, 0, 64, 63}}) {
      const Problem part = p.Rows(company);
      const std::vector<Answer> answers = FoldBy(way, device, part);
      ASSERT_EQ(answers.size(), company.size());
      for (size_t i = 0; i < company.size(); ++i) {
        EXPECT_TRUE(answers[i] == all[company[i]]) << "row " << company[i];
      }
    }
  }
}

TEST_P(FusedOutputTest, FusedRowsAreBitEqualInAnyShapeOfStep) {
  const OpDevice device = GetParam();
  if (!HasFused(device)) GTEST_SKIP() << "no fused way here";
  Problem p = MakeProblem(128, 2'003, 9, 10);
  for (Question& q : p.questions) q.k = std::min(q.k, 4);
  MakeFusable(p);
  for (const FusedCode code : CodesOf(device)) {
    const std::vector<Answer> first = FoldFused(device, p, {.code = code});
    for (FusedShape shape : {FusedShape{.max_k = 4},
                             {.max_k = 8},
                             {.bucket = 64},
                             {.bucket = 129},
                             {.bucket = 700},
                             {.processors = 1},
                             {.processors = 3},
                             {.bucket = 300, .processors = 10}}) {
      shape.code = code;
      const std::vector<Answer> answers = FoldFused(device, p, shape);
      ASSERT_EQ(answers.size(), first.size());
      for (size_t r = 0; r < first.size(); ++r) EXPECT_TRUE(answers[r] == first[r]) << r;
    }
  }
}

// The products are exact, so both kinds of code fold the same logits. They share the code of the
// fold and its order, so they must give the same bits.
TEST_P(FusedOutputTest, BothKindsOfCodeFoldAlike) {
  const OpDevice device = GetParam();
  if (!device.emulated || !HasFused(device)) GTEST_SKIP() << "a card has one of them";
  for (const auto& [d, vocabulary, rows] : {std::tuple{64, 255, 20}, {128, 2'003, 140}}) {
    Problem p = MakeProblem(d, vocabulary, rows, static_cast<uint32_t>(vocabulary) + 5);
    for (size_t i = 0; i < p.bias.size(); ++i) p.bias[i] += 0.1F * static_cast<float>(i % 3);
    MakeFusable(p);
    const std::vector<Answer> hopper = FoldFused(device, p, {});
    const std::vector<Answer> mma = FoldFused(device, p, {.code = FusedCode::kMma});
    ASSERT_EQ(mma.size(), hopper.size());
    for (size_t r = 0; r < mma.size(); ++r) EXPECT_TRUE(mma[r] == hopper[r]) << r;
  }
}

// The code for mma takes any multiple of 32. Hopper's takes multiples of 64 up to 1024.
TEST_P(FusedOutputTest, ByMmaAnyMultipleOf32Fits) {
  const OpDevice device = GetParam();
  if (!device.emulated || !HasFused(device)) GTEST_SKIP() << "the emulation has it everywhere";
  for (const int d : {32, 96, 1056}) {
    SCOPED_TRACE(d);
    Problem p = MakeProblem(d, 300, 18, static_cast<uint32_t>(d));
    MakeFusable(p);
    ExpectAnswers(FoldFused(device, p, {.code = FusedCode::kMma}), p);
  }
}

// The logit's exponent as a power of two is +inf. Without a check, the sum of exp would become NaN
// and no one would notice.
TEST_P(FusedOutputTest, ALogitThatIsBeyondAllPowersOfTwoIsBad) {
  const OpDevice device = GetParam();
  if (!HasFused(device)) GTEST_SKIP() << "no fused way here";
  Problem p = MakeProblem(64, 700, 4, 13);
  MakeFusable(p);
  for (Question& q : p.questions) {
    q.normaliser = true;
    q.excluded = {};
    q.mask_first = false;
    q.scale = 1.0F;
  }
  p.bias[300] = 3e38F;
  for (const FusedCode code : CodesOf(device)) {
    const std::vector<Answer> answers = FoldFused(device, p, {.code = code});
    ASSERT_EQ(answers.size(), size_t(4));
    for (const Answer& answer : answers) EXPECT_TRUE(answer.nan);
  }
}

TEST_P(FusedOutputTest, RowsOfSlotsThatMayNotFuseAreLeftAlone) {
  const OpDevice device = GetParam();
  if (!HasFused(device)) GTEST_SKIP() << "no fused way here";
  Problem p = MakeProblem(64, 500, 12, 11);
  MakeFusable(p);
  for (const FusedCode code : CodesOf(device)) {
    const std::vector<Answer> all = FoldFused(device, p, {.code = code});
    const std::vector<Answer> some = FoldFused(device, p, {.unfit_slots = {1, 3}, .code = code});
    ASSERT_EQ(some.size(), size_t(12));
    for (size_t r = 0; r < 12; ++r) {
      if (r / 3 == 0 || r / 3 == 2) {
        EXPECT_TRUE(some[r] == all[r]) << r;
        continue;
      }
      EXPECT_EQ(some[r].top.size(), size_t(kMaxTopK)) << r;  // not written: the count is still 99
      for (const float value : some[r].wanted) EXPECT_EQ(value, 55.0F);
    }
  }
}

// Makes a problem for quantized products. Each weight is 0, a half or all of its column's largest
// magnitude, and each hidden number is 0 or all of its row's, with a sign. The largest magnitudes
// are powers of two. So e4m3 holds all numbers exactly, sums fit in 12 bits, and every logit is
// known to the bit.
Problem MakeQuantizedProblem(int d, int vocabulary, int rows, uint32_t seed) {
  Problem p = MakeProblem(d, vocabulary, rows, seed);
  for (int c = 0; c < vocabulary; ++c) {
    const float most = std::ldexp(1.0F, c % 5 - 2);
    float* const w = p.w.data() + size_t(c) * d;
    for (int i = 0; i < d; ++i) w[i] = std::clamp(w[i], -2.0F, 2.0F) / 2 * most;
    w[c % d] = most;
  }
  for (int r = 0; r < rows; ++r) {
    float* const h = p.hidden.data() + size_t(r) * d;
    h[r % d] = 1;
    for (int i = 0; i < d; ++i) h[i] *= std::ldexp(1.0F, r % 3 - 1);
  }
  MakeFusable(p);
  return p;
}

// Returns the row's logits by the rule of quantize_rows.h.
std::vector<float> QuantizedLogits(const Problem& p, QuantizedType type, int row) {
  const float limit = type == QuantizedType::kFloat8 ? 448.0F : 127.0F;
  const auto quantized = [&](const float* x, std::vector<int>* numbers) {
    float most = 0;
    for (int i = 0; i < p.d; ++i) most = std::max(most, std::abs(x[i]));
    for (int i = 0; i < p.d; ++i) {
      numbers->push_back(static_cast<int>(std::nearbyint(x[i] * (limit / most))));
    }
    return most / limit;
  };
  std::vector<int> h;
  const float h_scale = quantized(p.hidden.data() + size_t(row) * p.d, &h);
  std::vector<float> logits;
  for (int c = 0; c < p.vocabulary; ++c) {
    std::vector<int> w;
    const float w_scale = quantized(p.w.data() + size_t(c) * p.d, &w);
    int64_t sum = 0;
    for (int i = 0; i < p.d; ++i) sum += int64_t{h[i]} * w[i];
    const float product = static_cast<float>(sum) * (h_scale * w_scale);
    logits.push_back(product + p.bias[c]);
  }
  return logits;
}

// Returns the quantized types of the device: int8 if it has the fused layer, float8 also from
// compute capability 8.9 on.
std::vector<QuantizedType> QuantizedTypesOf(const OpDevice& device) {
  std::vector<QuantizedType> types;
  for (const QuantizedType type : {QuantizedType::kInt8, QuantizedType::kFloat8}) {
    bool can = HasFused(device);
#ifdef DRAGOMAN_HAVE_CUDA
    if (device.cuda && type == QuantizedType::kFloat8) {
      cuda::DeviceInfo info;
      EXPECT_LAUNCHED(cuda::Describe(0, &info));
      can = can && 10 * info.major + info.minor >= 89;
    }
#endif
    const OpNumbers w(device, std::vector<float>(128, 1.0F));
    std::string why;
    const auto fused =
        CreateFused(device, w.data(), nullptr, 128, 1, 1, &why, FusedCode::kHopper, type);
    EXPECT_EQ(fused != nullptr, can) << QuantizedTypeName(type) << ": " << why;
    if (fused != nullptr) types.push_back(type);
  }
  return types;
}

class QuantizedOutputTest : public OnOpDevice {
 protected:
  // Calls `test` for every kind of code and every quantized type that the device has.
  template <class Test>
  void ForEach(Test test) {
    const OpDevice device = GetParam();
    if (device.emulated) cuda::EmulateFusedCode(true, 89);
    for (const QuantizedType quantized : QuantizedTypesOf(device)) {
      for (const FusedCode code : CodesOf(device)) {
        SCOPED_TRACE(std::string(QuantizedTypeName(quantized)) +
                     (code == FusedCode::kMma ? " by mma" : ""));
        test(device, quantized, code);
      }
    }
    cuda::EmulateFusedCode(true);
  }
};

TEST_P(QuantizedOutputTest, AnswersAreThoseOfTheRule) {
  ForEach([](const OpDevice& device, QuantizedType quantized, FusedCode code) {
    for (const auto& [d, vocabulary, rows] :
         {std::tuple{128, 1, 3}, {128, 257, 20}, {512, 700, 6}, {1152, 300, 5}, {128, 300, 131}}) {
      SCOPED_TRACE(std::to_string(d) + " x " + std::to_string(vocabulary));
      const Problem p =
          MakeQuantizedProblem(d, vocabulary, rows, static_cast<uint32_t>(vocabulary) + 1);
      const std::vector<Answer> answers =
          FoldFused(device, p, {.code = code, .quantized = quantized});
      ASSERT_EQ(answers.size(), p.questions.size());
      for (int r = 0; r < p.rows(); ++r) {
        SCOPED_TRACE(r);
        ExpectAnswer(answers[r], p.questions[r], QuantizedLogits(p, quantized, r));
      }
    }
  });
}

TEST_P(QuantizedOutputTest, ARowIsBitEqualInAnyCompanyAndShapeOfStep) {
  ForEach([](const OpDevice& device, QuantizedType quantized, FusedCode code) {
    Problem p = MakeProblem(128, 603, 140, 9);
    std::mt19937 random(3);
    for (float& x : p.w) x += static_cast<float>(random() % 1000) / 1000;  // makes the sums inexact
    for (float& x : p.hidden) x += static_cast<float>(random() % 1000) / 500;
    for (Question& q : p.questions) q.k = std::min(q.k, 4);
    MakeFusable(p);
    const std::vector<Answer> all = FoldFused(device, p, {.code = code, .quantized = quantized});
    ASSERT_EQ(all.size(), size_t(140));
    for (const std::vector<int>& company :
         {std::vector{139, 3}, {9, 8, 7, 6, 5, 139, 130, 131, 0, 64, 63}}) {
      for (FusedShape shape :
           {FusedShape{.bucket = 129, .max_k = 4}, {.bucket = 300, .processors = 3}}) {
        shape.code = code;
        shape.quantized = quantized;
        const std::vector<Answer> answers = FoldFused(device, p.Rows(company), shape);
        ASSERT_EQ(answers.size(), company.size());
        for (size_t i = 0; i < company.size(); ++i) {
          EXPECT_TRUE(answers[i] == all[company[i]]) << "row " << company[i];
        }
      }
    }
  });
}

TEST_P(QuantizedOutputTest, BadNumbersFlagTheirRowAlone) {
  ForEach([](const OpDevice& device, QuantizedType quantized, FusedCode code) {
    for (const float bad : {NAN, INFINITY}) {
      Problem p = MakeQuantizedProblem(128, 700, 9, 12);
      const std::vector<Answer> good = FoldFused(device, p, {.code = code, .quantized = quantized});
      p.hidden[4 * 128 + 7] = bad;
      const std::vector<Answer> answers =
          FoldFused(device, p, {.code = code, .quantized = quantized});
      ASSERT_EQ(answers.size(), size_t(9));
      for (int r = 0; r < 9; ++r) {
        EXPECT_EQ(answers[r].nan, r == 4) << r;
        if (r == 4) continue;
        EXPECT_TRUE(answers[r] == good[r]) << r;
      }
    }
  });
}

// The check at load compares the fold with these logits, which a plain kernel computes.
TEST_P(QuantizedOutputTest, MaterializedLogitsAreThoseOfTheRule) {
  ForEach([](const OpDevice& device, QuantizedType quantized, FusedCode code) {
    const Problem p = MakeQuantizedProblem(256, 300, 21, 17);
    constexpr int kStride = 304;
    const OpNumbers w(device, p.w);
    const OpNumbers hidden(device, p.hidden);
    std::string why;
    const auto fused =
        CreateFused(device, w.data(), nullptr, p.d, p.vocabulary, 4, &why, code, quantized);
    ASSERT_NE(fused, nullptr) << why;
    EXPECT_EQ(fused->products(), quantized);
    const OpBytes workspace(device, size_t(fused->WorkspaceBytes(p.rows())));
    const OpArray<float> logits(device, std::vector<float>(size_t(p.rows()) * kStride, 5.0F));
    EXPECT_LAUNCHED(fused->StoreLogits(kTestStream, workspace.data(), hidden.data(), p.rows(),
                                       logits.data(), kStride));
    const std::vector<float> found = logits.Download();
    Problem plain = p;
    std::fill(plain.bias.begin(), plain.bias.end(), 0.0F);
    for (int r = 0; r < p.rows(); ++r) {
      const std::vector<float> expected = QuantizedLogits(plain, quantized, r);
      for (int c = 0; c < kStride; ++c) {
        ASSERT_EQ(found[size_t(r) * kStride + c], c < p.vocabulary ? expected[c] : 5.0F) << r;
      }
    }
  });
}

TEST_P(OutputDeviceTest, BadNumbersFlagTheirRowAlone) {
  const OpDevice device = GetParam();
  for (const Way way : WaysOf(device)) {
    for (const float bad : {NAN, INFINITY}) {
      Problem p = MakeProblem(64, 700, 9, 12);
      if (IsFused(way)) MakeFusable(p);
      std::vector<Answer> good = FoldBy(way, device, p);
      p.hidden[4 * 64 + 7] = bad;
      const std::vector<Answer> answers = FoldBy(way, device, p);
      ASSERT_EQ(answers.size(), size_t(9));
      for (int r = 0; r < 9; ++r) {
        EXPECT_EQ(answers[r].nan, r == 4) << r;
        if (r == 4) continue;
        EXPECT_TRUE(answers[r] == good[r]) << r;
      }
    }
  }
}

// The bias makes one token's logit NaN or +inf. This is reported, except where the token is
// excluded or masked first.
TEST_P(OutputDeviceTest, ABadLogitCountsUnlessItIsExcluded) {
  const OpDevice device = GetParam();
  for (const Way way : WaysOf(device)) {
    for (const float bad : {NAN, INFINITY}) {
      for (const int at : {0, 300, 699}) {
        Problem p = MakeProblem(64, 700, 4, 13);
        if (IsFused(way)) MakeFusable(p);
        p.bias[at] = bad;
        for (Question& q : p.questions) {
          q.excluded = {};
          q.mask_first = false;
        }
        p.questions[1].excluded = {at};
        p.questions[3].mask_first = true;
        p.questions[3].masked[1] = {at};
        const std::vector<Answer> answers = FoldBy(way, device, p);
        ASSERT_EQ(answers.size(), size_t(4));
        for (int r = 0; r < 4; ++r) {
          SCOPED_TRACE(r);
          EXPECT_EQ(answers[r].nan, r % 2 == 0);
          ExpectAnswer(answers[r], p.questions[r], p.Logits(r));
        }
      }
    }
  }
}

DRAGOMAN_FOR_EVERY_DEVICE_AND_EMULATION(OutputDeviceTest);
DRAGOMAN_FOR_LAUNCH_DEVICES(FusedOutputTest, QuantizedDevices());
DRAGOMAN_FOR_LAUNCH_DEVICES(QuantizedOutputTest, QuantizedDevices());

}  // namespace
}  // namespace dragoman::kernels

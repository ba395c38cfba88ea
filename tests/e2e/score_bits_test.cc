// Checks that the n-best lists of sentences and the bits of their scores are the same on all
// instruction sets that compute f32 as AVX2 does and keep 8 bits of int8 weights: AVX2 with VNNI,
// and all of ARM. tests/data/score_bits.txt has the expected digests, one line for each sentence,
// so that x86 and ARM machines are compared with the same values.
//
// Tests 60 of the 500 sentences unless the environment asks for more (SentencesAskedFor). Set
// DRAGOMAN_SCORE_BITS_WRITE to a path to write the file again, for example after a change of the
// model.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/api/create_engine.h"
#include "kernels/cpu/isa.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/kernels/ops/test_support.h"
#include "tests/support/expect_ok.h"
#if defined(__x86_64__)
#include "tests/kernels/ops/quantized_avx2_long.h"
#endif

namespace dragoman {
namespace {

constexpr size_t kAllSentences = 500;
constexpr size_t kFewSentences = 60;
constexpr std::string_view kFile = DRAGOMAN_SOURCE_DIR "/tests/data/score_bits.txt";

size_t Sentences() { return testing::SentencesAskedFor(kFewSentences); }

// Returns the FNV-1a hash of all fields of an n-best list.
uint64_t DigestOf(const engine::ItemResult& item) {
  uint64_t digest = 0xCBF29CE484222325U;
  const auto add_byte = [&digest](uint8_t byte) { digest = (digest ^ byte) * 0x100000001B3U; };
  const auto add_text = [&](std::string_view text) {
    for (const char c : text) add_byte(static_cast<uint8_t>(c));
    add_byte(0xFF);
  };
  const auto add_number = [&](float number) {
    const auto bits = std::bit_cast<uint32_t>(number);
    for (int shift = 0; shift < 32; shift += 8) add_byte(static_cast<uint8_t>(bits >> shift));
  };
  for (const engine::Hypothesis& hypothesis : item.hypotheses) {
    add_text(hypothesis.text);
    add_number(hypothesis.score);
    add_number(hypothesis.log_prob);
    for (const std::string& token : hypothesis.tokens) add_text(token);
    for (const float score : hypothesis.token_scores) add_number(score);
  }
  return digest;
}

// Translates the first `count` sentences. Returns their lists in order.
std::vector<engine::ItemResult> Translate(kernels::ComputeType type, size_t count) {
  static testing::FakeClock clock;
  static testing::CountingObserver observer;
  engine::EngineConfig config;
  config.max_rows = 256;
  config.workers = 1;
  config.threads_per_worker = 1;
  config.devices.compute_type = type;
  auto engine = ExpectOk(
      engine::CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config, &clock, &observer));
  if (!engine.ok()) return {};
  const auto jobs = testing::SentenceJobs(count, {1, 4, 6, 4});
  return testing::TranslateTogether(**engine, jobs, testing::InOrder(jobs.size()));
}

// Returns the digests that the file has for a compute type, one for each sentence.
std::vector<uint64_t> Expected(kernels::ComputeType type) {
  std::ifstream file{std::string(kFile)};
  EXPECT_TRUE(file.is_open()) << kFile;
  std::string int8;
  std::string float32;
  std::vector<uint64_t> digests;
  while (file >> int8 >> float32) {
    digests.push_back(
        std::strtoull((type == kernels::ComputeType::kInt8 ? int8 : float32).c_str(), nullptr, 16));
  }
  EXPECT_EQ(digests.size(), kAllSentences) << kFile;
  return digests;
}

// Returns the instruction sets of this machine whose results must equal the file.
std::vector<const kernels::cpu::IsaEntry*> Equals() {
  std::vector<const kernels::cpu::IsaEntry*> equals;
  bool avx2 = false;
  for (const kernels::cpu::IsaEntry& entry : kernels::cpu::IsaEntries()) {
    avx2 = avx2 || (entry.supported && entry.isa == kernels::cpu::Isa::kAvx2);
    const bool is_one =
        entry.isa == kernels::cpu::Isa::kAvx2Vnni || entry.isa >= kernels::cpu::Isa::kNeon;
    if (entry.supported && is_one) equals.push_back(&entry);
  }
#if defined(__x86_64__)
  if (avx2) equals.push_back(&kernels::cpu::kAvx2Long);
#endif
  return equals;
}

class ScoreBits : public ::testing::TestWithParam<const kernels::cpu::IsaEntry*> {
 protected:
  ScoreBits() { kernels::cpu::UseEntryForTest(GetParam()); }
  ~ScoreBits() override { kernels::cpu::UseIsaForTest(kernels::cpu::SupportedIsas().back()); }

  static void ExpectAsInTheFile(kernels::ComputeType type) {
    const std::vector<uint64_t> expected = Expected(type);
    const auto found = Translate(type, Sentences());
    size_t equal = 0;
    for (size_t i = 0; i < found.size() && i < expected.size(); ++i) {
      if (DigestOf(found[i]) == expected[i]) {
        ++equal;
        continue;
      }
      std::string list;
      for (const engine::Hypothesis& h : found[i].hypotheses) {
        absl::StrAppend(&list, "\n  ", absl::StrFormat("%a ", h.score), h.text);
      }
      ADD_FAILURE() << "sentence " << i << " differs:" << list;
    }
    std::cout << GetParam()->name << ", " << kernels::ComputeTypeName(type) << ": " << equal
              << " of " << found.size() << " lists equal to the bit\n";
    EXPECT_EQ(equal, Sentences());
  }
};

TEST_P(ScoreBits, InInt8AreTheSameEverywhere) { ExpectAsInTheFile(kernels::ComputeType::kInt8); }

// The float32 code uses neither int8 weights nor instructions for int8 dot products, in which these
// instruction sets differ. They share its loops, so it is enough to test one of them.
TEST_P(ScoreBits, InFloat32AreTheSameEverywhere) {
  if (GetParam() != Equals().front()) GTEST_SKIP() << "the loops in f32 are those of another one";
  ExpectAsInTheFile(kernels::ComputeType::kFloat32);
}

INSTANTIATE_TEST_SUITE_P(Cpu, ScoreBits, ::testing::ValuesIn(Equals()),
                         [](const auto& info) { return std::string(info.param->name); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ScoreBits);  // without AVX2: no cases

#if defined(__x86_64__)
TEST(ScoreBitsFile, IsWrittenAnewWhereAskedFor) {
  const char* const path = std::getenv("DRAGOMAN_SCORE_BITS_WRITE");
  if (path == nullptr) GTEST_SKIP() << "DRAGOMAN_SCORE_BITS_WRITE names no file";
  ASSERT_FALSE(Equals().empty()) << "this machine has no AVX2";
  kernels::cpu::UseEntryForTest(Equals().back());
  const auto int8 = Translate(kernels::ComputeType::kInt8, kAllSentences);
  const auto float32 = Translate(kernels::ComputeType::kFloat32, kAllSentences);
  kernels::cpu::UseIsaForTest(kernels::cpu::SupportedIsas().back());
  ASSERT_EQ(int8.size(), float32.size());
  std::ofstream file(path);
  for (size_t i = 0; i < int8.size(); ++i) {
    file << absl::StrFormat("%016x %016x\n", DigestOf(int8[i]), DigestOf(float32[i]));
  }
  ASSERT_TRUE(file.flush().good()) << path;
}
#endif

}  // namespace
}  // namespace dragoman

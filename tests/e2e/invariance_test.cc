// Checks promise 1 of the design: the translation of a sentence and the bits of its scores do not
// depend on the other sentences of the batch, the order of arrival, workers, threads or the batch
// size. This is checked in every compute type of the CPU, and in int8 on every instruction set of
// this machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "engine/api/create_engine.h"
#include "tests/engine/support/fakes.h"
#include "tests/engine/support/mixed_requests.h"
#include "tests/engine/support/translate_all.h"
#include "tests/kernels/ops/test_support.h"
#include "tests/support/expect_ok.h"

namespace dragoman {
namespace {

constexpr size_t kSentences = 500;
// Used on all instruction sets except the best one of this machine.
constexpr size_t kFewSentences = 60;

std::vector<kernels::IsaAndType> Machines() {
  const kernels::cpu::Isa best = kernels::cpu::SupportedIsas().back();
  std::vector<kernels::IsaAndType> all = {{best, kernels::ComputeType::kFloat32},
                                          {best, kernels::ComputeType::kBFloat16}};
  for (const kernels::cpu::Isa isa : kernels::cpu::SupportedIsas())
    all.push_back({isa, kernels::ComputeType::kInt8});
  return all;
}

// Reports whether the n-best list of a text is complete: the text has letters, and the vocabulary
// has all its characters. For other texts, alternatives that lose a character are dropped from the
// list.
bool IsPlain(const std::string& text) {
  const std::string ascii = absl::StrReplaceAll(text, {{"Ä", "A"},
                                                       {"Ö", "O"},
                                                       {"Ü", "U"},
                                                       {"ä", "a"},
                                                       {"ö", "o"},
                                                       {"ü", "u"},
                                                       {"ß", "s"},
                                                       {"„", ""},
                                                       {"“", ""}});
  return std::ranges::any_of(ascii, absl::ascii_isalpha) &&
         std::ranges::all_of(ascii, [](unsigned char c) {
           return absl::ascii_isalnum(c) ||
                  std::string_view(" .,:;?!'-").find(c) != std::string_view::npos;
         });
}

class Invariance : public kernels::PerIsaAndType {
 protected:
  Invariance() : jobs_(testing::SentenceJobs(Sentences(), {1, 4, 12, 4})) {}

  static size_t Sentences() {
    return testing::SentencesAskedFor(
        GetParam().isa == kernels::cpu::SupportedIsas().back() ? kSentences : kFewSentences);
  }

  std::unique_ptr<engine::Engine> Start(int max_rows, int workers, int threads) const {
    static testing::FakeClock clock;
    static testing::CountingObserver observer;
    engine::EngineConfig config;
    config.max_rows = max_rows;
    config.workers = workers;
    config.threads_per_worker = threads;
    config.devices.compute_type = type();
    auto engine = ExpectOk(engine::CreateEngine(DRAGOMAN_SOURCE_DIR "/deploy/models/de-en", config,
                                                &clock, &observer));
    return std::move(*engine);
  }

  // Translates every sentence alone.
  std::vector<engine::ItemResult> Alone() const {
    return testing::TranslateAlone(*Start(64, 1, 1), jobs_);
  }

  // Translates all sentences at once, submitted in this order, and compares the results with
  // `alone`.
  void ExpectAsAlone(const std::vector<engine::ItemResult>& alone, int max_rows, int workers,
                     int threads, const std::vector<size_t>& order) const {
    SCOPED_TRACE(::testing::Message()
                 << max_rows << " rows, " << workers << " workers, " << threads << " threads");
    testing::ExpectSameToTheBit(
        jobs_, testing::TranslateTogether(*Start(max_rows, workers, threads), jobs_, order), alone);
  }

  std::vector<size_t> Shuffled(unsigned seed) const {
    return testing::Shuffled(jobs_.size(), seed);
  }

  const std::vector<engine::TranslationJob> jobs_;
};

TEST_P(Invariance, InEveryBatchAsAlone) {
  const std::vector<engine::ItemResult> alone = Alone();
  ASSERT_EQ(alone.size(), Sentences());
  size_t plain = 0;
  for (size_t i = 0; i < alone.size(); ++i) {
    if (!IsPlain(jobs_[i].contents[0])) continue;
    ++plain;
    EXPECT_EQ(alone[i].hypotheses.size(), static_cast<size_t>(*jobs_[i].decoding.beam_size))
        << jobs_[i].contents[0];
  }
  EXPECT_GE(4 * plain, 3 * Sentences());

  ExpectAsAlone(alone, 1024, 1, 1, testing::InOrder(jobs_.size()));
  ExpectAsAlone(alone, 256, 1, 1, Shuffled(1));
  ExpectAsAlone(alone, 29, 1, 1, Shuffled(2));
  ExpectAsAlone(alone, 64, 2, 1, Shuffled(3));
  ExpectAsAlone(alone, 128, 1, 2, Shuffled(4));
  ExpectAsAlone(alone, 48, 2, 2, Shuffled(5));
}

INSTANTIATE_TEST_SUITE_P(Cpu, Invariance, ::testing::ValuesIn(Machines()),
                         kernels::IsaAndTypeTestName);

}  // namespace
}  // namespace dragoman

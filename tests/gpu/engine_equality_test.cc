// Tests that the engine's translations on a GPU equal those on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/engine/support/translate_all.h"
#include "tests/gpu/bleu.h"
#include "tests/gpu/device_engine.h"

namespace dragoman::testing {
namespace {

// Jobs, their results on the CPU, and whether these are decided (Decided). Made once for each list.
struct Expected {
  std::vector<engine::TranslationJob> jobs;
  std::vector<engine::ItemResult> results;
  std::vector<bool> decided;

  explicit Expected(std::vector<engine::TranslationJob> of) : jobs(std::move(of)) {
    results = TranslateTogether(*StartOnCpu(), jobs, InOrder(jobs.size()));
    decided = Decided(jobs, results);
  }
  size_t DecidedCount() const {
    return static_cast<size_t>(std::count(decided.begin(), decided.end(), true));
  }
};

const Expected& OfSentences() {
  static const Expected expected(Sentences(200, {4, 1, 8, 4}));
  return expected;
}

const Expected& OfMixed() {
  static const Expected expected(Mixed(500, 20));
  return expected;
}

std::string Describe(const engine::TranslationJob& job, const engine::ItemResult& cpu,
                     const engine::ItemResult& device) {
  std::string text = job.contents[0];
  for (const engine::ItemResult* item : {&cpu, &device}) {
    text += item == &cpu ? "\ncpu" : "\ndevice";
    for (const engine::Hypothesis& h : item->hypotheses) {
      text += "\n  " + std::to_string(h.score) + " " + h.text;
    }
  }
  return text;
}

// Whether two float32 sums of different order agree: relative to the score, or absolute below 1.
bool Near(double a, double b) { return std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(a)); }

void ExpectTheCpus(const Expected& expected, const std::vector<engine::ItemResult>& found) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (!expected.decided[i]) continue;
    const engine::ItemResult& cpu = expected.results[i];
    ASSERT_TRUE(SameTranslations(cpu, found[i])) << Describe(expected.jobs[i], cpu, found[i]);
    for (size_t rank = 0; rank < cpu.hypotheses.size(); ++rank) {
      const engine::Hypothesis& h = cpu.hypotheses[rank];
      EXPECT_TRUE(Near(h.score, found[i].hypotheses[rank].score) &&
                  Near(h.log_prob, found[i].hypotheses[rank].log_prob))
          << "rank " << rank << " of " << Describe(expected.jobs[i], cpu, found[i]);
    }
  }
}

// Runs without a GPU, too: the comparisons below must leave few cases out.
TEST(EngineEquality, AlmostAllListsAreDecided) {
  const size_t sentences = OfSentences().jobs.size();
  const size_t mixed = OfMixed().jobs.size();
  EXPECT_GE(OfSentences().DecidedCount(), sentences - sentences / 40);
  EXPECT_GE(OfMixed().DecidedCount(), mixed - mixed / 50);
  std::cout << OfSentences().DecidedCount() << " of " << sentences << " n-best lists and "
            << OfMixed().DecidedCount() << " of " << mixed
            << " mixed requests are decided by more than 1e-4\n";
}

class EngineEqualityOnCuda : public OnCuda {};

TEST_P(EngineEqualityOnCuda, NBestListsAreTheCpus) {
  if (GetParam() != kernels::ComputeType::kFloat32)
    GTEST_SKIP() << "narrower types round: see Bleu";
  const Expected& expected = OfSentences();
  ExpectTheCpus(expected, TranslateTogether(*StartOnDevice(GetParam()), expected.jobs,
                                            InOrder(expected.jobs.size())));
}

TEST_P(EngineEqualityOnCuda, MixedRequestsAreTheCpus) {
  if (GetParam() != kernels::ComputeType::kFloat32)
    GTEST_SKIP() << "narrower types round: see Bleu";
  const Expected& expected = OfMixed();
  ExpectTheCpus(expected, TranslateTogether(*StartOnDevice(GetParam()), expected.jobs,
                                            Shuffled(expected.jobs.size(), 1)));
}

// Compares BLEU on the pairs in the file DRAGOMAN_PAIRS: lines of source, tab, reference
// translation.
TEST_P(EngineEqualityOnCuda, BleuIsTheCpus) {
  const char* const path = std::getenv("DRAGOMAN_PAIRS");
  if (path == nullptr) GTEST_SKIP() << "DRAGOMAN_PAIRS names no file of sentence pairs";
  std::vector<engine::TranslationJob> jobs;
  std::vector<std::string> references;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    engine::TranslationJob job;
    job.contents = {line.substr(0, tab)};
    job.decoding.beam_size = 4;
    jobs.push_back(std::move(job));
    references.push_back(line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1));
  }
  ASSERT_GE(jobs.size(), 500U) << path;
  const auto bleu = [&](engine::Engine& engine) {
    std::vector<std::string> outputs;
    for (const engine::ItemResult& item : TranslateTogether(engine, jobs, InOrder(jobs.size()))) {
      outputs.push_back(item.hypotheses.at(0).text);
    }
    return Bleu(outputs, references);
  };
  static const double cpu = bleu(*StartOnCpu());
  const double device = bleu(*StartOnDevice(GetParam()));
  std::cout << jobs.size() << " pairs: BLEU " << cpu << " on the CPU, " << device << " in "
            << kernels::ComputeTypeName(GetParam()) << "\n";
  EXPECT_GT(cpu, 20);
  EXPECT_NEAR(device, cpu, 0.1);
}

DRAGOMAN_FOR_EVERY_COMPUTE_TYPE(EngineEqualityOnCuda);

}  // namespace
}  // namespace dragoman::testing

// Compares sampling with Hugging Face's processors and warpers, with
// fixtures/sampling-<model>.jsonl.gz: the distribution that a draw comes from, which is recovered
// exactly; single draws with everything that changes scores before them; and complete sampled
// decodes through a worker. See README.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "kernels/search/host_memory.h"
#include "tests/engine/support/scripted_model.h"
#include "tests/parity/parity_batch.h"
#include "tests/support/expect_ok.h"

namespace dragoman::parity {
namespace {

constexpr int64_t kUnits = int64_t{1} << 24;  // u is a multiple of 2^-24
constexpr float kTopPOff = 1.0F;

// Probabilities are quotients of float32 sums of up to a few thousand terms.
constexpr double kRounding = 4e-6;
// A probability that is smaller than the steps of u, or than the rounding, cannot be measured.
constexpr double kNarrow = 1e-6;

float UnitOf(int64_t k) { return static_cast<float>(k) / static_cast<float>(kUnits); }

std::vector<float> LogitsOf(const json& row) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(row["logits"].get<std::string>(), &bytes));
  std::vector<float> logits(bytes.size() / sizeof(float));
  std::memcpy(logits.data(), bytes.data(), logits.size() * sizeof(float));
  return logits;
}

// Returns the settings of a request with the options of a fixture row.
std::optional<engine::SearchSettings> Settings(const json& o, const json& bad_words, uint64_t seed,
                                               int alternatives, const engine::ModelSpec& spec) {
  engine::ModelSpec checkpoint = spec;
  for (const json& word : bad_words) checkpoint.generation.bad_words.push_back(word);
  engine::DecodingOptions request = WideOptions(engine::Profile::kHf);
  request.num_alternatives = alternatives;
  request.temperature = o.value("temperature", 1.0F);
  request.repetition_penalty = o.value("repetition_penalty", 1.0F);
  request.no_repeat_ngram = o.value("no_repeat_ngram_size", 0);
  request.min_output_tokens = std::max(0, o.value("min_length", 0) - 1);
  request.sampling = engine::Sampling{o.value("top_k", 0), o.value("top_p", kTopPOff), seed};
  engine::SearchContext context;
  context.max_rows = kernels::kMaxBeam;
  context.scores = true;
  auto settings = ExpectOk(engine::ResolveSearch(request, checkpoint, context));
  if (!settings.ok()) return std::nullopt;
  return *std::move(settings);
}

// One live hypothesis with a history. The search's code draws its next token.
class Row {
 public:
  Row(const kernels::SearchOptions& options, const kernels::SegmentRules& rules,
      int32_t start_token, const std::vector<int32_t>& history, int alternative,
      std::vector<float> logits)
      : logits_(std::move(logits)),
        lanes_memory_(1, static_cast<size_t>(options.max_tokens) + 2),
        rows_(1, 1, kernels::MaxRowMasks(options.max_tokens, rules.forbidden.nodes),
              logits_.size()),
        memory_(1, static_cast<size_t>(options.max_tokens) + 2, logits_.size()),
        view_{&state_, &lane_, lanes_memory_.arrays()} {
    kernels::StartSlot(view_, options, rules, start_token);
    for (const int32_t token : history) {
      ++state_.length;
      view_.arrays.tokens[view_.At(0, state_.length)] = token;
      view_.Forbidden(0) = kernels::NextForbiddenState(rules.forbidden, view_.Forbidden(0), token);
    }
    view_.RankOf(0) = alternative;
  }

  int32_t Draw(uint64_t seed) {
    state_.options.sampling.seed = seed;
    rows_.Prepare(0, view_, 0, view_.state->length);
    testing::FoldLogits(logits_, rows_.requests()[0], rows_.summaries()[0]);
    kernels::FoldMaterializedRow(kernels::SingleThread(), view_, 0, rows_.requests()[0],
                                 static_cast<int32_t>(logits_.size()), memory_.materialized(),
                                 rows_.summaries()[0]);
    return rows_.summaries()[0].count == 1 ? rows_.summaries()[0].top[0].token : -1;
  }

  // Returns the draw from `scores` with this u.
  int32_t DrawAt(const std::vector<float>& scores, float u) {
    return dragoman::kernels::Draw(
        kernels::SingleThread(), state_.options, scores.data(), static_cast<int32_t>(scores.size()),
        *std::ranges::max_element(scores), u, memory_.materialized().draw);
  }

 private:
  const std::vector<float> logits_;
  const int32_t lane_ = 0;
  kernels::SlotState state_;
  kernels::LaneMemory<uint8_t> lanes_memory_;
  kernels::RowMemory rows_;
  kernels::StepMemory<uint8_t> memory_;
  const kernels::SlotView view_;
};

// Goes through the intervals of [0, 1) in which u gives the same id. The ids and the lengths of the
// intervals must be those of `expected`. Finds the end of each interval by bisection, so that all
// values of u are covered.
void ExpectDistribution(Row& row, const std::vector<float>& scores, const json& expected) {
  const auto ids = expected["ids"].get<std::vector<int32_t>>();
  const auto probabilities = expected["probabilities"].get<std::vector<double>>();
  const bool whole = expected["count"].get<size_t>() == ids.size();
  int64_t begin = 0;
  double sum = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    sum += probabilities[i];
    if (probabilities[i] < kNarrow) break;
    ASSERT_LT(begin, kUnits) << "id " << ids[i] << ", number " << i << ", is never drawn";
    ASSERT_EQ(row.DrawAt(scores, UnitOf(begin)), ids[i]) << "number " << i;
    int64_t last = begin;  // gives ids[i], and `beyond` does not
    int64_t beyond = kUnits;
    while (beyond - last > 1) {
      const int64_t middle = last + (beyond - last) / 2;
      (row.DrawAt(scores, UnitOf(middle)) == ids[i] ? last : beyond) = middle;
    }
    begin = beyond;
    ASSERT_NEAR(UnitOf(beyond), sum, kRounding) << "after number " << i;
  }
  if (whole && probabilities.back() >= kNarrow) {
    EXPECT_EQ(begin, kUnits);
  }
}

class SamplingParity : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ReadFixture(std::string("sampling-") + GetParam(), &fixture_));
    ASSERT_NO_FATAL_FAILURE(LoadParityModel(fixture_.header["directory"], Place::kCpu, &model_));
  }

  Fixture fixture_;
  ParityModel model_;
};

TEST_P(SamplingParity, DrawsComeFromTheFilteredDistribution) {
  const engine::ModelSpec& spec = model_.spec();
  ASSERT_GE(fixture_.header["distributions"].get<int>(), 40);
  std::vector<float> logits;
  std::vector<int32_t> history;
  size_t distributions = 0;
  size_t draws = 0;
  for (const json& row : fixture_.cases) {
    if (row["kind"] == "logits") {
      logits = LogitsOf(row);
      history = row["history"].get<std::vector<int32_t>>();
    }
    if (row["kind"] != "distribution") continue;
    const json& o = row["options"];
    SCOPED_TRACE(o.dump());
    const auto seed = row["seed"].get<uint64_t>();
    const auto settings = Settings(o, o.value("bad_words_ids", json::array()), seed, 1, spec);
    ASSERT_TRUE(settings.has_value());
    const auto segment = MakeSegment(*settings, {5, 0}, row["ordinal"].get<int>());
    const kernels::SegmentRules rules = segment->Rules();
    Row harness(segment->search, rules, spec.tokens.decoder_start, history,
                row["alternative"].get<int>(), logits);

    const bool filters_only = !o.contains("repetition_penalty");
    if (filters_only) {
      std::vector<float> scores = logits;
      scores[static_cast<size_t>(spec.tokens.pad)] = -INFINITY;
      ASSERT_NO_FATAL_FAILURE(ExpectDistribution(harness, scores, row));
      ++distributions;
    }
    const auto tokens = row["tokens"].get<std::vector<int32_t>>();
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i] < 0) continue;  // u is too near a border between two ids
      ASSERT_EQ(harness.Draw(seed + i * 0x9E3779B97F4A7C15U), tokens[i]) << "draw " << i;
      ++draws;
    }
  }
  EXPECT_EQ(draws, fixture_.header["draws"].get<size_t>());
  std::cout << GetParam() << ": " << distributions << " distributions, " << draws << " draws\n";
}

TEST_P(SamplingParity, WholeDecodesAreTheDrawsOfTheReference) {
  ASSERT_GE(fixture_.header["samples"].get<int>(), 100);
  std::vector<const json*> rows;
  std::vector<std::unique_ptr<engine::Segment>> segments;
  for (const json& row : fixture_.cases) {
    if (row["kind"] != "decode") continue;
    engine::ModelSpec spec = model_.spec();
    spec.generation.max_length = row["max_length"].get<int>();
    if (!row["forced_eos"].get<bool>()) spec.generation.forced_eos.reset();
    const auto settings = Settings(row["options"], json::array(), row["seed"].get<uint64_t>(),
                                   static_cast<int>(row["samples"].size()), spec);
    ASSERT_TRUE(settings.has_value());
    segments.push_back(MakeSegment(*settings, row["source_ids"].get<std::vector<int32_t>>(),
                                   row["ordinal"].get<int>()));
    rows.push_back(&row);
  }
  const auto results = Decode(model_, std::move(segments), model_.spec().tokens.decoder_start);
  size_t samples = 0;
  double worst = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const json& expected = (*rows[i])["samples"];
    ASSERT_EQ(results[i].size(), expected.size()) << (*rows[i])["id"];
    for (size_t n = 0; n < expected.size(); ++n) {
      if (expected[n].is_null()) continue;
      ++samples;
      const engine::DecodedHypothesis& found = results[i][n];
      SCOPED_TRACE((*rows[i])["id"].dump() + " sample " + std::to_string(n));
      EXPECT_EQ(json(found.tokens), expected[n]["tokens"]);
      const auto scores = expected[n]["token_scores"].get<std::vector<double>>();
      ASSERT_EQ(found.token_log_probs.size(), scores.size());
      double sum = 0;
      for (size_t t = 0; t < scores.size(); ++t) {
        worst = std::max(worst, std::abs(scores[t] - double{found.token_log_probs[t]}));
        sum += scores[t];
      }
      EXPECT_NEAR(found.log_prob, sum, 1e-4 * static_cast<double>(scores.size()));
    }
  }
  EXPECT_LE(worst, 1e-3);
  EXPECT_EQ(samples, fixture_.header["samples"].get<size_t>());
  std::cout << GetParam() << ": " << samples << " samples, largest difference of token scores "
            << worst << "\n";
}

INSTANTIATE_TEST_SUITE_P(Models, SamplingParity,
                         ::testing::Values("tiny-a", "tiny-b", "tiny-multi", "de-en"));

}  // namespace
}  // namespace dragoman::parity

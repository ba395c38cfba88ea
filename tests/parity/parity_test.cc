// Compares plain search with Hugging Face: every case of fixtures/<model>.jsonl.gz runs through a
// worker's threads, all in one running batch. Options come from a request or, for every other case,
// from a checkpoint. Token lists must be equal at every rank, and scores within 1e-4. No case is
// skipped.
#include <gtest/gtest.h>

#include <array>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/parity/parity_batch.h"

namespace dragoman::parity {
namespace {

// Checks that the loader resolves the directory's generation settings as transformers does.
void ExpectDefaults(const engine::GenerationDefaults& ours, const json& theirs) {
  EXPECT_EQ(ours.num_beams, theirs["num_beams"].get<int>());
  EXPECT_EQ(ours.length_penalty, theirs["length_penalty"].get<float>());
  const json& early = theirs["early_stopping"];
  const engine::EarlyStopping expected = early.is_string()   ? engine::EarlyStopping::kNever
                                         : early.get<bool>() ? engine::EarlyStopping::kTrue
                                                             : engine::EarlyStopping::kFalse;
  EXPECT_EQ(ours.early_stopping, expected);
  EXPECT_EQ(ours.max_length, theirs["max_length"].get<int>());
  EXPECT_EQ(ours.min_length, theirs["min_length"].get<int>());
  EXPECT_EQ(ours.forced_eos.has_value(), theirs["forced_eos"].get<bool>());
  EXPECT_EQ(ours.renormalize_logits, theirs["renormalize_logits"].get<bool>());
  EXPECT_EQ(json(ours.bad_words), theirs["bad_words_ids"]);
}

// One search of a case.
struct Run {
  size_t index;
  Asked asked;
  bool scores;
};

// Options come from requests and checkpoints in turn. Greedy search without scores has no
// normaliser, so greedy cases run again without scores, with the options from the other source.
// That run compares tokens only.
std::map<int32_t, std::vector<Run>> RunsByStartToken(const std::vector<json>& cases,
                                                     int32_t start_of_model) {
  std::map<int32_t, std::vector<Run>> runs;
  for (size_t i = 0; i < cases.size(); ++i) {
    const int32_t start = cases[i]["options"].value("start_token", start_of_model);
    const bool request = i % 2 == 0;
    runs[start].push_back({i, request ? Asked::kByRequest : Asked::kByCheckpoint, true});
    if (cases[i]["options"]["num_beams"] == 1) {
      runs[start].push_back({i, request ? Asked::kByCheckpoint : Asked::kByRequest, false});
    }
  }
  return runs;
}

// Checks that each option value that occurs at least ten times occurs in requests and in
// checkpoints.
void ExpectBothWays(const std::vector<json>& cases,
                    const std::map<int32_t, std::vector<Run>>& runs) {
  std::map<std::string, std::array<int, 2>> asked;
  for (const auto& [start, list] : runs) {
    for (const Run& run : list) {
      for (const auto& [option, value] : cases[run.index]["options"].items()) {
        ++asked[option + " = " + value.dump()][run.asked == Asked::kByRequest ? 0 : 1];
      }
    }
  }
  for (const auto& [option, counts] : asked) {
    if (counts[0] + counts[1] < 10) continue;
    EXPECT_GT(counts[0], 0) << option << " by a request";
    EXPECT_GT(counts[1], 0) << option << " by a checkpoint";
  }
}

// Decodes all cases in one batch and compares the results. Each start token that differs from the
// model's has another batch.
void ExpectEqualToGenerate(const std::string& name, const ParityModel& model,
                           const std::vector<json>& cases) {
  const auto runs = RunsByStartToken(cases, model.spec().tokens.decoder_start);
  ExpectBothWays(cases, runs);
  size_t wrong = 0;
  Differences worst;
  for (const auto& [start, list] : runs) {
    std::vector<std::unique_ptr<engine::Segment>> segments;
    for (const Run& run : list) {
      segments.push_back(HfSegment(cases[run.index], model.spec(), run.asked, run.scores));
      ASSERT_NE(segments.back(), nullptr);
    }
    const auto results = Decode(model, std::move(segments), start);
    for (size_t i = 0; i < list.size(); ++i) {
      const json& expected = cases[list[i].index];
      const auto penalty = expected["options"]["length_penalty"].get<double>();
      bool equal = false;
      if (list[i].scores) {
        equal = Equal(expected, results[i], penalty, &worst);
      } else {
        equal =
            results[i].size() == 1 && json(results[i][0].tokens) == expected["nbest"][0]["tokens"];
      }
      if (equal) continue;
      if (++wrong <= 5) ADD_FAILURE() << Describe(expected, results[i]);
    }
  }
  EXPECT_EQ(wrong, 0U) << "of " << cases.size();
  std::cout << name << ": " << cases.size() << " cases, largest difference of scores "
            << worst.score << ", of token scores " << worst.token_score << "\n";
}

class Parity : public OnPlace {};

TEST_P(Parity, EveryCaseEqualsGenerate) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture(GetParam().fixture, &fixture));
  ASSERT_GE(fixture.cases.size(), 200U);
  for (const char* option : {"num_beams", "length_penalty", "early_stopping", "limit_hit"}) {
    for (const auto& [value, count] : fixture.header["kept_by_option"][option].items()) {
      EXPECT_GE(count.get<int>(), 20) << option << " = " << value;
    }
  }
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadParityModel(fixture.header["directory"], GetParam().place, &model));
  if (IsSkipped()) return;
  ExpectDefaults(model.spec().generation, fixture.header["generation_defaults"]);
  ExpectEqualToGenerate(GetParam().fixture, model, fixture.cases);
}

// Tests n-gram bans, repetition penalty, minimum length, bad words, forced prefixes, and these
// together.
TEST_P(Parity, EveryMethodEqualsGenerate) {
  Fixture fixture;
  ASSERT_NO_FATAL_FAILURE(ReadFixture(std::string("methods-") + GetParam().fixture, &fixture));
  for (const char* kind : {"ngram", "penalty", "min_length", "words", "prefix", "together"}) {
    EXPECT_GE(fixture.header["kept_by_kind"][kind].get<int>(), 12) << kind;
  }
  // The numbers of cases whose result would differ without the method.
  for (const char* method :
       {"no_repeat_ngram_size", "repetition_penalty", "min_length", "bad_words_ids", "prefix"}) {
    EXPECT_GE(fixture.header["matters"][method].get<int>(), 25) << method;
  }
  ParityModel model;
  ASSERT_NO_FATAL_FAILURE(LoadParityModel(fixture.header["directory"], GetParam().place, &model));
  if (IsSkipped()) return;
  ExpectEqualToGenerate(GetParam().fixture, model, fixture.cases);
}

INSTANTIATE_TEST_SUITE_P(Models, Parity,
                         ::testing::Values(ParityCase{"tiny-a"}, ParityCase{"tiny-b"},
                                           ParityCase{"tiny-multi"}, ParityCase{"de-en"},
                                           ParityCase{"tiny-a", Place::kCuda},
                                           ParityCase{"tiny-b", Place::kCuda},
                                           ParityCase{"tiny-multi", Place::kCuda},
                                           ParityCase{"de-en", Place::kCuda}),
                         ParityCaseName);

}  // namespace
}  // namespace dragoman::parity

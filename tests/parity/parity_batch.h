// Runs parity cases through production: reads fixtures, turns every case into a segment, runs all
// segments of a model in one running batch of a worker, and compares the n-best lists.
//
// For tests: every function reports failures through GoogleTest. README.md describes the fixtures.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/decode/batch.h"
#include "engine/decode/step_model.h"
#include "engine/model/layouts/model_source.h"
#include "engine/request/search_settings.h"
#include "engine/schedule/segment.h"

namespace dragoman::parity {

using nlohmann::json;

// NOLINTNEXTLINE(bugprone-exception-escape): the JSON library's own checks
struct Fixture {
  json header;
  std::vector<json> cases;
};

// Reads fixtures/<name>.jsonl.gz. Fails the test if it cannot be read or a case is missing.
void ReadFixture(const std::string& name, Fixture* out);

// Where cases are decoded: on the CPU, or in float32 on cuda:0.
enum class Place { kCpu, kCuda };

// A model of this repository.
struct ParityModel {
  std::optional<engine::LoadedModel> loaded;
  std::shared_ptr<const engine::StepModel> ensemble;  // replaces the loaded model's network, if set
  Place place = Place::kCpu;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;  // on the CPU

  const engine::ModelSpec& spec() const { return loaded->spec; }
};

// Loads the model in `directory`, relative to the source tree. If CUDA devices do not support it,
// skips the test with the engine's reason; the caller must check IsSkipped() and return.
void LoadParityModel(const std::string& directory, Place place, ParityModel* out);

// The parameter of a suite: a fixture and where it runs.
struct ParityCase {
  const char* fixture = "";
  Place place = Place::kCpu;
};

// Loads the model named in the header, with its `changes`. Skips like LoadParityModel.
void LoadFixturesModel(const Fixture& fixture, const ParityCase& which, ParityModel* out);

std::string ParityCaseName(const ::testing::TestParamInfo<ParityCase>& info);

// A suite of fixtures. Skips those of a device if there is none.
class OnPlace : public ::testing::TestWithParam<ParityCase> {
 protected:
  void SetUp() override;
  std::string fixture() const { return GetParam().fixture; }
};

// The source of an hf case's options.
enum class Asked {
  kByRequest,     // the request, as far as it can express them
  kByCheckpoint,  // generation_config.json
};

// Returns a segment for the search of `settings`, as a job makes it. Also forbids `words`.
std::unique_ptr<engine::Segment> MakeSegment(const engine::SearchSettings& settings,
                                             const std::vector<int32_t>& source, int ordinal = 0,
                                             const std::vector<std::vector<int32_t>>& words = {});

// Returns a case's segment with generate()'s options. Without `scores` greedy takes its fast path.
std::unique_ptr<engine::Segment> HfSegment(const json& fixture_case, const engine::ModelSpec& spec,
                                           Asked asked, bool scores = true);

// Returns the options of a request of another profile, with limits that have no effect.
engine::DecodingOptions WideOptions(engine::Profile profile);

// Returns results in the order of the segments. Every hypothesis begins with `start_token`.
std::vector<std::vector<engine::DecodedHypothesis>> Decode(
    const ParityModel& model, std::vector<std::unique_ptr<engine::Segment>> segments,
    int32_t start_token);

// The largest differences of all cases, for the log.
struct Differences {
  double score = 0;
  double token_score = 0;
};

// Reports whether the token lists are equal at every rank, scores within 1e-4 and token scores of
// the best within 1e-3 (float32 gives a few 1e-4, because the small models have large logits). With
// a length penalty (`penalty`) of 0, scores are sums and the limit is 1e-4 per term.
bool Equal(const json& fixture_case, const std::vector<engine::DecodedHypothesis>& found,
           double penalty, Differences* differences);

// Expects the token lists `expected["tokens"]` at every rank, and scores within 1e-4 where
// `expected["scores"]` has one. Raises `worst` to the largest difference of a score.
void ExpectLists(const json& expected, const std::vector<engine::DecodedHypothesis>& found,
                 double* worst);

// Returns both lists as text.
std::string Describe(const json& fixture_case, const std::vector<engine::DecodedHypothesis>& found);

}  // namespace dragoman::parity

// Parity cases through production: fixtures are read, every case becomes a segment, all segments of
// a model run in one running batch of a worker, and the n-best lists are compared.
//
// For tests; every function reports failures by GoogleTest. Fixtures are described in README.md.
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

// fixtures/<name>.jsonl.gz. A failure where it cannot be read or a case is missing.
void ReadFixture(const std::string& name, Fixture* out);

// Where cases are decoded: on the CPU, or in float32 on cuda:0.
enum class Place { kCpu, kCuda };

// A model of this repository.
struct ParityModel {
  std::optional<engine::LoadedModel> loaded;
  std::shared_ptr<const engine::StepModel>
      ensemble;  // in place of the loaded model's network, if there is one
  Place place = Place::kCpu;
  kernels::ComputeType type = kernels::ComputeType::kFloat32;  // on the CPU

  const engine::ModelSpec& spec() const { return loaded->spec; }
};

// `directory` is from the root of the source. A model that CUDA devices do not take is loaded and the
// test skipped aloud, with the engine's reason: the caller asks IsSkipped() and ends.
void LoadParityModel(const std::string& directory, Place place, ParityModel* out);

// The parameter of a suite: a fixture and where it runs.
struct ParityCase {
  const char* fixture = "";
  Place place = Place::kCpu;
};

// The one of `models` in the header, with the fields of its files that `changes` there says; skips as
// LoadParityModel.
void LoadFixturesModel(const Fixture& fixture, const ParityCase& which, ParityModel* out);

std::string ParityCaseName(const ::testing::TestParamInfo<ParityCase>& info);

// A suite of fixtures; those of a device are skipped aloud where there is none.
class OnPlace : public ::testing::TestWithParam<ParityCase> {
 protected:
  void SetUp() override;
  std::string fixture() const { return GetParam().fixture; }
};

// Where the options of an hf case come from.
enum class Asked {
  kByRequest,     // as far as a request can say it
  kByCheckpoint,  // all from generation_config.json
};

// A segment for the search of `settings`, as a job makes it. `words` are forbidden besides.
std::unique_ptr<engine::Segment> MakeSegment(const engine::SearchSettings& settings,
                                             const std::vector<int32_t>& source, int ordinal = 0,
                                             const std::vector<std::vector<int32_t>>& words = {});

// The segment of a case whose options are generate()'s. Without `scores` greedy search takes its
// short way.
std::unique_ptr<engine::Segment> HfSegment(const json& fixture_case, const engine::ModelSpec& spec,
                                           Asked asked, bool scores = true);

// The options of a request of another profile, with its limits out of the way.
engine::DecodingOptions WideOptions(engine::Profile profile);

// Results by the segments' order. `start_token`: what every hypothesis begins with.
std::vector<std::vector<engine::DecodedHypothesis>> Decode(
    const ParityModel& model, std::vector<std::unique_ptr<engine::Segment>> segments,
    int32_t start_token);

// The largest differences seen, for the log.
struct Differences {
  double score = 0;
  double token_score = 0;
};

// Whether the token lists are equal at every rank, scores within 1e-4 (with a length penalty of 0
// scores are sums: within 1e-4 for every term) and token scores of the best within 1e-3: of single
// tokens a few 1e-4 is what float32 gives on the small models, whose logits are large. `penalty` is
// the length penalty.
bool Equal(const json& fixture_case, const std::vector<engine::DecodedHypothesis>& found,
           double penalty, Differences* differences);

// Both lists, to be read.
std::string Describe(const json& fixture_case, const std::vector<engine::DecodedHypothesis>& found);

}  // namespace dragoman::parity

// The parts of gpu_bench: each measures one thing on cuda:0, prints a table for people and returns
// the same numbers as JSON. Times are seconds unless a name says otherwise.
//
// Parts with an engine obey DRAGOMAN_CUDA_OFF (cuda_switches.h). One part a process: a part leaves
// nothing on the device that would slow the next.
#pragma once

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/model/families/model_spec.h"

namespace dragoman::bench {

// The rates that copies and matrix products of each compute type reach: the denominators of
// everything else.
absl::StatusOr<nlohmann::json> Ceilings();

// The output layer alone: fused, materialized logits with one pass, materialized logits with separate sweeps.
absl::StatusOr<nlohmann::json> OutputLayers();

// The backend of the parts that time steps: `rows` rows of outputs of at most 128 tokens.
engine::CudaBackendConfig StepConfig(const engine::ModelSpec& spec, int rows);

// A full batch's step, launch by launch, against the least time that its bytes and flop take.
absl::StatusOr<nlohmann::json> StepTable();

// A full batch's step as it is made, a graph after the other with early launches and without, at 4,096,
// 1,024, 256 and 4 rows, beside what is counted for the card (count/counted_step.h). The other two
// are a few of its steps at one of the sizes, with early launches as the environment has them, for
// profilers.
absl::StatusOr<nlohmann::json> GraphStep();
absl::StatusOr<nlohmann::json> GraphStepOf4096();
absl::StatusOr<nlohmann::json> GraphStepOf4();
// The same sizes with products of the output layer, of the layers and of both in one byte, beside float16;
// where the card has none of a kind, the reason.
absl::StatusOr<nlohmann::json> GraphStepQuantized();

// A worker under more segments than it has room for.
absl::StatusOr<nlohmann::json> Throughput();

// One segment at a time.
absl::StatusOr<nlohmann::json> OneSentence();

}  // namespace dragoman::bench

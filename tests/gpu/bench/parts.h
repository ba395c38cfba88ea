// The parts of gpu_bench. Each part measures one thing on cuda:0, prints a table and returns the
// same numbers as JSON. Times are in seconds unless a name says otherwise.
//
// Parts with an engine obey DRAGOMAN_CUDA_OFF (cuda_switches.h). Run one part per process, so that
// what one part leaves on the device does not slow the next.
#pragma once

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"
#include "engine/decode/cuda/cuda_backend.h"
#include "engine/model/families/model_spec.h"

namespace dragoman::bench {

// The rates of copies and of matrix products of each compute type. The other parts' times are
// compared with these rates.
absl::StatusOr<nlohmann::json> Ceilings();

// The output layer alone: fused, materialized logits with one pass, and materialized logits with
// separate sweeps.
absl::StatusOr<nlohmann::json> OutputLayers();

// Returns the backend configuration of parts that time steps: `rows` rows, and outputs of at most
// 128 tokens.
engine::CudaBackendConfig StepConfig(const engine::ModelSpec& spec, int rows);

// The step of a full batch, launch by launch, compared with the least time that its bytes and flop
// take.
absl::StatusOr<nlohmann::json> StepTable();

// The step of a full batch as a series of graphs, with early launches and without, at 4,096, 1,024,
// 256 and 4 rows, next to the time that is counted for the card (count/counted_step.h). The other
// two parts run a few steps of one size for profilers, with early launches as the environment sets
// them.
absl::StatusOr<nlohmann::json> GraphStep();
absl::StatusOr<nlohmann::json> GraphStepOf4096();
absl::StatusOr<nlohmann::json> GraphStepOf4();
// Compares int8 and float8 products of the output layer, of the layers and of both with float16, at
// the same sizes. For kinds that the card does not support, prints the reason.
absl::StatusOr<nlohmann::json> GraphStepQuantized();

// A worker with more waiting segments than fit in its batch.
absl::StatusOr<nlohmann::json> Throughput();

// A worker that gets one segment at a time.
absl::StatusOr<nlohmann::json> OneSentence();

}  // namespace dragoman::bench

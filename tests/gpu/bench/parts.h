// The parts of gpu_bench: each measures one thing on cuda:0, prints a table for people and returns
// the same numbers as JSON. Times are seconds unless a name says otherwise.
//
// One part a process: a part leaves nothing on the device that would slow the next.
#pragma once

#include <nlohmann/json.hpp>

#include "absl/status/statusor.h"

namespace dragoman::bench {

// The rates that copies and matrix products of each compute type reach: the denominators of
// everything else.
absl::StatusOr<nlohmann::json> Ceilings();

// The output layer alone: fused, stored logits with one pass, stored logits with separate sweeps.
absl::StatusOr<nlohmann::json> OutputLayers();

// A full batch's step, launch by launch, against the least time that its bytes and flop take.
absl::StatusOr<nlohmann::json> StepTable();

// A worker under more segments than it has room for.
absl::StatusOr<nlohmann::json> Throughput();

// One segment at a time.
absl::StatusOr<nlohmann::json> OneSentence();

}  // namespace dragoman::bench

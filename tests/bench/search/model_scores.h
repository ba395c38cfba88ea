// The bundled Transformer for searches outside the engine: whole rows of log-probabilities.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"
#include "tests/bench/search/bench_model.h"
#include "tests/bench/search/grid_search.h"

namespace dragoman::bench {

// The scores for one task's source; -inf for all that its profile forbids. Exits if a step fails.
class ModelScores final : public NextScores {
 public:
  // Borrows the model. REQUIRES: no forbidden phrase of two or more tokens.
  ModelScores(const BenchModel& model, const Task& task);

  // REQUIRES: at most kMaxSlotLanes rows; at most task.search.max_tokens + 1 calls.
  const std::vector<std::vector<float>>& Next(const std::vector<int>& parents,
                                              const std::vector<int32_t>& tokens) override;

 private:
  const Task task_;
  const int64_t positions_;
  std::unique_ptr<engine::KvMemory> memory_;
  std::unique_ptr<engine::Decoder> decoder_;
  std::vector<int32_t> cross_pages_;
  std::vector<int32_t> lanes_;       // row i is lane i of the one slot
  std::vector<int32_t> lane_pages_;  // [kMaxSlotLanes, pages]
  std::vector<uint8_t> ancestry_;    // [kMaxSlotLanes, positions]
  int32_t position_ = 0;
  std::vector<std::vector<float>> scores_;
};

}  // namespace dragoman::bench

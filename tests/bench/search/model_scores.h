// The bundled Transformer as searches outside the engine see it: whole rows of log-probs.
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

// The scores of one task's source, with everything that its profile forbids at -inf. Ends the
// program when a step fails.
class ModelScores final : public NextScores {
 public:
  // The model is borrowed. REQUIRES: no forbidden phrase of two tokens or more.
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

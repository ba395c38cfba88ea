// A model whose logits are a function of the source and the previous tokens. It replaces the
// Transformer under the production loop and search. Its encoder writes the source's tokens into the
// cross-attention pages, and its decoder reads them there.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/decode/kv_memory.h"
#include "engine/decode/step_model.h"

namespace dragoman::testing {

// Returns the logits of the next token, one for each token of the vocabulary.
using Script = std::function<std::vector<float>(std::span<const int32_t> source,
                                                std::span<const int32_t> prefix)>;

// Returns pages of `memory` with this source as a scripted encoder writes it. Waits for free pages,
// as an encoder does. REQUIRES: `memory` has a ScriptedModel's layout.
engine::CrossPages EncodeScripted(std::span<const int32_t> source, engine::KvMemory* memory);

// Fills a summary from materialized logits by the simplest algorithm.
void FoldLogits(const std::vector<float>& logits, const kernels::LogitRequest& request,
                kernels::LogitSummary& summary);

class ScriptedModel : public engine::StepModel {
 public:
  explicit ScriptedModel(Script script) : script_(std::move(script)) {}

  static constexpr kernels::KvLayout kLayout{1, 1, 1};

  kernels::KvLayout kv_layout() const override { return kLayout; }
  int64_t weight_bytes() const override { return 0; }
  std::unique_ptr<engine::Encoder> CreateEncoder(int threads) const override;
  std::unique_ptr<engine::Decoder> CreateDecoder(int threads, int max_rows) const override;

  // Every decoder calls it before a step with the number of rows. May block or fail.
  std::function<absl::Status(int64_t rows)> before_step;
  // Every encoder calls it before a pass with the number of segments. May block or fail.
  std::function<absl::Status(int64_t segments)> before_encode;

 private:
  Script script_;
};

}  // namespace dragoman::testing

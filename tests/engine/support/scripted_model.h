// A model whose logits are a function of the source and of the tokens so far, in the place of the
// Transformer: the production loop and search run on it. Its encoder writes the source's tokens
// into the cross-attention pages, and there its decoder reads them.
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

// Logits of the next token, one for each token of the vocabulary.
using Script = std::function<std::vector<float>(std::span<const int32_t> source,
                                                std::span<const int32_t> prefix)>;

// Pages of `memory` into which a scripted encoder has written this source. Waits for them as an
// encoder would. REQUIRES: the memory has a ScriptedModel's layout.
engine::CrossPages EncodeScripted(std::span<const int32_t> source, engine::KvMemory* memory);

// Fills a summary from materialized logits, the plain way.
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

  // Called by every decoder before a step with its number of rows; may block or fail.
  std::function<absl::Status(int64_t rows)> before_step;
  // Called by every encoder before a pass with its number of segments; may block or fail.
  std::function<absl::Status(int64_t segments)> before_encode;

 private:
  Script script_;
};

}  // namespace dragoman::testing

// The events of the engine from which the server makes its Prometheus metrics.
//
// Engine threads call an observer a few times per step, encoder pass, segment and job. An
// implementation must be thread-safe and must not block.
#pragma once

#include <cstdint>

#include "engine/api/engine.h"
#include "engine/base/clock.h"

namespace dragoman::engine {

enum class Stage { kTokenize, kQueue, kEncode, kSlotWait, kDecode, kDetokenize };

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;

  // One decode step of one worker. The step had `rows` of `row_capacity` rows, of `segments` slots.
  // `topped_up` segments were admitted since the step before. `beside_pass`: during at least a part
  // of the step, a pass of the worker's encoder shared the processors or the GPU.
  struct Step {
    Nanos duration;
    int rows;
    int row_capacity;
    int segments;
    int topped_up;
    bool beside_pass = false;
  };
  virtual void OnStep(const Step& step) = 0;

  // One encoder pass, also if it failed. `padding` tokens is 0, because passes are packed.
  virtual void OnEncode(int segments, int64_t tokens, int64_t padding) = 0;

  // A segment, or for kTokenize a job, spent this time in a stage.
  virtual void OnStage(Stage stage, Nanos duration) = 0;

  // A job's items were split and tokenised.
  virtual void OnJobTokenized(int64_t source_tokens, int beam_size) = 0;

  // A segment ended with a translation of this many tokens (EOS included).
  virtual void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) = 0;

  // A translation did not have each sentinel once. Its segment is searched again, constrained.
  virtual void OnSegmentSearchedAgain() = 0;

  // A job ended with translations of this many tokens in all.
  virtual void OnJobTranslated(int64_t target_tokens) = 0;

  // A segment was cancelled at a stage. `wasted_tokens` had been decoded.
  virtual void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) = 0;

  // The engine itself failed; `kind` is "nan", "encode", "decode" or "worker".
  virtual void OnError(const char* kind) = 0;
};

}  // namespace dragoman::engine

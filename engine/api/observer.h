// The events of the engine that metrics are made of. The server turns them into Prometheus series.
//
// Called from engine threads, a few times per step, encoder pass, segment or job: implementations
// must be thread-safe and must not block.
#pragma once

#include <cstdint>

#include "engine/api/engine.h"
#include "engine/base/clock.h"

namespace dragoman::engine {

enum class Stage { kTokenize, kQueue, kEncode, kSlotWait, kDecode, kDetokenize };

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;

  // One decode step of one worker: `rows` busy of `row_capacity`, of `segments` slots; `topped_up`
  // segments were admitted since the one before. `beside_pass`: a pass of the worker's encoder ran
  // for a part of it at least, with which it shared the processors or the GPU.
  struct Step {
    Nanos duration;
    int rows;
    int row_capacity;
    int segments;
    int topped_up;
    bool beside_pass = false;
  };
  virtual void OnStep(const Step& step) = 0;

  // One pass of the encoder, of which a window takes one or more; called whether or not it
  // succeeded. `padding` tokens were computed for nothing (none today: passes are packed).
  virtual void OnEncode(int segments, int64_t tokens, int64_t padding) = 0;

  // A segment spent this long in a stage.
  virtual void OnStage(Stage stage, Nanos duration) = 0;

  // A job's items were split and tokenised.
  virtual void OnJobTokenized(int64_t source_tokens, int beam_size) = 0;

  // A segment ended with a translation of this many tokens (EOS included).
  virtual void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) = 0;

  // A translation did not have each sentinel once, and its segment is searched again, with constraints.
  virtual void OnSegmentSearchedAgain() = 0;

  // A job ended with a translation of this many tokens in all.
  virtual void OnJobTranslated(int64_t target_tokens) = 0;

  // A segment was cancelled at a stage, after `wasted_tokens` decoded for nothing.
  virtual void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) = 0;

  // Something of our own failed: kind "nan", "encode", "decode", "worker".
  virtual void OnError(const char* kind) = 0;
};

}  // namespace dragoman::engine

// The events of the engine from which the server makes its Prometheus metrics.
//
// Engine threads call an observer a few times per step, encoder pass, segment and job. An
// implementation must be thread-safe and must not block.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/api/engine.h"
#include "engine/base/clock.h"

namespace dragoman::engine {

enum class Stage { kTokenize, kQueue, kEncode, kSlotWait, kDecode, kDetokenize };

class EngineObserver {
 public:
  virtual ~EngineObserver() = default;

  // One decode step of one worker.
  struct Step {
    Nanos duration;
    int rows;          // live hypotheses that the step extended
    int row_capacity;  // the most rows of a step
    int segments;      // segments to which the rows belong
    int topped_up;     // segments that entered the batch since the previous step
    // An encoder pass of this worker ran during at least a part of the step.
    bool beside_pass = false;
  };
  virtual void OnStep(const Step& step) = 0;

  // An encoder pass has ended or failed. `padding` is the number of padding tokens. It is always 0,
  // because encoder passes have no padding.
  virtual void OnEncode(int segments, int64_t tokens, int64_t padding) = 0;

  // A segment spent `duration` in a stage. For kTokenize, a complete job spent it.
  virtual void OnStage(Stage stage, Nanos duration) = 0;

  // A job's items were split and tokenised.
  virtual void OnJobTokenized(int64_t source_tokens, int beam_size) = 0;

  // A segment ended with a translation of this many tokens (EOS included).
  virtual void OnSegmentTranslated(int64_t source_tokens, int64_t target_tokens) = 0;

  // A translation did not have each sentinel (engine/request/sentinels.h) exactly once. Its segment
  // is decoded again, with constraints in place of sentinels.
  virtual void OnSegmentSearchedAgain() = 0;

  // A segment's translation is probably wrong; `reason` is SuspicionWords::name
  // (engine/text/guard.h).
  virtual void OnSuspicious(std::string_view reason) = 0;

  // A job ended with status OK. Its best hypotheses have this many tokens in all (EOS included).
  virtual void OnJobTranslated(int64_t target_tokens) = 0;

  // A segment was cancelled in a stage, after `wasted_tokens` target tokens were decoded for it.
  virtual void OnSegmentCancelled(Stage stage, CancelCause cause, int64_t wasted_tokens) = 0;

  // The engine itself failed; `kind` is "nan", "encode", "decode" or "worker".
  virtual void OnError(const char* kind) = 0;
};

}  // namespace dragoman::engine

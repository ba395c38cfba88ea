// The scheduler's interface to a model: an encoder that fills cross-attention pages, and a decoder
// that folds the logits of one step. cpu_model.h implements it. Tests use a scripted model.
//
// An Encoder or Decoder belongs to one thread. Their weights are shared and immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "kernels/base/compute_type.h"
#include "kernels/base/kv_pages.h"
#include "kernels/ops/align.h"
#include "kernels/search/row.h"
#include "kernels/search/slot.h"

namespace dragoman::engine {

// Segments packed without padding. Segment i is tokens[offsets[i] .. offsets[i + 1]). Its K/V of
// cross-attention go to the pages pages[page_offsets[i] .. page_offsets[i + 1]) of the pool.
struct EncodeInput {
  const int32_t* tokens = nullptr;
  const int32_t* offsets = nullptr;  // [segments + 1]
  int64_t segments = 0;
  const int32_t* page_offsets = nullptr;  // [segments + 1]
  const int32_t* pages = nullptr;
  void* pool = nullptr;
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // Encodes the segments. After an error, no call may follow. REQUIRES: all tokens together are at
  // most max_tokens(), except for a single segment.
  virtual absl::Status Encode(const EncodeInput& input) = 0;

  // Returns the most tokens of a call with several segments. It may change between calls.
  virtual int64_t max_tokens() const = 0;

  // Returns the bytes without weights, on the device or host. Never changes. Thread-safe.
  virtual int64_t workspace_bytes() const { return 0; }
};

struct StepInput {
  kernels::DecodeRows rows;
  const int32_t* tokens = nullptr;                  // [rows] the newest token of each hypothesis
  const kernels::LogitRequest* requests = nullptr;  // [rows]
  kernels::SelfKvTables self;
  kernels::CrossKvTables cross;
  const kernels::SlotView* slots = nullptr;  // by slot number
  std::span<const kernels::AlignRow> align;  // rows that need their alignment
  uint16_t* aligned = nullptr;               // [align.size()] output: their source positions
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // Computes one more position for every row. The caller provides the memory in summaries [rows]
  // for the results that the requests need.
  virtual absl::Status Step(const StepInput& input, kernels::LogitSummary* summaries) = 0;

  // From Enter to Leave, the rows of a slot may produce only `words`, which are ascending and
  // borrowed. The requests of these rows may name only these words. Other slots may produce all
  // words. Only for models that select words. Enter REQUIRES: HasRoomFor; the slot has no words.
  virtual bool HasRoomFor(int32_t /*words*/) const { return true; }
  virtual void Enter(int /*slot*/, const kernels::IdList& /*words*/) {}
  virtual void Leave(int /*slot*/) {}

  // No step is due at present, so other work may use the threads of the steps.
  virtual void Rest() {}

  // Like Encoder::workspace_bytes.
  virtual int64_t workspace_bytes() const { return 0; }
};

// The part of a model that the workers of one engine share.
class StepModel {
 public:
  virtual ~StepModel() = default;

  // Returns the layout of self and cross pages.
  virtual kernels::KvLayout kv_layout() const = 0;
  // Returns the type of the products. Activations are f32.
  virtual kernels::ComputeType compute_type() const { return kernels::ComputeType::kFloat32; }
  virtual int64_t weight_bytes() const = 0;

  // Returns the sum of workspace_bytes() of an encoder and a decoder of this size.
  virtual int64_t workspace_bytes(int /*threads*/, int /*max_rows*/) const { return 0; }

  // At most `threads` threads compute at once. These functions allocate all scratch memory.
  virtual std::unique_ptr<Encoder> CreateEncoder(int threads) const = 0;
  virtual std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const = 0;
};

}  // namespace dragoman::engine

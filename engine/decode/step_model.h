// The model as the scheduler sees it: an encoder that fills cross-attention pages, and a decoder
// that folds the logits of one step. The executor of the CPU implements both (cpu_model.h); tests
// put a scripted model in its place and drive the production loop with it.
//
// An Encoder or Decoder belongs to one thread. Weights behind them are shared and immutable.
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

// Segments packed without padding: segment i is tokens offsets[i] .. offsets[i + 1], and its
// cross-attention K/V go to pages[page_offsets[i]] ... of the pool.
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

  // REQUIRES: all tokens together at most max_tokens() unless there is one segment only. An error
  // is final: no call comes after it.
  virtual absl::Status Encode(const EncodeInput& input) = 0;

  // Tokens that one call takes at most for the sake of its buffers.
  virtual int64_t max_tokens() const = 0;

  // Memory that it holds besides the weights: of the device, or of the host where it runs there.
  // Never changes; may be asked by any thread.
  virtual int64_t workspace_bytes() const { return 0; }
};

struct StepInput {
  kernels::DecodeRows rows;
  const int32_t* tokens = nullptr;                  // [rows] the newest token of each hypothesis
  const kernels::LogitRequest* requests = nullptr;  // [rows]
  kernels::SelfKvTables self;
  kernels::CrossKvTables cross;
  const kernels::SlotView* slots = nullptr;  // by slot number
  std::span<const kernels::AlignRow> align;  // rows whose alignment is wanted
  uint16_t* aligned = nullptr;               // [align.size()] takes their source positions
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // One position more for every row. summaries [rows] come with memory for what the requests ask.
  virtual absl::Status Step(const StepInput& input, kernels::LogitSummary* summaries) = 0;

  // Which words the rows of a slot may produce, from Enter until Leave; of a slot without, all. They
  // are borrowed, ascending, and its requests may want only what is in the list. Only of a
  // model that selects words. REQUIRES of Enter: HasRoomFor returned true, and Leave came after the last.
  virtual bool HasRoomFor(int32_t /*words*/) const { return true; }
  virtual void Enter(int /*slot*/, const kernels::IdList& /*words*/) {}
  virtual void Leave(int /*slot*/) {}

  // No step is due for now: threads that make steps may be lent to others.
  virtual void Rest() {}

  // The same as the encoder's.
  virtual int64_t workspace_bytes() const { return 0; }
};

// The part of a model that the workers of one engine share.
class StepModel {
 public:
  virtual ~StepModel() = default;

  // The layout of the pages of both pools.
  virtual kernels::KvLayout kv_layout() const = 0;
  // The type of the products. Activations and pages are f32.
  virtual kernels::ComputeType compute_type() const { return kernels::ComputeType::kFloat32; }
  virtual int64_t weight_bytes() const = 0;

  // The bytes that an encoder and a decoder of so many threads and rows will hold: the sum of their
  // own workspace_bytes().
  virtual int64_t workspace_bytes(int /*threads*/, int /*max_rows*/) const { return 0; }

  // At most `threads` threads work for it at once. Their scratch is allocated here, not in the calls.
  virtual std::unique_ptr<Encoder> CreateEncoder(int threads) const = 0;
  virtual std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const = 0;
};

}  // namespace dragoman::engine

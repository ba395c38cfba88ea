// The scheduler's interface to a model: an encoder that fills cross-attention pages, and a decoder
// that computes a step and reduces ("folds") the logits of each row to a LogitSummary
// (kernels/search/row.h). cpu_model.h implements the interface. Tests use a scripted model.
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

// Segments that are stored one after the other, without padding. The tokens of segment i are
// tokens[offsets[i] .. offsets[i + 1]). The encoder writes K and V of its cross-attention to the
// pages of `pool` with the numbers pages[page_offsets[i] .. page_offsets[i + 1]).
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

  // Encodes the segments. After an error, no call may follow. REQUIRES: the segments together have
  // at most max_tokens() tokens, or there is only one segment.
  virtual absl::Status Encode(const EncodeInput& input) = 0;

  // Returns the largest number of tokens that a call of Encode with several segments may have. The
  // result may change between calls.
  virtual int64_t max_tokens() const = 0;

  // Returns the number of bytes that the encoder takes, without weights. The result never changes.
  // Thread-safe.
  virtual int64_t workspace_bytes() const { return 0; }
};

struct StepInput {
  kernels::DecodeRows rows;
  const int32_t* tokens = nullptr;                  // [rows] the newest token of each hypothesis
  const kernels::LogitRequest* requests = nullptr;  // [rows] what the search needs of each row
  kernels::SelfKvTables self;
  kernels::CrossKvTables cross;
  const kernels::SlotView* slots = nullptr;  // indexed by slot number
  std::span<const kernels::AlignRow> align;  // the rows that need their alignment
  uint16_t* aligned = nullptr;               // output: a source position for each row in `align`
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // Computes one more position for every row and writes one element of `summaries` per row. The
  // caller provides the arrays to which the summaries point. They are as large as
  // StepInput::requests needs them.
  virtual absl::Status Step(const StepInput& input, kernels::LogitSummary* summaries) = 0;

  // Reports whether there is memory for a selection of `words` target tokens (see Enter).
  virtual bool HasRoomFor(int32_t /*words*/) const { return true; }
  // Limits the slot to a selection of target tokens: its rows may produce only `words`, and their
  // requests may name no other tokens. `words` are ascending, and borrowed until Leave. REQUIRES:
  // HasRoomFor returned true, the slot has no selection, and the model can select words.
  virtual void Enter(int /*slot*/, const kernels::IdList& /*words*/) {}
  // Ends the slot's selection, if it has one. The slot may then produce all tokens.
  virtual void Leave(int /*slot*/) {}
  // Tells the decoder that no step is due at present, so that its threads can serve other work.
  virtual void Rest() {}

  // Returns the number of bytes that the decoder takes, without weights. The result never changes.
  // Thread-safe.
  virtual int64_t workspace_bytes() const { return 0; }
};

// A model as the workers of an engine share it.
class StepModel {
 public:
  virtual ~StepModel() = default;

  // Returns the layout of the self and cross pages.
  virtual kernels::KvLayout kv_layout() const = 0;
  // Returns the operand type of matrix products. Activations are float32.
  virtual kernels::ComputeType compute_type() const { return kernels::ComputeType::kFloat32; }
  virtual int64_t weight_bytes() const = 0;

  // Returns the number of bytes that an encoder and a decoder with these arguments take together.
  virtual int64_t workspace_bytes(int /*threads*/, int /*max_rows*/) const { return 0; }

  // At most `threads` threads compute for the encoder or decoder at a time. The two functions
  // allocate all scratch memory, so the encoder and the decoder allocate none later.
  virtual std::unique_ptr<Encoder> CreateEncoder(int threads) const = 0;
  virtual std::unique_ptr<Decoder> CreateDecoder(int threads, int max_rows) const = 0;
};

}  // namespace dragoman::engine

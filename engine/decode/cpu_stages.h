// The encoder and the decoder of the CPU, which run the operations of a packed program
// (packed_program.h). Private to engine/decode. Each belongs to one thread and has its own buffers.
// "Stage" means the encoder or the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "absl/status/status.h"
#include "engine/decode/packed_program.h"
#include "engine/decode/step_model.h"
#include "engine/decode/word_selections.h"
#include "engine/network/buffers.h"
#include "engine/network/program.h"
#include "kernels/base/op_context.h"
#include "kernels/base/op_probe.h"

namespace dragoman::engine {

// Returns the most rows of an encoder pass. A row is a source token.
int64_t EncoderRows(const Program& program);

// Return the number of floats of scratch memory that each thread of an encoder, or of a decoder for
// `max_rows` rows, reserves in its context.
size_t EncoderScratch(const PackedProgram& packed);
size_t DecoderScratch(const PackedProgram& packed, int max_rows);

// Returns the bytes that an encoder and a decoder take together, without contexts and selections.
int64_t BufferBytes(const PackedProgram& packed, int max_rows);

// The buffers of a stage for up to `rows` rows.
class StageBuffers {
 public:
  StageBuffers(const BufferPlan& plan, int64_t rows);

  static int64_t BytesOf(const BufferPlan& plan, int64_t rows) {
    return plan.Bytes(rows, sizeof(float));
  }

  float* operator[](BufferId buffer) const {
    return block_.get() + rows_ * plan_.offset[static_cast<size_t>(buffer)];
  }
  int64_t bytes() const { return BytesOf(plan_, rows_); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(float* p) const { ::operator delete(p, kAlignment); }
  };

  const BufferPlan& plan_;
  const int64_t rows_;
  std::unique_ptr<float, Free> block_;
};

// The common part of encoder and decoder: runs the operations that both stages have.
class StageRunner {
 protected:
  // Computes in `context`, which is borrowed and whose memory workspace_bytes_ does not include. If
  // `context` is nullptr, creates its own context with `threads` threads. `capacity` is the largest
  // number of rows of a call of Run.
  StageRunner(std::shared_ptr<const PackedProgram> packed, const OpSequence& stage,
              const BufferPlan& plan, const StageProducts& products, kernels::OpContext* context,
              int threads, int64_t capacity);

  // Runs all operations of the stage except the output layer. Calls attend(op) for each operation
  // that only one of the two stages has, such as attention.
  template <class Attend>
  void Run(const int32_t* tokens, const int32_t* positions, int64_t rows, Attend attend);

  const float* Value(WeightId id) const { return packed_->Value(id); }
  float* IfThere(BufferId id) const { return id == kNoBuffer ? nullptr : buffers_[id]; }
  const kernels::KvLayout& layout() const { return packed_->program.kv; }

  const std::shared_ptr<const PackedProgram> packed_;
  const OpSequence& stage_;
  const StageProducts& products_;
  const std::unique_ptr<kernels::OpContext> own_;
  kernels::OpContext& op_;
  const StageBuffers buffers_;
  int64_t workspace_bytes_ = 0;
};

class CpuEncoder final : public Encoder, private StageRunner {
 public:
  // `context` and `threads` as StageRunner.
  CpuEncoder(const std::shared_ptr<const PackedProgram>& packed, kernels::OpContext* context,
             int threads);

  absl::Status Encode(const EncodeInput& in) override;

  int64_t max_tokens() const override { return capacity_; }
  int64_t workspace_bytes() const override { return workspace_bytes_ + PositionBytes(capacity_); }
  static int64_t PositionBytes(int64_t capacity) {
    return capacity * static_cast<int64_t>(sizeof(int32_t));
  }

 private:
  const int64_t capacity_;
  std::vector<int32_t> positions_;
};

// A decoder without the output layer. For one thread.
class CpuRows final : private StageRunner {
 public:
  // `context` and `threads` as StageRunner.
  CpuRows(const std::shared_ptr<const PackedProgram>& packed, kernels::OpContext* context,
          int threads, int max_rows);

  // Computes one more position for every row. Returns the output layer's input [rows, d], valid
  // until the next call. Does not read the requests of `in`. REQUIRES: the context is between Begin
  // and End.
  const float* Run(const StepInput& in);

  kernels::OpContext& context() { return op_; }
  // Returns the bytes of the stage's buffers. The context's memory is not included.
  int64_t workspace_bytes() const { return workspace_bytes_; }
};

class CpuDecoder final : public Decoder {
 public:
  CpuDecoder(std::shared_ptr<const PackedProgram> packed, int threads, int max_rows,
             kernels::OpProbe* probe);

  absl::Status Step(const StepInput& in, kernels::LogitSummary* summaries) override;

  bool HasRoomFor(int32_t words) const override { return words_->HasRoomFor(words); }
  void Enter(int slot, const kernels::IdList& words) override { words_->Enter(slot, words); }
  void Leave(int slot) override {
    if (words_ != nullptr) words_->Leave(slot);
  }

  void Rest() override { rows_.context().End(); }

  int64_t workspace_bytes() const override {
    return rows_.workspace_bytes() + (words_ == nullptr ? 0 : words_->bytes());
  }

 private:
  const std::shared_ptr<const PackedProgram> packed_;
  CpuRows rows_;
  // nullptr: the model cannot limit slots to a selection of tokens.
  std::unique_ptr<WordSelections> words_;
};

}  // namespace dragoman::engine
